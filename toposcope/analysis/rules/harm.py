"""What a fault costs: the default routes of a machine as it is, against those of the machine as it would be.

``before`` of a harm is what a route would carry without the fault, ``after`` what it carries with it: the typical
usable figure where both have one, else the line figure, one direction.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.default import peer_reach
from toposcope.analysis.fabric import fabric_links, joined
from toposcope.analysis.finding import Harm
from toposcope.analysis.limit import EQUAL_WITHIN
from toposcope.analysis.nics import neighbours
from toposcope.analysis.remote import host_routes
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import nic_answers, peer_answers, remote_answers
from toposcope.model import Reach
from toposcope.model.placement import host_end, reach

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.route import Route
    from toposcope.base import Bandwidth
    from toposcope.model import Link, Topology


def harms_of_links(
    topology: Topology, mended: Iterable[Link], concerned: Collection[str], accelerators: Sequence[str]
) -> tuple[Harm, ...]:
    """Compare the default routes that begin or end at the accelerators ``concerned`` with those over mended links."""
    better = topology.with_links(mended)
    near, nearer = neighbours(topology), neighbours(better)
    pairs = [(a, b) for a, b in combinations(accelerators, 2) if a in concerned or b in concerned]
    found: list[Harm | None] = [
        compared(default_of(peer_answers(better, a, b, nearer)), default_of(peer_answers(topology, a, b, near)))
        for a, b in pairs
    ]
    for each in (name for name in accelerators if name in concerned):
        own = nearer[each].own
        if own is not None:
            found.append(
                compared(default_of(nic_answers(better, each, own)), default_of(nic_answers(topology, each, own)))
            )
        found.append(
            compared(default_of(remote_answers(better, each, nearer)), default_of(remote_answers(topology, each, near)))
        )
        found.append(compared(host_route(better, each), host_route(topology, each)))
    return tuple(harm for harm in found if harm is not None)


def compared(before: Route | None, after: Route | None) -> Harm | None:
    """Return what one route loses, None where it loses nothing or that is not known."""
    if before is None or after is None:
        return None
    without, with_it = both_carried(before, after)
    if without is None or with_it is None or with_it.bytes_per_s * (1 + EQUAL_WITHIN) >= without.bytes_per_s:
        return None
    return Harm(after.source, after.target, without, with_it)


def both_carried(one: Route, other: Route) -> tuple[Bandwidth | None, Bandwidth | None]:
    """Return what two routes carry by the same measure: typical usable figures, else line figures."""
    if one.limit.usable is not None and other.limit.usable is not None:
        return one.limit.usable.typical, other.limit.usable.typical
    return one.limit.line, other.limit.line


def host_route(topology: Topology, accelerator: str) -> Route | None:
    """Return the copy to the memory of the accelerator's own CPU."""
    return next(iter(host_routes(topology, accelerator, host_end(topology, accelerator))), None)


def default_of(routes: Iterable[Route]) -> Route | None:
    """Return the default route; where no library decides, the first that is permitted."""
    listed = list(routes)
    marked = next((route for route in listed if route.default), None)
    return marked or next((route for route in listed if route.permitted), None)


def apart(topology: Topology, accelerators: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs that no scale-up fabric joins: the others do not care for PCIe."""
    ends = {name: {link.other(name) for link in fabric_links(topology, name)} for name in accelerators}
    for a, b in combinations(accelerators, 2):
        if b not in ends[a] and not ends[a] & ends[b] and not (ends[a] and ends[b] and joined(topology, a, b)):
            yield a, b


def direct_peers(topology: Topology, accelerators: Sequence[str], near: dict[str, Neighbours]) -> Iterator[Route]:
    """Yield the routes of pairs whose default is PCIe peer-to-peer: the ones that ACS, the IOMMU and BARs can spoil."""
    library = topology.figures.library
    farthest = peer_reach(topology, library) if library is not None else Reach.SOCKET
    for a, b in apart(topology, accelerators):
        distance = reach(topology, a, b)
        if distance is None or distance > farthest:
            continue
        route = default_of(peer_answers(topology, a, b, near))
        if route is not None and route.transport is Transport.PCIE_P2P:
            yield route
