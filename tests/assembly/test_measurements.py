"""Measurements are laid on the components that they name."""

from __future__ import annotations

from tests.machines import a100
from toposcope.assembly.measurements import add_measurements
from toposcope.base import Bandwidth, Origin
from toposcope.collectors.records import Measurement, Reading

ORIGIN = Origin("nvbandwidth", "nvbandwidth.txt", 7)
GBS = Bandwidth.gigabytes(25)


def noted(*records):
    topology = a100()
    add_measurements(topology, Reading(records))
    return topology


def test_ends_are_found_by_address_first_and_by_label_else():
    topology = noted(
        Measurement(ORIGIN, "t", "memcpy", GBS, "0000:19:00.0|GPU5", "GPU3"),
        Measurement(ORIGIN, "t", "memcpy", GBS, "GPU5", "host:1"),
    )
    assert [(each.source, each.target) for each in topology.measurements] == [("GPU1", "GPU3"), ("GPU5", "host:1")]


def test_a_number_stands_for_no_device_of_another_address():
    topology = noted(Measurement(ORIGIN, "t", "memcpy", GBS, "0000:ff:00.0|GPU5", "host:1"))
    assert topology.measurements == []
    assert "t measured GPU5, which this machine has not" in topology.problems[-1].message


def test_a_device_that_is_not_there_is_a_problem():
    topology = noted(Measurement(ORIGIN, "t", "memcpy", GBS, "GPU0", "GPU31"))
    assert topology.measurements == []
    assert "t measured GPU31, which this machine has not" in topology.problems[-1].message


def test_the_manner_is_said_in_words():
    (first, second) = noted(
        Measurement(ORIGIN, "t", "memcpy", GBS, "GPU0", "host", both=True, engine="kernel"),
        Measurement(ORIGIN, "t", "memcpy", GBS, "GPU0", "GPU1", access="read", engine="copy"),
    ).measurements
    assert first.words == ("both", "kernel", "to-host")
    assert second.words == ("read",)


def test_rdma_names_its_nic_and_a_collective_its_members():
    rdma, ring = noted(
        Measurement(ORIGIN, "t", "rdma", GBS, "host", "remote", members=("mlx5_3",)),
        Measurement(ORIGIN, "t", "busbw", GBS, collective="all_reduce", members=("GPU0", "GPU1"), ranks=2, hosts=1),
    ).measurements
    assert (rdma.nic, rdma.members) == ("NIC3", ())
    assert ring.members == ("GPU0", "GPU1")
