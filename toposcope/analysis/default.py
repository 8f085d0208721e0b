"""Which route is taken by default: by the collective library's rules, or the fastest one where no library is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.analysis.route import Route, Transport
from toposcope.model import Kind
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.model import Library, Reach, Topology

FABRIC = (Transport.NVLINK, Transport.HCCS, Transport.SIO, Transport.UB, Transport.XGMI, Transport.C2C)


def choose_peer(topology: Topology, routes: Sequence[Route]) -> tuple[Route, ...]:
    """Mark the default among the routes of a pair: fabric, relay, peer-to-peer as far as the library goes, staged."""
    library = topology.figures.library
    if not routes or library is None:
        return _mark(routes, None, "")
    chosen, reason = _over_fabric(routes, library) or _over_host(topology, routes, library)
    return _mark(routes, chosen, reason)


def _over_fabric(routes: Sequence[Route], library: Library) -> tuple[Route, str] | None:
    direct = next((route for route in routes if route.transport in FABRIC and route.via is None), None)
    if direct is not None:
        return direct, "the fabric joins the pair"
    relayed = [route for route in routes if route.transport in FABRIC]
    if relayed and library.relay:
        return max(relayed, key=_speed), f"{library.title} relays over the fabric"
    return None


def _over_host(topology: Topology, routes: Sequence[Route], library: Library) -> tuple[Route | None, str]:
    """Choose among the routes beside a fabric; none where neither a fabric nor the distance can be told."""
    distance = reach(topology, routes[0].source, routes[0].target)
    hidden = topology.fact("host", "fabric.hidden")
    if hidden and distance is None:
        return None, ""
    unless = " (unless a fabric joins the pair, which nothing recorded would show)" if hidden else ""
    farthest = peer_reach(topology, library)
    peer = next((route for route in routes if route.transport is Transport.PCIE_P2P and route.permitted), None)
    if peer is not None and distance is not None and distance <= farthest:
        return peer, f"{library.title} uses peer-to-peer up to {farthest.word}{unless}"
    order = (Transport.HOST_STAGED, Transport.NPU_ROCE, Transport.NIC_LOOPBACK)
    found = sorted(
        (route for route in routes if route.transport in order), key=lambda each: order.index(each.transport)
    )
    return next(iter(found), None), f"{library.title} stages what is farther apart than {farthest.word}{unless}"


def choose_remote(topology: Topology, routes: Sequence[Route]) -> tuple[Route, ...]:
    """Mark the default among the routes to a remote host."""
    library = topology.figures.library
    open_routes = [route for route in routes if route.permitted] or list(routes)
    inside = next((route for route in open_routes if route.transport is Transport.NPU_ROCE), None)
    if inside is not None:
        return _mark(routes, inside, "the port is inside the accelerator")
    if not open_routes or library is None:
        return _mark(routes, None, "")
    proxy = next((route for route in open_routes if route.transport is Transport.PXN), None)
    if proxy is not None and library.proxy:
        return _mark(routes, proxy, f"{library.title} goes over the fabric to the accelerator that owns the rail")
    nics = open_routes[0].nics or ()
    distance = reach(topology, routes[0].source, nics[0]) if nics else None
    direct = distance is not None and distance <= library.rdma_reach
    told = topology.fact(routes[0].source, "nccl.net.gdr")
    if told is not None and told.value is True and not direct:
        found = next((route for route in open_routes if route.transport is Transport.GPUDIRECT_RDMA), open_routes[0])
        return _mark(routes, found, f"the log of {library.name} says that it uses GPUDirect RDMA here")
    wanted = Transport.GPUDIRECT_RDMA if direct or _sits_on_cpu(topology, routes[0].source) else Transport.HOST_BOUNCED
    found = next((route for route in open_routes if route.transport is wanted), open_routes[0])
    reason = f"{library.title} uses GPUDirect RDMA up to {library.rdma_reach.word}"
    reason += "" if direct or wanted is Transport.HOST_BOUNCED else ", and from an accelerator that sits on its CPU"
    return _mark(routes, found, reason)


def choose_fastest(routes: Sequence[Route]) -> tuple[Route, ...]:
    """Mark the fastest permitted route, the first of equals: no library decides here."""
    permitted = [route for route in routes if route.permitted]
    return _mark(routes, max(permitted, key=_speed, default=None), "")


def choose_direct(routes: Sequence[Route]) -> tuple[Route, ...]:
    """Mark the peer-to-peer route to a NIC, the bounced one where that is refused."""
    order = (Transport.PCIE_P2P, Transport.HOST_BOUNCED)
    permitted = sorted((route for route in routes if route.permitted), key=lambda route: order.index(route.transport))
    return _mark(routes, permitted[0] if permitted else None, "")


def faster(routes: Iterable[Route], default: Route | None) -> Route | None:
    """Return a permitted route that is clearly faster than the default, None where there is none.

    Nothing is clearly faster than a route of unknown speed, nor one that passes something of unknown speed.
    """
    sure = (route for route in routes if route.permitted and (route.default or not route.limit.at_most))
    best = max(sure, key=_speed, default=None)
    if best is None or default is None or best is default or default.limit.line is None:
        return None
    return best if _speed(best) > _speed(default) * 1.02 else None


def peer_reach(topology: Topology, library: Library) -> Reach:
    """Return how far apart two accelerators of this machine may be for the library to use peer-to-peer."""
    vendor = topology.fact("host", "cpu.vendor")
    count = sum(1 for _ in topology.components(Kind.ACCELERATOR))
    few = library.few_reach is not None and count <= library.few_accelerators
    if few and library.few_reach is not None and vendor is not None and vendor.value == library.few_vendor:
        return library.few_reach
    return library.peer_reach


def _sits_on_cpu(topology: Topology, accelerator: str) -> bool:
    parent = topology.parent(accelerator)
    return parent is not None and topology.component(parent).kind in (Kind.NUMA, Kind.SOCKET)


def _mark(routes: Sequence[Route], chosen: Route | None, reason: str) -> tuple[Route, ...]:
    return tuple(
        replace(route, default=True, why=route.why or reason) if route is chosen else route for route in routes
    )


def _speed(route: Route) -> float:
    usable = route.limit.usable
    figure = usable.typical if usable is not None else route.limit.line
    return float(figure.bytes_per_s) if figure is not None else 0.0
