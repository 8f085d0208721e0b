"""The default way of a flow: the same route that ``path`` marks, found without making the others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from toposcope.analysis.contention.result import Flow
from toposcope.analysis.default import FABRIC, choose_peer, peer_reach
from toposcope.analysis.fabric import fabric_routes
from toposcope.analysis.naming import find
from toposcope.analysis.network import FAR
from toposcope.analysis.nics import neighbours, network_link, ports_of
from toposcope.analysis.peer import peer_routes
from toposcope.analysis.remote import FarEnd, host_routes, nic_routes, remote_routes
from toposcope.analysis.route import Route, Transport
from toposcope.analysis.routes import nic_answers, peer_answers, remote_answers, routes
from toposcope.analysis.segment import of_link, reverse
from toposcope.base import UsageError
from toposcope.model import NETWORKS, Kind, State
from toposcope.model.placement import host_end, reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.segment import Segment
    from toposcope.model import Component, Topology

_BOTH_WAYS_ALIKE = (*FABRIC, Transport.PCIE_P2P, Transport.HOST_STAGED)


@dataclass(frozen=True)
class Ways:
    """A topology with the ways that were found, so that each is found once."""

    topology: Topology
    known: dict[tuple[str, str], Flow] = field(default_factory=dict)

    @cached_property
    def near(self) -> dict[str, Neighbours]:
        """The NICs of its accelerators."""
        return neighbours(self.topology)


def peer(ways: Ways, a: str, b: str) -> Flow:
    """Return the default way between two accelerators."""
    found = ways.known.get((a, b))
    if found is not None:
        return found
    back = ways.known.get((b, a))
    if back is not None and back.transport in _BOTH_WAYS_ALIKE:
        found = Flow(a, b, back.transport, tuple(reverse(back.segments)))
    else:
        found = _flow(default_peer(ways, a, b), a, b)
    ways.known[a, b] = found
    return found


def out(ways: Ways, accelerator: str) -> Flow | None:
    """Return the default way to an identical host, None where there is none.

    Accelerators that share a NIC take its ports in turn. The far half is left out: as the mirror image it is loaded
    alike.
    """
    route = default_remote(ways, accelerator)
    if route is None:
        return None
    flow = _flow(route, accelerator, "remote")
    near = [segment for segment in flow.segments if FAR not in f"{segment.source} {segment.target}"]
    return replace(flow, segments=tuple(_own_port(ways, accelerator, route, near)))


def host(ways: Ways, accelerator: str) -> Flow:
    """Return the copy to the memory of the accelerator's own CPU."""
    topology = ways.topology
    return _flow(next(host_routes(topology, accelerator, host_end(topology, accelerator))), accelerator, "host")


def nic(ways: Ways, accelerator: str, to: str) -> Flow:
    """Return the default way to the PCI function of a NIC: peer-to-peer where that is permitted."""
    direct = next(nic_routes(ways.topology, accelerator, to))
    route = direct if direct.permitted else _chosen(nic_answers(ways.topology, accelerator, to))
    return _flow(route, accelerator, to)


def storage(ways: Ways, accelerator: str, by: str) -> Flow:
    """Return the way out through the first port of a NIC, whoever it belongs to."""
    flow = nic(ways, accelerator, by)
    wires = (network_link(ways.topology, port.id) for port in ports_of(ways.topology, by))
    wire = next((link for link in wires if link is not None), None)
    if wire is None:
        return flow
    last = of_link(ways.topology, wire, use="rdma", source=wire.source).between(by, wire.target)
    return replace(flow, segments=(*flow.segments, last))


def backwards(flow: Flow) -> Flow:
    """Return the way back."""
    return Flow(flow.target, flow.source, flow.transport, tuple(reverse(flow.segments)))


def named(ways: Ways, src: str, dst: str) -> Flow:
    """Return the default way between two ends that a user names; one of them is an accelerator."""
    found = ways.known.get((src, dst))
    if found is None:
        found = ways.known[src, dst] = _named(ways, src, dst)
    return found


def _named(ways: Ways, src: str, dst: str) -> Flow:
    source, target = _component(ways.topology, src), _component(ways.topology, dst)
    if source is None or source.kind is not Kind.ACCELERATOR:
        if target is None or target.kind is not Kind.ACCELERATOR:
            raise UsageError(f"a flow begins or ends at an accelerator; {src} and {dst} are none")
        return backwards(named(ways, dst, src))
    if dst == "remote":
        way = out(ways, source.id)
        if way is None:
            raise UsageError(f"nothing here shows a way from {source.id} to a remote host")
        return way
    if target is not None and target.id == source.id:
        raise UsageError(f"{source.id} is both ends of the flow")
    if target is not None and target.kind is Kind.ACCELERATOR:
        return peer(ways, source.id, target.id)
    if target is not None and target.kind is Kind.NIC:
        return nic(ways, source.id, target.id)
    return _flow(_chosen(routes(ways.topology, source.id, dst)), source.id, dst if target is None else target.id)


def ends_of(topology: Topology, text: str) -> tuple[str, str]:
    """Part ``GPU0:NIC1`` into its ends; an end may be a PCI address, ``host:1`` or ``remote:GPU3``."""
    places = [index for index, each in enumerate(text) if each == ":"]
    parted = [(text[:index].strip(), text[index + 1 :].strip()) for index in places]
    if not parted:
        raise UsageError(f"--flow takes two ends, as in GPU0:NIC1, not {text!r}")
    return next((ends for ends in parted if all(_exists(topology, end) for end in ends)), parted[0])


def default_peer(ways: Ways, a: str, b: str) -> Route | None:
    """Return the default route of a pair, by the rules of ``default.choose_peer``, as soon as it is certain."""
    topology = ways.topology
    library = topology.figures.library
    over = list(fabric_routes(topology, a, b))
    if over and over[0].via is None:
        return over[0]
    if over and library is not None and library.relay:
        return _chosen(choose_peer(topology, over))
    rest = peer_routes(topology, a, b, ways.near)
    first = next(rest, None)
    if first is not None and first.transport is Transport.PCIE_P2P:
        distance = reach(topology, a, b)
        within = library is None or (distance is not None and distance <= peer_reach(topology, library))
        if first.permitted and within:
            return first
        first = next(rest, None)
    if first is not None and first.transport is Transport.HOST_STAGED:
        return first
    return _chosen(peer_answers(topology, a, b, ways.near))


def default_remote(ways: Ways, accelerator: str) -> Route | None:
    """Return the default route to an identical host, by the rules of ``default.choose_remote``."""
    topology, near = ways.topology, ways.near
    library = topology.figures.library
    first = next(remote_routes(topology, accelerator, near, FarEnd(topology, near, accelerator)), None)
    if first is None or first.transport is Transport.NPU_ROCE:
        return first
    distance = reach(topology, accelerator, first.nics[0]) if first.nics else None
    direct = library is not None and distance is not None and distance <= library.rdma_reach
    if first.permitted and (direct or library is None):
        return first
    return _chosen(remote_answers(topology, accelerator, near))


def _chosen(answers: Iterable[Route]) -> Route | None:
    listed = list(answers)
    marked = next((route for route in listed if route.default), None)
    return marked or next((route for route in listed if route.permitted), None)


def _flow(route: Route | None, source: str, target: str) -> Flow:
    if route is None:
        raise UsageError(f"nothing here shows a way from {source} to {target}")
    return Flow(source, target, route.transport, route.segments)


def _own_port(ways: Ways, accelerator: str, route: Route | None, segments: Sequence[Segment]) -> Sequence[Segment]:
    """Put the accelerator's own port of a shared NIC in the place of the first one."""
    if route is None or not route.nics or len(route.nics) > 1:
        return segments
    nic = route.nics[0]
    sharing = [name for name, each in ways.near.items() if each.own == nic]
    links = [network_link(ways.topology, port.id) for port in ports_of(ways.topology, nic)]
    wires = [link for link in links if link is not None and link.line is not None and link.state is not State.DOWN]
    if len(wires) < 2 or accelerator not in sharing:  # noqa: PLR2004 - one port leaves no choice
        return segments
    wire = wires[sharing.index(accelerator) % len(wires)]
    own = of_link(ways.topology, wire, use="rdma", source=wire.source).between(nic, wire.target)
    return [own if segment.medium in NETWORKS and not segment.is_crossing else segment for segment in segments]


def _exists(topology: Topology, name: str) -> bool:
    bare = name.removeprefix(FAR)
    if bare in ("host", "remote") or bare.startswith("host:"):
        return True
    try:
        find(topology, bare)
    except UsageError:
        return False
    return True


def _component(topology: Topology, name: str) -> Component | None:
    """Return what a name means; None for the ends that are no component: ``host``, ``remote``."""
    return None if name.startswith(("host", "remote")) else find(topology, name)
