"""Routes from an accelerator to a NIC, to host memory, and to an identical host across the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.fabric import joined
from toposcope.analysis.network import FAR, group_outward, mirrored, outward, relay_to, to_nic
from toposcope.analysis.nics import network_link, ports_of
from toposcope.analysis.route import Route, Transport, make_route
from toposcope.analysis.segment import climb, crossing, of_link, reverse
from toposcope.analysis.way import between, to_host
from toposcope.model import Kind, Reach, State
from toposcope.model.placement import chain, reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.segment import Segment
    from toposcope.model import Link, Topology


def nic_routes(topology: Topology, accelerator: str, nic: str) -> Iterator[Route]:
    """Yield the routes to the PCI function of a NIC: peer-to-peer, and bounced through host memory."""
    ends = (accelerator, nic)
    via = relay_to(topology, accelerator, nic)
    yield make_route(Transport.PCIE_P2P, ends, to_nic(topology, accelerator, nic), via=via)
    if via is None:
        yield make_route(Transport.HOST_BOUNCED, ends, _bounced(topology, accelerator, nic))


def host_routes(topology: Topology, accelerator: str, cpu: str) -> Iterator[Route]:
    """Yield the copy to the host memory of a socket or NUMA node, crossing the host where it is another one's."""
    way = to_host(topology, accelerator)
    up = climb(topology, way, use="host")
    middle: list[Segment] = []
    if cpu not in chain(topology, accelerator):
        distance = reach(topology, accelerator, cpu)
        middle = [crossing(topology, (way[-1], cpu), distance or Reach.SOCKET, use="host", rest=up)]
    memory = _memory_link(topology, cpu)
    last = [] if memory is None else [of_link(topology, memory, use="host", source=memory.target)]
    target = cpu if memory is None else memory.source
    yield make_route(Transport.HOST_COPY, (accelerator, target), [*up, *middle, *last])


def remote_routes(topology: Topology, accelerator: str, near: dict[str, Neighbours], peer: str) -> Iterator[Route]:
    """Yield the routes to the accelerator ``peer`` of an identical host.

    Through the port inside the accelerator; else through one port of each near NIC with GPUDirect RDMA or bounced
    through host memory, through all near NICs together, and over the fabric to the accelerator that owns the rail.
    """
    ends = _ends(accelerator, peer)
    inside, far = ports_of(topology, accelerator), ports_of(topology, peer)
    if inside and far:
        segments = mirrored(outward(topology, accelerator, inside[0].id), outward(topology, peer, far[0].id))
        yield make_route(Transport.NPU_ROCE, ends, segments, port=inside[0].id)
        return
    group = near[accelerator]
    for nic in sorted(group.near, key=lambda name: name != group.own):
        yield from _through(topology, nic, near, of=accelerator, to=peer)
    if sum(len(ports_of(topology, nic)) for nic in group.near) > 1:
        out = group_outward(topology, accelerator, group.near)
        back = group_outward(topology, peer, near[peer].near) if near[peer].near else out
        yield make_route(Transport.GPUDIRECT_RDMA, ends, mirrored(out, back), nics=group.near)
    if peer != accelerator:
        yield from _by_proxy(topology, near, of=accelerator, to=peer)


def _through(topology: Topology, nic: str, near: dict[str, Neighbours], *, of: str, to: str) -> Iterator[Route]:
    """Yield the routes through one port of one NIC: the first that is not down."""
    ports = ports_of(topology, nic)
    if not ports:
        return
    port = next((each.id for each in ports if _is_up(topology, each.id)), ports[0].id)
    down = "" if _is_up(topology, port) else f"{port} is down"
    via = relay_to(topology, of, nic)
    far_nic, far_port = _rail_of(topology, to, near, nic, port)
    for transport, way in ((Transport.GPUDIRECT_RDMA, _direct_out), (Transport.HOST_BOUNCED, _bounced_out)):
        segments = mirrored(way(topology, of, nic, port), way(topology, to, far_nic, far_port))
        yield make_route(
            transport, _ends(of, to), segments, permitted=not down, why=down, via=via, nics=(nic,), port=port
        )


def _ends(of: str, to: str) -> tuple[str, str]:
    return (of, "remote" if of == to else f"{FAR}{to}")


def _rail_of(topology: Topology, to: str, near: dict[str, Neighbours], nic: str, port: str) -> tuple[str, str]:
    """Return the NIC and port by which the far accelerator is reached: the same where that NIC is one of its own."""
    own = near[to].own
    ports = ports_of(topology, own) if own is not None and nic not in near[to].near else []
    return (str(own), ports[0].id) if ports else (nic, port)


def _direct_out(topology: Topology, accelerator: str, nic: str, port: str) -> list[Segment]:
    return outward(topology, accelerator, port, nic=nic)


def _bounced_out(topology: Topology, accelerator: str, nic: str, port: str) -> list[Segment]:
    link = network_link(topology, port)
    wire = [] if link is None else [of_link(topology, link, use="rdma", source=port).between(nic, link.other(port))]
    return [*_bounced(topology, accelerator, nic), *wire]


def _by_proxy(topology: Topology, near: dict[str, Neighbours], *, of: str, to: str) -> Iterator[Route]:
    """Yield the route over the fabric to the accelerator that owns the rail, and out through its NIC."""
    nic, over = near[to].own, joined(topology, of, to)
    if nic is None or not over or not ports_of(topology, nic):
        return
    port = ports_of(topology, nic)[0].id
    out = outward(topology, to, port, nic=nic)
    yield make_route(Transport.PXN, _ends(of, to), [*over, *mirrored(out)], via=to, nics=(nic,), port=port)


def _bounced(topology: Topology, accelerator: str, nic: str) -> list[Segment]:
    ups, downs = to_host(topology, accelerator), to_host(topology, nic)
    up, down = climb(topology, ups, use="host"), reverse(climb(topology, downs, use="host"))
    distance = reach(topology, accelerator, nic)
    if distance is None:
        return between(topology, accelerator, nic, use="host")
    passed = distance if distance.crosses_host else Reach.ROOT_COMPLEX
    middle = crossing(topology, (ups[-1], downs[-1]), passed, use="staged", rest=[*up, *down])
    return [*up, middle, *down]


def _is_up(topology: Topology, port: str) -> bool:
    link = network_link(topology, port)
    return link is None or link.state is not State.DOWN


def _memory_link(topology: Topology, cpu: str) -> Link | None:
    """Return the link of the memory that a NUMA node or its socket has."""
    links = (link for name in chain(topology, cpu) for link in topology.links_of(name))
    return next((link for link in links if topology.component(link.source).kind is Kind.MEMORY), None)
