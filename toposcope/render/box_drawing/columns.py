"""Where everything stands in a terminal drawing: a row for each way out of a device, a column for each level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.render.box_drawing.grid import cells
from toposcope.render.box_drawing.reading import BARS, mesh_text
from toposcope.render.diagram.sketch import Role

if TYPE_CHECKING:
    from toposcope.render.box_drawing.reading import Reading
    from toposcope.render.diagram.parts import Edge

MOST_DETAIL = 4
_GROUP_GAP = 2
_ROOM_FOR_NAME = 3


@dataclass(frozen=True, slots=True)
class Detail:
    """How much is written. 4: all. 3: no words on inner wires. 2: none on any. 1: names alone. 0: no root complexes."""

    level: int

    def wire(self, *, leaf: bool) -> bool:
        """Tell whether generation and width are written on a wire."""
        return self.level >= (3 if leaf else MOST_DETAIL)

    @property
    def terse(self) -> bool:
        """Whether room is so scarce that blanks and devices' own names are saved."""
        return self.level <= 1

    @property
    def exits(self) -> bool:
        """Whether the number of links is written on a way out."""
        return self.level >= MOST_DETAIL - 1

    @property
    def names(self) -> int:
        """How many of a device's lines are written."""
        return 1 if self.terse else 2

    @property
    def root_complexes(self) -> bool:
        """Whether root complexes have a column of their own."""
        return self.level > 0


@dataclass(frozen=True, slots=True)
class Exit:
    """A wire that leaves a device to the right, on a row of its own: to a fabric, to a port and on, or to a network."""

    row: int
    edge: Edge
    onward: Edge | None = None


@dataclass(slots=True)
class Arrangement:
    """Rows and columns. ``wire_at`` and ``name_at``: where a level's wires and names begin; ``trunk_at``: its trunk."""

    reading: Reading
    detail: Detail
    rows: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    column: dict[str, int] = field(default_factory=dict)
    name_at: list[int] = field(default_factory=list)
    trunk_at: list[int] = field(default_factory=list)
    exits: dict[str, list[Exit]] = field(default_factory=dict)
    bar_at: dict[str, int] = field(default_factory=dict)
    extents: dict[str, tuple[int, int]] = field(default_factory=dict)
    port_at: int = 0
    mesh_at: int = 0
    height: int = 0

    def children(self, name: str) -> list[str]:
        """Return what hangs below a box, root complexes skipped where they are not drawn."""
        found: list[str] = []
        for child in self.reading.children.get(name, []):
            hidden = self.reading.boxes[child].role is Role.ROOT_COMPLEX and not self.detail.root_complexes
            found += self.children(child) if hidden else [child]
        return found

    def name(self, name: str) -> str:
        """Return what is written for a box."""
        lines = self.detail.names if self.reading.leaf(name) else 1
        return self.reading.name(self.reading.boxes[name], lines)

    def mesh(self, name: str) -> str:
        """Return what is said of the direct links of a device."""
        return mesh_text(self.reading, name, medium=not self.detail.terse)

    def exit_label(self, edge: Edge) -> str:
        """Return what is written on a wire that ends at a bar."""
        return self.reading.figure(edge, details=self.detail.exits) if edge.figure else ""

    def label(self, name: str) -> str:
        """Return what is written on the wire above a box."""
        edge = self.reading.up.get(name)
        if edge is None or not edge.figure:
            return ""
        return self.reading.figure(edge, details=self.detail.wire(leaf=self.reading.leaf(name)))


def arrange(reading: Reading, detail: Detail) -> Arrangement:
    """Give every box its row and column."""
    plan = Arrangement(reading, detail)
    row = 1
    for root in reading.roots:
        row = _rows(plan, root, row + 1) + 1 + _GROUP_GAP
    plan.height = row
    _levels(plan)
    air = 1 if detail.terse else 2
    right = plan.trunk_at[-1] + air
    meshes = [cells(plan.mesh(name)) for name in reading.mesh]
    plan.mesh_at = right
    right += max(meshes, default=-1) + 1
    right = _bars(plan, [name for name, box in reading.boxes.items() if box.role in BARS], right)
    plan.port_at = right + 1 + air
    ports = [cells(reading.name(box)) for box in reading.boxes.values() if box.role is Role.PORT]
    right = plan.port_at + max(ports, default=-2) + 1
    for level in _network_levels(reading):
        right = _bars(plan, level, right)
    return plan


def _rows(plan: Arrangement, name: str, row: int) -> int:
    """Give a box and all below it their rows; return the last one."""
    plan.rows[name] = row
    if plan.reading.leaf(name):
        plan.ends[name] = row + max(0, _exit_rows(plan, name, row) - 1)
        return plan.ends[name]
    row += len(plan.reading.memory.get(name, []))
    children = plan.children(name)
    for index, child in enumerate(children):
        row = _rows(plan, child, row if index == 0 else row + 1)
    plan.ends[name] = max(row, plan.rows[name])
    return plan.ends[name]


def _exit_rows(plan: Arrangement, name: str, row: int) -> int:
    found: list[Exit] = []
    for edge in plan.reading.exits.get(name, []):
        onward = plan.reading.exits.get(edge.b, []) if edge.kind == "port" else []
        for index, next_edge in enumerate(onward or [None]):
            del index
            found.append(Exit(row + len(found), edge, next_edge))
    plan.exits[name] = found
    return len(found)


def _levels(plan: Arrangement) -> None:
    """Give every box its level, and make each level as wide as its names and wires need."""
    boxes = plan.reading.boxes
    below = [name for name in plan.rows if name not in plan.reading.roots and not plan.reading.leaf(name)]
    inner = sorted({boxes[name].row for name in below})
    for name in plan.rows:
        last = len(inner) + 1
        level = last if plan.reading.leaf(name) else 0
        plan.column[name] = inner.index(boxes[name].row) + 1 if name in below else level
    x = 0
    for level in range(len(inner) + 2):
        names = [name for name, at in plan.column.items() if at == level]
        labels = max((cells(plan.label(name)) for name in names), default=0)
        x += 2 if level == 0 else labels + 6 if labels else 3
        plan.name_at.append(x)
        x += max((cells(text) for name in names for text in _texts(plan, name)), default=0) + (1 if level == 0 else 2)
        plan.trunk_at.append(x)


def _texts(plan: Arrangement, name: str) -> list[str]:
    """Return what is written in the column of a box: its name, and for a box of its own its memory."""
    return [plan.name(name), *memory_texts(plan, name)]


def memory_texts(plan: Arrangement, name: str) -> list[str]:
    """Return a line for each memory of a box."""
    return memory_texts_of(plan.reading, name)


def memory_texts_of(reading: Reading, name: str) -> list[str]:
    """Return a line for each memory of a box."""
    edges = reading.memory.get(name, [])
    return [f"{reading.name(reading.boxes[edge.a])} {reading.figure(edge, details=False)}" for edge in edges]


def bar_edges(plan: Arrangement, bar: str) -> list[tuple[int, Edge]]:
    """Return the wires that end at a bar, with their rows."""
    found = []
    for exits in plan.exits.values():
        for one in exits:
            last = one.onward or one.edge
            if last.b == bar:
                found.append((one.row, last))
    return found


def _bars(plan: Arrangement, bars: list[str], x: int) -> int:
    """Place bars on as few columns as they need; return where the last one stands."""
    tracks: list[list[str]] = []
    for bar in bars:
        rows = [row for row, _ in bar_edges(plan, bar)] or list(_linked_rows(plan, bar))
        if not rows:
            continue
        plan.extents[bar] = (min(rows), max(rows))
        free = next((track for track in tracks if all(_apart(plan, bar, other) for other in track)), None)
        if free is None:
            tracks.append(free := [])
        free.append(bar)
    for track in tracks:
        edges = [edge for bar in track for _, edge in bar_edges(plan, bar)]
        edges += [edge for edge in plan.reading.diagram.edges if edge.b in track and edge.a in plan.bar_at]
        x += max((cells(plan.exit_label(edge)) for edge in edges), default=0) + (5 if plan.detail.terse else 6)
        plan.bar_at.update(dict.fromkeys(track, x))
    return x + 1 if tracks else x


def _linked_rows(plan: Arrangement, bar: str) -> list[int]:
    """Return the rows on which bars that lead to this one end, one below the other."""
    below = [edge.a for edge in plan.reading.diagram.edges if edge.b == bar and edge.a in plan.extents]
    return [row for name in below for row in plan.extents[name]]


def _apart(plan: Arrangement, a: str, b: str) -> bool:
    (low, high), (other_low, other_high) = plan.extents[a], plan.extents[b]
    return low > other_high + _ROOM_FOR_NAME or other_low > high + _ROOM_FOR_NAME


def _network_levels(reading: Reading) -> list[list[str]]:
    names = [name for name, box in reading.boxes.items() if box.role is Role.NETWORK]
    edges = [edge for edge in reading.diagram.edges if edge.kind == "network"]
    upper = [name for name in names if all(edge.a in names for edge in edges if edge.b == name)]
    return [[name for name in names if name not in upper], upper]
