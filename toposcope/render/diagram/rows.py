"""Where the host's tree stands from top to bottom: memory, sockets, NUMA nodes, root complexes, switches, devices.

Every row that has a box gets its height; the channel above a row is as high as the labels of the wires that enter it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.render.diagram.arcs import draw_arcs
from toposcope.render.diagram.columns import peer_arcs, ports_of
from toposcope.render.diagram.parts import Rect
from toposcope.render.diagram.plan import (
    BAR_HEIGHT,
    LEAF_HEIGHT,
    PORT_GAP,
    PORT_HEIGHT,
    STUB,
    Path,
    key,
    words_width,
)
from toposcope.render.diagram.sketch import LEAVES, Role

if TYPE_CHECKING:
    from toposcope.render.diagram.plan import Plan
    from toposcope.render.diagram.sketch import Wire

_HEIGHTS = {
    Role.SOCKET: 40.0,
    Role.NUMA: 22.0,
    Role.ROOT_COMPLEX: 21.0,
    Role.SWITCH: 24.0,
    Role.BRIDGE: 16.0,
    Role.UNSEEN: 22.0,
}
_ROWS = {Role.SOCKET: 0, Role.NUMA: 1, Role.ROOT_COMPLEX: 2, Role.UNSEEN: 2}
_FIRST_SWITCH_ROW = 3
_MEMORY_HEIGHT = 32.0
_BARE_CHANNEL = 13.0


def set_rows(plan: Plan, y: float) -> float:
    """Place the tree below ``y`` with its wires; return where the row of devices ends."""
    _number_rows(plan)
    y = arcs_end = _peers_above(plan, y)
    leaf_row = max(plan.rows.values(), default=0) + 1
    first = True
    for row in range(leaf_row + 1):
        names = [name for name in plan.spans if plan.rows.get(name, leaf_row) == row and name in plan.widths]
        if not names:
            continue
        y = _memory_above(plan, names, y)
        y += 0.0 if first else _channel(plan, names)
        height = LEAF_HEIGHT if row == leaf_row else max(_HEIGHTS[plan.sketch.nodes[name].role] for name in names)
        for name in names:
            x, width = plan.spans[name]
            plan.rects[name] = Rect(x, y, width, height)
        y += height
        first = False
    _ports(plan)
    _wires(plan)
    _sides(plan)
    draw_arcs(plan, peer_arcs(plan), lambda name: plan.rects[name].y, [], edge=arcs_end, up=True)
    _peers_beside(plan)
    return y


def _number_rows(plan: Plan) -> None:
    nodes = plan.sketch.nodes
    for name in nodes:
        role = nodes[name].role
        if name not in plan.widths or role in LEAVES:
            continue
        above = nodes[name].parent
        least = plan.rows[above] + 1 if above is not None else 0
        plan.rows[name] = max(least, _ROWS.get(role, _FIRST_SWITCH_ROW))


def _channel(plan: Plan, names: list[str]) -> float:
    wires = [plan.sketch.up[name] for name in names if name in plan.sketch.up]
    wires += [wire for wire in plan.sketch.extra if wire.a in names]
    height = max((plan.label_size(wire)[1] for wire in wires), default=0.0)
    return height + 2 * STUB if height else _BARE_CHANNEL


def _memory_above(plan: Plan, names: list[str], y: float) -> float:
    """Place the memory of a row's boxes above them; return where the memory ends."""
    wires = [wire for wire in plan.sketch.memory if wire.b in names]
    if not wires:
        return y
    if any(plan.sketch.nodes[wire.b].role is Role.NUMA and wire.b in plan.sketch.up for wire in wires):
        y += _BARE_CHANNEL
    channel = max(plan.label_size(wire)[1] for wire in wires) + 2 * STUB
    for wire in wires:
        middle = plan.tops[wire.b, key(wire)]
        width = words_width(plan.words[wire.a]) + 12
        plan.rects[wire.a] = Rect(middle - width / 2, y, width, _MEMORY_HEIGHT)
    return y + _MEMORY_HEIGHT + channel - (0.0 if _first_row(plan, names) else _channel(plan, names))


def _first_row(plan: Plan, names: list[str]) -> bool:
    return not any(name in plan.sketch.up for name in names)


def _ports(plan: Plan) -> None:
    """Put ports on the lower edge of the row, and make room for them in the boxes above."""
    for name in [name for name in plan.rects if plan.sketch.nodes[name].role in LEAVES]:
        box = plan.rects[name]
        ports = ports_of(plan, name)
        if not ports:
            continue
        plan.rects[name] = Rect(box.x, box.y, box.width, box.height - PORT_HEIGHT - PORT_GAP)
        for port in ports:
            x, width = plan.spans[port]
            plan.rects[port] = Rect(x, box.bottom - PORT_HEIGHT, width, PORT_HEIGHT)
    for wire in plan.sketch.port:
        box, port_box = plan.rects[wire.a], plan.rects[wire.b]
        if plan.sketch.nodes[wire.b].parent == wire.a:
            plan.paths[key(wire)] = Path(((port_box.middle, box.bottom), (port_box.middle, port_box.y)))
        else:
            y = port_box.bottom + 4
            start = box.right - 5 if box.x < port_box.x else box.x + 5
            end = port_box.x + 4 if box.x < port_box.x else port_box.right - 4
            plan.paths[key(wire)] = Path(((start, box.bottom), (start, y), (end, y), (end, port_box.bottom)))


def _wires(plan: Plan) -> None:
    """Draw the tree's wires, memory and links across the tree, all upright."""
    sketch = plan.sketch
    for wire in (*sketch.up.values(), *sketch.extra):
        lower, upper = plan.rects[wire.a], plan.rects[wire.b]
        _upright(plan, wire, plan.tops[wire.a, key(wire)], upper.bottom, lower.y)
    for wire in sketch.memory:
        lower, upper = plan.rects[wire.b], plan.rects[wire.a]
        _upright(plan, wire, plan.tops[wire.b, key(wire)], upper.bottom, lower.y)


def _sides(plan: Plan) -> None:
    """Draw the level wires between an accelerator and what hangs on it."""
    for wire in plan.sketch.side:
        box, other = plan.rects[wire.a], plan.rects[wire.b]
        y = box.y + min(box.height, other.height) / 2
        label = plan.lines(wire, (other.right + box.x) / 2, y)
        plan.paths[key(wire)] = Path(((box.x, y), (other.right, y)), label)


def _upright(plan: Plan, wire: Wire, x: float, top: float, bottom: float) -> None:
    """Draw a line down to ``bottom``; its label stands just above the box that it enters."""
    height = plan.label_size(wire)[1]
    room = min(height + 2 * STUB, bottom - top)
    plan.paths[key(wire)] = Path(((x, bottom), (x, top)), plan.lines(wire, x, bottom - room / 2))


def _peers_beside(plan: Plan) -> None:
    """Draw the link between two halves in the gap between them."""
    for wire in plan.sketch.peers:
        if key(wire) in plan.paths:
            continue
        left, right = sorted((plan.rects[wire.a], plan.rects[wire.b]), key=lambda box: box.x)
        y = left.y + min(left.height, right.height) / 2
        path = Path(((left.right, y), (right.x, y)), plan.lines(wire, (left.right + right.x) / 2, y))
        plan.paths[key(wire)] = path


def _peers_above(plan: Plan, y: float) -> float:
    """Draw a bar over the sockets, or arcs, where more than two are joined; return where the sockets begin."""
    bar = plan.sketch.peer_bar
    if bar:
        height = max(plan.label_size(wire)[1] for wire in bar) + 2 * STUB
        xs = [plan.tops[wire.a, key(wire)] for wire in bar]
        low = y + BAR_HEIGHT + height + _memory_height(plan)
        for wire, x in zip(bar, xs, strict=True):
            label = plan.lines(wire, x, y + BAR_HEIGHT + height / 2)
            plan.paths[key(wire)] = Path(((x, low), (x, y + BAR_HEIGHT)), label)
        plan.rects[bar[0].b] = Rect(min(xs) - 30, y, max(xs) - min(xs) + 60, BAR_HEIGHT)
        return y + BAR_HEIGHT + height
    return y + draw_arcs(plan, peer_arcs(plan), lambda _: 0.0, [], edge=0.0, up=True)


def _memory_height(plan: Plan) -> float:
    tops = plan.sketch.children.get(None, [])
    own = [wire for wire in plan.sketch.memory if wire.b in tops]
    return _MEMORY_HEIGHT + max(plan.label_size(wire)[1] for wire in own) + 2 * STUB if own else 0.0
