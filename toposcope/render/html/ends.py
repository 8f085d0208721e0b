"""The ends that routes may have, and which box of the drawing stands for which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.analysis.default import choose_fastest
from toposcope.analysis.network import FAR
from toposcope.analysis.remote import host_routes
from toposcope.analysis.routes import nic_answers, peer_answers, remote_answers, routes
from toposcope.model import Kind
from toposcope.model.placement import host_end
from toposcope.render.diagram.sketch import Role
from toposcope.render.wording import call

if TYPE_CHECKING:
    from toposcope.analysis import Analysis, Route
    from toposcope.model import Topology
    from toposcope.render.diagram import Box, Diagram

REMOTE, HOST = "remote", "host"


@dataclass(frozen=True, slots=True)
class End:
    """One end: how ``path`` names it, what a reader sees, and what it is. Routes start at accelerators.

    ``at`` is the component whose memory it is, None for that of the CPU nearest to the start.
    """

    id: str
    title: str
    kind: str
    at: str | None = None

    @property
    def is_start(self) -> bool:
        """Tell whether a route may start here."""
        return self.kind == Kind.ACCELERATOR

    @property
    def in_matrix(self) -> bool:
        """Tell whether the matrix of all pairs has a column for it."""
        return self.kind in (Kind.ACCELERATOR, Kind.NIC) or self.id == REMOTE


def ends_of(topology: Topology, chosen: tuple[str, str] | None = None) -> tuple[End, ...]:
    """Return all ends in the machine's order: accelerators, NICs, memory, an identical host across the network.

    ``chosen`` are those that a page opens with: an accelerator of the remote host is an end only where asked for.
    """
    devices = [
        End(component.id, call(component.id, topology), component.kind.value)
        for kind in (Kind.ACCELERATOR, Kind.NIC)
        for component in topology.components(kind)
    ]
    if not any(end.is_start for end in devices):
        return ()
    nodes = {node.numa: node.id for node in topology.components(Kind.NUMA) if node.numa is not None}
    memory = [End(f"{HOST}:{number}", f"memory of NUMA node {number}", HOST, nodes[number]) for number in sorted(nodes)]
    asked = chosen[1] if chosen is not None and chosen[1].startswith(FAR) else ""
    far = [End(asked, f"{asked.removeprefix(FAR)} of the remote host", REMOTE)] if asked else []
    own, remote = End(HOST, "host memory, its own", HOST), End(REMOTE, "remote host", REMOTE)
    return (*devices, own, *memory, remote, *far)


def routes_between(analysis: Analysis, start: End, goal: End) -> tuple[Route, ...]:
    """Return every route between two ends, the default first: the answer of ``path``."""
    topology, near = analysis.topology, analysis.neighbours
    if goal.kind == Kind.ACCELERATOR:
        found = peer_answers(topology, start.id, goal.id, near)
    elif goal.kind == Kind.NIC:
        found = nic_answers(topology, start.id, goal.id)
    elif goal.id == REMOTE:
        found = remote_answers(topology, start.id, near)
    elif goal.kind == HOST:
        found = choose_fastest(list(host_routes(topology, start.id, goal.at or host_end(topology, start.id))))
    else:
        found = routes(topology, start.id, goal.id)
    return tuple(sorted(found, key=lambda route: (not route.default, not route.permitted)))


def ends_of_boxes(diagram: Diagram, topology: Topology, ends: tuple[End, ...]) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the ends that each box stands for, by the id of the box."""
    places = {end.id: place for place, end in enumerate(ends)}
    return {box.id: found for box in diagram.boxes if (found := tuple(_places(box, topology, places)))}


def _places(box: Box, topology: Topology, places: dict[str, int]) -> list[int]:
    if box.role is Role.NETWORK:
        names = [REMOTE]
    elif box.role in (Role.ACCELERATOR, Role.NIC):
        names = sorted(box.covers, key=lambda name: places.get(name, 0))
    elif box.role in (Role.SOCKET, Role.NUMA, Role.MEMORY):
        names = [f"{HOST}:{number}" for number in sorted(_nodes(box, topology))]
    else:
        names = []
    return [places[name] for name in names if name in places]


def _nodes(box: Box, topology: Topology) -> set[int]:
    """Return the NUMA nodes that a box covers, or that the memory in it hangs on."""
    covered = [topology.component(name) for name in box.covers if name in topology]
    around = [
        topology.component(link.other(each.id))
        for each in covered
        if each.kind is Kind.MEMORY
        for link in topology.links_of(each.id)
    ]
    return {each.numa for each in (*covered, *around) if each.kind is Kind.NUMA and each.numa is not None}
