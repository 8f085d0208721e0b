"""What a benchmark should show on a machine: copies, transfers over the network.

A figure is in the benchmark's own convention: a test of both directions at once counts both. The manner of copying
(``both``, ``read``, ``write``, ``kernel``, ``to-host``, ``from-host``) chooses the efficiency classes.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.analysis.default import FABRIC
from toposcope.analysis.network import mirrored
from toposcope.analysis.nics import network_link, ports_of
from toposcope.analysis.route import Transport, make_route
from toposcope.analysis.routes import routes
from toposcope.analysis.segment import Segment, climb, of_link
from toposcope.analysis.way import to_host
from toposcope.model import Usable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis.route import Route
    from toposcope.base import Bandwidth
    from toposcope.model import Grade, Topology

_HOST = ("rdma-host", "rdma")
BOTH = "both"
"""The manner of a test that copies in both directions at once and adds them up."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a test should show. ``line`` and ``usable`` are None where a figure is missing.

    ``segments`` is what the data passes, ``limits`` the part of it that holds it back; ``transport`` is None for a
    collective over links of accelerators. ``at_most``: something of unknown speed stands on the way. ``classes`` are
    the efficiency classes that may give the usable figure, best first.
    """

    line: Bandwidth | None
    usable: Usable | None
    segments: tuple[Segment, ...]
    limits: tuple[Segment, ...]
    grade: Grade
    transport: Transport | None = None
    at_most: bool = False
    classes: tuple[str, ...] = ()


def in_manner(topology: Topology, words: Sequence[str]) -> Topology:
    """Return the same machine with the efficiencies of a manner of copying."""
    other = copy(topology)
    other.figures = topology.figures.in_manner(*words)
    return other


def expected_copy(
    topology: Topology, src: str, dst: str, words: Sequence[str] = (), *, peer_access: bool | None = True
) -> Expected | None:
    """Tell what a copy between two accelerators, or an accelerator and host memory, should show.

    ``peer_access``: a copy by the driver goes over the fabric, else peer-to-peer where the machine permits it, else
    through host memory; False takes peer access away; None leaves the choice to the library. None where no way is
    known.
    """
    found = routes(in_manner(topology, words), src, dst)
    chosen = (
        next((route for route in found if route.default), None)
        if peer_access is None
        else _by_driver(found, peer_access=peer_access)
    )
    return None if chosen is None else of_route(chosen, ways=2 if BOTH in words else 1)


def expected_transfer(
    topology: Topology, nic: str, accelerator: str | None, words: Sequence[str] = ()
) -> Expected | None:
    """Tell what an RDMA test through a NIC to an identical host should show.

    From the memory of an accelerator, or from host memory where ``accelerator`` is None.
    """
    machine = in_manner(topology, words)
    if accelerator is not None:
        found = [route for route in routes(machine, accelerator, "remote") if route.nics in ((nic,), None)]
        wanted = (Transport.GPUDIRECT_RDMA, Transport.NPU_ROCE)
        chosen = next((route for route in found if route.transport in wanted), None) or next(iter(found), None)
        return None if chosen is None else of_route(chosen, ways=2 if BOTH in words else 1)
    segments = _from_host_memory(machine, nic)
    route = make_route(Transport.HOST_BOUNCED, (nic, "remote"), mirrored(segments))
    return of_route(route, ways=2 if BOTH in words else 1) if segments else None


def of_route(route: Route, *, ways: int = 1) -> Expected:
    """Return what a test over a route should show; ``ways`` is 2 where it adds up both directions."""
    held = route.limit
    limits = tuple(route.segments[index] for index in held.bottleneck)
    line = None if held.line is None else held.line * ways
    return Expected(
        line,
        times(held.usable, ways),
        route.segments,
        limits,
        held.grade,
        route.transport,
        at_most=held.at_most,
        classes=limits[0].classes if limits else (),
    )


def times(usable: Usable | None, factor: float) -> Usable | None:
    """Multiply a range."""
    if usable is None:
        return None
    return Usable(usable.low * factor, usable.typical * factor, usable.high * factor)


def _by_driver(found: Sequence[Route], *, peer_access: bool) -> Route | None:
    """Choose as a copy of the driver goes: direct, peer-to-peer where permitted, else through host memory."""
    order: tuple[Transport, ...] = (Transport.HOST_STAGED, Transport.HOST_COPY)
    if peer_access:
        order = (*FABRIC, Transport.PCIE_P2P, *order)
    open_routes = [route for route in found if route.permitted and route.via is None and route.transport in order]
    return min(open_routes, key=lambda route: order.index(route.transport), default=None)


def _from_host_memory(topology: Topology, nic: str) -> list[Segment]:
    """Make the way from host memory through a NIC and its first port."""
    ports = ports_of(topology, nic)
    link = network_link(topology, ports[0].id) if ports else None
    up = [
        segment.between(segment.target, segment.source)
        for segment in climb(topology, to_host(topology, nic), use="host")
    ]
    if link is None:
        return []
    wire = of_link(topology, link, use="rdma", source=link.source).between(nic, link.other(ports[0].id))
    return [*reversed(up), replace(wire, usable=topology.figures.usable(link.line, *_HOST), classes=_HOST)]
