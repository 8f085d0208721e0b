"""Which NICs belong to an accelerator: the nearest ones, the group of equally near ones, and the one it uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.model import NETWORKS, Kind
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from toposcope.base import Bandwidth
    from toposcope.model import Component, Link, Reach, Topology

_APART = ("storage", "management")
"""Roles of NICs that do not carry accelerator traffic; only a profile can know them."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The NICs of one accelerator. ``near`` is the group: equally near and equally fast, in the machine's order.

    ``own`` is the one that it uses: where several accelerators share a group, each takes its turn. A slice of an
    accelerator has those of the whole.
    """

    near: tuple[str, ...]
    own: str | None
    reach: Reach | None


def neighbours(topology: Topology) -> dict[str, Neighbours]:
    """Find the NICs of every accelerator. Nearly every answer asks for them: found once for each state of it."""
    return topology.found_once("neighbours", lambda: _neighbours(topology))


def _neighbours(topology: Topology) -> dict[str, Neighbours]:
    nics = [nic for nic in topology.components(Kind.NIC) if nic.role not in _APART]
    groups = {each.id: _group(topology, each, nics) for each in topology.components(Kind.ACCELERATOR)}
    turns: dict[tuple[str, ...], int] = {}
    found: dict[str, Neighbours] = {}
    for accelerator, (near, distance) in groups.items():
        whole = accelerator.partition("/")[0]
        if whole != accelerator and whole in found:
            found[accelerator] = found[whole]
            continue
        turn = turns.setdefault(near, 0)
        turns[near] += 1
        found[accelerator] = Neighbours(near, near[turn % len(near)] if near else None, distance)
    return found


def ports_of(topology: Topology, name: str) -> list[Component]:
    """Return the network ports of a NIC, or the one inside an accelerator, in order."""
    return list(topology.found_once(("ports", name), lambda: _ports_of(topology, name)))


def _ports_of(topology: Topology, name: str) -> tuple[Component, ...]:
    parts = (topology.component(link.other(name)) for link in topology.links_of(name))
    return tuple(sorted((part for part in parts if part.kind is Kind.NIC_PORT), key=lambda part: part.id))


def network_link(topology: Topology, port: str) -> Link | None:
    """Return the link from a port to the network: its line is the port's rate."""
    return next((link for link in topology.links_of(port) if link.medium in NETWORKS and not link.internal), None)


def rate_of(topology: Topology, nic: str) -> Bandwidth | None:
    """Return the rate of the fastest port of a NIC, one direction; None where no port's rate is known."""
    links = (network_link(topology, port.id) for port in ports_of(topology, nic))
    return max((link.line for link in links if link is not None and link.line is not None), default=None)


def _group(topology: Topology, accelerator: Component, nics: list[Component]) -> tuple[tuple[str, ...], Reach | None]:
    measured = [(reach(topology, accelerator.id, nic.id), nic.id) for nic in nics]
    distances = [distance for distance, _ in measured if distance is not None]
    if not distances:
        return (), None
    nearest = min(distances)
    near = [name for distance, name in measured if distance is nearest]
    speeds = {name: _speed(topology, name) for name in near}
    best = max(speeds.values())
    return tuple(name for name in near if speeds[name] == best), nearest


def _speed(topology: Topology, nic: str) -> tuple[int, int]:
    """Rank a NIC by the rate of its ports, and by its PCIe link where no rate is known.

    A port counts no more than the library plans with for its slot: a faster one in the same slot draws no more traffic.
    """
    rate = rate_of(topology, nic)
    parent = topology.parent(nic)
    link = topology.link(nic, parent) if parent is not None else None
    line = link.line if link is not None else None
    lane = topology.figures.planned_lanes.get(link.generation or 0) if link is not None else None
    planned = lane * link.width if lane is not None and link is not None and link.width else rate
    if rate is not None and planned is not None:
        rate = min(rate, planned)
    return (rate.bytes_per_s if rate else 0, line.bytes_per_s if line and not rate else 0)
