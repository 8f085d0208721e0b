"""Texts inside boxes: in the middle, or on a bar in the widest place that no line crosses."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.render.diagram.parts import Text
from toposcope.render.diagram.plan import DETAIL_SIZE, NAME_SIZE, words_width
from toposcope.render.diagram.sketch import Role
from toposcope.render.glyphs import shorten

if TYPE_CHECKING:
    from toposcope.render.diagram.parts import Edge, Rect

_NAME_LINE = 11.5
_DETAIL_LINE = 9.5
_SMALL = {Role.BRIDGE: DETAIL_SIZE, Role.ROOT_COMPLEX: 8.0, Role.PORT: 8.0, Role.MEMORY: 8.5}
_BARS = frozenset({Role.FABRIC, Role.OUTER_FABRIC, Role.MESH, Role.PEERS, Role.NETWORK})
_JOINED = _BARS | {Role.SWITCH}


def box_texts(name: str, role: Role, lines: tuple[str, ...], rect: Rect, edges: tuple[Edge, ...]) -> tuple[Text, ...]:
    """Return the texts of a box, as many lines as it has room for, shortened where they are too long."""
    left, right = _free_part(name, rect, words_width(lines) + 8, edges)
    size = _SMALL.get(role, NAME_SIZE)
    if role in _JOINED and len(lines) > 1:
        joined = "  ·  ".join(lines)
        lines = (joined,) if words_width((joined,)) + 10 <= right - left else lines
    fitting = max(1, 1 + int((rect.height - 4 - _NAME_LINE) // _DETAIL_LINE))
    shown = lines[:fitting]
    y = rect.y + (rect.height - size - (_DETAIL_LINE + 0.5) * (len(shown) - 1)) / 2 + size * 0.87
    texts = []
    for index, line in enumerate(shown):
        font = size if index == 0 else DETAIL_SIZE
        text = shorten(line, right - left - 5, font, bold=index == 0)
        texts.append(Text(text, (left + right) / 2, y, font, bold=index == 0))
        y += _DETAIL_LINE if index else _DETAIL_LINE + 1
    return tuple(texts)


def _free_part(name: str, rect: Rect, need: float, edges: tuple[Edge, ...]) -> tuple[float, float]:
    """Return the part of a box, left and right, that no foreign line crosses: of those that fit the middlemost."""
    crossing = sorted(
        edge.points[0][0] for edge in edges if edge.cased and name not in (edge.a, edge.b) and _passes(edge, rect)
    )
    stops = [rect.x, *crossing, rect.right]
    parts = [(left + 4, right - 4) for left, right in pairwise(stops)] if crossing else [(rect.x, rect.right)]
    fitting = [part for part in parts if part[1] - part[0] >= need]
    if not fitting:
        return max(parts, key=lambda part: part[1] - part[0])
    return min(fitting, key=lambda part: abs(part[0] + part[1] - 2 * rect.middle))


def _passes(edge: Edge, rect: Rect) -> bool:
    x = edge.points[0][0]
    ys = [y for _, y in edge.points]
    return rect.x < x < rect.right and min(ys) < rect.y and max(ys) > rect.bottom
