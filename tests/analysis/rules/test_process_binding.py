"""process-far: the CPUs and nodes of a process against those beside its accelerators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails, set_variables
from toposcope.analysis.rules import process_binding

if TYPE_CHECKING:
    from toposcope.model import Topology


def bound(cpus: str, **variables: str) -> Topology:
    topology = set_variables(rails(), **variables)
    note(topology, "NUMA0", "cpus", "0-15")
    note(topology, "NUMA1", "cpus", "16-31")
    note(topology, "host", "process.cpus", cpus)
    return topology


def breaks_process_far() -> Topology:
    return bound("16-31", CUDA_VISIBLE_DEVICES="0,1")


def keeps_process_far() -> Topology:
    return bound("0-31")


def cannot_tell_process_far() -> Topology:
    topology = rails()
    note(topology, "host", "process.cpus", "0-3")
    return topology


def test_where_it_runs_and_where_it_should_are_told() -> None:
    (finding,) = process_binding.check(breaks_process_far())

    assert "16-31" in finding.message
    assert "0-15" in finding.message
    assert finding.remedy.startswith("numactl --cpunodebind=0 --membind=0 JOB")


def test_a_part_of_the_accelerators_nearby_is_enough() -> None:
    assert list(process_binding.check(bound("16-31"))) == []


def test_memory_bound_to_the_far_node_is_found_too() -> None:
    topology = rails(accelerators=2)
    for index in range(2):
        note(topology, f"NUMA{index}", "cpus", f"{16 * index}-{16 * index + 15}")
    set_variables(topology, CUDA_VISIBLE_DEVICES="0")
    note(topology, "host", "numactl.membind", "1")
    assert [each.rule for each in process_binding.check(_numbered(topology))] == ["process-far"]


def _numbered(topology: Topology) -> Topology:
    from dataclasses import replace

    from toposcope.model import Kind

    for node in list(topology.components(Kind.NUMA)):
        topology.add(replace(node, numa=int(node.id.removeprefix("NUMA"))))
    return topology
