"""One layout for all painters: topology in, finished drawing out. Pure, and the same for the same topology."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import Grade
from toposcope.render.diagram.below import set_below
from toposcope.render.diagram.columns import set_columns
from toposcope.render.diagram.fabric import weave
from toposcope.render.diagram.flow import all_assumed, flow, hedge
from toposcope.render.diagram.legend import set_legend
from toposcope.render.diagram.names import members_text
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
from toposcope.render.diagram.sketch import Role, Sketch, plates_of
from toposcope.render.diagram.tree import plant
from toposcope.render.diagram.words import KINDS, models, subtitle, terse, title, words
from toposcope.render.diagram.writing import box_texts
from toposcope.render.glyphs import shorten

if TYPE_CHECKING:
    from collections.abc import Collection

    from toposcope.model import Medium, Topology
    from toposcope.render.diagram.sketch import Node, Wire

_HEAD = 76.0
_UNITS_LINE = 16.0
_PAIR_AIR = 4.0


def layout(topology: Topology, media: Collection[Medium] | None = None) -> Diagram:
    """Lay out the wiring diagram of a host. An empty topology gives an empty picture that says so.

    Of ``media`` alone the lines are drawn, and those inside chips; every box keeps its place.
    """
    sketch = sketch_of(topology)
    several = len(models(topology)) > 1
    texts = {name: words(sketch, node, several_models=several) for name, node in sketch.nodes.items()}
    flows = {key(wire): flow(wire) for wire in sketch.wires()}
    plan = Plan(sketch, texts, hedge(flows))
    set_columns(plan)
    head = _HEAD if flows else _HEAD - _UNITS_LINE
    y = set_rows(plan, head + 14)
    y = set_below(plan, head, y)
    drawn = (_edge(plan, wire) for wire in sketch.wires())
    edges = tuple(edge for edge in drawn if media is None or edge.on_chip or edge.medium in media)
    sure = any(node.members and node.grade is not Grade.ASSUMED for node in sketch.nodes.values())
    boxes = tuple(_box(plan, node, edges, sure=sure) for node in sketch.nodes.values())
    notes = tuple(sketch.notes) if boxes else ("nothing to draw: no component was found",)
    pairs = _pairs(plan)
    told = (*_abbreviations(boxes), *notes)
    legend, note_texts, height = set_legend(edges, boxes, told, pairs=_meaning(sketch), width=plan.width, y=y + 18)
    units = _units(assumed=all_assumed(flows)) if edges else ""
    heading = _headings(title(topology), subtitle(topology), units, plan.width)
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
        pairs,
    )


def _units(*, assumed: bool) -> str:
    return "figures: GB/s, one direction" + "; every figure is assumed" * assumed


def _abbreviations(boxes: tuple[Box, ...]) -> list[str]:
    """Say what bears ids alone, where none of its boxes has room for the word."""
    said = " ".join(text.text for box in boxes for text in box.texts)
    groups = {word: [box.id for box in boxes if box.role is role] for role, word in KINDS.items()}
    plural = {"PCIe switch": "PCIe switches", "root complex": "root complexes"}
    return [
        f"{members_text(names)}: {word if len(names) == 1 else plural[word]}"
        for word, names in groups.items()
        if names and word not in said
    ]


def _meaning(sketch: Sketch) -> str:
    """Say what the frames round accelerators and NICs mean."""
    several = any(len(pair) > 2 or sketch.nodes[pair[-1]].count != 1 for pair in sketch.pairs)  # noqa: PLR2004 (a pair)
    return f"an accelerator and its nearest NIC{'s' if several else ''}" if sketch.pairs else ""


def _pairs(plan: Plan) -> tuple[Rect, ...]:
    """Return the areas of accelerators and their NICs, ports included."""
    found = []
    for pair in plan.sketch.pairs:
        ports = [node.id for node in plan.sketch.nodes.values() if node.role is Role.PORT and node.parent in pair]
        rects = [plan.rects[name] for name in (*pair, *ports)]
        left, top = min(rect.x for rect in rects) - _PAIR_AIR, min(rect.y for rect in rects) - _PAIR_AIR
        right, bottom = max(rect.right for rect in rects) + _PAIR_AIR, max(rect.bottom for rect in rects) + _PAIR_AIR
        found.append(Rect(left, top, right - left, bottom - top))
    return tuple(found)


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


def _headings(name: str, counts: str, units: str, width: float) -> tuple[Text, ...]:
    x, room, size = MARGIN - 12, width - 2 * (MARGIN - 12), NOTE_SIZE + 1
    return (
        Text(shorten(name, room, TITLE_SIZE, bold=True), x, 28, TITLE_SIZE, bold=True, anchor="start"),
        Text(shorten(counts, room, size), x, 46, size, anchor="start"),
        Text(shorten(units, room, size), x, 62, size, anchor="start"),
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
        sum_.hedged,
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


def _box(plan: Plan, node: Node, edges: tuple[Edge, ...], *, sure: bool) -> Box:
    rect = plan.rects[node.id]
    lines = plan.words[node.id]
    return Box(
        node.id,
        node.role,
        rect,
        terse(node.role, lines),
        box_texts(node.id, node.role, lines, rect, edges),
        node.count,
        grade_of(plan.sketch, node),
        node.parent,
        plan.rows.get(node.id, max(plan.rows.values(), default=0) + 1),
        frozenset(node.covers),
        frozenset(node.links),
        plates_of(node),
        sure and bool(node.members) and node.grade is Grade.ASSUMED,
    )
