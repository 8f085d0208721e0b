"""What lies below the devices: arcs between them, fabric bars, then outside the host fabric switches and networks.

A bar spans the devices that it joins. Bars that would overlap lie on tracks of their own, one below the other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.render.diagram.arcs import draw_arcs
from toposcope.render.diagram.parts import PLATE_STEP, Rect
from toposcope.render.diagram.plan import BAR_HEIGHT, MARGIN, STUB, Path, key, words_width
from toposcope.render.diagram.sketch import Role, plates_of

if TYPE_CHECKING:
    from toposcope.render.diagram.plan import Plan
    from toposcope.render.diagram.sketch import Wire

_INSIDE = (Role.FABRIC, Role.MESH)
_FRAME_AIR = 12.0


def set_below(plan: Plan, top: float, y: float) -> float:
    """Place all that lies below ``y``, the lower edge of the devices; the host's frame begins at ``top``."""
    y += draw_arcs(plan, plan.sketch.mesh, lambda name: plan.rects[name].bottom, _upright_lines(plan), edge=y)
    bars = [name for name, node in plan.sketch.nodes.items() if node.role in _INSIDE and name not in plan.rects]
    y = _tracks(plan, bars, y)
    if plan.rects:
        y += _FRAME_AIR
        plan.frame = Rect(MARGIN - 12, top, plan.width - 2 * (MARGIN - 12), y - top)
    outside = [name for name, node in plan.sketch.nodes.items() if node.role is Role.OUTER_FABRIC]
    y = _tracks(plan, outside, y)
    for level in _network_levels(plan):
        y = _tracks(plan, level, y)
    _trunks(plan)
    return y


def _upright_lines(plan: Plan) -> list[float]:
    return sorted(plan.bottoms.values())


def _network_levels(plan: Plan) -> list[list[str]]:
    """Leaf switches first, then what is reached over them only."""
    names = [name for name, node in plan.sketch.nodes.items() if node.role is Role.NETWORK]
    near = [name for name in names if any(wire.a not in names for wire in plan.sketch.network if wire.b == name)]
    return [near, [name for name in names if name not in near]]


def _tracks(plan: Plan, bars: list[str], y: float) -> float:
    """Place bars on as few tracks as they need, and the wires that reach them from above."""
    tracks: list[list[str]] = []
    for name in bars:
        x, right = _extent(plan, name)
        plan.spans[name] = (x, right - x)
        free = next((track for track in tracks if all(_apart(plan, name, other) for other in track)), None)
        if free is None:
            tracks.append(free := [])
        free.append(name)
    for track in tracks:
        y = _track(plan, track, y)
    return y


def _apart(plan: Plan, a: str, b: str) -> bool:
    (x, width), (other, other_width) = plan.spans[a], plan.spans[b]
    return x >= other + other_width + LEAST_BAR_GAP or other >= x + width + LEAST_BAR_GAP


LEAST_BAR_GAP = 16.0


def _track(plan: Plan, track: list[str], y: float) -> float:
    wires = [wire for wire in _wires_from_above(plan) if wire.b in track]
    height = max((plan.label_size(wire)[1] for wire in wires), default=0.0)
    plates = max(plates_of(plan.sketch.nodes[name]) for name in track) * PLATE_STEP
    channel = height + 2 * STUB + plates / 2 if height else 16.0 + plates
    for name in track:
        x, width = plan.spans[name]
        plan.rects[name] = Rect(x, y + channel, width, BAR_HEIGHT)
    for wire in wires:
        x = _place_of(plan, wire)
        start = plan.rects[wire.a].bottom
        path = Path(((x, start), (x, y + channel)), plan.lines(wire, x, y + (channel - plates / 2) / 2))
        plan.paths[key(wire)] = path
    return y + channel + BAR_HEIGHT


def _wires_from_above(plan: Plan) -> list[Wire]:
    return [*plan.sketch.fabric, *plan.sketch.network]


def _place_of(plan: Plan, wire: Wire) -> float:
    """Return where a wire reaches its bar: below the device's own place, or the middle of a bar above."""
    place = plan.bottoms.get((wire.a, key(wire)))
    return plan.rects[wire.a].middle if place is None else place


def _extent(plan: Plan, name: str) -> tuple[float, float]:
    """Return how far a bar reaches: over the devices that it joins, or over all where it is not known which."""
    wires = [wire for wire in _wires_from_above(plan) if wire.b == name]
    role = plan.sketch.nodes[name].role
    joined = {wire.a for wire in wires}
    joined.update(one for pair in plan.sketch.pairs if joined.intersection(pair) for one in pair)
    spans = [plan.spans[one] for one in sorted(joined) if one in plan.spans]
    if not wires:
        spans = [plan.spans[node.id] for node in plan.sketch.nodes.values() if node.role is Role.ACCELERATOR]
    if not spans:
        spans = [(MARGIN, plan.width - 2 * MARGIN)]
    left, right = min(x for x, _ in spans), max(x + width for x, width in spans)
    if role is Role.NETWORK and wires:
        places = [_place_of(plan, wire) for wire in wires]
        left, right = min(left, min(places) - 12), max(right, max(places) + 12)
    need = words_width(plan.words[name]) + 14
    grow = max(0.0, need - (right - left)) / 2
    left, right = left - grow, right + grow
    shift = max(0.0, MARGIN - left) - max(0.0, right - (plan.width - MARGIN))
    return left + shift, right + shift


def _clear(upright: list[float], left: float, right: float, width: float) -> float:
    """Return the middle of the widest stretch that no upright line passes; the middle of all where none is wide."""
    stops = [left, *(x for x in upright if left < x < right), right]
    low, high = max(pairwise(stops), key=lambda part: part[1] - part[0])
    return (low + high) / 2 if high - low > width else (left + right) / 2


def _trunks(plan: Plan) -> None:
    """Draw links between fabric bars: in the gap between neighbours, upright between tracks."""
    for wire in plan.sketch.trunks:
        a, b = plan.rects[wire.a], plan.rects[wire.b]
        if a.y == b.y:
            left, right = sorted((a, b), key=lambda box: box.x)
            y = a.y + a.height / 2
            x = _clear(_upright_lines(plan), left.right, right.x, plan.label_size(wire)[0])
            path = Path(((left.right, y), (right.x, y)), plan.lines(wire, x, y))
        else:
            upper, lower = sorted((a, b), key=lambda box: box.y)
            x = (max(upper.x, lower.x) + min(upper.right, lower.right)) / 2
            path = Path(((x, upper.bottom), (x, lower.y)), plan.lines(wire, x, (upper.bottom + lower.y) / 2))
        plan.paths[key(wire)] = path
