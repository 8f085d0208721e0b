"""Collectives over several hosts: what holds a ring back, inside the hosts or between them."""

from __future__ import annotations

import pytest

from tests.machines import ORIGIN, a100, h100, l40s
from tests.prediction.wiring import lookup
from toposcope.analysis.collective import expected_collective
from toposcope.model import Fact, Medium


def machine(make):
    topology = make()
    topology.figures = lookup().figures({"NVIDIA"}, None)
    return topology


def all_reduce(topology, hosts, count=8, *, summing=False):
    names = [f"GPU{index}" for index in range(count)]
    return expected_collective(topology, names, hosts=hosts, summing=summing)


def test_the_network_holds_back_what_the_links_inside_outrun():
    found = all_reduce(machine(a100), 2)
    assert found.limits[0].medium is Medium.ETHERNET
    assert found.usable.typical.gbs < all_reduce(machine(a100), 1).usable.typical.gbs


def test_the_links_inside_hold_a_ring_back_that_the_network_outruns():
    topology = machine(h100)
    inside, over = all_reduce(topology, 1), all_reduce(topology, 4)
    assert over.usable.typical <= inside.usable.typical


def test_a_ring_over_pcie_hosts_is_no_faster_than_one_inside():
    topology = machine(l40s)
    inside = all_reduce(topology, 1, 4)
    assert all_reduce(topology, 2, 4).usable.typical.gbs == pytest.approx(inside.usable.typical.gbs)


def test_what_nothing_shows_inside_a_host_holds_nothing_back():
    topology = machine(l40s)
    known = all_reduce(topology, 2, 4).usable.typical
    topology.note(Fact("host", "fabric.hidden", value=True, origin=ORIGIN))
    assert all_reduce(topology, 2, 4).usable.typical > known
