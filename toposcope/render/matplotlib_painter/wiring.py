"""Paints a wiring diagram to PNG, SVG or PDF. Boxes and edges carry ids in the SVG: component ids and ``a--b``."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.model import Medium, State
from toposcope.render.diagram.arcs import point_at
from toposcope.render.diagram.flow import NOT_KNOWN
from toposcope.render.diagram.parts import PLATE_STEP, Rect, Text
from toposcope.render.diagram.plan import ASSUMED
from toposcope.render.diagram.search import Marked, find_marked, with_insides
from toposcope.render.diagram.sketch import Role
from toposcope.render.glyphs import printable, text_width, wrap
from toposcope.render.matplotlib_painter.canvas import Sheet, curve, kind_of, polyline, rounded
from toposcope.render.palette import FILLS, LINE_WIDTHS, THEMES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path as FilePath

    from matplotlib.path import Path

    from toposcope.render.diagram.parts import Box, Diagram, Edge, LegendEntry, Marking, Point
    from toposcope.render.palette import Theme, ThemeName

_RIM = 1.5
_RIM_STEPS = 24
_DASHES = (4.0, 2.4)
_DOTS = (1.6, 2.6)
_HIDDEN_DASHES = (1.6, 2.2)
_HALO = 4.0
_LIT_WIDTH = 2.4
_LIMIT_WIDTH = 3.6
_HOLLOW_WIDTH = 3.4
"""A line whose figure is assumed among others is drawn as its two edges, and must be wide enough for that."""
_CAPTION_SIZE = 12.0
_CAPTION_LINE = 17.0
_CAPTION_LEFT = 14.0
_SAMPLE = 26.0


def paint(diagram: Diagram, path: FilePath, *, theme: ThemeName = "light", marking: Marking | None = None) -> None:
    """Write the picture; the file's ending says which kind. ``marking`` points out a path and its bottleneck."""
    _sheet(diagram, THEMES[theme], marking).save(path, kind_of(path))


def svg_of(diagram: Diagram, *, theme: ThemeName = "light", marking: Marking | None = None) -> str:
    """Return the picture as SVG text."""
    buffer = io.BytesIO()
    _sheet(diagram, THEMES[theme], marking).save(buffer, "svg")
    return buffer.getvalue().decode()


def _sheet(diagram: Diagram, theme: Theme, marking: Marking | None) -> Sheet:
    marked = with_insides(diagram, find_marked(diagram, marking))
    caption = _caption(diagram, marking)
    foot = _CAPTION_LINE * (len(caption) + 1) if marked or caption else 0.0
    sheet = Sheet(diagram.width, diagram.height + foot, theme.ground)
    if diagram.frame is not None:
        sheet.shape(rounded(diagram.frame, 9), edge=theme.frame, width=1.0, gid="host")
    for pair in diagram.pairs:
        sheet.shape(rounded(pair, 7), fill=theme.pair, edge=theme.frame, width=0.7)
    _drawn(sheet, theme, diagram, marked)
    for box in diagram.boxes:
        faded = _faded(marked, box.id, marked.boxes)
        for index, text in enumerate(box.texts):
            sheet.text(text, theme.dim_text if faded else theme.faint_text if index else theme.text)
    for edge in diagram.edges:
        _label(sheet, theme, edge, marked)
    _words(sheet, theme, diagram)
    if foot:
        _key(sheet, theme, marked, diagram.height)
    for index, line in enumerate(caption):
        y = diagram.height + _CAPTION_LINE * (index + 1) + 8
        sheet.text(Text(line, _CAPTION_LEFT, y, _CAPTION_SIZE, bold=True, anchor="start"), theme.text)
    return sheet


def _drawn(sheet: Sheet, theme: Theme, diagram: Diagram, marked: Marked) -> None:
    """Draw arcs first, then lines that pass boxes, the boxes, and all other lines; what is lit over what is not."""
    edges = sorted(diagram.edges, key=lambda edge: (edge.id in marked.edges, edge.id in marked.bottleneck_edges))
    behind = [edge for edge in edges if edge.curve] + [edge for edge in edges if edge.cased and not edge.curve]
    for edge in (edge for edge in behind if edge.id not in marked.edges):
        _edge(sheet, theme, edge, marked)
    for edge in (edge for edge in diagram.edges if edge.id in marked.edges):
        sheet.shape(_path(edge), edge=theme.halo, width=_width(edge, marked) + 2 * _HALO)
    for edge in (edge for edge in behind if edge.id in marked.edges):
        _edge(sheet, theme, edge, marked)
    for box in diagram.boxes:
        _box(sheet, theme, box, marked)
    for edge in behind:
        _hidden_part(sheet, theme, edge, diagram.boxes, marked)
    for edge in (edge for edge in edges if not (edge.curve or edge.cased)):
        _edge(sheet, theme, edge, marked)


def _caption(diagram: Diagram, marking: Marking | None) -> list[str]:
    if marking is None or not (marking.caption or marking.bottleneck):
        return []
    text = printable(marking.caption) or "limit of the path pointed out"
    return list(wrap(text, diagram.width - 2 * _CAPTION_LEFT, _CAPTION_SIZE, bold=True))


def _faded(marked: Marked, name: str, chosen: frozenset[str]) -> bool:
    """Tell whether something stands back because a path is pointed out that it is not on."""
    return bool(marked) and name not in chosen


def _box(sheet: Sheet, theme: Theme, box: Box, marked: Marked) -> None:
    fill, edge = theme.fills[FILLS[box.role]]
    lit, slow = box.id in marked.boxes, box.id in marked.bottleneck_boxes
    if _faded(marked, box.id, marked.boxes):
        fill, edge = theme.lighter(fill, theme.fade), theme.lighter(edge, theme.fade)
    for step in range(box.plates, 0, -1):
        shift = PLATE_STEP * step
        behind = Rect(box.rect.x + shift, box.rect.y - shift, box.rect.width, box.rect.height)
        sheet.shape(rounded(behind), fill=fill, edge=edge, width=0.8)
    if lit:
        sheet.shape(rounded(_grown(box.rect, _HALO), 6), fill=theme.halo)
    unknown = box.role is Role.UNSEEN
    edge, width = (theme.bottleneck, 2.6) if slow else (edge, 2.0 if lit else 1.0)
    sheet.shape(rounded(box.rect), fill=fill, edge=edge, width=width, dashes=_DASHES if unknown else None, gid=box.id)
    if box.hedged:
        sheet.shape(rounded(_grown(box.rect, -2.2), 2.5), edge=edge, width=0.8)


def _grown(rect: Rect, by: float) -> Rect:
    return Rect(rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by)


def _edge(sheet: Sheet, theme: Theme, edge: Edge, marked: Marked) -> None:
    path, width, colour = _path(edge), _width(edge, marked), _colour(theme, edge, marked)
    if (edge.cased or edge.curve) and edge.id not in marked.edges:
        sheet.shape(polyline(_inner_part(edge)), edge=theme.ground, width=width + 3.2)
    dashes = {State.DEGRADED: _DASHES, State.DOWN: _DOTS}.get(edge.state)
    sheet.shape(path, edge=colour, width=width, dashes=dashes, gid=edge.id)
    if _hollow(edge):
        sheet.shape(path, edge=theme.ground, width=width / 2.6)


def _path(edge: Edge) -> Path:
    return curve(edge.points) if edge.curve else polyline(edge.points)


def _hollow(edge: Edge) -> bool:
    return edge.hedged and edge.state not in (State.DEGRADED, State.DOWN)


def _width(edge: Edge, marked: Marked) -> float:
    least = _LIMIT_WIDTH if edge.id in marked.bottleneck_edges else _LIT_WIDTH if edge.id in marked.edges else 0.0
    return max(LINE_WIDTHS[edge.width_class], least, _HOLLOW_WIDTH if _hollow(edge) else 0.0)


def _colour(theme: Theme, edge: Edge, marked: Marked) -> str:
    if edge.id in marked.bottleneck_edges:
        return theme.bottleneck
    colour = edge_colour(theme, edge)
    return theme.lighter(colour, theme.fade) if _faded(marked, edge.id, marked.edges) else colour


def _hidden_part(sheet: Sheet, theme: Theme, edge: Edge, boxes: Sequence[Box], marked: Marked) -> None:
    """Show where an upright line runs on behind boxes: dashed and pale, as hidden edges are drawn."""
    (x, y), (to_x, to_y) = edge.points[0], edge.points[-1]
    if len(edge.points) > 2 or abs(x - to_x) > 1:  # noqa: PLR2004 (the two ends of a straight line)
        return
    low, high = sorted((y, to_y))
    for box in boxes:
        if box.rect.x < x < box.rect.right and low < box.rect.y and box.rect.bottom < high:
            line = polyline(((x, box.rect.y + 2), (x, box.rect.bottom - 2)))
            faint = edge.id not in marked.edges
            colour = theme.lighter(_colour(theme, edge, marked), 0.35 if faint else 0.0)
            sheet.shape(line, edge=colour, width=0.9 if faint else 2.0, dashes=_HIDDEN_DASHES)


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
    """Return the colour of a line: its medium's, grey where its figure is not known or it is no limit."""
    if edge.on_chip:
        return theme.media["chip"]
    return theme.unknown if edge.figure in NOT_KNOWN else theme.medium(edge.medium)


def _label(sheet: Sheet, theme: Theme, edge: Edge, marked: Marked) -> None:
    if edge.label is None:
        return
    slow = edge.id in marked.bottleneck_edges
    sheet.shape(rounded(edge.label.rect, 3), fill=theme.ground, edge=theme.bottleneck if slow else None, width=1.4)
    faded = _faded(marked, edge.id, marked.edges)
    for index, text in enumerate(edge.label.texts):
        ink = theme.bottleneck if slow and index == 0 else theme.faint_text if index else theme.text
        unit = f"{ASSUMED if text.italic else ''}{edge.unit}"
        shown = replace(text, text=unit) if slow and index == 0 and edge.unit else text
        sheet.text(shown, theme.dim_text if faded else ink)


def _words(sheet: Sheet, theme: Theme, diagram: Diagram) -> None:
    for index, text in enumerate(diagram.headings):
        sheet.text(text, theme.faint_text if index == 1 else theme.text)
    for entry in diagram.legend:
        _sample(sheet, theme, entry)
        sheet.text(entry.text, theme.text)
    for text in diagram.note_texts:
        sheet.text(text, theme.faint_text)


def _key(sheet: Sheet, theme: Theme, marked: Marked, y: float) -> None:
    """Say how the path and its limit are drawn."""
    x = _CAPTION_LEFT
    slow = marked.bottleneck_edges or marked.bottleneck_boxes
    for wanted, colour, width, meaning in (
        (marked.edges or marked.boxes, theme.media["pcie"], _LIT_WIDTH, "this path"),
        (slow, theme.bottleneck, _LIMIT_WIDTH, "limit of this path"),
    ):
        if wanted:
            line = polyline(((x, y), (x + _SAMPLE, y)))
            sheet.shape(line, edge=theme.halo, width=width + 2 * _HALO)
            sheet.shape(line, edge=colour, width=width)
            sheet.text(Text(meaning, x + _SAMPLE + 6, y + 4, 11, bold=True, anchor="start"), theme.text)
            x += _SAMPLE + 26 + text_width(meaning, 11, bold=True)


def _sample(sheet: Sheet, theme: Theme, entry: LegendEntry) -> None:
    rect = entry.rect
    if entry.sample == "pair":
        area = Rect(rect.x + 2, rect.y, rect.width - 4, rect.height)
        sheet.shape(rounded(area, 4), fill=theme.pair, edge=theme.frame, width=0.9)
        return
    y = rect.y + rect.height / 2
    path = polyline(((rect.x, y), (rect.right, y)))
    pcie = theme.media["pcie"]
    inks = {
        "on-chip": (theme.media["chip"], None, 1.0),
        "degraded": (pcie, _DASHES, 2.4),
        "unknown": (theme.unknown, None, 1.6),
        "assumed": (pcie, None, _HOLLOW_WIDTH),
    }
    colour, dashes, width = inks.get(entry.sample) or (_medium_colour(theme, entry.sample), None, 3.0)
    sheet.shape(path, edge=colour, width=width, dashes=dashes)
    if entry.sample == "assumed":
        sheet.shape(path, edge=theme.ground, width=width / 2.6)


def _medium_colour(theme: Theme, sample: str) -> str:
    return theme.medium(Medium(sample))
