"""Where each rank belongs: NICs, CPUs shared out, memory; and what is not known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails, set_port
from tests.machines import MACHINES, hccs_mesh
from toposcope.analysis.affinity import affinity
from toposcope.model import State, Topology
from toposcope.model.spans import spans, written


def with_cpus() -> Topology:
    topology = rails()
    note(topology, "NUMA0", "cpus", "0-7,16-23")
    note(topology, "NUMA1", "cpus", "8-15,24-31")
    return topology


def test_each_rank_gets_the_nic_beside_it_and_a_part_of_the_cpus() -> None:
    found = affinity(with_cpus())

    assert [each.nics for each in found.bindings] == [("mlx5_0",), ("mlx5_1",), ("mlx5_2",), ("mlx5_3",)]
    assert [each.share for each in found.bindings] == ["0-3,16-19", "4-7,20-23", "8-11,24-27", "12-15,28-31"]
    assert found.bindings[0].cpus == "0-7,16-23"
    assert found.devices == ("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3")
    assert found.notes == ()


def test_a_nic_without_a_link_is_left_out_and_said() -> None:
    topology = with_cpus()
    set_port(topology, "NIC2", state=State.DOWN, line=None)
    found = affinity(topology)

    assert found.bindings[2].nics == ()
    assert "mlx5_2" not in found.devices
    assert any("mlx5_2 beside GPU2 has no link" in each for each in found.notes)


def test_what_is_not_known_is_said_with_what_would_tell() -> None:
    found = affinity(rails(accelerators=2))

    assert found.bindings[0].cpus is None
    assert any("lscpu" in each for each in found.notes)


def test_a_cpu_list_too_short_to_share_is_given_to_all() -> None:
    topology = rails(accelerators=4)
    note(topology, "NUMA0", "cpus", "0")
    assert [each.share for each in affinity(topology).bindings[:2]] == ["0", "0"]


def test_ports_inside_accelerators_need_no_nic() -> None:
    found = affinity(hccs_mesh())

    assert [each.number for each in found.bindings] == list(range(8))
    assert found.devices == ()


def test_a_node_without_memory_is_not_bound_to() -> None:
    topology = with_cpus()
    from dataclasses import replace

    topology.add(replace(topology.component("NUMA0"), numa=0))
    note(topology, "NUMA0", "memory_bytes", 0)
    assert affinity(topology).bindings[0].memory is None
    assert affinity(topology).bindings[0].node == 0


@pytest.mark.parametrize("build", MACHINES, ids=[build.__name__ for build in MACHINES])
def test_every_machine_has_a_rank_an_accelerator(build) -> None:
    found = affinity(build())

    assert len({each.accelerator for each in found.bindings}) == len(found.bindings)
    assert [each.rank for each in found.bindings] == list(range(len(found.bindings)))


@given(st.frozensets(st.integers(0, 300)))
def test_lists_of_numbers_are_written_as_they_are_read(numbers: frozenset[int]) -> None:
    assert spans(written(numbers)) == numbers


@given(st.text())
def test_what_is_no_list_is_empty(text: str) -> None:
    assert all(isinstance(number, int) for number in spans(text))
