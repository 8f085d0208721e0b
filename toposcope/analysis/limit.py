"""What limits a chain of segments: the two bottlenecks, what would bind next, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.model import Grade, Reach, Usable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis.segment import Segment
    from toposcope.base import Bandwidth

EQUAL_WITHIN = 0.02
"""Figures this close are one limit: all are named."""

CLOSE_WITHIN = 0.10
"""Figures this close to the limit are named as close behind."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a route; bandwidths are one direction, None where unknown.

    ``line_bottleneck``, ``bottleneck`` and ``close_behind`` are indices of segments, ``unknown`` that of the first one
    whose speed nothing tells: the limit is then an upper bound.
    """

    line: Bandwidth | None
    usable: Usable | None
    line_bottleneck: tuple[int, ...]
    bottleneck: tuple[int, ...]
    close_behind: tuple[int, ...]
    next_line: Bandwidth | None
    grade: Grade
    unknown: int | None

    @property
    def at_most(self) -> bool:
        """Whether a segment of unknown speed stands on the way."""
        return self.unknown is not None


def limit(segments: Sequence[Segment]) -> Limit:
    """Find what limits these segments.

    The line bottleneck is the least line figure (crossings whose line is not known take no part), the bottleneck the
    least typical usable one; equal within 2 % all are named. The next limit is the least line figure of the others.
    """
    lines = {index: segment.line for index, segment in enumerate(segments) if segment.line is not None}
    typical = {index: segment.usable.typical for index, segment in enumerate(segments) if segment.usable is not None}
    at_line, at_usable = _least(lines, EQUAL_WITHIN), _least(typical, EQUAL_WITHIN)
    unknown = (index for index, segment in enumerate(segments) if segment.line is None and _may_limit(segment))
    others = [line for index, line in lines.items() if index not in at_line]
    return Limit(
        line=min(lines.values(), default=None),
        usable=_usable(segments, at_usable, lines),
        line_bottleneck=at_line,
        bottleneck=at_usable or at_line,
        close_behind=tuple(index for index in _least(typical, CLOSE_WITHIN) if index not in at_usable),
        next_line=min(others, default=None),
        grade=min((segment.grade for segment in segments), default=Grade.UNKNOWN),
        unknown=next(unknown, None),
    )


def _may_limit(segment: Segment) -> bool:
    """Tell a part without a line figure that could be the slowest: of crossings that of sockets without a class."""
    untold = segment.reach is Reach.SOCKET and segment.usable is None
    return untold or not segment.is_crossing


def _least(figures: dict[int, Bandwidth], within: float) -> tuple[int, ...]:
    least = min(figures.values(), default=None)
    if least is None:
        return ()
    return tuple(index for index, figure in figures.items() if figure.bytes_per_s <= least.bytes_per_s * (1 + within))


def _usable(segments: Sequence[Segment], at: tuple[int, ...], lines: dict[int, Bandwidth]) -> Usable | None:
    """Take the range of the least typical segment; nothing where that segment is not sure to be the least.

    A way between sockets is never free: where no class says what it carries, nothing does.
    """
    if not at or any(each.reach is Reach.SOCKET and each.usable is None for each in segments):
        return None
    unscaled = [line for index, line in lines.items() if segments[index].usable is None]
    found = min((segment.usable for segment in segments if segment.usable is not None), key=lambda each: each.typical)
    return None if any(line < found.typical for line in unscaled) else found
