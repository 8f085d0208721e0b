"""Fabrics that nobody has set up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.rules.boards import assumed, fabric, note
from tests.machines import ORIGIN, Builder
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import fabric_manager
from toposcope.model import Kind, Reach, Relation, Topology


def state(value: str | None, status: str = "value") -> Topology:
    topology = fabric(2)
    for name in ("GPU0", "GPU1"):
        note(topology, name, "fabric.state", value, status)
    return topology


def breaks_fabric_manager() -> Topology:
    return state("In Progress")


def keeps_fabric_manager() -> Topology:
    return state("Completed")


def cannot_tell_fabric_manager() -> Topology:
    return state(None, "unsupported")


def on_the_bus() -> Topology:
    """Build two accelerators with a switch on the bus that joins nothing."""
    topology = fabric(2, without=(0, 1))
    b = Builder(topology)
    b.add("NVSW0", Kind.NVSWITCH, pci="0000:80:00.0")
    return topology


def test_a_fabric_that_is_not_completed_is_critical() -> None:
    (finding,) = fabric_manager.check(breaks_fabric_manager())

    assert finding.severity is Severity.CRITICAL
    assert "In Progress" in finding.message
    assert "systemctl restart nvidia-fabricmanager" in finding.remedy
    assert [(harm.source, harm.target) for harm in finding.harms] == [("GPU0", "GPU1")]


@pytest.mark.parametrize("value", ["N/A", "Completed", "COMPLETED"])
def test_other_states_are_none_of_its_business(value: str) -> None:
    assert list(fabric_manager.check(state(value))) == []


@pytest.mark.parametrize(("value", "found"), [("Healthy", False), ("Unhealthy", True), ("Limited Capacity", True)])
def test_an_unwell_fabric_is_a_warning(value: str, *, found: bool) -> None:
    topology = keeps_fabric_manager()
    note(topology, "GPU1", "fabric.health.summary", value)

    assert [each.severity for each in fabric_manager.check(topology)] == ([Severity.WARNING] if found else [])


def test_a_completed_fabric_that_failed_is_critical() -> None:
    topology = keeps_fabric_manager()
    note(topology, "GPU1", "fabric.status", "Error 46")
    (finding,) = fabric_manager.check(topology)

    assert "Error 46 on GPU1" in finding.message


@pytest.mark.parametrize(("value", "found"), [("inactive", True), ("failed", True), ("active", False)])
def test_the_service_matters_with_switches_on_the_bus(value: str, *, found: bool) -> None:
    topology = on_the_bus()
    note(topology, "host", "service.nvidia-fabricmanager", value)

    assert bool(list(fabric_manager.check(topology))) is found


def test_without_switches_the_service_is_not_needed() -> None:
    topology = Topology()
    b = Builder(topology)
    b.accelerator("GPU0", None)
    b.accelerator("GPU1", None)
    note(topology, "host", "service.nvidia-fabricmanager", "inactive")

    assert list(fabric_manager.check(topology)) == []


def test_switches_on_the_bus_and_pcie_words_for_all_are_suspicious() -> None:
    topology = on_the_bus()
    topology.relate(Relation("GPU0", "GPU1", "SYS", ORIGIN, Reach.SOCKET))
    (finding,) = fabric_manager.check(topology)

    assert finding.severity is Severity.WARNING
    assert finding.components == ("GPU0", "GPU1")


def test_switches_on_the_bus_alone_prove_nothing() -> None:
    assert list(fabric_manager.check(on_the_bus())) == []


def test_a_domain_that_is_not_up_is_a_warning() -> None:
    topology = keeps_fabric_manager()
    note(topology, "host", "imex.domain", "DEGRADED")
    (finding,) = fabric_manager.check(topology)

    assert finding.severity is Severity.WARNING
    assert "DEGRADED" in finding.message


def test_reference_machines_have_no_state() -> None:
    topology = assumed(on_the_bus())
    for each in list(topology.components(Kind.NVSWITCH)):
        topology.add(replace(each, pci=None))

    assert list(fabric_manager.check(topology)) == []
