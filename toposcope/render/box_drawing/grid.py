"""A sheet of characters on which lines join and cross by themselves.

Every cell knows which of its four sides a line leaves by, and how strong; the character follows from that.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stroke(IntEnum):
    """How a line is drawn; where two meet the stronger one gives the character."""

    NONE = 0
    DASHED = 1
    SINGLE = 2
    DOUBLE = 3


_NORTH, _EAST, _SOUTH, _WEST = 1, 2, 4, 8
_SIDES = {  # sides: single, double upright, double level, double both
    _NORTH | _SOUTH: "│║│║",
    _NORTH: "│║│║",
    _SOUTH: "│║│║",
    _EAST | _WEST: "──══",
    _EAST: "──══",
    _WEST: "──══",
    _EAST | _SOUTH: "┌╓╒╔",
    _WEST | _SOUTH: "┐╖╕╗",
    _EAST | _NORTH: "└╙╘╚",
    _WEST | _NORTH: "┘╜╛╝",
    _NORTH | _SOUTH | _EAST: "├╟╞╠",
    _NORTH | _SOUTH | _WEST: "┤╢╡╣",
    _EAST | _WEST | _SOUTH: "┬╥╤╦",
    _EAST | _WEST | _NORTH: "┴╨╧╩",
    _NORTH | _EAST | _SOUTH | _WEST: "┼╫╪╬",
}
_DASHES = {_EAST | _WEST: "╌", _EAST: "╌", _WEST: "╌", _NORTH | _SOUTH: "╎", _NORTH: "╎", _SOUTH: "╎"}
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("│║", "|"),
        **dict.fromkeys("─", "-"),
        **dict.fromkeys("═", "="),
        **dict.fromkeys("╌", "."),
        **dict.fromkeys("╎", ":"),
        **dict.fromkeys("┌╓╒╔┐╖╕╗└╙╘╚┘╜╛╝├╟╞╠┤╢╡╣┬╥╤╦┴╨╧╩", "+"),
        **dict.fromkeys("┼╫╪╬", "|"),
        "·": "-",
        "\N{MULTIPLICATION SIGN}": "x",
        "…": "...",
        "≤": "<=",
        "→": "->",
        "▸": ">",
        "◂": "<",
        "▪": "*",
    }
)


def plain(text: str) -> str:
    """Return a text in ASCII; what has no likeness there becomes ``?``."""
    return text.translate(_PLAIN).encode("ascii", "replace").decode()


def cells(text: str) -> int:
    """Return how many columns a text takes in a terminal."""
    return sum(0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)


def fit(text: str, room: int) -> str:
    """Return a text that takes no more columns than ``room``, cut with an ellipsis where it would."""
    if cells(text) <= room:
        return text
    mark = "..." if text.isascii() else "…"
    while text and cells(text) > room - len(mark):
        text = text[:-1]
    return (text.rstrip() + mark)[: max(room, 0)]


class Grid:
    """Characters by place, ``x`` to the right and ``y`` down."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, int], str] = {}
        self._strokes: dict[tuple[int, int], tuple[int, Stroke, Stroke]] = {}

    def level(self, x: int, to: int, y: int, stroke: Stroke = Stroke.SINGLE) -> None:
        """Draw a level line from ``x`` to ``to``, both included; its ends join what they meet."""
        for at in range(min(x, to), max(x, to) + 1):
            sides = _EAST * (at < max(x, to)) | _WEST * (at > min(x, to))
            self._stroke(at, y, sides, Stroke.NONE, stroke)

    def upright(self, x: int, y: int, to: int, stroke: Stroke = Stroke.SINGLE) -> None:
        """Draw an upright line from ``y`` to ``to``, both included."""
        for at in range(min(y, to), max(y, to) + 1):
            sides = _SOUTH * (at < max(y, to)) | _NORTH * (at > min(y, to))
            self._stroke(x, at, sides, stroke, Stroke.NONE)

    def text(self, x: int, y: int, text: str) -> None:
        """Write a text over what is there."""
        for character in text:
            if combining(character):
                continue
            self._texts[x, y] = character
            if cells(character) > 1:
                self._texts[x + 1, y] = ""
            x += cells(character)

    def free(self, x: int, to: int, y: int) -> bool:
        """Tell whether nothing stands between two columns of a line."""
        return not any((at, y) in self._texts or (at, y) in self._strokes for at in range(x, to + 1))

    def lines(self) -> Iterator[str]:
        """Yield the lines, without blanks at their ends."""
        places = [*self._texts, *self._strokes]
        width = max((x for x, _ in places), default=-1) + 1
        height = max((y for _, y in places), default=-1) + 1
        for y in range(height):
            yield "".join(self._character(x, y) for x in range(width)).rstrip()

    def _stroke(self, x: int, y: int, sides: int, upright: Stroke, level: Stroke) -> None:
        before = self._strokes.get((x, y), (0, Stroke.NONE, Stroke.NONE))
        self._strokes[x, y] = (before[0] | sides, max(before[1], upright), max(before[2], level))

    def _character(self, x: int, y: int) -> str:
        if (x, y) in self._texts:
            return self._texts[x, y]
        sides, upright, level = self._strokes.get((x, y), (0, Stroke.NONE, Stroke.NONE))
        if max(upright, level) == Stroke.DASHED and sides in _DASHES:
            return _DASHES[sides]
        return _SIDES[sides][(upright == Stroke.DOUBLE) + 2 * (level == Stroke.DOUBLE)] if sides else " "
