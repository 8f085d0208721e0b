"""Injected topologies, containers that hide the host, releases older than the machine."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails, set_variables
from tests.machines import ORIGIN
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import surroundings
from toposcope.model import Component, Kind, Library, Reach, Release, Topology

ALL = "0000:10:00.0 0000:11:00.0 0000:12:00.0 0000:13:00.0"


def injected(drawn: str | None) -> Topology:
    topology = set_variables(rails(), NCCL_TOPO_FILE="/opt/topo.xml")
    if drawn is not None:
        note(topology, "host", "nccl.graph.gpus", drawn)
    return topology


def breaks_topology_file() -> Topology:
    return injected("0000:10:00.0 0000:e1:00.0")


def keeps_topology_file() -> Topology:
    return injected(ALL)


def cannot_tell_topology_file() -> Topology:
    return injected(None)


def joined(transport: str) -> Topology:
    topology = rails()
    note(topology, "GPU0|GPU1", "nccl.transport", transport)
    return topology


def breaks_ranks_apart() -> Topology:
    return joined("NET/IB/0")


def keeps_ranks_apart() -> Topology:
    return joined("P2P/IPC")


def cannot_tell_ranks_apart() -> Topology:
    return rails()


def released(version: str | None) -> Topology:
    topology = rails()
    releases = (Release(("H800",), "2.18.3", "it searches badly", "test"),)
    library = Library("NCCL", "2.30", Reach.SWITCHES, Reach.SWITCHES, releases=releases)
    topology.figures = replace(topology.figures, library=library)
    topology.add(Component("GPU0", Kind.ACCELERATOR, ORIGIN, model="H800 SXM5"))
    if version is not None:
        note(topology, "host", "nccl.version", version)
    return topology


def breaks_library_old() -> Topology:
    return released("2.14.3")


def keeps_library_old() -> Topology:
    return released("2.18.3")


def cannot_tell_library_old() -> Topology:
    return released(None)


def test_what_is_drawn_and_not_there_is_named() -> None:
    (finding,) = surroundings.check_file(breaks_topology_file())

    assert "0000:e1:00.0" in finding.message
    assert "unset NCCL_TOPO_FILE" in finding.remedy


def test_a_guest_may_need_its_file() -> None:
    topology = cannot_tell_topology_file()
    note(topology, "host", "hypervisor", "Microsoft")
    assert list(surroundings.check_file(topology)) == []


def test_on_bare_metal_a_file_is_a_question() -> None:
    (finding,) = surroundings.check_file(cannot_tell_topology_file())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert "NCCL_TOPO_DUMP_FILE" in finding.remedy


def test_the_pair_that_goes_by_the_network_is_named() -> None:
    (finding,) = surroundings.check_apart(breaks_ranks_apart())

    assert finding.components == ("GPU0", "GPU1")
    assert "NET/IB/0" in finding.message


def test_versions_are_compared_by_number() -> None:
    assert list(surroundings.check_old(released("2.100.1"))) == []
    assert [each.components for each in surroundings.check_old(released("2.9"))] == [("GPU0",)]


def test_pairs_that_nothing_joins_may_use_their_nics_on_purpose() -> None:
    topology = rails()
    note(topology, "GPU0|GPU3", "nccl.transport", "NET/IB/0")
    (finding,) = surroundings.check_apart(topology)

    assert finding.severity is Severity.INFO
