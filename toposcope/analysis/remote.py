"""Routes from an accelerator to a NIC, to host memory, and to an identical host across the network."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class FarEnd:
    """The accelerator at the other end of the network, on an identical host or on another one."""

    topology: Topology
    near: dict[str, Neighbours]
    accelerator: str


def remote_routes(topology: Topology, accelerator: str, near: dict[str, Neighbours], far: FarEnd) -> Iterator[Route]:
    """Yield the routes to an accelerator across the network.

    Through the port inside the accelerator; else through one port of each near NIC with GPUDirect RDMA or bounced
    through host memory, through all near NICs together, and over the fabric to the accelerator that owns the rail.
    """
    ends = _ends(topology, accelerator, far)
    inside, other = ports_of(topology, accelerator), ports_of(far.topology, far.accelerator)
    if inside and other:
        back = outward(far.topology, far.accelerator, other[0].id)
        segments = mirrored(outward(topology, accelerator, inside[0].id), back)
        yield make_route(Transport.NPU_ROCE, ends, segments, port=inside[0].id)
        return
    group = near[accelerator]
    for nic in sorted(group.near, key=lambda name: name != group.own):
        yield from _through(topology, accelerator, nic, far)
    if sum(len(ports_of(topology, nic)) for nic in group.near) > 1:
        out = group_outward(topology, accelerator, group.near)
        rails = far.near[far.accelerator].near
        back = group_outward(far.topology, far.accelerator, rails) if rails else out
        yield make_route(Transport.GPUDIRECT_RDMA, ends, mirrored(out, back), nics=group.near)
    if far.accelerator != accelerator and far.accelerator in near:
        yield from _by_proxy(topology, accelerator, near, far)


def _through(topology: Topology, accelerator: str, nic: str, far: FarEnd) -> Iterator[Route]:
    """Yield the routes through one port of one NIC: the first that is not down."""
    ports = ports_of(topology, nic)
    if not ports:
        return
    port = next((each.id for each in ports if _is_up(topology, each.id)), ports[0].id)
    refusal = "" if _is_up(topology, port) else f"{port} is down"
    via = relay_to(topology, accelerator, nic)
    far_nic, far_port = _rail_of(far, topology, nic, port)
    for transport, way in ((Transport.GPUDIRECT_RDMA, _direct_out), (Transport.HOST_BOUNCED, _bounced_out)):
        segments = mirrored(
            way(topology, accelerator, nic, port), way(far.topology, far.accelerator, far_nic, far_port)
        )
        yield make_route(
            transport,
            _ends(topology, accelerator, far),
            segments,
            permitted=not refusal,
            why=refusal,
            via=via,
            nics=(nic,),
            port=port,
        )


def _ends(topology: Topology, accelerator: str, far: FarEnd) -> tuple[str, str]:
    same = far.topology is topology and far.accelerator == accelerator
    return (accelerator, "remote" if same else f"{FAR}{far.accelerator}")


def _rail_of(far: FarEnd, topology: Topology, nic: str, port: str) -> tuple[str, str]:
    """Return the NIC and port by which the far accelerator is reached: the same where that NIC is one of its own."""
    group = far.near[far.accelerator]
    if far.topology is topology and nic in group.near:
        return nic, port
    ports = ports_of(far.topology, group.own) if group.own is not None else []
    return (str(group.own), ports[0].id) if ports else (nic, port)


def _direct_out(topology: Topology, accelerator: str, nic: str, port: str) -> list[Segment]:
    return outward(topology, accelerator, port, nic=nic) if nic in topology else []


def _bounced_out(topology: Topology, accelerator: str, nic: str, port: str) -> list[Segment]:
    if nic not in topology:
        return []
    link = network_link(topology, port)
    wire = [] if link is None else [of_link(topology, link, use="rdma", source=port).between(nic, link.other(port))]
    return [*_bounced(topology, accelerator, nic), *wire]


def _by_proxy(topology: Topology, accelerator: str, near: dict[str, Neighbours], far: FarEnd) -> Iterator[Route]:
    """Yield the route over the fabric to the accelerator that owns the rail, and out through its NIC."""
    owner = far.accelerator
    nic, over = near[owner].own, joined(topology, accelerator, owner)
    if nic is None or not over or not ports_of(topology, nic):
        return
    port = ports_of(topology, nic)[0].id
    far_nic, far_port = _rail_of(far, topology, nic, port)
    way = mirrored(outward(topology, owner, port, nic=nic), _direct_out(far.topology, owner, far_nic, far_port))
    ends = _ends(topology, accelerator, far)
    yield make_route(Transport.PXN, ends, [*over, *way], via=owner, nics=(nic,), port=port)


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
