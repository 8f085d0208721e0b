"""What a collective should show: the bus bandwidth over the links of the accelerators, or over the network.

Bus bandwidth is what nccl-tests and its kin print as ``busbw``: for a ring it is what the links of an accelerator carry
one way. Sums in the switches (NVLS), and trees over two hosts, move fewer bytes than a ring, so their bus bandwidth
counts more than the wire carries; both are reckoned as algorithm bandwidth times 2(n-1)/n.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.analysis.expected import Expected, times
from toposcope.analysis.fabric import fabric_links, joined
from toposcope.analysis.network import outward
from toposcope.analysis.nics import neighbours, ports_of
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import peer_answers
from toposcope.base import Bandwidth
from toposcope.model import Kind, Medium, Reach, Usable
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.route import Route
    from toposcope.analysis.segment import Segment
    from toposcope.model import Topology

_RANGE = ("low", "typical", "high")
ALL_REDUCE = "all_reduce"
SEND, ALL_TO_ALL = "sendrecv", "alltoall"
EACH = (SEND, ALL_TO_ALL)
"""Collectives whose bandwidth is that of one rank, not of the links of a whole host."""

SUMMING = 5
"""From this many accelerators on the library sums in the switches (published: five H200, six B200)."""

_SUMS_FROM = 4
"""The first generation of switches that sums."""


def expected_collective(
    topology: Topology,
    names: Sequence[str],
    collective: str = ALL_REDUCE,
    *,
    hosts: int = 1,
    nics: Sequence[str] | None = None,
    summing: bool | None = None,
    peer_access: bool | None = None,
) -> Expected | None:
    """Tell the bus bandwidth of a collective over these accelerators of one host, or of ``hosts`` identical ones.

    ``nics`` are those that take part, by default all near ones. ``summing``: the switches sum (NVLS); None leaves it to
    the library. ``peer_access``: as in ``expected_copy``. None where a figure is missing.
    """
    if hosts > 1:
        return _over_network(topology, names, collective, hosts=hosts, nics=nics, summing=summing)
    if len(names) < 2:  # noqa: PLR2004 - nothing to exchange
        return None
    fabric = _fabric(topology, names)
    if not fabric and any(joined(topology, names[0], other) for other in names[1:]):
        return None  # a partial mesh: no ring is known
    if fabric:
        return _over_fabric(topology, names, fabric, collective, summing=summing)
    return _over_pcie(topology, names, peer_access=peer_access)


def _fabric(topology: Topology, names: Sequence[str]) -> list[Segment]:
    """Return the segments of the first accelerator to all others, [] where one of them is not joined to it."""
    ways = [joined(topology, names[0], other) for other in names[1:]]
    return [] if not all(ways) else list({(way[0].target, way[0].links): way[0] for way in ways}.values())


def _over_fabric(
    topology: Topology, names: Sequence[str], own: Sequence[Segment], collective: str, *, summing: bool | None
) -> Expected | None:
    """Take all the links that one accelerator has to the others: of a mesh one a neighbour, of a switch all."""
    medium, generation = own[0].medium, own[0].generation
    line = _total(own)
    if _sums(topology, names, collective, generation, summing=summing):
        summed = (f"collective-{medium}{generation}-nvls", f"collective-{medium}-nvls")
        usable = topology.figures.usable(line, *summed)
        if usable is not None:
            return _named(own, times(usable, _more(len(names))), line, summed)
    classes = (f"collective-{medium}{generation}", f"collective-{medium}")
    return _named(own, topology.figures.usable(line, *classes), line, classes)


def _sums(
    topology: Topology, names: Sequence[str], collective: str, generation: int | None, *, summing: bool | None
) -> bool:
    if collective != ALL_REDUCE or summing is False:
        return False
    switched = any(
        topology.component(link.other(names[0])).kind is not Kind.ACCELERATOR
        for link in fabric_links(topology, names[0])
    )
    return bool(summing) or (switched and len(names) >= SUMMING and (generation or 0) >= _SUMS_FROM)


def _more(count: int) -> float:
    """Bus bandwidth of an all-reduce over its algorithm bandwidth."""
    return 2 * (count - 1) / count


def _over_pcie(topology: Topology, names: Sequence[str], *, peer_access: bool | None) -> Expected | None:
    """Take the ring in printed order: its slowest step, peer-to-peer or staged, holds all others back."""
    near = neighbours(topology)
    pairs = (*pairwise(names), (names[-1], names[0]))
    steps = [_step(topology, a, b, near, peer_access=peer_access) for a, b in pairs]
    known = [step for step in steps if step is not None and step.limit.line is not None]
    if len(known) < len(steps):
        return None
    line = min(step.limit.line for step in known if step.limit.line is not None)
    slowest = min(known, key=lambda step: (step.transport is Transport.PCIE_P2P, _speed(step)))
    generations = [each.generation for each in slowest.segments if each.medium is Medium.PCIE and each.generation]
    end = "" if slowest.transport is Transport.PCIE_P2P else "-staged"
    classes = (f"collective-pcie{min(generations, default=0)}{end}", f"collective-pcie{end}")
    held = [slowest.segments[index] for index in slowest.limit.bottleneck]
    return replace(
        _named(held, topology.figures.usable(line, *classes), line, classes),
        transport=slowest.transport if end else None,
    )


def _step(topology: Topology, a: str, b: str, near: dict[str, Neighbours], *, peer_access: bool | None) -> Route | None:
    found = peer_answers(topology, a, b, near)
    if peer_access is None:
        return next((route for route in found if route.default), None)
    wanted = Transport.PCIE_P2P if peer_access else Transport.HOST_STAGED
    return next((route for route in found if route.transport is wanted), None)


def _speed(route: Route) -> Bandwidth:
    figure = route.limit.usable.typical if route.limit.usable is not None else route.limit.line
    return figure or Bandwidth(0)


def _over_network(
    topology: Topology,
    names: Sequence[str],
    collective: str,
    *,
    hosts: int,
    nics: Sequence[str] | None,
    summing: bool | None,
) -> Expected | None:
    """Take all ports of a host together, each by the accelerator that is nearest to its NIC.

    A ring passes the links inside each host as well, which may hold it back before the network does. Over two hosts a
    tree crosses the network once each way: its algorithm bandwidth is what the network carries, until the sums inside
    the hosts hold it back.
    """
    ways = _rails(topology, names, nics)
    held = [_held(topology, way, alone=collective == SEND) for way in ways]
    if (own_link := _own_link(ways, held)) is not None:
        return _named([own_link], own_link.usable, own_link.line, own_link.classes)
    known = [each.usable for each in held if each.usable is not None]
    lines = [way[-1].line for way in ways]
    if not held or len(known) < len(held) or None in lines:
        return None
    total = sum((line for line in lines if line is not None), start=Bandwidth(0))
    usable, classes = _sum(known), held[0].classes
    if collective in EACH:
        # Counted for one rank: its part of the rails, and of its data only what leaves the host.
        ranks = hosts * len(names)
        part = (ranks - 1) / (ranks - len(names)) / len(names) if collective == ALL_TO_ALL else 1 / len(names)
        return _named(held, times(usable, part), total * part, classes)
    own = _fabric(topology, names)
    if hosts > 2 or not own or not _sums(topology, names, collective, own[0].generation, summing=summing):  # noqa: PLR2004
        hidden = topology.fact("host", "fabric.hidden") is not None  # what the links inside carry is then not known
        inside = None if hidden else expected_collective(topology, names, collective, summing=False)
        network = _named(held, usable, total, classes)
        return min(network, inside, key=_practice) if inside is not None and inside.usable is not None else network
    more, line = _more(hosts * len(names)), _total(own)
    summed = (f"collective-{own[0].medium}{own[0].generation}-nvls-hosts", f"collective-{own[0].medium}-nvls-hosts")
    sums = topology.figures.usable(line, *summed)
    if sums is not None and sums.typical < usable.typical:
        return _named(own, times(sums, more), line, summed)
    return _named(held, times(usable, more), total, classes)


def _rails(topology: Topology, names: Sequence[str], nics: Sequence[str] | None) -> list[list[Segment]]:
    """Return the way out through each NIC, from the accelerator that is nearest to it."""
    near = neighbours(topology)
    chosen = sorted({nic for name in names for nic in near[name].near}) if nics is None else nics
    far = max(Reach) + 1
    owners = {nic: min(names, key=lambda name: reach(topology, name, nic) or far) for nic in chosen}
    ways = (outward(topology, owners[nic], port.id, nic=nic) for nic in chosen for port in ports_of(topology, nic)[:1])
    return [way for way in ways if way]


def _own_link(ways: Sequence[Sequence[Segment]], held: Sequence[Segment]) -> Segment | None:
    """Return the link of the one accelerator that feeds all rails, where they carry more than it does."""
    first = ways[0][0] if ways else None
    if first is None or len(ways) == 1 or first.usable is None or any(way[0].links != first.links for way in ways):
        return None
    total = sum((each.usable.typical for each in held if each.usable is not None), start=Bandwidth(0))
    return first if total > first.usable.typical else None


def _held(topology: Topology, way: Sequence[Segment], *, alone: bool) -> Segment:
    """Return what holds one rail back: its port, or the host that is crossed on the way to it.

    ``alone``: plain sends, which cost the port no more than an RDMA test does.
    """
    port = (
        way[-1]
        if alone
        else replace(
            way[-1], usable=topology.figures.usable(way[-1].line, "collective-network"), classes=("collective-network",)
        )
    )
    passed = [port, *(each for each in way if each.is_crossing)]
    return min((each for each in passed if each.usable is not None), key=_practice, default=port)


def _practice(answer: Expected | Segment) -> Bandwidth:
    return Bandwidth(0) if answer.usable is None else answer.usable.typical


def _sum(known: Sequence[Usable]) -> Usable:
    low, typical, high = (sum((getattr(each, name) for each in known), start=Bandwidth(0)) for name in _RANGE)
    return Usable(low, typical, high)


def _named(
    limits: Sequence[Segment], usable: Usable | None, line: Bandwidth | None, classes: tuple[str, ...]
) -> Expected:
    grade = min(segment.grade for segment in limits)
    return Expected(line, usable, tuple(limits), tuple(limits), grade, classes=classes)


def _total(segments: Sequence[Segment]) -> Bandwidth | None:
    lines = [segment.line for segment in segments]
    return None if None in lines else sum((line for line in lines if line is not None), start=Bandwidth(0))
