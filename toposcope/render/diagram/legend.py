"""The legend: which ink means what, and the units. Only what occurs in the picture is explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import State
from toposcope.render.diagram.flow import MEDIUM_TITLES, NOT_KNOWN, ON_CHIP
from toposcope.render.diagram.parts import LegendEntry, Rect, Text
from toposcope.render.diagram.plan import ASSUMED, MARGIN, NOTE_SIZE
from toposcope.render.glyphs import text_width, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.render.diagram.parts import Box, Edge

_SAMPLE = 24.0
_AIR = 14.0
_LINE = 16.0


def set_legend(
    edges: tuple[Edge, ...], boxes: tuple[Box, ...], notes: tuple[str, ...], *, pairs: str, width: float, y: float
) -> tuple[tuple[LegendEntry, ...], tuple[Text, ...], float]:
    """Return the entries, the notes and where the picture ends. ``pairs`` is what a frame round several boxes means."""
    left, right = MARGIN - 12, width - (MARGIN - 12)
    x = left
    entries = []
    hedged = any(edge.hedged for edge in edges) or any(box.hedged for box in boxes)
    for sample, meaning in _entries(edges, pairs=pairs, hedged=hedged):
        need = _SAMPLE + 5 + text_width(meaning, NOTE_SIZE)
        if x + need > right and x > left:
            x, y = left, y + _LINE
        text = Text(meaning, x + _SAMPLE + 5, y + 9.5, NOTE_SIZE, anchor="start")
        entries.append(LegendEntry(sample, Rect(x, y, _SAMPLE, 12), text))
        x += need + _AIR
    y += _LINE + 8 if entries else 0
    texts = []
    for line in (line for note in notes for line in wrap(note, right - left, NOTE_SIZE)):
        texts.append(Text(line, left, y + 4, NOTE_SIZE, anchor="start"))
        y += 13
    return tuple(entries), tuple(texts), y + 8


def _entries(edges: tuple[Edge, ...], *, pairs: str, hedged: bool) -> Iterable[tuple[str, str]]:
    coloured = (edge for edge in edges if edge.kind != "port" and edge.figure not in NOT_KNOWN)
    media = dict.fromkeys(edge.medium for edge in coloured if not edge.on_chip)
    yield from ((medium.value, MEDIUM_TITLES[medium]) for medium in media if medium not in ON_CHIP)
    if any(edge.on_chip for edge in edges):
        yield "on-chip", "inside a chip or card, no limit of its own"
    inked = [edge for edge in edges if not edge.on_chip]
    if any(edge.state in (State.DEGRADED, State.DOWN) for edge in inked):
        yield "degraded", "degraded or down"
    if any(edge.figure == "?" for edge in inked):
        yield "unknown", "? not known"
    if hedged:
        yield "assumed", f"{ASSUMED} assumed, not observed"
    if pairs:
        yield "pair", pairs
