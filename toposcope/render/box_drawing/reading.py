"""What the terminal painters need to know of a diagram: its tree, and the words for boxes and edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.model import State
from toposcope.render.box_drawing.grid import Stroke, plain
from toposcope.render.diagram.flow import MEDIUM_TITLES
from toposcope.render.diagram.search import find_marked
from toposcope.render.diagram.sketch import LEAVES, Role
from toposcope.render.glyphs import TIMES

if TYPE_CHECKING:
    from toposcope.render.diagram.parts import Box, Diagram, Edge, Marking
    from toposcope.render.diagram.search import Marked

BARS = frozenset({Role.FABRIC, Role.OUTER_FABRIC, Role.MESH})
_TREE = LEAVES | {Role.SOCKET, Role.NUMA, Role.ROOT_COMPLEX, Role.SWITCH, Role.BRIDGE, Role.UNSEEN}
_DOUBLE_FROM = 4
UNITS = "figures: GB/s one direction, ? not known"


@dataclass(slots=True)
class Reading:
    """A diagram by its structure."""

    diagram: Diagram
    marked: Marked
    ascii_only: bool
    boxes: dict[str, Box] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    children: dict[str, list[str]] = field(default_factory=dict)
    up: dict[str, Edge] = field(default_factory=dict)
    memory: dict[str, list[Edge]] = field(default_factory=dict)
    exits: dict[str, list[Edge]] = field(default_factory=dict)
    mesh: dict[str, list[Edge]] = field(default_factory=dict)
    side: dict[str, list[Edge]] = field(default_factory=dict)

    def words(self, text: str) -> str:
        """Return a text in the characters that may be used."""
        return plain(text) if self.ascii_only else text

    def name(self, box: Box, lines: int = 1) -> str:
        """Return the first lines of a box as one."""
        host = [f"on {edge.b}" for edge in self.side.get(box.id, [])]
        return self.words(" ".join([*box.words[:lines], *host]))

    def figure(self, edge: Edge, *, details: bool) -> str:
        """Return what is written on an edge; that of a bottleneck between marks."""
        slow = edge.id in self.marked.bottleneck_edges
        figure = f"▸{edge.unit or edge.figure}◂" if slow else edge.figure
        told = edge.details if details else ()
        return self.words("".join([figure, *(f", {text}" if _counts(text) else f" {text}" for text in told)]))

    def ports(self, name: str) -> list[str]:
        """Return the ports of a device."""
        return [edge.b for edge in self.exits.get(name, []) if edge.kind == "port"]

    def leaf(self, name: str) -> bool:
        """Tell whether a box of the tree is a device."""
        return self.boxes[name].role in LEAVES


def read(diagram: Diagram, marking: Marking | None, *, ascii_only: bool) -> Reading:
    """Sort a diagram's boxes and edges by what they are."""
    reading = Reading(diagram, find_marked(diagram, marking), ascii_only)
    reading.boxes = {box.id: box for box in diagram.boxes}
    tree = sorted((box for box in diagram.boxes if box.role in _TREE), key=lambda box: box.rect.x)
    for box in tree:
        if box.parent is None:
            reading.roots.append(box.id)
        else:
            reading.children.setdefault(box.parent, []).append(box.id)
    for edge in diagram.edges:
        if edge.kind == "up":
            reading.up[edge.a] = edge
        elif edge.kind == "side":
            reading.side.setdefault(edge.a, []).append(edge)
        elif edge.kind == "memory":
            reading.memory.setdefault(edge.b, []).append(edge)
        elif edge.kind in ("fabric", "port", "network"):
            reading.exits.setdefault(edge.a, []).append(edge)
        elif edge.kind == "mesh":
            reading.mesh.setdefault(edge.a, []).append(edge)
            reading.mesh.setdefault(edge.b, []).append(edge)
    return reading


def _counts(text: str) -> bool:
    """Tell whether a detail says what a figure is the sum of."""
    return TIMES in text or text.endswith("links")


def stroke(edge: Edge) -> Stroke:
    """Return how an edge is drawn: double where it carries much, dashed where it is degraded or down."""
    if edge.state in (State.DEGRADED, State.DOWN):
        return Stroke.DASHED
    return Stroke.DOUBLE if edge.width_class >= _DOUBLE_FROM else Stroke.SINGLE


def mesh_text(reading: Reading, name: str, *, medium: bool = True) -> str:
    """Say in words to whom a device has direct links: ``NVLink 25.0: GPU1 GPU2, 50.0: GPU3``."""
    groups: dict[str, list[str]] = {}
    for edge in reading.mesh.get(name, []):
        other = edge.b if edge.a == name else edge.a
        groups.setdefault(reading.figure(edge, details=False), []).append(other)
    texts = [f"{figure}: {' '.join(names)}" for figure, names in groups.items()]
    title = MEDIUM_TITLES[reading.mesh[name][0].medium] if texts and medium else ""
    return reading.words(f"{title} {', '.join(texts)}".strip())


def closing(reading: Reading, *, pictured: bool) -> list[str]:
    """Return what stands below the drawing: links that it does not show, notes, units."""
    told = ("trunks", "extra", "side") if pictured else ("trunks", "extra", "side", "peers")
    lines = [
        f"{edge.a} to {edge.b}: {reading.figure(edge, details=True)}"
        for edge in reading.diagram.edges
        if edge.kind in told or (edge.kind == "peers" and len(reading.roots) > 2)  # noqa: PLR2004 (a pair stands together)
    ]
    for box in (box for box in reading.diagram.boxes if box.role is Role.PEERS):
        stub = next(edge for edge in reading.diagram.edges if edge.b == box.id)
        lines.append(f"{box.words[0]}: {stub.unit or stub.figure} each pair")
    return [reading.words(line) for line in [*lines, *reading.diagram.notes, UNITS]]
