"""What a collective should show: the bus bandwidth over the links of the accelerators, or over the network.

Bus bandwidth is what nccl-tests and its kin print as ``busbw``: for a ring it is what each accelerator's links carry one
way. Sums in the switches (NVLS), and trees over two hosts, move fewer bytes than a ring, so their bus bandwidth counts
more than the wire carries; both are reckoned as algorithm bandwidth times 2(n-1)/n.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.analysis.expected import Expected, times
from toposcope.analysis.fabric import fabric_links, joined
from toposcope.analysis.network import outward
from toposcope.analysis.nics import neighbours, ports_of
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import peer_answers
from toposcope.base import Bandwidth
from toposcope.model import Kind, Usable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.segment import Segment
    from toposcope.model import Medium, Topology

ALL_REDUCE = "all_reduce"
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
        usable = topology.figures.usable(line, f"collective-{medium}{generation}-nvls")
        if usable is not None:
            return _named(own, times(usable, _more(len(names))), line)
    return _named(own, topology.figures.usable(line, *_classes(medium, generation)), line)


def _classes(medium: Medium, generation: int | None) -> tuple[str, ...]:
    return (f"collective-{medium}{generation}", f"collective-{medium}")


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
    steps = [
        step
        for a, b in (*pairwise(names), (names[-1], names[0]))
        if (step := _step(topology, a, b, near, peer_access=peer_access))
    ]
    lines = [line for line, _, _ in steps if line is not None]
    if not steps or len(lines) < len(steps):
        return None
    line, segments, _ = min(steps, key=lambda step: step[0] or Bandwidth(0))
    staged = next((step for step in steps if step[2]), None)
    name = "collective-pcie-staged" if staged else "collective-pcie"
    held = staged[1] if staged else segments
    return _named(held, topology.figures.usable(line, name), line)


def _step(
    topology: Topology, a: str, b: str, near: dict[str, Neighbours], *, peer_access: bool | None
) -> tuple[Bandwidth | None, tuple[Segment, ...], bool] | None:
    found = peer_answers(topology, a, b, near)
    if peer_access is None:
        chosen = next((route for route in found if route.default), None)
    else:
        wanted = Transport.PCIE_P2P if peer_access else Transport.HOST_STAGED
        chosen = next((route for route in found if route.transport is wanted), None)
    if chosen is None:
        return None
    return chosen.limit.line, chosen.segments, chosen.transport is not Transport.PCIE_P2P


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

    Over two hosts a tree crosses the network once each way: its algorithm bandwidth is what the network carries, until
    the sums inside the hosts hold it back.
    """
    ways = _rails(topology, names, nics)
    held = [_held(topology, way) for way in ways]
    known = [usable for _, usable in held if usable is not None]
    lines = [way[-1].line for way in ways]
    if not held or len(known) < len(held) or None in lines:
        return None
    total = sum((line for line in lines if line is not None), start=Bandwidth(0))
    limits = [segment for segment, _ in held]
    usable = Usable(
        sum((each.low for each in known), start=Bandwidth(0)),
        sum((each.typical for each in known), start=Bandwidth(0)),
        sum((each.high for each in known), start=Bandwidth(0)),
    )
    own = _fabric(topology, names)
    if hosts > 2 or not own or not _sums(topology, names, collective, own[0].generation, summing=summing):  # noqa: PLR2004
        return _named(limits, usable, total)
    more = _more(hosts * len(names))
    line = _total(own)
    inside = topology.figures.usable(line, f"collective-{own[0].medium}{own[0].generation}-nvls-hosts")
    if inside is not None and line is not None and inside.typical < usable.typical:
        return _named(own, times(inside, more), line)
    return _named(limits, times(usable, more), total)


def _rails(topology: Topology, names: Sequence[str], nics: Sequence[str] | None) -> list[list[Segment]]:
    near = neighbours(topology)
    owners = {nic: name for name in reversed(names) for nic in near[name].near}
    chosen = list(owners) if nics is None else nics
    ways = (
        outward(topology, owners.get(nic, names[0]), port.id, nic=nic)
        for nic in sorted(chosen)
        for port in ports_of(topology, nic)[:1]
    )
    return [way for way in ways if way]


def _held(topology: Topology, way: Sequence[Segment]) -> tuple[Segment, Usable | None]:
    """Return what holds one rail back: its port, or the host that is crossed on the way to it."""
    port = way[-1]
    found = [(port, topology.figures.usable(port.line, "collective-network"))]
    found += [(each, each.usable) for each in way if each.is_crossing]
    known = [(segment, usable) for segment, usable in found if usable is not None]
    return min(known, key=lambda each: each[1].typical) if known else found[0]


def _named(limits: Sequence[Segment], usable: Usable | None, line: Bandwidth | None) -> Expected:
    grade = min(segment.grade for segment in limits)
    return Expected(line, usable, tuple(limits), tuple(limits), grade)


def _total(segments: Sequence[Segment]) -> Bandwidth | None:
    lines = [segment.line for segment in segments]
    return None if None in lines else sum((line for line in lines if line is not None), start=Bandwidth(0))
