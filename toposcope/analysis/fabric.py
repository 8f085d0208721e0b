"""Routes over the scale-up fabric: a link of the pair, the switches that both hang on, or a third accelerator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.analysis.route import Route, Transport, make_route
from toposcope.analysis.segment import Segment, of_link
from toposcope.base import Bandwidth
from toposcope.model import SCALE_UP, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toposcope.model import Link, Topology

_TRANSPORT = {medium: Transport(medium.value) for medium in SCALE_UP}
_SWITCHES = (Kind.NVSWITCH, Kind.FABRIC_SWITCH)


def fabric_routes(topology: Topology, a: str, b: str) -> Iterator[Route]:
    """Yield the routes over the fabric: direct or switched, else relayed by each accelerator that both link to."""
    own = joined(topology, a, b)
    if own:
        yield make_route(_transport(own), (a, b), own)
        return
    for third, segments in _relays(topology, a, b):
        yield make_route(_transport(segments), (a, b), segments, via=third)


def joined(topology: Topology, a: str, b: str) -> list[Segment]:
    """Return the segments between two accelerators that a link or switches join, [] where none does."""
    link = topology.link(a, b)
    if link is not None and link.medium in SCALE_UP:
        return [of_link(topology, link, use="peer", source=a)]
    return _switched(topology, a, b)


def fabric_links(topology: Topology, name: str) -> list[Link]:
    """Return the scale-up links of an accelerator: to switches or to its peers, C2C to the CPU left out."""
    return [
        link
        for link in topology.links_of(name)
        if link.medium in SCALE_UP and topology.component(link.other(name)).kind in (*_SWITCHES, Kind.ACCELERATOR)
    ]


def _switched(topology: Topology, a: str, b: str) -> list[Segment]:
    ups, downs = _to_switches(topology, a), _to_switches(topology, b)
    shared = [name for name in ups if name in downs]
    if shared:
        line = _sum(_smaller(ups[name].line, downs[name].line) for name in shared)
        return [
            _bundle(topology, [ups[name] for name in shared], a, _named(shared), line),
            _bundle(topology, [downs[name] for name in shared], _named(shared), b, line),
        ]
    trunks = [link for near in ups for far in downs if (link := topology.link(near, far)) is not None]
    if not trunks:
        return []
    near, far = _named(list(ups)), _named(list(downs))
    return [
        _bundle(topology, list(ups.values()), a, near, _sum(link.line for link in ups.values())),
        _bundle(topology, trunks, near, far, _sum(link.line for link in trunks)),
        _bundle(topology, list(downs.values()), far, b, _sum(link.line for link in downs.values())),
    ]


def _to_switches(topology: Topology, name: str) -> dict[str, Link]:
    return {
        other: link
        for link in topology.links_of(name)
        if link.medium in SCALE_UP and topology.component(other := link.other(name)).kind in _SWITCHES
    }


def _bundle(topology: Topology, links: Sequence[Link], source: str, target: str, line: Bandwidth | None) -> Segment:
    counts = [link.count for link in links]
    first = of_link(topology, links[0], use="peer")
    return replace(
        first,
        source=source,
        target=target,
        line=line,
        usable=topology.figures.usable(line, f"{first.medium}{first.generation}", str(first.medium)),
        count=None if None in counts else sum(count for count in counts if count is not None),
        grade=min(link.grade for link in links),
        links=tuple((link.source, link.target) for link in links),
    )


def _relays(topology: Topology, a: str, b: str) -> Iterator[tuple[str, list[Segment]]]:
    firsts = {link.other(a): link for link in fabric_links(topology, a)}
    for link in fabric_links(topology, b):
        third = link.other(b)
        first = firsts.get(third)
        if first is not None and topology.component(third).kind is Kind.ACCELERATOR and first.medium is link.medium:
            yield (
                third,
                [
                    of_link(topology, first, use="peer", source=a),
                    of_link(topology, link, use="peer", source=third),
                ],
            )


def _transport(segments: Sequence[Segment]) -> Transport:
    return _TRANSPORT.get(segments[0].medium, Transport.NVLINK)


def _smaller(a: Bandwidth | None, b: Bandwidth | None) -> Bandwidth | None:
    return None if a is None or b is None else min(a, b)


def _sum(figures: Iterable[Bandwidth | None]) -> Bandwidth | None:
    total = Bandwidth(0)
    for figure in figures:
        if figure is None:
            return None
        total += figure
    return total


def _named(switches: Sequence[str]) -> str:
    return switches[0] if len(switches) == 1 else f"{switches[0]}..{switches[-1]}"
