"""Arcs: links between boxes of one row, drawn as curves below (or above) it, each with its figure on it.

Short arcs lie inside long ones. Each arc has a depth at which its label lies on no other label and on no upright line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.render.diagram.parts import Rect
from toposcope.render.diagram.plan import Path, key, label, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toposcope.render.diagram.parts import Label, Point
    from toposcope.render.diagram.plan import Plan, WireKey
    from toposcope.render.diagram.sketch import Wire

_FIRST = 22.0
_STEP = 18.0
_DEEPEST = 60
_FEW = 6
"""So many arcs have room for their details too."""
_NARROW = 2.0
"""An arc less wide than so many of its labels hangs lower, so that its sides show."""
_AIR = 2.0
_STRICT_LEVELS = 6
_SAMPLES = 60
_PLACES = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74)


@dataclass(slots=True)
class _Drawn:
    """What a new arc has to mind: upright lines, where arcs end, their labels and courses, and how deep they lie."""

    upright: Sequence[float]
    ends: Sequence[float]
    labels: list[Rect] = field(default_factory=list)
    courses: list[Point] = field(default_factory=list)
    levels: list[tuple[float, float, int]] = field(default_factory=list)

    def clear(self, rect: Rect, *, strict: bool) -> bool:
        """Tell whether a label may lie here; ``strict``: on no other arc either."""
        if any(rect.x - 2 < x < rect.right + 2 for x in self.upright) or any(
            rect.meets(other) for other in self.labels
        ):
            return False
        near = any(rect.x - _AIR < x < rect.right + _AIR for x in self.ends)
        return not (strict and (near or any(_on(point, rect) for point in self.courses)))


def draw_arcs(
    plan: Plan,
    wires: Sequence[Wire],
    y: Callable[[str], float],
    upright: Sequence[float],
    *,
    edge: float,
    up: bool = False,
) -> float:
    """Give the wires their paths, and return how far the arcs reach.

    ``y`` is where a box ends, ``edge`` where all boxes have ended and the arcs begin to bend.
    """
    ends = _ends(plan, wires)
    drawn = _Drawn(upright, sorted(x for pair in ends.values() for x in pair))
    reach = 0.0
    for wire in sorted(wires, key=lambda one: (abs(ends[key(one)][0] - ends[key(one)][1]), key(one))):
        (start, end), heights = ends[key(wire)], (y(wire.a), y(wire.b))
        (left, top), (right, other_top) = sorted(zip((start, end), heights, strict=True))
        level, bend, found = _lay(plan, wire, drawn, (left, right, edge, -1.0 if up else 1.0), few=len(wires) <= _FEW)
        drawn.labels += [found.rect] if found else []
        drawn.courses += _course(bend) if len(wires) <= _FEW else []
        drawn.levels.append((left, right, level))
        plan.paths[key(wire)] = Path(((left, top), *bend, (right, other_top)), found, curve=True)
        reach = max(reach, _FIRST + _STEP * level + (found.rect.height / 2 - 6 if found else 0.0))
    return reach + 8 if wires else 0.0


def _lay(
    plan: Plan, wire: Wire, drawn: _Drawn, course: tuple[float, float, float, float], *, few: bool
) -> tuple[int, tuple[Point, ...], Label | None]:
    """Find the least depth at which an arc and its label lie well: below the arcs that it spans, clear of all others.

    Where there are few arcs no label may lie on another arc; with many that would lead too deep.
    """
    left, right, edge, sign = course
    least = max((level + 1 for low, high, level in drawn.levels if left <= low and high <= right), default=0)
    if few and right - left < _NARROW * plan.label_size(wire)[0]:
        least = max(least, 1)
    tries = [(level, True) for level in range(least, least + _STRICT_LEVELS)] if few else []
    for level, strict in [*tries, *((level, False) for level in range(least, _DEEPEST))]:
        bend = _curve(left, right, edge, sign * (_FIRST + _STEP * level))
        if strict and any(_on(point, rect) for point in _course(bend) for rect in drawn.labels):
            continue
        found = _label(plan, wire, bend, drawn, details=few, strict=strict)
        if found is not None or not plan.flow(wire).figure:
            return level, bend, found
    return least, _curve(left, right, edge, sign * (_FIRST + _STEP * least)), None


def _curve(left: float, right: float, y: float, depth: float) -> tuple[Point, ...]:
    return ((left, y), (left, y + depth * 4 / 3), (right, y + depth * 4 / 3), (right, y))


def _label(
    plan: Plan, wire: Wire, points: tuple[Point, ...], drawn: _Drawn, *, details: bool, strict: bool
) -> Label | None:
    width, height = size_of(plan.flow(wire), details=details)
    spots = [point_at(points, place) for place in _PLACES]
    if strict:
        spots.sort(key=lambda spot: -round(min(abs(spot[0] - x) for x in drawn.ends)))
    for x, y in spots:
        if drawn.clear(Rect(x - width / 2, y - height / 2, width, height), strict=strict):
            return label(plan.flow(wire), x, y, details=details)
    return None


def _course(bend: tuple[Point, ...]) -> list[Point]:
    return [point_at(bend, step / _SAMPLES) for step in range(1, _SAMPLES)]


def _on(point: Point, rect: Rect) -> bool:
    x, y = point
    return rect.x - _AIR < x < rect.right + _AIR and rect.y - _AIR < y < rect.bottom + _AIR


def point_at(points: Sequence[Point], t: float) -> Point:
    """Return the point of a cubic curve at ``t``."""
    weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    x = sum(weight * point[0] for weight, point in zip(weights, points, strict=True))
    return x, sum(weight * point[1] for weight, point in zip(weights, points, strict=True))


def _ends(plan: Plan, wires: Sequence[Wire]) -> dict[WireKey, tuple[float, float]]:
    """Spread the ends at each box so that arcs of one box do not cross: the longest in the middle."""
    found: dict[WireKey, dict[str, float]] = {}
    for name in dict.fromkeys(end for wire in wires for end in (wire.a, wire.b)):
        x, width = plan.spans.get(f"{name} arcs", plan.spans[name])
        own = [wire for wire in wires if name in (wire.a, wire.b)]
        own.sort(key=lambda wire: _order(plan, name, wire))
        for index, wire in enumerate(own):
            found.setdefault(key(wire), {})[name] = x + width * (index + 0.5) / len(own)
    return {key(wire): (found[key(wire)][wire.a], found[key(wire)][wire.b]) for wire in wires}


def _order(plan: Plan, name: str, wire: Wire) -> tuple[int, float]:
    here = plan.spans[name][0]
    there = plan.spans[wire.b if wire.a == name else wire.a][0]
    return (0, here - there) if there < here else (1, here - there)
