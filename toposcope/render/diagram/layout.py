"""One layout for all painters: topology in, finished drawing out. Pure, and the same for the same topology."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.render.diagram.below import set_below
from toposcope.render.diagram.columns import set_columns
from toposcope.render.diagram.fabric import weave
from toposcope.render.diagram.flow import flow
from toposcope.render.diagram.legend import set_legend
from toposcope.render.diagram.outside import (
    cross_links,
    grade_of,
    hang_memory,
    mark_unseen,
    plug_ports,
    reach_networks,
)
from toposcope.render.diagram.parts import Box, Diagram, Edge, Rect, Text
from toposcope.render.diagram.plan import MARGIN, NOTE_SIZE, TITLE_SIZE, Plan, key
from toposcope.render.diagram.rows import set_rows
from toposcope.render.diagram.sketch import Sketch
from toposcope.render.diagram.tree import plant
from toposcope.render.diagram.words import models, subtitle, title, words
from toposcope.render.diagram.writing import box_texts
from toposcope.render.glyphs import shorten

if TYPE_CHECKING:
    from toposcope.model import Topology
    from toposcope.render.diagram.sketch import Node, Wire

_HEAD = 52.0


def layout(topology: Topology) -> Diagram:
    """Lay out the wiring diagram of a host. An empty topology gives an empty picture that says so."""
    sketch = sketch_of(topology)
    several = len(models(topology)) > 1
    texts = {name: words(sketch, node, several_models=several) for name, node in sketch.nodes.items()}
    plan = Plan(sketch, texts, {key(wire): flow(wire) for wire in sketch.wires()})
    set_columns(plan)
    y = set_rows(plan, _HEAD + 14)
    y = set_below(plan, _HEAD, y)
    edges = tuple(_edge(plan, wire) for wire in sketch.wires())
    boxes = tuple(_box(plan, node, edges) for node in sketch.nodes.values())
    notes = tuple(sketch.notes) if boxes else ("nothing to draw: no component was found",)
    legend, note_texts, height = set_legend(edges, notes, width=plan.width, y=y + 20)
    heading = _headings(title(topology), subtitle(topology), plan.width)
    return Diagram(
        title(topology),
        subtitle(topology),
        plan.width,
        height,
        boxes,
        edges,
        heading,
        plan.frame,
        legend,
        notes,
        note_texts,
    )


def sketch_of(topology: Topology) -> Sketch:
    """Reduce a topology to what is drawn."""
    sketch = Sketch()
    plant(topology, sketch)
    mark_unseen(sketch)
    hang_memory(topology, sketch)
    weave(topology, sketch)
    plug_ports(topology, sketch)
    reach_networks(topology, sketch)
    cross_links(topology, sketch)
    return sketch


def _headings(name: str, counts: str, width: float) -> tuple[Text, ...]:
    x, room = MARGIN - 12, width - 2 * (MARGIN - 12)
    return (
        Text(shorten(name, room, TITLE_SIZE, bold=True), x, 26, TITLE_SIZE, bold=True, anchor="start"),
        Text(shorten(counts, room, NOTE_SIZE + 1), x, 41, NOTE_SIZE + 1, anchor="start"),
    )


def _edge(plan: Plan, wire: Wire) -> Edge:
    path, sum_ = plan.paths[key(wire)], plan.flow(wire)
    return Edge(
        wire.a,
        wire.b,
        _kind(plan.sketch, wire),
        wire.medium,
        path.points,
        path.curve,
        sum_.line,
        sum_.figure,
        sum_.unit,
        sum_.details,
        sum_.width_class,
        path.label,
        sum_.state,
        sum_.grade,
        wire.hops,
        sum_.on_chip,
        not path.curve and _crosses(plan, wire),
        wire.covers,
        wire.passes,
    )


def _kind(sketch: Sketch, wire: Wire) -> str:
    names = ("fabric", "mesh", "trunks", "peers", "peer_bar", "memory", "extra", "side", "port", "network")
    return next((name for name in names if any(wire is one for one in getattr(sketch, name))), "up")


def _crosses(plan: Plan, wire: Wire) -> bool:
    """Tell whether a straight wire passes over a box that is none of its ends, or over an arc."""
    points = plan.paths[key(wire)].points
    xs, ys = [x for x, _ in points], [y for _, y in points]
    area = Rect(min(xs) - 0.5, min(ys) + 1, max(xs) - min(xs) + 1, max(ys) - min(ys) - 2)
    others = (box for name, box in plan.rects.items() if name not in (wire.a, wire.b))
    arcs = (path.points for path in plan.paths.values() if path.curve)
    spans = (
        Rect(arc[1][0], min(arc[1][1], arc[2][1]), arc[4][0] - arc[1][0], abs(arc[2][1] - arc[1][1])) for arc in arcs
    )
    return any(area.meets(other) for other in (*others, *spans))


def _box(plan: Plan, node: Node, edges: tuple[Edge, ...]) -> Box:
    rect = plan.rects[node.id]
    lines = plan.words[node.id]
    return Box(
        node.id,
        node.role,
        rect,
        lines,
        box_texts(node.id, node.role, lines, rect, edges),
        node.count,
        grade_of(plan.sketch, node),
        node.parent,
        plan.rows.get(node.id, max(plan.rows.values(), default=0) + 1),
        frozenset(node.covers),
        frozenset(node.links),
    )
