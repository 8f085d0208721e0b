"""Finds what a marking means in a drawing, folded parts included."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.render.diagram.sketch import pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.render.diagram.parts import Box, Diagram, Edge, Marking


@dataclass(frozen=True, slots=True)
class Marked:
    """Ids of the edges (``a--b``) and boxes on the chosen path, and those of its bottleneck."""

    edges: frozenset[str]
    boxes: frozenset[str]
    bottleneck_edges: frozenset[str]
    bottleneck_boxes: frozenset[str]

    def __bool__(self) -> bool:
        """Tell whether anything is marked."""
        return bool(self.edges or self.boxes or self.bottleneck_edges or self.bottleneck_boxes)


def find_marked(diagram: Diagram, marking: Marking | None) -> Marked:
    """Return what is to be marked. Pairs of which the picture knows neither end mark nothing."""
    if marking is None:
        return Marked(frozenset(), frozenset(), frozenset(), frozenset())
    slow_edges, slow_boxes = _find(diagram, marking.bottleneck)
    edges, boxes = _find(diagram, marking.highlight)
    ends = {name for edge in diagram.edges if edge.id in edges | slow_edges for name in (edge.a, edge.b)}
    return Marked(
        frozenset(edges | slow_edges),
        frozenset(boxes | slow_boxes | ends),
        frozenset(slow_edges),
        frozenset(slow_boxes),
    )


def with_insides(diagram: Diagram, marked: Marked) -> Marked:
    """Add the insides of chips and cards of which both ends are on the path: no route names them."""
    inside = (edge for edge in diagram.edges if edge.on_chip or edge.kind == "port")
    between = frozenset(edge.id for edge in inside if {edge.a, edge.b} <= marked.boxes)
    return replace(marked, edges=marked.edges | between)


def _find(diagram: Diagram, pairs: Sequence[tuple[str, str]]) -> tuple[set[str], set[str]]:
    edges: set[str] = set()
    boxes: set[str] = set()
    for a, b in pairs:
        start, end = box_of(diagram, a), box_of(diagram, b)
        boxes.update(box.id for box in (start, end) if box is not None and a == b)
        direct = _covering(diagram, a, b)
        inside = {box.id for box in diagram.boxes if pair(a, b) in box.links}
        boxes |= inside
        edges.update(edge.id for edge in direct)
        if not direct and not inside and start and end:
            edges.update(edge.id for edge in _way(diagram, start.id, end.id))
    return edges, boxes


def _covering(diagram: Diagram, a: str, b: str) -> list[Edge]:
    """Edges that the link between two components was folded into; of several (one a member), those of its ends."""
    return [edge for edge in diagram.edges if pair(a, b) in edge.covers]


def box_of(diagram: Diagram, name: str) -> Box | None:
    """Return the box that covers a component, or that bears the name."""
    return next((box for box in diagram.boxes if name in box.covers or name == box.id), None)


def _way(diagram: Diagram, start: str, end: str) -> Iterable[Edge]:
    """Yield the edges of the shortest way between two boxes."""
    near: dict[str, list[Edge]] = {}
    for edge in diagram.edges:
        near.setdefault(edge.a, []).append(edge)
        near.setdefault(edge.b, []).append(edge)
    came: dict[str, Edge | None] = {start: None}
    queue = deque([start])
    while queue and end not in came:
        here = queue.popleft()
        for edge in near.get(here, []):
            there = edge.b if edge.a == here else edge.a
            if there not in came:
                came[there] = edge
                queue.append(there)
    while (last := came.get(end)) is not None:
        yield last
        end = last.a if last.b == end else last.b
