"""The PCIe links on the ways that matter: of accelerators and of the NICs near them, with whom each link concerns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.analysis.nics import neighbours
from toposcope.analysis.rules.subject import accelerators_of
from toposcope.model import Kind, Medium, State
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toposcope.analysis.nics import Neighbours
    from toposcope.base import Origin
    from toposcope.model import Link, Topology

_LINES = ("link.status", "link.capability", "kernel.link_limited_by")


@dataclass(slots=True)
class Way:
    """One PCIe link. ``devices`` hang below it, ``accelerators`` do so themselves or through a NIC near to them."""

    link: Link
    devices: dict[str, None] = field(default_factory=dict)
    accelerators: dict[str, None] = field(default_factory=dict)


def ways_of(topology: Topology, near: Mapping[str, Neighbours] | None = None) -> list[Way]:
    """Return the PCIe links above accelerators and their near NICs, the inside of chips left out."""
    found: dict[tuple[str, str], Way] = {}
    for name, concerned in _devices(topology, near).items():
        for below, above in pairwise(chain(topology, name)):
            link = topology.link(below, above)
            if link is None or link.medium is not Medium.PCIE or link.internal:
                continue
            way = found.setdefault((below, above), Way(link))
            way.devices[name] = None
            way.accelerators.update(concerned)
    return list(found.values())


def lines_of(topology: Topology, link: Link) -> tuple[Origin, ...]:
    """Return the lines that say what a link runs at and what it could: of the device, then of the port above it."""
    facts = (topology.fact(end, name) for name in _LINES for end in (link.source, link.target))
    said = tuple(fact.origin for fact in facts if fact is not None)
    return said or (link.origin,)


def whole(topology: Topology, link: Link) -> Link | None:
    """Return a PCIe link as it would be with all that both ends can, None where it is so already or not known."""
    known = link.line is not None and link.width and link.generation
    if not known or link.medium is not Medium.PCIE or link.internal:
        return None
    width, generation = link.max_width or link.width, link.max_generation or link.generation
    if (width, generation) == (link.width, link.generation) or link.line is None or not width or not link.width:
        return None
    figure = topology.figures.pcie(generation, width)
    if figure is None and generation == link.generation:
        figure = link.line * (width / link.width)
    return replace(link, line=figure, width=width, generation=generation, state=State.UP)


def _as_they_should_be(topology: Topology) -> dict[str, Neighbours]:
    """Return the NICs near each accelerator, those that only a bad link of their own makes second best included."""
    links = (
        topology.link(nic.id, parent)
        for nic in topology.components(Kind.NIC)
        if (parent := topology.parent(nic.id)) is not None
    )
    better = [mended for link in links if link is not None and (mended := whole(topology, link)) is not None]
    return neighbours(topology.with_links(better) if better else topology)


def _devices(topology: Topology, near: Mapping[str, Neighbours] | None) -> dict[str, dict[str, None]]:
    """Return accelerators and near NICs, each with the accelerators that it concerns."""
    names = [each.id for each in accelerators_of(topology)]
    found: dict[str, dict[str, None]] = {name: {name: None} for name in names}
    for name, own in (_as_they_should_be(topology) if near is None else near).items():
        for nic in own.near:
            if name in names and topology.component(nic).kind is Kind.NIC:
                found.setdefault(nic, {})[name] = None
    return found
