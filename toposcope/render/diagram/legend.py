"""The legend: which ink means what, and the units. Only what occurs in the picture is explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import Grade, State
from toposcope.render.diagram.flow import MEDIUM_TITLES, ON_CHIP
from toposcope.render.diagram.parts import LegendEntry, Rect, Text
from toposcope.render.diagram.plan import MARGIN, NOTE_SIZE
from toposcope.render.glyphs import text_width, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.render.diagram.parts import Edge

_SAMPLE = 24.0
_AIR = 14.0
_LINE = 14.0
_UNITS = "figures: GB/s one direction; a thicker line carries more"


def set_legend(
    edges: tuple[Edge, ...], notes: tuple[str, ...], *, width: float, y: float
) -> tuple[tuple[LegendEntry, ...], tuple[Text, ...], float]:
    """Return the entries, the notes and where the picture ends."""
    left, right = MARGIN - 12, width - (MARGIN - 12)
    x = left
    entries = []
    for sample, meaning in _entries(edges):
        need = _SAMPLE + 5 + text_width(meaning, NOTE_SIZE)
        if x + need > right and x > left:
            x, y = left, y + _LINE
        text = Text(meaning, x + _SAMPLE + 5, y + 9, NOTE_SIZE, anchor="start")
        entries.append(LegendEntry(sample, Rect(x, y, _SAMPLE, 12), text))
        x += need + _AIR
    y += _LINE + 8 if entries else 0
    texts = []
    told = [_UNITS, *notes] if edges else list(notes)
    for line in (line for note in told for line in wrap(note, right - left, NOTE_SIZE)):
        texts.append(Text(line, left, y + 4, NOTE_SIZE, anchor="start"))
        y += 12
    return tuple(entries), tuple(texts), y + 8


def _entries(edges: tuple[Edge, ...]) -> Iterable[tuple[str, str]]:
    media = dict.fromkeys(edge.medium for edge in edges if edge.kind != "port")
    yield from ((medium.value, MEDIUM_TITLES[medium]) for medium in media if medium not in ON_CHIP)
    if any(edge.on_chip for edge in edges):
        yield "on-chip", "inside a chip, no limit of its own"
    inked = [edge for edge in edges if not edge.on_chip]
    if any(edge.state in (State.DEGRADED, State.DOWN) for edge in inked):
        yield "degraded", "degraded or down"
    if any(edge.figure == "?" for edge in inked):
        yield "unknown", "? not known"
    if any(Grade.UNKNOWN < edge.grade <= Grade.ASSUMED for edge in inked):
        yield "assumed", "lighter: assumed, not observed"
