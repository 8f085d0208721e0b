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

_NAME_LINE = 13.0
_DETAIL_LINE = 11.5
_SMALL = {Role.BRIDGE: DETAIL_SIZE, Role.ROOT_COMPLEX: 10.0, Role.PORT: DETAIL_SIZE, Role.MEMORY: 10.0}
_AIR = 4.0
_BARS = frozenset({Role.FABRIC, Role.OUTER_FABRIC, Role.MESH, Role.PEERS, Role.NETWORK})
_JOINED = _BARS | {Role.SWITCH, Role.ROOT_COMPLEX}


def box_texts(name: str, role: Role, lines: tuple[str, ...], rect: Rect, edges: tuple[Edge, ...]) -> tuple[Text, ...]:
    """Return the texts of a box, as many lines as it has room for, shortened where they are too long."""
    parts = _free_parts(name, rect, edges)
    if role in _JOINED:
        lines = _joined(lines, max(right - left for left, right in parts))
    middle, room = _place(parts, words_width(lines) + 6, rect.middle)
    size = _SMALL.get(role, NAME_SIZE)
    fitting = max(1, 1 + int((rect.height - 3 - _NAME_LINE) // _DETAIL_LINE))
    shown = lines[:fitting]
    y = rect.y + (rect.height - size - _DETAIL_LINE * (len(shown) - 1)) / 2 + size * 0.87
    texts = []
    for index, line in enumerate(shown):
        font = size if index == 0 else DETAIL_SIZE
        bold = index == 0 and role is not Role.PORT
        text = shorten(line, room - 5, font, bold=bold)
        texts.append(Text(text, middle, y, font, bold=bold))
        y += _DETAIL_LINE
    return tuple(texts)


def _joined(lines: tuple[str, ...], room: float) -> tuple[str, ...]:
    """Return as many lines as fit drawn together into one."""
    for count in range(len(lines), 1, -1):
        joined = "  ·  ".join(lines[:count])
        if words_width((joined,)) + 10 <= room:
            return (joined, *lines[count:])
    return lines


def _free_parts(name: str, rect: Rect, edges: tuple[Edge, ...]) -> list[tuple[float, float]]:
    """Return the parts of a box, left and right, that no foreign line crosses."""
    crossing = sorted(
        edge.points[0][0] for edge in edges if edge.cased and name not in (edge.a, edge.b) and _passes(edge, rect)
    )
    stops = [rect.x, *crossing, rect.right]
    return [(left + _AIR, right - _AIR) for left, right in pairwise(stops)] if crossing else [(rect.x, rect.right)]


def _place(parts: list[tuple[float, float]], need: float, wish: float) -> tuple[float, float]:
    """Return the middle of a text as near to the wish as a part has room for it, and the room."""
    fitting = [(left, right) for left, right in parts if right - left >= need]
    if not fitting:
        left, right = max(parts, key=lambda part: part[1] - part[0])
        return (left + right) / 2, right - left
    half = need / 2
    middles = [min(max(wish, left + half), right - half) for left, right in fitting]
    return min(middles, key=lambda middle: abs(middle - wish)), need + 1


def _passes(edge: Edge, rect: Rect) -> bool:
    x = edge.points[0][0]
    ys = [y for _, y in edge.points]
    return rect.x < x < rect.right and min(ys) < rect.y and max(ys) > rect.bottom
