"""How wide a text is in the font that the pictures use (DejaVu Sans, which matplotlib ships).

Advances in thousandths of the font size, for the printable ASCII characters from the blank on. Measuring here, not in
the painter, lets the layout make room for every label without any drawing library.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterator

# fmt: off
_REGULAR = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
)
_BOLD = (
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696, 696,
    696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995,
    837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716,
    678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712,
    365, 712, 838,
)
# fmt: on
TIMES = "\N{MULTIPLICATION SIGN}"
_OTHER = {TIMES: 838, "·": 380, "…": 1000, "≤": 838, "→": 838}
_WIDE = 1050
_UNKNOWN = 900


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of one line of text at a font size, in the unit of the size."""
    table = _BOLD if bold else _REGULAR
    return sum(_advance(character, table) for character in text) * size / 1000


def shorten(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """Return the text, cut with an ellipsis where it does not fit into ``room``."""
    if text_width(text, size, bold=bold) <= room:
        return text

    def width(end: int) -> float:
        return text_width(text[:end].rstrip() + "…", size, bold=bold)

    end = bisect_right(range(1, len(text)), room, key=width)
    return text[:end].rstrip() + "…"


def wrap(text: str, room: float, size: float, *, bold: bool = False) -> Iterator[str]:
    """Break a text into lines that fit into ``room``; a single word that does not is shortened."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size, bold=bold) > room:
            yield shorten(line, room, size, bold=bold)
            line = word
        else:
            line = longer
    if line:
        yield shorten(line, room, size, bold=bold)


def printable(text: str) -> str:
    """Drop control characters: names come from strangers' files."""
    return "".join(character if character.isprintable() else " " for character in text)


def _advance(character: str, table: tuple[int, ...]) -> int:
    place = ord(character) - 32
    if 0 <= place < len(table):
        return table[place]
    if east_asian_width(character) in "WF":
        return _WIDE
    return _OTHER.get(character, _UNKNOWN)
