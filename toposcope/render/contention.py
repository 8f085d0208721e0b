"""Shared links in words and as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import NETWORKS
from toposcope.render.documents import gbs_of, usable_of
from toposcope.render.schema import BusDocument, ContentionDocument, FlowDocument, LoadDocument
from toposcope.render.wording import call, medium_of

if TYPE_CHECKING:
    from toposcope.analysis.contention import BusBandwidth, Contention, Share, SharedLink
    from toposcope.model import Topology


def contention_document(contention: Contention, topology: Topology) -> ContentionDocument:
    """Write the shares of all flows and the load of all links, the fullest first."""
    return ContentionDocument(
        pattern=contention.pattern,
        among=contention.among,
        flows=tuple(_flow(share, contention, topology) for share in contention.shares),
        links=tuple(_load(link) for link in contention.links if not link.own),
        busbw_gbs=None if contention.bus is None else _bus(contention.bus),
    )


def link_words(link: SharedLink, topology: Topology) -> str:
    """Name a link: what it is made of, and between what: ``PCIe Gen4 x16 (SW0 - RC0)``, ``200 Gb/s port (NIC0/p1)``."""
    return f"{medium_of(link.segment)} ({link_place(link, topology)})"


def link_place(link: SharedLink, topology: Topology) -> str:
    """Name where a link is, in the direction of the data; of a port its name."""
    if link.segment.medium in NETWORKS and not link.segment.is_crossing:
        return call(link.target if link.source == "network" else link.source, topology)
    return f"{call(link.source, topology)} - {call(link.target, topology)}"


def _flow(share: Share, contention: Contention, topology: Topology) -> FlowDocument:
    held = None if share.held_by is None else contention.links[share.held_by]
    return FlowDocument(
        src=share.flow.source,
        dst=share.flow.target,
        line_gbs=gbs_of(share.line),
        usable_gbs=usable_of(share.usable),
        limited_by=None if held is None else link_words(held, topology),
    )


def _load(link: SharedLink) -> LoadDocument:
    return LoadDocument(
        from_=link.source,
        to=link.target,
        flows=len(link.flows),
        load_gbs=gbs_of(link.load),
        capacity_gbs=gbs_of(link.line),
    )


def _bus(bus: BusBandwidth) -> BusDocument:
    usable = usable_of(bus.usable)
    return BusDocument(
        line=gbs_of(bus.line),
        low=None if usable is None else usable.low,
        typical=None if usable is None else usable.typical,
        high=None if usable is None else usable.high,
    )
