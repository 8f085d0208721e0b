"""Draws a diagram in a terminal: side by side where the width allows, else as an indented list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.render.box_drawing.columns import MOST_DETAIL, Detail, arrange
from toposcope.render.box_drawing.compact import listed
from toposcope.render.box_drawing.grid import cells, fit
from toposcope.render.box_drawing.reading import closing, read
from toposcope.render.box_drawing.wires import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.render.box_drawing.reading import Reading
    from toposcope.render.diagram.parts import Diagram, Marking

_LEAST_WIDTH = 100


def draw(diagram: Diagram, *, width: int = 100, ascii_only: bool = False, marking: Marking | None = None) -> list[str]:
    """Return the lines of the drawing, none wider than ``width`` and without any control codes.

    From 100 columns on it is a diagram with wires, as detailed as fits; below, or where nothing fits, a list. The
    bottleneck's figure stands between two marks.
    """
    reading = read(diagram, marking, ascii_only=ascii_only)
    picture = _picture(reading, width) if width >= _LEAST_WIDTH else None
    body = picture or list(listed(reading))
    head = [reading.words(diagram.title), reading.words(diagram.subtitle), ""]
    caption = [reading.words(marking.caption)] if marking and marking.caption else []
    foot = [
        "",
        *(line for text in [*caption, *closing(reading, pictured=bool(picture))] for line in _folded(text, width)),
    ]
    return [fit(reading.words(line), width) for line in [*head, *body, *foot]]


def _picture(reading: Reading, width: int) -> list[str] | None:
    """Return the most detailed drawing that fits, None where none does."""
    if not reading.roots:
        return None
    for level in range(MOST_DETAIL, -1, -1):
        lines = list(drawn(arrange(reading, Detail(level))))
        if max(map(cells, lines), default=0) <= width:
            return lines
    return None


def _folded(text: str, width: int) -> Iterator[str]:
    """Break a line at blanks."""
    line = ""
    for word in text.split(" "):
        if line and cells(line) + 1 + cells(word) > width:
            yield line
            line = "  " + word
        else:
            line = f"{line} {word}" if line else word
    yield line
