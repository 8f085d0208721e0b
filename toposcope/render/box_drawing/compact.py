"""The list for narrow terminals: the tree by indentation, one line a box, then fabrics and networks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from toposcope.render.box_drawing.columns import memory_texts_of
from toposcope.render.box_drawing.reading import BARS, mesh_text
from toposcope.render.diagram.names import members_text
from toposcope.render.diagram.sketch import Role
from toposcope.render.glyphs import TIMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.render.box_drawing.reading import Reading
    from toposcope.render.diagram.parts import Box, Edge


def listed(reading: Reading) -> Iterator[str]:
    """Yield the lines of the list."""
    for root in reading.roots:
        yield from _branch(reading, root, "", "")
    for box in reading.boxes.values():
        if box.role in BARS or box.role is Role.NETWORK:
            yield _bar(reading, box)


def _branch(reading: Reading, name: str, first: str, rest: str) -> Iterator[str]:
    children = reading.children.get(name, [])
    box = reading.boxes[name]
    if box.role is Role.ROOT_COMPLEX and len(children) == 1:
        yield from _branch(reading, children[0], f"{first}{reading.name(box)} ─ ", rest)
        return
    yield first + "  ".join(_words(reading, name))
    for index, child in enumerate(children):
        branch, gap = ("└ ", "  ") if index == len(children) - 1 else ("├ ", "│ ")
        yield from _branch(reading, child, rest + branch, rest + gap)


def _words(reading: Reading, name: str) -> Iterator[str]:
    """Yield what is said of one box: name, the wire above it, memory, ports, direct links."""
    yield reading.name(reading.boxes[name], 3 if reading.leaf(name) else 1)
    edge = reading.up.get(name)
    if edge is not None and edge.figure:
        yield reading.figure(edge, details=True)
    yield from memory_texts_of(reading, name)
    for text, count in Counter(_ports(reading, name)).items():
        yield reading.words(f"[{count} {TIMES} {text}]" if count > 1 else f"[{text}]")
    if name in reading.mesh:
        yield mesh_text(reading, name)


def _ports(reading: Reading, name: str) -> Iterator[str]:
    """Yield each port of a device with what it carries."""
    for port in reading.ports(name):
        onward = [reading.figure(edge, details=False) for edge in reading.exits.get(port, []) if edge.figure]
        yield " ".join([reading.name(reading.boxes[port]), *onward])


def _bar(reading: Reading, box: Box) -> str:
    """Say what a fabric or a network joins, and how fast."""
    groups: dict[str, set[str]] = {}
    for edge in reading.diagram.edges:
        if edge.b == box.id and edge.kind in ("fabric", "network"):
            figure = edge.unit if box.role is Role.MESH else reading.figure(edge, details=True)
            groups.setdefault(figure, set()).update(_ends(reading, edge))
    word = "each pair of" if box.role is Role.MESH else "to"
    texts = [f"{figure} {word} {members_text(names)}" for figure, names in groups.items()]
    return reading.words(f"{box.words[0]}: {', '.join(texts)}" if texts else box.words[0])


def _ends(reading: Reading, edge: Edge) -> set[str]:
    """Return the devices whose port a wire leaves, or the box that it leaves."""
    if reading.boxes[edge.a].role is not Role.PORT:
        return {edge.a}
    owners = [one for one in reading.diagram.edges if one.kind == "port" and one.b == edge.a]
    ends = {end for one in owners for pair in one.covers for end in pair}
    return ends - reading.boxes[edge.a].covers
