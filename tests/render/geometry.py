"""Looks at a finished drawing as a strict designer would: what lies on what, and what leaves the sheet."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.render.diagram.parts import Rect
from toposcope.render.diagram.sketch import Role, pair
from toposcope.render.glyphs import text_width

if TYPE_CHECKING:
    from toposcope.model import Topology
    from toposcope.render.diagram.parts import Diagram, Text

_TOUCH = 0.01
_STUBS = (Role.MESH, Role.PEERS)


def area(text: Text) -> Rect:
    """Return the ground that a line of text needs."""
    width = text_width(text.text, text.size, bold=text.bold)
    left = text.x - width / 2 if text.anchor == "middle" else text.x
    return Rect(left, text.y - text.size * 0.76, width, text.size * 0.98)


def labels(diagram: Diagram) -> list[tuple[str, Rect]]:
    """Return everything that is to be read, with the ground it needs."""
    found = [(edge.id, edge.label.rect) for edge in diagram.edges if edge.label]
    found += [(f"{box.id}: {text.text}", area(text)) for box in diagram.boxes for text in box.texts]
    loose = (*diagram.headings, *diagram.note_texts, *(entry.text for entry in diagram.legend))
    return found + [(text.text, area(text)) for text in loose]


def faults(diagram: Diagram) -> list[str]:
    """Return all that a designer would not accept, as sentences."""
    read = labels(diagram)
    found = [
        f"boxes {a.id} and {b.id} overlap" for a, b in combinations(diagram.boxes, 2) if a.rect.meets(b.rect, _TOUCH)
    ]
    found += [f"{a!r} lies on {b!r}" for (a, one), (b, other) in combinations(read, 2) if one.meets(other, _TOUCH)]
    sheet = [*read, *((box.id, box.rect) for box in diagram.boxes)]
    found += [f"{name!r} leaves the sheet" for name, rect in sheet if not _inside(diagram, rect)]
    found += _texts_out_of_boxes(diagram)
    return found + _lines_through_labels(diagram) + _labels_on_boxes(diagram)


def _inside(diagram: Diagram, rect: Rect) -> bool:
    return rect.x >= 0 and rect.y >= 0 and rect.right <= diagram.width and rect.bottom <= diagram.height


def _texts_out_of_boxes(diagram: Diagram) -> list[str]:
    pairs = ((box, area(text), text.text) for box in diagram.boxes for text in box.texts)
    return [
        f"{text!r} does not fit into {box.id}"
        for box, rect, text in pairs
        if rect.x < box.rect.x
        or rect.right > box.rect.right
        or rect.y < box.rect.y - 1
        or rect.bottom > box.rect.bottom + 1
    ]


def _lines_through_labels(diagram: Diagram) -> list[str]:
    found = []
    for edge in diagram.edges:
        if len(edge.points) != 2 or edge.points[0][0] != edge.points[1][0]:
            continue
        x = edge.points[0][0]
        low, high = sorted(y for _, y in edge.points)
        line = Rect(x - 0.5, low, 1, high - low)
        others = [other for other in diagram.edges if other is not edge and other.label]
        found += [f"{edge.id} runs through the label of {o.id}" for o in others if o.label.rect.meets(line, _TOUCH)]
    return found


def _labels_on_boxes(diagram: Diagram) -> list[str]:
    pairs = ((edge, box) for edge in diagram.edges if edge.label for box in diagram.boxes)
    return [
        f"the label of {edge.id} lies on {box.id}" for edge, box in pairs if edge.label.rect.meets(box.rect, _TOUCH)
    ]


def times_drawn(topology: Topology, diagram: Diagram) -> dict[tuple[str, str], int]:
    """Count how often each link stands in the drawing; what a bar shows for a whole mesh counts with the bar."""
    bars = {box.id for box in diagram.boxes if box.role in _STUBS}
    drawn = [covered for edge in diagram.edges if edge.b not in bars for covered in edge.covers]
    drawn += [covered for box in diagram.boxes for covered in box.links]
    return {pair(link.source, link.target): drawn.count(pair(link.source, link.target)) for link in topology.links()}
