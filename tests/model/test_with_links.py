"""A machine as it would be with other links."""

from __future__ import annotations

from dataclasses import replace

from tests.machines import a100
from toposcope.base import Bandwidth
from toposcope.model import Figures


def test_only_the_links_that_are_given_differ() -> None:
    topology = a100()
    link = topology.link("GPU0", "switch0")
    assert link is not None
    other = topology.with_links([replace(link, line=Bandwidth.gigabytes(1))])

    changed = other.link("GPU0", "switch0")
    assert changed is not None
    assert changed.line == Bandwidth.gigabytes(1)
    assert topology.link("GPU0", "switch0") == link
    assert [each for each in other.links() if each != changed] == [each for each in topology.links() if each != link]


def test_components_and_structure_are_the_same() -> None:
    topology = a100()
    other = topology.with_links([])

    assert list(other.components()) == list(topology.components())
    assert all(other.parent(each.id) == topology.parent(each.id) for each in topology.components())
    assert other.host == topology.host


def test_a_pcie_link_carries_its_lanes() -> None:
    figures = Figures(lanes={4: Bandwidth.gigabytes(2)})

    assert figures.pcie(4, 16) == Bandwidth.gigabytes(32)
    assert figures.pcie(5, 16) is None
    assert figures.pcie(4, None) is None
    assert figures.pcie(None, 16) is None
