"""Where everything stands from left to right.

Every device has a column of its own, and what stands above it spans the columns below: so the wires of the tree are
upright lines that cross nothing. A column is as wide as its texts and the labels of the lines that enter it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.render.diagram.plan import (
    APART_GAP,
    DETAIL_SIZE,
    GROUP_GAP,
    LEAF_GAP,
    MARGIN,
    PAIR_GAP,
    STUB,
    key,
    words_width,
)
from toposcope.render.diagram.sketch import LEAVES, Role
from toposcope.render.diagram.words import KINDS
from toposcope.render.glyphs import text_width

if TYPE_CHECKING:
    from toposcope.render.diagram.plan import Plan
    from toposcope.render.diagram.sketch import Wire

_LEAST = {Role.ACCELERATOR: 56.0, Role.NIC: 50.0, Role.STORAGE: 50.0, Role.PORT: 26.0, Role.SOCKET: 110.0}
_MOST_WORDS = {Role.SWITCH: 66.0, Role.ROOT_COMPLEX: 66.0, Role.UNSEEN: 230.0}
_ARC_PITCH = 9.0
_LEAST_CANVAS = 470.0


def set_columns(plan: Plan) -> None:
    """Give every node of the tree its span, and every wire its place at both ends."""
    tops = plan.sketch.children.get(None, [])
    for name in tops:
        _measure(plan, name)
    gaps = _gaps(plan, tops)
    total = sum(plan.widths[name] for name in tops) + sum(gaps)
    plan.width = max(_LEAST_CANVAS, total + 2 * MARGIN)
    x = (plan.width - total) / 2
    for name, gap in zip(tops, [*gaps, 0.0], strict=False):
        _place(plan, name, x, plan.widths[name])
        x += plan.widths[name] + gap


def _gaps(plan: Plan, tops: list[str]) -> list[float]:
    """Return the gaps between the halves: wide enough for the link between two sockets."""
    labels = [plan.label_size(wire)[0] + 30 for wire in plan.sketch.peers] if len(tops) == 2 else []  # noqa: PLR2004
    trunks = [plan.label_size(wire)[0] + 40 for wire in plan.sketch.trunks]
    halves = any(plan.sketch.nodes[name].role in (Role.SOCKET, Role.NUMA) for name in tops)
    return [max([30.0 if halves else GROUP_GAP, *labels, *trunks])] * max(0, len(tops) - 1)


def ports_of(plan: Plan, name: str) -> list[str]:
    """Return the ports drawn below a device."""
    return [node.id for node in plan.sketch.nodes.values() if node.role is Role.PORT and node.parent == name]


def upward(plan: Plan, name: str) -> list[Wire]:
    """Return the wires that leave a node at its upper side, from left to right."""
    sketch = plan.sketch
    memory = [wire for wire in sketch.memory if wire.b == name]
    up = [sketch.up[name]] if name in sketch.up else []
    return [*memory, *up, *(wire for wire in sketch.extra if wire.a == name), *_stubs(plan, name)]


def _stubs(plan: Plan, name: str) -> list[Wire]:
    return [wire for wire in plan.sketch.peer_bar if wire.a == name]


def downward(plan: Plan, name: str) -> list[Wire]:
    """Return the wires that leave a node at its lower side, but for arcs and ports."""
    sketch = plan.sketch
    return [wire for wires in (sketch.fabric, sketch.network) for wire in wires if wire.a == name]


def arcs_of(plan: Plan, name: str) -> list[Wire]:
    """Return the arcs that end at a device."""
    return [wire for wire in plan.sketch.mesh if name in (wire.a, wire.b)]


def peer_arcs(plan: Plan) -> list[Wire]:
    """Return the links between sockets that are drawn as arcs, since there are more than two sockets."""
    return plan.sketch.peers if len(plan.sketch.children.get(None, [])) > 2 else []  # noqa: PLR2004 (two halves)


def peer_arcs_of(plan: Plan, name: str) -> list[Wire]:
    """Return the arcs that end at a socket."""
    return [wire for wire in peer_arcs(plan) if name in (wire.a, wire.b)]


def _arcs_width(arcs: list[Wire]) -> float:
    return _ARC_PITCH * len(arcs) + 6 if arcs else 0.0


def _measure(plan: Plan, name: str) -> float:
    node = plan.sketch.nodes[name]
    children = plan.sketch.children.get(name, [])
    own = max(
        _LEAST.get(node.role, 40.0),
        min(_words_width(plan, name), _MOST_WORDS.get(node.role, 132.0)) + 12,
        sum(_top_width(plan, wire) for wire in upward(plan, name)) + _arcs_width(peer_arcs_of(plan, name)),
    )
    if node.role in LEAVES:
        own = max(own, sum(width for _, width in _bottom_items(plan, name))) + side_room(plan, name)
    inner = sum(_measure(plan, child) for child in children) + sum(_gaps_among(plan, children))
    plan.widths[name] = max(own, inner)
    return plan.widths[name]


def _words_width(plan: Plan, name: str) -> float:
    """Return the width that a box's texts ask for; what a switch is, is said where there is room."""
    lines = plan.words[name]
    return words_width(lines[:1] if plan.sketch.nodes[name].role in KINDS else lines)


def side_room(plan: Plan, name: str) -> float:
    """Return the room to the left of a device that hangs on the accelerator beside it."""
    wire = next((wire for wire in plan.sketch.side if wire.a == name), None)
    return 0.0 if wire is None else plan.label_size(wire)[0] + 2 * STUB - LEAF_GAP


def _top_width(plan: Plan, wire: Wire) -> float:
    box = plan.sketch.nodes[wire.a]
    words = words_width(plan.words[wire.a]) + 16 if box.role is Role.MEMORY else 0.0
    return max(plan.label_size(wire)[0] + 4, words, 14.0)


def _gaps_among(plan: Plan, children: list[str]) -> list[float]:
    """Return the gaps between siblings: little inside a pair, more around one."""
    if not all(plan.sketch.nodes[child].role in LEAVES for child in children):
        return [GROUP_GAP] * (len(children) - 1)
    pair_of = {name: pair for pair in plan.sketch.pairs for name in pair}
    return [
        LEAF_GAP
        if one not in pair_of and other not in pair_of
        else PAIR_GAP
        if pair_of.get(one) == pair_of.get(other)
        else APART_GAP
        for one, other in pairwise(children)
    ]


def _bottom_items(plan: Plan, name: str) -> list[tuple[object, float]]:
    """Return what leaves a device below, and the width that each needs: fabric, arcs, then ports."""
    items: list[tuple[object, float]] = [
        (wire, max(plan.label_size(wire)[0] + 4, 14.0)) for wire in downward(plan, name)
    ]
    arcs = arcs_of(plan, name)
    items += [(arcs, _arcs_width(arcs))] if arcs else []
    return items + [(port, port_width(plan, port) + 3) for port in ports_of(plan, name)]


def port_width(plan: Plan, name: str) -> float:
    """Return the width of a port's box."""
    labels = sum(max(plan.label_size(wire)[0] + 4, 12.0) for wire in downward(plan, name))
    words = max(text_width(line, DETAIL_SIZE) for line in plan.words[name])
    return max(_LEAST[Role.PORT], words + 9, labels)


def _place(plan: Plan, name: str, x: float, width: float) -> None:
    room = side_room(plan, name)
    x, width = x + room, width - room
    plan.spans[name] = (x, width)
    children = plan.sketch.children.get(name, [])
    _spread_tops(plan, name, x, width)
    if plan.sketch.nodes[name].role in LEAVES:
        _spread_bottoms(plan, name, x, width)
        return
    gaps = _gaps_among(plan, children)
    free = width - sum(plan.widths[child] for child in children) - sum(gaps)
    share = min(free / max(1, len(children)), 40.0)
    x += (free - share * len(children)) / 2
    for child, gap in zip(children, [*gaps, 0.0], strict=False):
        _place(plan, child, x, plan.widths[child] + share)
        x += plan.widths[child] + share + gap


def _spread_tops(plan: Plan, name: str, x: float, width: float) -> None:
    wires = upward(plan, name)
    arcs = _arcs_width(peer_arcs_of(plan, name))
    items = len(wires) + bool(arcs)
    spare = (width - arcs - sum(_top_width(plan, wire) for wire in wires)) / max(1, items)
    for wire in wires:
        slot = _top_width(plan, wire) + spare
        plan.tops[name, key(wire)] = x + slot / 2
        x += slot
    if arcs:
        plan.spans[f"{name} arcs"] = (x + 3, arcs + spare - 6)


def _spread_bottoms(plan: Plan, name: str, x: float, width: float) -> None:
    items = _bottom_items(plan, name)
    spare = (width - sum(need for _, need in items)) / max(1, len(items))
    for item, need in items:
        slot = need + spare
        if isinstance(item, str):
            _place_port(plan, item, x + 1.5, slot - 3)
        elif isinstance(item, list):
            plan.spans[f"{name} arcs"] = (x + 3, slot - 6)
        else:
            plan.bottoms[name, key(item)] = x + slot / 2  # type: ignore[arg-type]
        x += slot


def _place_port(plan: Plan, name: str, x: float, width: float) -> None:
    plan.spans[name] = (x, width)
    wires = downward(plan, name)
    for index, wire in enumerate(wires):
        plan.bottoms[name, key(wire)] = x + width * (index + 0.5) / len(wires)
