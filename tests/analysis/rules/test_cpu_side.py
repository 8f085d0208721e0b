"""What the CPU's side does to traffic: socket links, NUMA nodes, ordering."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.rules.boards import assumed, figures, note, relink, switched, two_sockets
from tests.machines import a100
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import cpu_side
from toposcope.model import Efficiency, Topology


def with_crossing(factor: float = 0.3) -> Topology:
    """Build two sockets whose link lets less through than a root complex does."""
    topology = two_sockets()
    topology.figures = replace(figures())
    classes = topology.figures.efficiencies
    classes["staged"] = Efficiency("staged", 0.6, 0.6, 0.6, 1, "test")
    relink(topology, "CPU0", "CPU1", 31.5 * factor, count=1)
    return topology


def breaks_far_pairs() -> Topology:
    return with_crossing()


def keeps_far_pairs() -> Topology:
    return switched()


def cannot_tell_far_pairs() -> Topology:
    return with_crossing(factor=2)


def epyc(topology: Topology, model: str = "AMD EPYC 9000 64-Core Processor") -> Topology:
    note(topology, "host", "cpu.model", model)
    return topology


def breaks_one_numa_node() -> Topology:
    return epyc(two_sockets())


def keeps_one_numa_node() -> Topology:
    return epyc(two_sockets(), "Acme Xenon 12-Core")


def cannot_tell_one_numa_node() -> Topology:
    return two_sockets()


def breaks_numa_unknown() -> Topology:
    topology = two_sockets()
    note(topology, "GPU0", "numa_node", -1)
    return topology


def keeps_numa_unknown() -> Topology:
    topology = switched()
    note(topology, "GPU0", "numa_node", -1)
    return topology


def cannot_tell_numa_unknown() -> Topology:
    topology = Topology()
    topology.add(two_sockets().component("GPU0"))
    note(topology, "GPU0", "numa_node", -1)
    return topology


def needing(*, ordering: bool | None) -> Topology:
    topology = switched()
    topology.figures = replace(figures(), platform="emeraldrapids")
    note(topology, "host", "cpu.model", "Xenon 8500")
    if ordering is not None:
        note(topology, "NIC0", "relaxed_ordering", ordering)
    return topology


def breaks_relaxed_ordering() -> Topology:
    return needing(ordering=False)


def keeps_relaxed_ordering() -> Topology:
    return needing(ordering=True)


def cannot_tell_relaxed_ordering() -> Topology:
    return needing(ordering=None)


def test_the_socket_link_is_set_beside_the_best_pair_of_one_socket() -> None:
    (finding,) = cpu_side.check_far(breaks_far_pairs())

    assert finding.severity is Severity.INFO
    assert {(harm.source, harm.target) for harm in finding.harms} == {
        ("GPU0", "GPU2"),
        ("GPU0", "GPU3"),
        ("GPU1", "GPU2"),
        ("GPU1", "GPU3"),
    }
    for harm in finding.harms:
        assert harm.before is not None
        assert harm.after is not None
        assert harm.after < harm.before


def test_a_fabric_leaves_no_pair_to_the_socket_link() -> None:
    assert list(cpu_side.check_far(a100())) == []


@pytest.mark.parametrize("check", [cpu_side.check_one_node, cpu_side.check_numa, cpu_side.check_ordering])
def test_reference_machines_are_left_alone(check) -> None:
    for build in (breaks_one_numa_node, breaks_numa_unknown, breaks_relaxed_ordering):
        assert [each for each in check(assumed(build())) if each.severity > Severity.INFO] == []


def test_one_node_a_socket_is_told_with_the_pairs_that_stage() -> None:
    (finding,) = cpu_side.check_one_node(breaks_one_numa_node())

    assert "NPS4" in finding.remedy
    assert len(finding.harms) == 6


def test_a_device_without_a_node_among_several_is_a_warning() -> None:
    (finding,) = cpu_side.check_numa(breaks_numa_unknown())

    assert finding.severity is Severity.WARNING
    assert finding.components == ("GPU0",)
    assert "BIOS" in finding.remedy


def test_a_virtual_machine_is_told_to_describe_its_nodes() -> None:
    topology = breaks_numa_unknown()
    note(topology, "host", "hypervisor", "KVM")
    (finding,) = cpu_side.check_numa(topology)

    assert "pxb-pcie" in finding.remedy


def test_ordering_off_is_found_where_the_platform_needs_it() -> None:
    (finding,) = cpu_side.check_ordering(breaks_relaxed_ordering())

    assert "setpci -s 0000:10:0c.0" in finding.remedy
    assert {harm.source for harm in finding.harms} == {"GPU0", "GPU1"}


def test_other_platforms_do_not_need_it() -> None:
    topology = switched()
    note(topology, "NIC0", "relaxed_ordering", value=False)

    assert list(cpu_side.check_ordering(topology)) == []


def test_a_virtual_machine_needs_it_too() -> None:
    topology = switched()
    note(topology, "host", "hypervisor", "KVM")
    note(topology, "NIC0", "relaxed_ordering", value=False)

    assert [each.verdict for each in cpu_side.check_ordering(topology)] == [Verdict.FOUND]
