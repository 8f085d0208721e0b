"""The state of a layout under way, and the measures that it keeps to. Units are points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.render.diagram.parts import Label, Point, Rect, Text
from toposcope.render.glyphs import text_width

if TYPE_CHECKING:
    from toposcope.model import Medium
    from toposcope.render.diagram.flow import Flow
    from toposcope.render.diagram.sketch import Sketch, Wire

NAME_SIZE = 11.0
DETAIL_SIZE = 9.5
"""No text is smaller than this: a host of eight, fitted to a common screen, keeps it at eleven pixels."""
FIGURE_SIZE = 10.5
FIGURE_DETAIL_SIZE = DETAIL_SIZE
TITLE_SIZE = 17.0
NOTE_SIZE = 10.0
FIGURE_HEIGHT = 13.0
FIGURE_DETAIL_HEIGHT = 11.5
MARGIN = 26.0
PAIR_GAP = 6.0
LEAF_GAP = 8.0
APART_GAP = 16.0
"""Between pairs, and between a pair and others: clearly more than inside a pair."""
GROUP_GAP = 16.0
LEAF_HEIGHT = 82.0
PORT_HEIGHT = 30.0
PORT_GAP = 7.0
BAR_HEIGHT = 28.0
STUB = 10.0
"""How much of a line shows above and below its label."""
ASSUMED = "~"
"""Stands before a figure that was assumed where others were not."""

WireKey = tuple[str, str, "Medium"]


@dataclass(slots=True)
class Path:
    """Where a wire runs."""

    points: tuple[Point, ...]
    label: Label | None = None
    curve: bool = False


@dataclass(slots=True)
class Plan:
    """What is known so far: texts, widths, then areas and paths."""

    sketch: Sketch
    words: dict[str, tuple[str, ...]]
    flows: dict[WireKey, Flow]
    rects: dict[str, Rect] = field(default_factory=dict)
    widths: dict[str, float] = field(default_factory=dict)
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    tops: dict[tuple[str, WireKey], float] = field(default_factory=dict)
    bottoms: dict[tuple[str, WireKey], float] = field(default_factory=dict)
    paths: dict[WireKey, Path] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0
    frame: Rect | None = None

    def flow(self, wire: Wire) -> Flow:
        """Return the sum of a wire."""
        return self.flows[key(wire)]

    def label_size(self, wire: Wire) -> tuple[float, float]:
        """Return width and height of a wire's label, with a little air; zero where it has none."""
        return size_of(self.flow(wire))

    def lines(self, wire: Wire, x: float, y: float) -> Label | None:
        """Return the label of a wire with its middle at ``x`` and ``y``."""
        return label(self.flow(wire), x, y)


def key(wire: Wire) -> WireKey:
    """Return what tells a wire from others."""
    return (wire.a, wire.b, wire.medium)


def size_of(flow: Flow, *, details: bool = True) -> tuple[float, float]:
    """Return width and height of a label."""
    if not flow.figure:
        return (0.0, 0.0)
    small = flow.details if details else ()
    widths = [
        text_width(_figure(flow), FIGURE_SIZE, bold=True),
        *(text_width(line, FIGURE_DETAIL_SIZE) for line in small),
    ]
    return (max(widths) + 6, FIGURE_HEIGHT + FIGURE_DETAIL_HEIGHT * len(small) + 2)


def label(flow: Flow, x: float, y: float, *, details: bool = True) -> Label | None:
    """Return a label with its middle at ``x`` and ``y``, None where nothing is to be said."""
    width, height = size_of(flow, details=details)
    if not flow.figure:
        return None
    top = y - height / 2
    texts = [Text(_figure(flow), x, top + FIGURE_HEIGHT - 2, FIGURE_SIZE, bold=True, italic=flow.hedged)]
    for index, line in enumerate(flow.details if details else ()):
        base = top + FIGURE_HEIGHT + FIGURE_DETAIL_HEIGHT * (index + 1) - 2
        texts.append(Text(line, x, base, FIGURE_DETAIL_SIZE))
    return Label(Rect(x - width / 2, top, width, height), tuple(texts))


def _figure(flow: Flow) -> str:
    return f"{ASSUMED}{flow.figure}" if flow.hedged else flow.figure


def words_width(lines: tuple[str, ...]) -> float:
    """Return the width of a box's texts."""
    sizes = (NAME_SIZE, *(DETAIL_SIZE for _ in lines[1:]))
    pairs = enumerate(zip(lines, sizes, strict=False))
    return max((text_width(text, size, bold=index == 0) for index, (text, size) in pairs), default=0.0)
