"""The CPU side of a host: sockets, NUMA nodes and memory, as far as the evidence names them.

Words of a matrix alone never make a socket: another NUMA node need not be another socket (NPS4, SNC).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.assembly.limits import MAX_NUMA_NODES
from toposcope.base import Origin, Problem, ProblemKind
from toposcope.model import Component, Fact, Grade, Kind, Link, Medium, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.assembly.evidence import Evidence
    from toposcope.model import Topology

_DERIVED = Origin("topology", "derived")


def add_cpus(topology: Topology, evidence: Evidence, seen: Iterable[tuple[int, Origin]]) -> None:
    """Add sockets and NUMA nodes. ``seen`` are the nodes that devices and matrices name, with their origins."""
    nodes = {number: node.origin for number, node in evidence.numa.items()}
    for number, origin in seen:
        nodes.setdefault(number, origin)
    if len(nodes) > MAX_NUMA_NODES:
        first = nodes[sorted(nodes)[MAX_NUMA_NODES]]
        message = f"more than {MAX_NUMA_NODES} NUMA nodes: the rest is left out; is this one host?"
        topology.problems.append(Problem(ProblemKind.UNREAD, first, message))
        nodes = {number: nodes[number] for number in sorted(nodes)[:MAX_NUMA_NODES]}
    for number, origin in sorted(nodes.items()):
        topology.add(Component(numa_id(number), Kind.NUMA, origin, numa=number))
        node = evidence.numa.get(number)
        for name, value in (("cpus", node.cpus), ("memory_bytes", node.memory_bytes)) if node else ():
            if value is not None:
                topology.note(Fact(numa_id(number), name, value, origin))
    sockets = _sockets(evidence, sorted(nodes))
    for socket, members in sockets.items():
        origin = evidence.cpu.origin if evidence.cpu else nodes[members[0]]
        model = evidence.cpu.model if evidence.cpu else None
        topology.add(Component(f"CPU{socket}", Kind.SOCKET, origin, model=model))
        for number in members:
            link = Link(numa_id(number), f"CPU{socket}", Medium.NUMA, origin, Grade.DERIVED, internal=True)
            topology.connect(link, upward=True)
    _join(topology, [f"CPU{socket}" for socket in sockets], Medium.SOCKET)
    if not sockets:
        _join(topology, [numa_id(number) for number in nodes], Medium.NUMA)
    _facts(topology, evidence)


def numa_id(number: int) -> str:
    """Return the id of a NUMA node."""
    return f"NUMA{number}"


def _sockets(evidence: Evidence, nodes: list[int]) -> dict[int, list[int]]:
    """Deal the NUMA nodes to sockets: as the evidence says, else in order where lscpu counts both."""
    said = {number: node.socket for number, node in evidence.numa.items() if node.socket is not None}
    if said and all(number in said for number in nodes):
        sockets: dict[int, list[int]] = {}
        for number in nodes:
            sockets.setdefault(said[number], []).append(number)
        return dict(sorted(sockets.items()))
    cpu = evidence.cpu
    count = cpu.sockets if cpu and not cpu.hypervisor else None
    with_cpus = [number for number in nodes if _has_cpus(evidence, number)]
    if not count or not with_cpus or len(with_cpus) % count:
        return {}
    each = len(with_cpus) // count
    return {
        index // each: with_cpus[index // each * each : index // each * each + each]
        for index in range(0, len(with_cpus), each)
    }


def _has_cpus(evidence: Evidence, number: int) -> bool:
    node = evidence.numa.get(number)
    return node is None or node.cpus is None or bool(node.cpus.strip())


def _join(topology: Topology, names: list[str], medium: Medium) -> None:
    for a, b in combinations(names, 2):
        topology.connect(Link(a, b, medium, _DERIVED, Grade.UNKNOWN, count=None, state=State.UNKNOWN))


def _facts(topology: Topology, evidence: Evidence) -> None:
    cpu = evidence.cpu
    if cpu is None:
        return
    for name, value in (
        ("cpu.vendor", cpu.vendor),
        ("cpu.model", cpu.model),
        ("cpu.architecture", cpu.architecture),
        ("hypervisor", cpu.hypervisor),
    ):
        if value is not None:
            topology.note(Fact("host", name, value, cpu.origin))
