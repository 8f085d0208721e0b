"""What the two charts show: all pairs as a heat map, and the segments of one route as bars.

Filled by the caller from the results of an analysis; figures are one direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.base import Bandwidth
    from toposcope.model import Medium


@dataclass(frozen=True, slots=True)
class PairCell:
    """One pair: its figure (None: not known), and the word that a tool printed for it.

    ``mark`` stands before the figure: ``<`` of one that is an upper limit, ``~`` of one that is assumed.
    """

    row: str
    column: str
    figure: Bandwidth | None
    word: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class PairChart:
    """All pairs of rows and columns. Cells that are missing stay blank, as those of a thing with itself.

    ``meaning`` says what the figures are: ``line rate of the default route``.
    """

    title: str
    meaning: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[PairCell, ...]


@dataclass(frozen=True, slots=True)
class SegmentBar:
    """One stage of a route: its ends, its medium, and its limits as lines and as good copies go (None: not known)."""

    source: str
    target: str
    medium: Medium
    line: Bandwidth | None
    typical: Bandwidth | None
    is_bottleneck: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RouteChart:
    """The segments of one route in order, and a sentence that sums it up."""

    title: str
    segments: tuple[SegmentBar, ...]
    caption: str = ""
