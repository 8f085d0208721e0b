"""Where components stand in the PCIe and CPU structure: what is above them, and where two of them meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.model.vocabulary import Grade, Kind, Reach

if TYPE_CHECKING:
    from toposcope.model.topology import Topology

_REACH_AT = {
    Kind.PCIE_SWITCH: Reach.SAME_SWITCH,
    Kind.PCIE_BRIDGE: Reach.SAME_SWITCH,
    Kind.ACCELERATOR: Reach.SAME_SWITCH,
    Kind.NIC: Reach.SAME_SWITCH,
    Kind.ROOT_COMPLEX: Reach.ROOT_COMPLEX,
    Kind.NUMA: Reach.NUMA,
    Kind.SOCKET: Reach.SOCKET,
}
_HOST_SIDE = frozenset({Kind.NUMA, Kind.SOCKET})
_SITS_ON_CPU = 2
"""The length of the way from a device without a host bridge (by C2C or xGMI) to its CPU: itself and the CPU."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where two components meet.

    ``up`` and ``down`` are the ways from each to the last component below the meeting point or the crossing, both read
    upwards; ``at`` is the component where they meet, None where only the words say how far apart they are.
    ``reach`` is None where nothing tells.
    """

    up: tuple[str, ...]
    down: tuple[str, ...]
    at: str | None
    reach: Reach | None


def chain(topology: Topology, name: str) -> tuple[str, ...]:
    """Return the component and all above it, nearest first."""
    return topology.chain(name)


def meeting(topology: Topology, a: str, b: str) -> Meeting:
    """Find where two components meet: by the tree where it is known, else by what a tool printed for the pair."""
    return topology.found_once(("meeting", a, b), lambda: _meeting(topology, a, b))


def _meeting(topology: Topology, a: str, b: str) -> Meeting:
    up, down = chain(topology, a), chain(topology, b)
    shared = set(up) & set(down)
    at = next((name for name in up if name in shared), None)
    if at is None:
        return Meeting(_to_host(topology, up), _to_host(topology, down), None, _apart(topology, up, down))
    found = topology.component(at)
    reach = _REACH_AT.get(found.kind) if found.grade is not Grade.UNKNOWN else _printed(topology, a, b)
    up, down = up[: up.index(at) + 1], down[: down.index(at) + 1]
    if reach is not None and reach > Reach.ROOT_COMPLEX and _SITS_ON_CPU in (len(up), len(down)):
        reach = Reach.ROOT_COMPLEX
    if reach is not None and reach.crosses_host:
        return Meeting(_to_host(topology, up), _to_host(topology, down), at, reach)
    return Meeting(up, down, at, _finest(topology, a, b, reach))


def reach(topology: Topology, a: str, b: str) -> Reach | None:
    """Tell how far apart two components are, None where nothing tells."""
    return meeting(topology, a, b).reach


def host_end(topology: Topology, name: str) -> str:
    """Return the topmost component on the CPU's side that is known above a device: its socket, or its NUMA node."""
    return chain(topology, name)[-1]


def _to_host(topology: Topology, way: tuple[str, ...]) -> tuple[str, ...]:
    """Cut a way at the root complex, or at the first component on the CPU's side where it has none."""
    for index, name in enumerate(way):
        kind = topology.component(name).kind
        if index and (kind is Kind.ROOT_COMPLEX or kind in _HOST_SIDE):
            return way[: index + 1]
    return way


def _apart(topology: Topology, up: tuple[str, ...], down: tuple[str, ...]) -> Reach | None:
    printed = _printed(topology, up[0], down[0])
    if printed is not None:
        return printed
    known = all(topology.component(way[-1]).kind in _HOST_SIDE for way in (up, down))
    return Reach.SOCKET if known else None


def _printed(topology: Topology, a: str, b: str) -> Reach | None:
    return next((relation.reach for relation in topology.relations(a, b) if relation.reach is not None), None)


def _finest(topology: Topology, a: str, b: str, found: Reach | None) -> Reach | None:
    """Tell PXB from PIX by the printed word, where the tree does not separate the two."""
    words = [relation.reach for relation in topology.relations(a, b) if relation.reach is Reach.SWITCHES]
    return Reach.SWITCHES if words and found is Reach.SAME_SWITCH else found
