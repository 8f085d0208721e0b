"""The way from an accelerator through a NIC and its port to the network, and the same way back in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.analysis.fabric import joined
from toposcope.analysis.nics import network_link, ports_of
from toposcope.analysis.segment import Segment, climb, of_link, reverse
from toposcope.analysis.way import between
from toposcope.base import Bandwidth
from toposcope.model import Kind, Usable
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.model import Topology

FAR = "remote:"
"""The prefix of the components of an identical host at the other end of the network."""


def to_nic(topology: Topology, accelerator: str, nic: str, beyond: Sequence[Segment] = ()) -> list[Segment]:
    """Make the segments from an accelerator to the PCI function of a NIC, then ``beyond``.

    A NIC that hangs below another accelerator is reached over the fabric where the two are joined.
    """
    owner = relay_to(topology, accelerator, nic)
    if owner is None:
        return between(topology, accelerator, nic, use="rdma", beyond=beyond)
    way = chain(topology, nic)
    down = reverse(climb(topology, way[: way.index(owner) + 1], use="rdma"))
    return [*joined(topology, accelerator, owner), *down, *beyond]


def relay_to(topology: Topology, accelerator: str, nic: str) -> str | None:
    """Return the other accelerator through which this one reaches a NIC below it, None where it needs none."""
    above = (name for name in chain(topology, nic) if topology.component(name).kind is Kind.ACCELERATOR)
    owner = next(above, None)
    return owner if owner not in (None, accelerator) and joined(topology, accelerator, str(owner)) else None


def outward(topology: Topology, accelerator: str, port: str, *, nic: str | None = None) -> list[Segment]:
    """Make the segments from an accelerator out through a port. Without a NIC the port is inside the accelerator."""
    link = network_link(topology, port)
    start = accelerator if nic is None else nic
    use = "npu" if nic is None else "rdma"
    wire = [] if link is None else [of_link(topology, link, use=use, source=port).between(start, link.other(port))]
    return wire if nic is None else to_nic(topology, accelerator, nic, wire)


def inward(topology: Topology, accelerator: str, port: str, *, nic: str | None = None) -> list[Segment]:
    """Make the segments from the network through a port to an accelerator."""
    return reverse(outward(topology, accelerator, port, nic=nic))


def mirrored(out: Sequence[Segment], back: Sequence[Segment] | None = None) -> list[Segment]:
    """Put the way into an identical host behind a way out: the same one, or ``back`` read outwards."""
    return [*out, *(_far(segment) for segment in reverse(out if back is None else back))]


def group_outward(topology: Topology, accelerator: str, nics: Iterable[str]) -> list[Segment]:
    """Make the segments out through all ports of several NICs: what they share once, what is each one's own summed."""
    ways = [outward(topology, accelerator, port.id, nic=nic) for nic in nics for port in ports_of(topology, nic)]
    stages = ([way[place] for way in ways if len(way) + place >= 0] for place in range(-max(map(len, ways)), 0))
    return [_bundle(list({(segment.source, segment.links): segment for segment in stage}.values())) for stage in stages]


def _bundle(segments: list[Segment]) -> Segment:
    """Join parallel segments to one: figures and counts are summed, the first gives the rest."""
    first = segments[0]
    if len(segments) == 1:
        return first
    return replace(
        first,
        source=_names(segment.source for segment in segments),
        target=_names(segment.target for segment in segments),
        line=_total([segment.line for segment in segments]),
        usable=_total_usable([segment.usable for segment in segments]),
        count=sum(segment.count or 1 for segment in segments),
        grade=min(segment.grade for segment in segments),
        links=tuple(link for segment in segments for link in segment.links),
        name=None,
    )


def _total(figures: Sequence[Bandwidth | None]) -> Bandwidth | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known, start=Bandwidth(0)) if len(known) == len(figures) else None


def _total_usable(usables: Sequence[Usable | None]) -> Usable | None:
    known = [usable for usable in usables if usable is not None]
    if len(known) < len(usables):
        return None
    low, typical, high = ([getattr(usable, name) for usable in known] for name in ("low", "typical", "high"))
    zero = Bandwidth(0)
    return Usable(sum(low, start=zero), sum(typical, start=zero), sum(high, start=zero))


def _names(names: Iterable[str]) -> str:
    return "+".join(dict.fromkeys(names))


def _far(segment: Segment) -> Segment:
    source, target = (name if name == "network" else f"{FAR}{name}" for name in (segment.source, segment.target))
    return segment.between(source, target, ())
