"""Arcs: links between boxes of one row, drawn as curves below (or above) it, each with its figure on it.

Short arcs lie inside long ones. Each arc has a depth at which its label lies on no other label and on no upright line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.render.diagram.parts import Rect
from toposcope.render.diagram.plan import Path, key, label, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toposcope.render.diagram.parts import Label, Point
    from toposcope.render.diagram.plan import Plan, WireKey
    from toposcope.render.diagram.sketch import Wire

_FIRST = 20.0
_STEP = 15.0
_DEEPEST = 60
_FEW = 4
"""So many arcs have room for their details too."""
_PLACES = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74)


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
    details = len(wires) <= _FEW
    drawn: list[tuple[float, float, int]] = []
    labels: list[Rect] = []
    reach = 0.0
    for wire in sorted(wires, key=lambda one: (abs(ends[key(one)][0] - ends[key(one)][1]), key(one))):
        left, right = sorted(ends[key(wire)])
        nested = [level + 1 for low, high, level in drawn if left <= low and high <= right]
        ys = {ends[key(wire)][0]: y(wire.a), ends[key(wire)][1]: y(wire.b)}
        for level in range(max(nested, default=0), _DEEPEST):
            depth = _FIRST + _STEP * level
            bend = _curve(left, right, edge, -depth if up else depth)
            found = _label(plan, wire, bend, labels, upright, details=details)
            if found is not None or not plan.flow(wire).figure:
                break
        labels += [found.rect] if found else []
        drawn.append((left, right, level))
        plan.paths[key(wire)] = Path(((left, ys[left]), *bend, (right, ys[right])), found, curve=True)
        reach = max(reach, depth)
    return reach + 8 if wires else 0.0


def _curve(left: float, right: float, y: float, depth: float) -> tuple[Point, ...]:
    return ((left, y), (left, y + depth * 4 / 3), (right, y + depth * 4 / 3), (right, y))


def _label(
    plan: Plan, wire: Wire, points: tuple[Point, ...], labels: list[Rect], upright: Sequence[float], *, details: bool
) -> Label | None:
    width, height = size_of(plan.flow(wire), details=details)
    for place in _PLACES:
        x, y = point_at(points, place)
        rect = Rect(x - width / 2, y - height / 2, width, height)
        clear = all(not rect.x - 2 < line < rect.right + 2 for line in upright)
        if clear and not any(rect.meets(other) for other in labels):
            return label(plan.flow(wire), x, y, details=details)
    return None


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
