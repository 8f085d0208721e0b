"""Paints one route as bars, one a segment: pale the line rate, strong what good copies achieve.

Bars share one scale from zero, so that their lengths may be compared; the bottleneck has the strong colour alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.render.diagram.flow import MEDIUM_TITLES
from toposcope.render.diagram.parts import Rect, Text
from toposcope.render.glyphs import printable, shorten, text_width, wrap
from toposcope.render.matplotlib_painter.canvas import Sheet, kind_of, polyline, rounded
from toposcope.render.palette import THEMES

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.render.charts import RouteChart, SegmentBar
    from toposcope.render.palette import Theme, ThemeName

_WIDTH = 660.0
_MARGIN = 20.0
_HEAD = 58.0
_ROW = 38.0
_BAR = 15.0
_FIGURES = 132.0
_NAME, _DETAIL = 9.0, 7.5
_MOST_SIDE = 230.0
_LINE = 13.0


def paint_route(chart: RouteChart, path: Path, *, theme: ThemeName = "light") -> None:
    """Write the bars of a route; the file's ending says which kind of picture."""
    _sheet(chart, THEMES[theme]).save(path, kind_of(path))


def _sheet(chart: RouteChart, theme: Theme) -> Sheet:
    caption = list(wrap(printable(chart.caption), _WIDTH - 2 * _MARGIN, 9.5, bold=True))
    bottom = _HEAD + _ROW * len(chart.segments)
    sheet = Sheet(_WIDTH, bottom + 40 + _LINE * len(caption), theme.ground)
    title = shorten(printable(chart.title), _WIDTH - 2 * _MARGIN, 14, bold=True)
    sheet.text(Text(title, _MARGIN, 28, 14, bold=True, anchor="start"), theme.text)
    side = min(_MOST_SIDE, max((_side(segment) for segment in chart.segments), default=0.0)) + 12
    left, right = _MARGIN + side, _WIDTH - _MARGIN - _FIGURES
    sheet.text(Text("GB/s, one direction", _MARGIN, 44, 9, anchor="start"), theme.faint_text)
    most = max((_most(segment) for segment in chart.segments), default=0.0)
    scale = (right - left) / most if most else 0.0
    for index, segment in enumerate(chart.segments):
        _row(sheet, theme, segment, Rect(left, _HEAD + _ROW * index, right - left, _ROW), scale)
    sheet.shape(polyline(((left, _HEAD - 2), (left, bottom))), edge=theme.frame, width=1.0)
    limit = _least(chart) * scale
    if limit:
        down = polyline(((left + limit, _HEAD - 2), (left + limit, bottom)))
        sheet.shape(down, edge=theme.bottleneck, width=0.9, dashes=(2, 3))
    _key(sheet, theme, bottom + 12)
    for index, line in enumerate(caption):
        y = bottom + 40 + _LINE * index
        sheet.text(Text(line, _MARGIN, y, 9.5, bold=True, anchor="start"), theme.bottleneck)
    return sheet


def _side(segment: SegmentBar) -> float:
    return max(text_width(_ends(segment), _NAME, bold=True), text_width(_medium(segment), _DETAIL))


def _ends(segment: SegmentBar) -> str:
    return printable(f"{segment.source} → {segment.target}")


def _medium(segment: SegmentBar) -> str:
    return printable(f"{MEDIUM_TITLES[segment.medium]} {segment.detail}".strip())


def _most(segment: SegmentBar) -> float:
    return max((figure.gbs for figure in (segment.line, segment.typical) if figure is not None), default=0.0)


def _row(sheet: Sheet, theme: Theme, segment: SegmentBar, area: Rect, scale: float) -> None:
    room = area.x - _MARGIN - 8
    y = area.y + 14
    name = shorten(_ends(segment), room, _NAME, bold=True)
    sheet.text(Text(name, _MARGIN, y, _NAME, bold=True, anchor="start"), theme.text)
    sheet.text(
        Text(shorten(_medium(segment), room, _DETAIL), _MARGIN, y + 10, _DETAIL, anchor="start"), theme.faint_text
    )
    colour = theme.bottleneck if segment.is_bottleneck else theme.medium(segment.medium)
    top = area.y + (_ROW - _BAR) / 2 - 2
    end = area.x
    for figure, fill in ((segment.line, theme.lighter(colour, 0.65)), (segment.typical, colour)):
        if figure is not None:
            length = max(2.0, figure.gbs * scale)
            sheet.shape(rounded(Rect(area.x, top, length, _BAR), 2), fill=fill)
            end = max(end, area.x + length)
    if segment.line is None and segment.typical is None:
        sheet.shape(rounded(Rect(area.x, top, 40, _BAR), 2), edge=theme.unknown, width=1.0, dashes=(3, 2))
        end = area.x + 40
    ink = theme.bottleneck if segment.is_bottleneck else theme.text
    text = Text(_figures(segment), end + 7, top + _BAR / 2 + 3.2, _NAME, bold=segment.is_bottleneck, anchor="start")
    sheet.text(text, ink)


def _figures(segment: SegmentBar) -> str:
    """Say both figures, the line rate first: ``31.5, usable 25.9``."""
    if segment.line is None and segment.typical is None:
        return "? not known"
    line = "line ?" if segment.line is None else str(segment.line)
    return line if segment.typical is None else f"{line}, usable {segment.typical}"


def _least(chart: RouteChart) -> float:
    """Return what the whole route is held to, 0 where that is not known."""
    slow = [segment.typical or segment.line for segment in chart.segments if segment.is_bottleneck]
    return min((figure.gbs for figure in slow if figure is not None), default=0.0)


def _key(sheet: Sheet, theme: Theme, y: float) -> None:
    x = _MARGIN
    for fade, meaning in ((0.65, "line rate"), (0.0, "usable, typical")):
        sheet.shape(rounded(Rect(x, y, 15, 10), 2), fill=theme.lighter(theme.media["pcie"], fade))
        sheet.text(Text(meaning, x + 20, y + 8.5, 8, anchor="start"), theme.text)
        x += 34 + text_width(meaning, 8)
    sheet.shape(rounded(Rect(x, y, 15, 10), 2), fill=theme.bottleneck)
    sheet.text(Text("bottleneck", x + 20, y + 8.5, 8, anchor="start"), theme.text)
