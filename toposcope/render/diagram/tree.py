"""The host's tree in the sketch: sockets, NUMA nodes, root complexes, switches, and the devices at the ends.

Bridges with one drawn child are folded into the wire above that child, which then counts its hops. Functions of one
card make one box; more than four alike under one parent make one box with a count. What has no device below it is
left out, except sockets and NUMA nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.model import Kind, Medium
from toposcope.render.diagram.names import natural
from toposcope.render.diagram.pairing import beside, owned
from toposcope.render.diagram.sketch import LEAVES, ROLES, Bundle, Node, Role, Wire, pair

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.model import Component, Link, Topology
    from toposcope.render.diagram.sketch import Sketch

ALIKE = 4
"""More functions alike than this are drawn as one box with a count; of storage two are enough."""
_CROWDED = 30
_FOLDABLE = frozenset({Role.BRIDGE})
_MERGED = frozenset({Kind.NIC, Kind.STORAGE})
_MANY_EMPTY = 8


@dataclass(slots=True)
class _Branch:
    """A node with all that hangs below it, and the links gathered on the way up so far.

    ``beside``: what hangs on an accelerator itself, and is drawn at its side.
    """

    node: Node
    below: list[_Branch] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    first: list[Link] = field(default_factory=list)
    passes: set[str] = field(default_factory=set)
    climbed: list[str] = field(default_factory=list)
    beside: list[_Branch] = field(default_factory=list)


def plant(topology: Topology, sketch: Sketch) -> None:
    """Put the host's tree into the sketch."""
    kept = _kept(topology)
    below: dict[str | None, list[str]] = {}
    for name in kept:
        parent = topology.parent(name)
        below.setdefault(parent if parent in kept else None, []).append(name)
    alike = _most_alike(topology)
    tops = [branch for name in below.get(None, []) for branch in _grow(topology, below, name, alike)]
    tops = _alike(_cards(tops), alike)
    for branch in sorted(tops, key=_top_order):
        _settle(sketch, branch, None)
    sketch.side.sort(key=lambda wire: natural(wire.a))
    own = owned(topology, sketch)
    for parent in sketch.children:
        sketch.children[parent] = _ordered(sketch, parent, own)


def _kept(topology: Topology) -> dict[str, None]:
    """All components of the tree that lead to something drawn, in the order of the topology."""
    wanted: set[str] = set()
    for component in topology.components():
        role = ROLES[component.kind]
        if role in LEAVES or role in (Role.SOCKET, Role.NUMA):
            name: str | None = component.id
            while name is not None and name not in wanted:
                wanted.add(name)
                name = topology.parent(name)
    wanted.difference_update(_empty_numa(topology))
    treelike = LEAVES | {Role.SOCKET, Role.NUMA, Role.ROOT_COMPLEX, Role.SWITCH, Role.BRIDGE}
    return {c.id: None for c in topology.components() if c.id in wanted and ROLES[c.kind] in treelike}


def _empty_numa(topology: Topology) -> list[str]:
    """Return NUMA nodes on which nothing hangs, where there are too many of them to be worth a box."""
    numa = [component.id for component in topology.components(Kind.NUMA)]
    if len(numa) <= _MANY_EMPTY:
        return []
    return [
        name for name in numa if not any(_leads_somewhere(topology, name, link) for link in topology.links_of(name))
    ]


def _leads_somewhere(topology: Topology, name: str, link: Link) -> bool:
    """Tell whether a link of a NUMA node is more than its place in a socket or its nearness to other nodes."""
    return topology.parent(name) not in (link.source, link.target) and link.medium is not Medium.NUMA


def _grow(topology: Topology, below: dict[str | None, list[str]], name: str, alike: int) -> list[_Branch]:
    """Return the branch that begins at a component, or those of its children where it is folded away."""
    component = topology.component(name)
    role = ROLES[component.kind]
    grown = (branch for child in below.get(name, []) for branch in _grow(topology, below, child, alike))
    branches = _alike(_cards([_lift(topology, branch, name) for branch in grown]), alike)
    if role in LEAVES:
        node = Node(name, role, (component,), component.count)
        beside = [branch for branch in branches if role is Role.ACCELERATOR and branch.node.role is not role]
        for branch in branches:
            if branch not in beside:
                _swallow(node, branch)
        return [_Branch(node, beside=[_join(beside, bundle=True)] if beside else [])]
    if role in _FOLDABLE and len(branches) <= 1:
        for branch in branches:
            branch.passes.add(name)
        return branches
    if role is Role.SOCKET and len(branches) == 1 and branches[0].node.role is Role.NUMA:
        return [_merge_numa(component, branches[0])]
    return [_Branch(Node(name, role, (component,), component.count), branches)]


def _lift(topology: Topology, branch: _Branch, parent: str) -> _Branch:
    """Lead a branch one step up, over the link to ``parent``."""
    top = branch.climbed[-1] if branch.climbed else branch.node.id
    branch.climbed.append(parent)
    link = topology.link(top, parent)
    if link is not None:
        branch.links.append(link)
        branch.first.append(link)
    return branch


def _swallow(node: Node, branch: _Branch) -> None:
    """Fold what hangs below a device (its slices, its functions) into the device's box."""
    node.covers.update(member.id for member in branch.node.members)
    node.covers.update(branch.node.covers, branch.passes)
    node.links.update(pair(link.source, link.target) for link in branch.links)
    for inner in branch.below:
        _swallow(node, inner)


def _merge_numa(socket: Component, branch: _Branch) -> _Branch:
    """Make one box of a socket and its only NUMA node."""
    node = Node(socket.id, Role.SOCKET, (socket, branch.node.members[0]), socket.count)
    node.links.update(pair(link.source, link.target) for link in branch.links)
    node.links.update(branch.node.links)
    node.covers.update(branch.node.covers, branch.passes)
    return _Branch(node, branch.below)


def _cards(branches: list[_Branch]) -> list[_Branch]:
    """Join functions of one card that hang on one parent."""
    return _joined(branches, _card_key, least=2, bundle=False)


def _most_alike(topology: Topology) -> int:
    """Return how many functions alike have boxes of their own: fewer where so many could not be read."""
    many = sum(1 for _ in topology.components(Kind.ACCELERATOR, Kind.NIC)) > _CROWDED
    return ALIKE // 2 if many else ALIKE


def _alike(branches: list[_Branch], most: int) -> list[_Branch]:
    """Join functions alike where they are more than that."""
    return _joined(branches, _kind_key, least=most + 1, bundle=True)


def _card_key(branch: _Branch) -> object:
    component = branch.node.members[0]
    near = branch.climbed[0] if branch.climbed else ""
    return (component.kind, component.card, near) if component.kind in _MERGED and component.card else None


def _kind_key(branch: _Branch) -> object:
    component = branch.node.members[0]
    if component.kind not in _MERGED or branch.below:
        return None
    return (component.kind, component.model or component.pci_id, component.role, len(branch.node.members))


def _joined(branches: list[_Branch], key: Callable[[_Branch], object], *, least: int, bundle: bool) -> list[_Branch]:
    groups: dict[object, list[_Branch]] = {}
    for branch in branches:
        groups.setdefault(key(branch) or branch.node.id, []).append(branch)
    joined: list[_Branch] = []
    for group in groups.values():
        enough = 2 if group[0].node.role is Role.STORAGE else least
        joined += [_join(group, bundle=bundle)] if len(group) >= enough else group
    return joined


def _join(group: list[_Branch], *, bundle: bool) -> _Branch:
    first = group[0]
    members = tuple(member for branch in group for member in branch.node.members)
    counts = [branch.node.count for branch in group if branch.node.count is not None]
    total = sum(counts) if len(counts) == len(group) else None
    node = Node(first.node.id, first.node.role, members, total if bundle else 1)
    for branch in group:
        node.covers |= branch.node.covers
        node.links |= branch.node.links
    links = [link for branch in group for link in branch.links]
    passes = {name for branch in group for name in branch.passes}
    return _Branch(node, [], links, first.first, passes, first.climbed)


def _settle(sketch: Sketch, branch: _Branch, parent: str | None) -> None:
    node = branch.node
    node.parent = parent
    sketch.add(node)
    sketch.children.setdefault(parent, []).append(node.id)
    if parent is not None and branch.links:
        sketch.up[node.id] = _wire(branch, parent)
        sketch.owner.update(dict.fromkeys(branch.passes, node.id))
    for inner in branch.below:
        _settle(sketch, inner, node.id)
    for inner in branch.beside:
        _settle(sketch, inner, parent)
        sketch.up.pop(inner.node.id, None)
        sketch.side.append(_wire(inner, node.id))


def _wire(branch: _Branch, upper: str) -> Wire:
    node = branch.node
    outside = sum(1 for link in branch.first if not link.internal)
    bundle = Bundle.EACH if node.count != 1 and node.role in LEAVES else Bundle.CHAIN
    links, passes = tuple(branch.links), frozenset(branch.passes)
    medium = _medium(branch.first)
    return Wire(node.id, upper, medium, links, bundle, passes, max(0, outside - 1), node.count or 1)


def _medium(chain: list[Link]) -> Medium:
    return next((link.medium for link in chain if not link.internal), chain[0].medium)


def _top_order(branch: _Branch) -> tuple[object, ...]:
    order = (Role.SOCKET, Role.NUMA, Role.ROOT_COMPLEX, Role.SWITCH, Role.BRIDGE, *sorted(LEAVES))
    return (order.index(branch.node.role), natural(branch.node.id))


def _ordered(sketch: Sketch, parent: str | None, own: dict[str, list[str]]) -> list[str]:
    """Order siblings: devices of one switch interleaved, what leads to no accelerator on the outer side."""
    hanging = {wire.a for wire in sketch.side}
    names = [name for name in sketch.children[parent] if name not in hanging]
    return with_sides(sketch, names if parent is None else _grouped(sketch, parent, names, own))


def with_sides(sketch: Sketch, names: list[str]) -> list[str]:
    """Put what hangs on an accelerator right after it."""
    return [one for name in names for one in (name, *(wire.a for wire in sketch.side if wire.b == name))]


def _grouped(sketch: Sketch, parent: str, names: list[str], own: dict[str, list[str]]) -> list[str]:
    near = [name for name in names if _first_accelerator(sketch, name)]
    aside = sorted((name for name in names if name not in near), key=natural)
    near.sort(key=lambda name: natural(_first_accelerator(sketch, name) or name))
    if all(sketch.nodes[name].role in LEAVES for name in names):
        nics = [name for name in aside if sketch.nodes[name].role is Role.NIC]
        return [*beside(sketch, near, nics, own), *(name for name in aside if name not in nics)]
    return [*aside, *near] if _in_left_half(sketch, parent) else [*near, *aside]


def _first_accelerator(sketch: Sketch, name: str) -> str | None:
    if sketch.nodes[name].role is Role.ACCELERATOR:
        return name
    found = [_first_accelerator(sketch, child) for child in sketch.children.get(name, [])]
    return min((one for one in found if one), key=natural, default=None)


def _in_left_half(sketch: Sketch, name: str) -> bool:
    tops = sketch.children[None]
    top = name
    while (parent := sketch.nodes[top].parent) is not None:
        top = parent
    return len(tops) > 1 and tops.index(top) < len(tops) / 2
