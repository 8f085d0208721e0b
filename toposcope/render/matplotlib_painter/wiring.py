"""Paints a wiring diagram to PNG, SVG or PDF. Boxes and edges carry ids in the SVG: component ids and ``a--b``."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.model import Grade, Medium, State
from toposcope.render.diagram.arcs import point_at
from toposcope.render.diagram.parts import Rect, Text
from toposcope.render.diagram.search import Marked, find_marked
from toposcope.render.diagram.sketch import Role
from toposcope.render.glyphs import printable, wrap
from toposcope.render.matplotlib_painter.canvas import Sheet, curve, kind_of, polyline, rounded
from toposcope.render.palette import GRADE_FADE, LINE_WIDTHS, THEMES

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.render.diagram.parts import Box, Diagram, Edge, LegendEntry, Marking, Point
    from toposcope.render.palette import Theme, ThemeName

_FILLS = {
    Role.SOCKET: "host",
    Role.NUMA: "host",
    Role.ROOT_COMPLEX: "host",
    Role.SWITCH: "switch",
    Role.BRIDGE: "switch",
    Role.ACCELERATOR: "accelerator",
    Role.NIC: "nic",
    Role.PORT: "port",
    Role.STORAGE: "storage",
    Role.MEMORY: "memory",
    Role.FABRIC: "fabric",
    Role.MESH: "fabric",
    Role.PEERS: "peers",
    Role.OUTER_FABRIC: "fabric",
    Role.NETWORK: "network",
    Role.UNSEEN: "unseen",
}
_ALONE = (Role.MESH, Role.PEERS, Role.PORT, Role.NETWORK)
_STACK = 2.5
_ASSUMED_FADE = 0.45
_RIM = 1.5
_RIM_STEPS = 24
_DASHES = (4.0, 2.4)
_DOTS = (1.6, 2.6)
_CAPTION_SIZE = 10.0
_CAPTION_LINE = 14.0
_CAPTION_LEFT = 43.0


def paint(diagram: Diagram, path: Path, *, theme: ThemeName = "light", marking: Marking | None = None) -> None:
    """Write the picture; the file's ending says which kind. ``marking`` points out a path and its bottleneck."""
    _sheet(diagram, THEMES[theme], marking).save(path, kind_of(path))


def svg_of(diagram: Diagram, *, theme: ThemeName = "light", marking: Marking | None = None) -> str:
    """Return the picture as SVG text."""
    buffer = io.BytesIO()
    _sheet(diagram, THEMES[theme], marking).save(buffer, "svg")
    return buffer.getvalue().decode()


def _sheet(diagram: Diagram, theme: Theme, marking: Marking | None) -> Sheet:
    marked = find_marked(diagram, marking)
    caption = _caption(diagram, marking)
    sheet = Sheet(diagram.width, diagram.height + _CAPTION_LINE * len(caption), theme.ground)
    if diagram.frame is not None:
        sheet.shape(rounded(diagram.frame, 9), edge=theme.frame, width=1.0, gid="host")
    for box in diagram.boxes:
        _box(sheet, theme, box, marked)
    for edge in sorted(diagram.edges, key=lambda edge: (edge.id in marked.edges, edge.cased)):
        _edge(sheet, theme, edge, marked)
    for box in diagram.boxes:
        faded = _faded(marked, box.id, marked.boxes)
        for index, text in enumerate(box.texts):
            colour = theme.text if index == 0 else theme.faint_text
            sheet.text(text, theme.lighter(colour, theme.fade) if faded else colour)
    for edge in diagram.edges:
        _label(sheet, theme, edge, marked)
    _words(sheet, theme, diagram)
    for index, line in enumerate(caption):
        y = diagram.height + _CAPTION_LINE * index
        sheet.text(Text(line, _CAPTION_LEFT, y, _CAPTION_SIZE, bold=True, anchor="start"), theme.bottleneck)
    if caption:
        y = diagram.height - 3.5
        sheet.shape(polyline(((14, y), (38, y))), edge=theme.bottleneck, width=3.5)
    return sheet


def _caption(diagram: Diagram, marking: Marking | None) -> list[str]:
    if marking is None or not (marking.caption or marking.bottleneck):
        return []
    text = printable(marking.caption) or "bottleneck of the path pointed out"
    return list(wrap(text, diagram.width - _CAPTION_LEFT - 14, _CAPTION_SIZE, bold=True))


def _faded(marked: Marked, name: str, chosen: frozenset[str]) -> bool:
    """Tell whether something stands back because a path is pointed out that it is not on."""
    return bool(marked) and name not in chosen


def _box(sheet: Sheet, theme: Theme, box: Box, marked: Marked) -> None:
    fill, edge = theme.fills[_FILLS[box.role]]
    faded = _faded(marked, box.id, marked.boxes)
    if box.grade is Grade.ASSUMED or faded:
        share = theme.fade if faded else _ASSUMED_FADE
        fill, edge = theme.lighter(fill, share), theme.lighter(edge, share)
    slow = box.id in marked.bottleneck_boxes
    if slow:
        edge = theme.bottleneck
    if box.count != 1 and box.role not in _ALONE:
        for step in (2, 1):
            behind = Rect(box.rect.x + _STACK * step, box.rect.y - _STACK * step, box.rect.width, box.rect.height)
            sheet.shape(rounded(behind), fill=fill, edge=edge, width=0.8)
    unknown = box.role is Role.UNSEEN
    width = 2.4 if slow else 2.0 if box.id in marked.boxes else 1.0
    sheet.shape(rounded(box.rect), fill=fill, edge=edge, width=width, dashes=_DASHES if unknown else None, gid=box.id)


def _edge(sheet: Sheet, theme: Theme, edge: Edge, marked: Marked) -> None:
    path = curve(edge.points) if edge.curve else polyline(edge.points)
    slow = edge.id in marked.bottleneck_edges
    width = max(LINE_WIDTHS[edge.width_class], 3.0 if slow else 0.0)
    colour = theme.bottleneck if slow else edge_colour(theme, edge)
    if _faded(marked, edge.id, marked.edges):
        colour = theme.lighter(colour, theme.fade)
    if edge.cased or edge.curve:
        sheet.shape(polyline(_inner_part(edge)), edge=theme.ground, width=width + 3.2)
    dashes = {State.DEGRADED: _DASHES, State.DOWN: _DOTS}.get(edge.state)
    sheet.shape(path, edge=colour, width=width, dashes=dashes, gid=edge.id)


def _inner_part(edge: Edge) -> list[Point]:
    """Return a line without its ends, so that its rim does not bite into the boxes there."""
    if edge.curve:
        return [point_at(edge.points[1:5], step / _RIM_STEPS) for step in range(1, _RIM_STEPS)]
    (x, y), (to_x, to_y) = edge.points[0], edge.points[-1]
    if len(edge.points) > 2 or abs(y - to_y) <= 2 * _RIM:  # noqa: PLR2004 (the two ends of a straight line)
        return list(edge.points)
    down = _RIM if to_y > y else -_RIM
    return [(x, y + down), (to_x, to_y - down)]


def edge_colour(theme: Theme, edge: Edge) -> str:
    """Return the colour of a line: its medium's, grey where its figure is not known, lighter where it is assumed."""
    if edge.on_chip:
        return theme.media["chip"]
    if edge.figure in ("?", "down"):
        return theme.unknown
    return theme.lighter(theme.medium(edge.medium), GRADE_FADE[edge.grade])


def _label(sheet: Sheet, theme: Theme, edge: Edge, marked: Marked) -> None:
    if edge.label is None:
        return
    slow = edge.id in marked.bottleneck_edges
    sheet.shape(rounded(edge.label.rect, 3), fill=theme.ground, edge=theme.bottleneck if slow else None, width=1.2)
    colour = theme.bottleneck if slow else theme.unknown if edge.figure == "?" else theme.text
    faded = _faded(marked, edge.id, marked.edges)
    for index, text in enumerate(edge.label.texts):
        ink = colour if index == 0 or slow else theme.faint_text
        shown = replace(text, text=edge.unit) if slow and index == 0 and edge.unit else text
        sheet.text(shown, theme.lighter(ink, theme.fade) if faded else ink)


def _words(sheet: Sheet, theme: Theme, diagram: Diagram) -> None:
    for index, text in enumerate(diagram.headings):
        sheet.text(text, theme.faint_text if index else theme.text)
    for entry in diagram.legend:
        _sample(sheet, theme, entry)
        sheet.text(entry.text, theme.text)
    for text in diagram.note_texts:
        sheet.text(text, theme.faint_text)


def _sample(sheet: Sheet, theme: Theme, entry: LegendEntry) -> None:
    rect = entry.rect
    y = rect.y + rect.height / 2
    path = polyline(((rect.x, y), (rect.right, y)))
    pcie = theme.media["pcie"]
    inks = {
        "on-chip": (theme.media["chip"], None, 1.0),
        "degraded": (pcie, _DASHES, 2.4),
        "unknown": (theme.unknown, None, 1.6),
        "assumed": (theme.lighter(pcie, GRADE_FADE[Grade.ASSUMED]), None, 2.4),
    }
    colour, dashes, width = inks.get(entry.sample) or (_medium_colour(theme, entry.sample), None, 3.0)
    sheet.shape(path, edge=colour, width=width, dashes=dashes)


def _medium_colour(theme: Theme, sample: str) -> str:
    return theme.medium(Medium(sample))
