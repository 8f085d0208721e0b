"""Paints all pairs of a host as a heat map: one hue, light to dark with the logarithm of the figure."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from toposcope.render.diagram.parts import Rect, Text
from toposcope.render.glyphs import printable, shorten, text_width
from toposcope.render.matplotlib_painter.canvas import Sheet, kind_of, polyline, rounded
from toposcope.render.palette import THEMES, dark_ink, mix

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from toposcope.base import Bandwidth
    from toposcope.render.charts import PairCell, PairChart
    from toposcope.render.palette import Theme, ThemeName

_MARGIN = 20.0
_HEAD = 62.0
_FIGURE, _WORD, _NAME = 8.5, 6.8, 8.5
_LEAST_CELL = 30.0
_CELL_HEIGHT = 27.0
_MOST_SWATCHES = 7
_FOOT = 46.0
_LEAST_WIDTH = 330.0


def paint_matrix(chart: PairChart, path: Path, *, theme: ThemeName = "light") -> None:
    """Write the heat map; the file's ending says which kind of picture."""
    _sheet(chart, THEMES[theme]).save(path, kind_of(path))


def _sheet(chart: PairChart, theme: Theme) -> Sheet:
    side = max((text_width(row, _NAME, bold=True) for row in chart.rows), default=0.0) + 10
    cell = max(_LEAST_CELL, *(_need(one) for one in chart.cells), *(_name_width(name) for name in chart.columns), 0)
    left, top = _MARGIN + side, _HEAD + 18
    width = max(left + cell * len(chart.columns) + _MARGIN, _LEAST_WIDTH)
    bottom = top + _CELL_HEIGHT * len(chart.rows)
    sheet = Sheet(width, bottom + _FOOT, theme.ground)
    _head(sheet, theme, chart, width)
    for index, name in enumerate(chart.columns):
        x = left + cell * (index + 0.5)
        sheet.text(Text(printable(name), x, top - 7, _NAME, bold=True), theme.text)
    scale = _Scale(chart, theme)
    places = {(one.row, one.column): one for one in chart.cells}
    for line, row in enumerate(chart.rows):
        y = top + _CELL_HEIGHT * line
        sheet.text(Text(printable(row), _MARGIN, y + 17, _NAME, bold=True, anchor="start"), theme.text)
        for index, column in enumerate(chart.columns):
            area = Rect(left + cell * index + 1, y + 1, cell - 2, _CELL_HEIGHT - 2)
            _cell(sheet, theme, places.get((row, column)), area, scale)
    _scale(sheet, theme, scale, bottom + 14, width)
    return sheet


class _Scale:
    """Figures to colours: the logarithm between the least and the most, in one hue."""

    def __init__(self, chart: PairChart, theme: Theme) -> None:
        self.figures = sorted({one.figure for one in chart.cells if one.figure})
        self._colours = theme.heat

    def colour(self, figure: Bandwidth) -> str:
        """Return the colour of a figure."""
        low, high = self.figures[0].bytes_per_s, self.figures[-1].bytes_per_s
        share = 0.6 if low == high else log(max(figure.bytes_per_s, low) / low) / log(high / low)
        at = (0.08 + 0.92 * share) * (len(self._colours) - 1)
        below = min(int(at), len(self._colours) - 2)
        return mix(self._colours[below], self._colours[below + 1], at - below)


def _need(one: PairCell) -> float:
    return max(text_width(_figure(one), _FIGURE, bold=True), text_width(one.word, _WORD)) + 8


def _name_width(name: str) -> float:
    return text_width(name, _NAME, bold=True) + 6


def _figure(one: PairCell) -> str:
    return "?" if one.figure is None else f"{one.mark}{one.figure}"


def _head(sheet: Sheet, theme: Theme, chart: PairChart, width: float) -> None:
    room = width - 2 * _MARGIN
    title = shorten(printable(chart.title), room, 14, bold=True)
    sheet.text(Text(title, _MARGIN, 28, 14, bold=True, anchor="start"), theme.text)
    meaning = shorten(f"{printable(chart.meaning)}, GB/s one direction", room, 9)
    sheet.text(Text(meaning, _MARGIN, 44, 9, anchor="start"), theme.faint_text)


def _cell(sheet: Sheet, theme: Theme, one: PairCell | None, area: Rect, scale: _Scale) -> None:
    if one is None:
        middle = area.y + area.height / 2
        line = polyline(((area.middle - 3, middle), (area.middle + 3, middle)))
        sheet.shape(line, edge=theme.frame, width=1.0)
        return
    known = one.figure is not None and one.figure.bytes_per_s > 0
    ground = scale.colour(one.figure) if known and one.figure else theme.ground
    outline = None if known else theme.unknown
    sheet.shape(rounded(area, 2.5), fill=ground, edge=outline, width=0.8, gid=f"{one.row}--{one.column}")
    ink = "#f4f8fb" if dark_ink(ground) else "#16202c"
    ink = ink if known else theme.unknown
    base = area.y + (11.0 if one.word else 16.0)
    sheet.text(Text(_figure(one), area.middle, base, _FIGURE, bold=True), ink)
    if one.word:
        sheet.text(Text(printable(one.word), area.middle, base + 9, _WORD), ink)


def _scale(sheet: Sheet, theme: Theme, scale: _Scale, y: float, width: float) -> None:
    """Show what the colours mean: every figure where they are few, else some of them."""
    x = _MARGIN
    for figure in _shown(scale.figures):
        text = str(figure)
        need = 20 + text_width(text, 8) + 12
        if x + need > width - _MARGIN:
            break
        sheet.shape(rounded(Rect(x, y, 15, 10), 2), fill=scale.colour(figure), edge=theme.frame, width=0.5)
        sheet.text(Text(text, x + 20, y + 8.5, 8, anchor="start"), theme.text)
        x += need


def _shown(figures: list[Bandwidth]) -> Iterable[Bandwidth]:
    if len(figures) <= _MOST_SWATCHES:
        return figures
    step = (len(figures) - 1) / (_MOST_SWATCHES - 1)
    return [figures[round(step * index)] for index in range(_MOST_SWATCHES)]
