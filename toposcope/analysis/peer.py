"""Routes between two accelerators of a host that do not use the scale-up fabric.

PCIe peer-to-peer, staged through host memory, and out through one network port and back through another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.network import inward, outward
from toposcope.analysis.nics import ports_of
from toposcope.analysis.route import Route, Transport, make_route
from toposcope.analysis.segment import climb, crossing, reverse, unknown_crossing
from toposcope.analysis.way import through, to_host
from toposcope.model import Medium, Reach
from toposcope.model.placement import Meeting, meeting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.analysis.nics import Neighbours
    from toposcope.model import Topology

_REFUSING = ("p2p.read", "p2p.write", "p2p.pcie")
_GRANTED = (None, "OK", "X", "U", "N/A")
"""Words that refuse nothing: granted, itself, unknown."""


def peer_routes(topology: Topology, a: str, b: str, near: dict[str, Neighbours]) -> Iterator[Route]:
    """Yield the routes of a pair beside the fabric: peer-to-peer, staged, looped through the network."""
    if "/" in a or "/" in b:
        return  # a slice of an accelerator (MIG) has its parent's routes to NICs and host memory, and none to peers
    place = meeting(topology, a, b)
    direct = through(topology, place, use="peer")
    if any(segment.medium is Medium.PCIE for segment in direct):
        refusal = refused(topology, a, b)
        yield make_route(Transport.PCIE_P2P, (a, b), direct, permitted=refusal is None, why=refusal or "")
    yield staged(topology, a, b, place)
    yield from looped(topology, a, b, near)


def refused(topology: Topology, a: str, b: str) -> str | None:
    """Say why peer-to-peer is refused, None where nothing refuses it.

    The word of ``topo -p2p`` is kept as the reason; then the model, then MIG.
    """
    for pair in (f"{a}|{b}", f"{b}|{a}"):
        for name in _REFUSING:
            fact = topology.fact(pair, name)
            if fact is not None and fact.value not in _GRANTED:
                return f"topo -p2p says {fact.value} ({fact.origin})"
    return _refuses(topology, a) or _refuses(topology, b)


def _refuses(topology: Topology, accelerator: str) -> str | None:
    peer, mig = topology.fact(accelerator, "peer_over_pcie"), topology.fact(accelerator, "mig.enabled")
    if peer is not None and peer.value is False:
        return f"{topology.component(accelerator).model} does not do PCIe peer-to-peer ({peer.origin})"
    if mig is not None and mig.value is True:
        return f"{accelerator} is partitioned (MIG)"
    return None


def staged(topology: Topology, a: str, b: str, place: Meeting) -> Route:
    """Make the route through host memory: up from one, down to the other, one crossing between.

    Where both sit below one switch its uplink is loaded once in each direction: the line is not halved, the measured
    loss is an efficiency class of its own.
    """
    ups, downs = to_host(topology, a), to_host(topology, b)
    up, down = climb(topology, ups, use="host"), reverse(climb(topology, downs, use="host"))
    ends = (ups[-1], downs[-1])
    if place.reach is None:
        middle = unknown_crossing(ends)
    elif place.reach.crosses_host:
        middle = crossing(topology, ends, place.reach, use="staged", rest=[*up, *down])
    else:
        middle = crossing(topology, ends, Reach.ROOT_COMPLEX, use="staged-same-switch", rest=[*up, *down])
    return make_route(Transport.HOST_STAGED, (a, b), [*up, middle, *down])


def looped(topology: Topology, a: str, b: str, near: dict[str, Neighbours]) -> Iterator[Route]:
    """Yield the route out through a port of one and back through a port of the other.

    An accelerator with a port inside it uses that one. Of one card with two ports, both are used; a single port
    hairpins, and the route says so.
    """
    own_a, own_b = ports_of(topology, a), ports_of(topology, b)
    if own_a and own_b:
        segments = [*outward(topology, a, own_a[0].id), *inward(topology, b, own_b[0].id)]
        yield make_route(Transport.NPU_ROCE, (a, b), segments, port=own_a[0].id)
        return
    out, back = near[a].own, near[b].own
    if out is None or back is None:
        return
    leaving, coming = ports_of(topology, out), ports_of(topology, back)
    if not leaving or not coming:
        return
    port, entry = leaving[0].id, coming[-1 if out == back else 0].id
    segments = [*outward(topology, a, port, nic=out), *inward(topology, b, entry, nic=back)]
    why = f"hairpins through the one port of {out}" if port == entry else ""
    nics = (out,) if out == back else (out, back)
    yield make_route(Transport.NIC_LOOPBACK, (a, b), segments, why=why, nics=nics, port=port)
