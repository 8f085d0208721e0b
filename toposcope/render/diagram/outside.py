"""Everything else in the sketch: memory, links between sockets, ports, networks, and links across the tree.

At the end it is counted what was left out, so that a reader knows that the picture is not the whole machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import NETWORKS, Grade, Kind
from toposcope.render.diagram.names import natural
from toposcope.render.diagram.sketch import LEAVES, Bundle, Node, Role, Wire, pair
from toposcope.render.diagram.tree import ALIKE, with_sides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Link, Topology
    from toposcope.render.diagram.sketch import Pair, Sketch

_HOSTS = (Role.SOCKET, Role.NUMA)


def hang_memory(topology: Topology, sketch: Sketch) -> None:
    """Put memory above the socket or NUMA node that it belongs to."""
    groups: dict[str, list[tuple[Component, Link]]] = {}
    for component in topology.components(Kind.MEMORY):
        for link in topology.links_of(component.id):
            other = sketch.owner.get(_other(link, component.id))
            if other is not None and sketch.nodes[other].role in _HOSTS:
                groups.setdefault(other, []).append((component, link))
                break
    for owner, found in groups.items():
        members = tuple(component for component, _ in found)
        links = tuple(link for _, link in found)
        node = Node(members[0].id, Role.MEMORY, members, len(members) if len(members) > 1 else members[0].count)
        sketch.add(node)
        sketch.memory.append(Wire(node.id, owner, links[0].medium, links, Bundle.SUM))


def plug_ports(topology: Topology, sketch: Sketch) -> None:
    """Put ports below their NICs (or the accelerator that holds them)."""
    groups: dict[str, list[tuple[Component, list[Link]]]] = {}
    for port in topology.components(Kind.NIC_PORT):
        links = [link for link in topology.links_of(port.id) if _owner_role(sketch, _other(link, port.id)) in LEAVES]
        if links:
            groups.setdefault(sketch.owner[_other(links[0], port.id)], []).append((port, links))
    for owner, found in groups.items():
        bundled = len(found) > ALIKE or sketch.nodes[owner].count != 1
        for bunch in [found] if bundled else [[one] for one in found]:
            _plug(sketch, [port for port, _ in bunch], [link for _, links in bunch for link in links])


def _plug(sketch: Sketch, ports: list[Component], links: list[Link]) -> None:
    node = Node(ports[0].id, Role.PORT, tuple(ports), len(ports))
    sketch.add(node)
    owners: dict[str, list[Link]] = {}
    for link in links:
        end = link.source if sketch.owner.get(link.target) == node.id else link.target
        owners.setdefault(sketch.owner[end], []).append(link)
    node.parent = next(iter(owners))
    for owner, own in owners.items():
        bundle = Bundle.EACH if node.count != 1 else Bundle.CHAIN
        sketch.port.append(Wire(owner, node.id, own[0].medium, tuple(own), bundle, units=len(own)))


def reach_networks(topology: Topology, sketch: Sketch) -> None:
    """Put leaf switches and networks below the ports that reach them."""
    links = [link for link in topology.links() if link.medium in NETWORKS]
    linked = {end for link in links for end in (link.source, link.target)}
    for component in topology.components(Kind.FABRIC_SWITCH, Kind.NETWORK):
        if component.id in linked and component.id not in sketch.owner:
            sketch.add(Node(component.id, Role.NETWORK, (component,), component.count))
    covered = {covered for wire in sketch.wires() for covered in wire.covers}
    bundles: dict[Pair, list[Link]] = {}
    for link in links:
        ends = [sketch.owner.get(end) for end in (link.source, link.target)]
        if pair(link.source, link.target) in covered or None in ends or ends[0] == ends[1]:
            continue
        known = [end for end in ends if end is not None]
        known.sort(key=lambda end: sketch.nodes[end].role is Role.NETWORK)
        if sketch.nodes[known[1]].role is Role.NETWORK:
            bundles.setdefault((known[0], known[1]), []).append(link)
    for (lower, upper), bundle in bundles.items():
        kind = Bundle.EACH if sketch.nodes[lower].role is Role.PORT else Bundle.SUM
        kind = kind if len(bundle) > 1 else Bundle.CHAIN
        sketch.network.append(Wire(lower, upper, bundle[0].medium, tuple(bundle), kind, units=len(bundle)))


def cross_links(topology: Topology, sketch: Sketch) -> None:
    """Add links between sockets, and from a device straight to a box above it; count what is left out."""
    tops = [name for name in sketch.children.get(None, []) if sketch.nodes[name].role in _HOSTS]
    left_out = 0
    bundles: dict[Pair, list[Link]] = {}
    for link, a, b in _uncovered(topology, sketch):
        if a == b:
            sketch.nodes[a].links.add(pair(link.source, link.target))
        elif (a in tops and b in tops) or _above(sketch, a, b) or _above(sketch, b, a):
            ends = (b, a) if _above(sketch, b, a) or (a in tops and tops.index(a) > tops.index(b)) else (a, b)
            bundles.setdefault(ends, []).append(link)
        elif Kind.NVSWITCH not in (topology.component(end).kind for end in (link.source, link.target)):
            left_out += 1
    for (lower, upper), bundle in bundles.items():
        _add_bundle(sketch, lower, upper, bundle, sketch.peers if lower in tops and upper in tops else sketch.extra)
    sketch.peers.sort(key=lambda wire: (natural(wire.a), natural(wire.b)))
    _join_peers(sketch)
    sketch.notes += _left_out(topology, sketch, left_out)


def _uncovered(topology: Topology, sketch: Sketch) -> Iterator[tuple[Link, str, str]]:
    """Yield the links that are in no wire and no box yet, with the boxes that they join."""
    covered = {covered for wire in sketch.wires() for covered in wire.covers}
    covered |= {covered for node in sketch.nodes.values() for covered in node.links}
    for link in topology.links():
        a, b = sketch.owner.get(link.source), sketch.owner.get(link.target)
        if pair(link.source, link.target) not in covered and a is not None and b is not None:
            yield link, a, b


def _add_bundle(sketch: Sketch, lower: str, upper: str, bundle: list[Link], wires: list[Wire]) -> None:
    """Add a wire, or lay the links to the wire between the same boxes."""
    there = next((wire for wire in sketch.wires() if {wire.a, wire.b} == {lower, upper}), None)
    if there is None:
        wires.append(Wire(lower, upper, bundle[0].medium, tuple(bundle), Bundle.SUM))
    else:
        there.links += tuple(bundle)


def _join_peers(sketch: Sketch) -> None:
    """Draw one bar instead of a line a pair where three sockets or more are all joined alike."""
    ends = sorted({end for wire in sketch.peers for end in (wire.a, wire.b)}, key=natural)
    links = [link for wire in sketch.peers for link in wire.links]
    alike = len({(link.line, link.count, link.state, link.grade) for link in links}) == 1
    if len(ends) <= 2 or not alike or len(links) != len(ends) * (len(ends) - 1) // 2:  # noqa: PLR2004 (a pair)
        return
    medium = sketch.peers[0].medium
    node = Node(f"mesh-{medium.value}-{ends[0]}", Role.PEERS, (), len(links), title=medium.value)
    node.links.update(pair(link.source, link.target) for link in links)
    sketch.nodes[node.id] = node
    for end in ends:
        own = tuple(wire.links[0] for wire in sketch.peers if end in (wire.a, wire.b))
        sketch.peer_bar.append(Wire(end, node.id, medium, own, Bundle.EACH, units=len(own)))
    sketch.peers.clear()


def _left_out(topology: Topology, sketch: Sketch, links: int) -> list[str]:
    """Say how many functions and links of the topology the picture does not show."""
    structure = (Kind.PCIE_BRIDGE, Kind.ROOT_COMPLEX, Kind.NUMA, Kind.PCIE_SWITCH)
    hidden = [component for component in topology.components() if component.id not in sketch.owner]
    functions = sum(1 for component in hidden if component.kind not in structure)
    bridges = len(hidden) - functions
    texts = [
        _counted(functions, "other function"),
        _counted(bridges, "bridge or switch", "bridges or switches") + " that lead to nothing drawn" * bool(bridges),
        _counted(links, "link") + " across the tree" * bool(links),
    ]
    told = [text for text in texts if text]
    return [f"not drawn: {', '.join(told)}"] if told else []


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}" if count else ""


def mark_unseen(sketch: Sketch) -> None:
    """Put devices without anything above them under one box that says that their tree is not known."""
    tops = sketch.children.get(None, [])
    orphans = [name for name in tops if sketch.nodes[name].role in LEAVES]
    if not orphans:
        return
    node = Node("unseen", Role.UNSEEN, (), 1, title="PCIe structure not known  ?")
    sketch.nodes[node.id] = node
    sketch.children[None] = [*(name for name in tops if name not in orphans), node.id]
    hanging = [wire.a for wire in sketch.side]
    accelerators = [name for name in orphans if sketch.nodes[name].role is Role.ACCELERATOR]
    others = [name for name in orphans if name not in accelerators and name not in hanging]
    sketch.children[node.id] = with_sides(sketch, [*accelerators, *others])
    for name in orphans:
        sketch.nodes[name].parent = node.id


def grade_of(sketch: Sketch, node: Node) -> Grade:
    """Return the grade of a box: its own, or that of its wires where it stands for no component."""
    if node.members:
        return node.grade
    grades = [link.grade for wire in (*sketch.fabric, *sketch.peer_bar) if wire.b == node.id for link in wire.links]
    return min(grades, default=Grade.UNKNOWN)


def _above(sketch: Sketch, lower: str, upper: str) -> bool:
    name: str | None = lower
    while name is not None and name != upper:
        name = sketch.nodes[name].parent
    return name == upper and lower != upper and sketch.nodes[lower].role in LEAVES


def _owner_role(sketch: Sketch, name: str) -> Role | None:
    owner = sketch.owner.get(name)
    return None if owner is None else sketch.nodes[owner].role


def _other(link: Link, name: str) -> str:
    return link.target if link.source == name else link.source
