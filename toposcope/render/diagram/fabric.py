"""The links between accelerators in the sketch: switches as bars, full meshes as bars, partial meshes as arcs.

Switches with the same accelerators make one bar. A mesh in which nearly every pair has the same link is a bar too; the
pairs that differ (a degraded link) are drawn as arcs beside it, and pairs without a link are named in a note.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.model import SCALE_UP, Kind, State
from toposcope.render.diagram.names import natural
from toposcope.render.diagram.sketch import Bundle, Node, Role, Wire, pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toposcope.model import Component, Link, Medium, Topology
    from toposcope.render.diagram.sketch import Pair, Sketch

_SWITCHES = (Kind.NVSWITCH, Kind.FABRIC_SWITCH)
_BARS = (Role.FABRIC, Role.OUTER_FABRIC)
_NEARLY_FULL = 0.75
_LEAST_MESH = 3


def weave(topology: Topology, sketch: Sketch) -> None:
    """Put the scale-up fabric into the sketch."""
    links = [link for link in topology.links() if link.medium in SCALE_UP]
    _switches(topology, sketch, links)
    for medium in dict.fromkeys(link.medium for link in links):
        mesh = [link for link in links if link.medium is medium and _between_accelerators(topology, link)]
        for group in _connected(sketch, mesh):
            _mesh(topology, sketch, medium, group)


def _between_accelerators(topology: Topology, link: Link) -> bool:
    return all(topology.component(end).kind is Kind.ACCELERATOR for end in (link.source, link.target))


def _switches(topology: Topology, sketch: Sketch, links: list[Link]) -> None:
    groups: dict[tuple[Kind, frozenset[str]], list[Component]] = {}
    for switch in topology.components(*_SWITCHES):
        ends = frozenset(_ends(topology, sketch, switch))
        if ends or switch.kind is Kind.NVSWITCH:
            groups.setdefault((switch.kind, ends), []).append(switch)
    for (kind, _ends_of_group), switches in groups.items():
        role = Role.FABRIC if kind is Kind.NVSWITCH else Role.OUTER_FABRIC
        sketch.add(Node(switches[0].id, role, tuple(switches), _total(switches)))
    bundles: dict[Pair, list[Link]] = {}
    for link in links:
        a, b = sketch.owner.get(link.source), sketch.owner.get(link.target)
        if a is None or b is None:
            continue
        roles = [sketch.nodes[name].role for name in (a, b)]
        bars = [role in _BARS for role in roles]
        if a == b:
            sketch.nodes[a].links.add(pair(link.source, link.target))
        elif all(bars) or (any(bars) and Role.ACCELERATOR in roles):
            lower, upper = sorted((a, b), key=lambda name: (sketch.nodes[name].role in _BARS, natural(name)))
            bundles.setdefault((lower, upper), []).append(link)
    for (lower, upper), bundle in bundles.items():
        trunk = sketch.nodes[lower].role is not Role.ACCELERATOR
        (sketch.trunks if trunk else sketch.fabric).append(
            Wire(lower, upper, bundle[0].medium, tuple(bundle), Bundle.SUM)
        )


def _ends(topology: Topology, sketch: Sketch, switch: Component) -> Iterable[str]:
    for link in topology.links_of(switch.id):
        other = link.target if link.source == switch.id else link.source
        node = sketch.nodes.get(sketch.owner.get(other, ""))
        if link.medium in SCALE_UP and node is not None and node.role is Role.ACCELERATOR:
            yield node.id


def _total(switches: list[Component]) -> int | None:
    counts = [switch.count for switch in switches if switch.count is not None]
    return sum(counts) if len(counts) == len(switches) else None


def _connected(sketch: Sketch, links: list[Link]) -> list[list[Link]]:
    """Split links into groups that do not touch each other."""
    group: dict[str, set[str]] = {}
    for link in links:
        ends = {sketch.owner[link.source], sketch.owner[link.target]}
        joined = ends.union(*(group.get(end, set()) for end in ends))
        group.update(dict.fromkeys(joined, joined))
    found: dict[int, list[Link]] = {}
    for link in links:
        found.setdefault(id(group[sketch.owner[link.source]]), []).append(link)
    return list(found.values())


def _figure(link: Link) -> object:
    return (link.line, link.count, link.state in (State.DOWN, State.DEGRADED), link.grade)


def _mesh(topology: Topology, sketch: Sketch, medium: Medium, links: list[Link]) -> None:
    ends = sorted({sketch.owner[end] for link in links for end in (link.source, link.target)}, key=natural)
    usual, times = Counter(_figure(link) for link in links).most_common(1)[0]
    pairs = len(ends) * (len(ends) - 1) // 2
    bar = len(ends) >= _LEAST_MESH and times >= _NEARLY_FULL * pairs
    odd = [link for link in links if not bar or _figure(link) != usual]
    if bar:
        _bar(sketch, medium, [link for link in links if _figure(link) == usual], ends)
    for link in odd:
        sketch.mesh.append(Wire(sketch.owner[link.source], sketch.owner[link.target], medium, (link,)))
    if bar:
        present = {pair(sketch.owner[link.source], sketch.owner[link.target]) for link in links}
        sketch.notes += _missing(topology, medium, ends, present)


def _missing(topology: Topology, medium: Medium, ends: list[str], present: set[Pair]) -> Iterator[str]:
    """Yield what a note says of pairs without a link: of some a torn matrix, or a word like ``XXXX``, tells nothing."""
    pairs = list(combinations(ends, 2))
    said = {each: topology.relations(*each) for each in pairs}
    usual = {relation.word for each in pairs if pair(*each) in present for relation in said[each]}
    none: list[str] = []
    unknown: list[str] = []
    for a, b in (each for each in pairs if pair(*each) not in present):
        told = not usual or any(relation.reach is not None or relation.word in usual for relation in said[a, b])
        (none if told else unknown).append(f"{a} and {b}")
    if none:
        yield f"no {medium.value.upper()} link between {'; '.join(none)}"
    if unknown:
        yield f"nothing tells the links between {'; '.join(unknown)}"


def _bar(sketch: Sketch, medium: Medium, links: list[Link], ends: list[str]) -> None:
    name = f"mesh-{medium.value}-{ends[0]}"
    node = Node(name, Role.MESH, (), len(links), title=medium.value)
    node.links.update(pair(link.source, link.target) for link in links)
    sketch.nodes[name] = node
    for end in ends:
        own = tuple(link for link in links if end in (sketch.owner[link.source], sketch.owner[link.target]))
        if own:  # one of which every link differs has arcs alone
            sketch.fabric.append(Wire(end, name, medium, own, Bundle.EACH, units=len(own)))
