"""nic-slot and chipset-slot: a device in a slot that gives less than it needs, or that hangs on the chipset."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.limit import EQUAL_WITHIN
from toposcope.analysis.nics import neighbours, network_link, ports_of
from toposcope.analysis.rules.harm import both_carried, harms_of_links, host_route
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import accelerators_of, address_of, is_guest, is_recorded, recorded_accelerators
from toposcope.analysis.rules.ways import lines_of
from toposcope.base import Bandwidth
from toposcope.model import Grade, Kind, Medium, State
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Link, Topology

NIC_SLOT, CHIPSET = "nic-slot", "chipset-slot"
_CHIPSET = re.compile(r"\b(?:chipset|PCH)\b", re.IGNORECASE)


def check_nics(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for each card whose ports together carry more than its PCIe link."""
    if is_guest(topology):
        return
    for functions in _cards(topology):
        links = [link for name in functions if (link := _own_link(topology, name)) is not None]
        rates = _rates(topology, functions)
        if len(links) < len(functions) or not rates:
            continue
        slot, need = links[0], sum(rates, start=Bandwidth(0))
        if slot.line is None or need.bytes_per_s <= slot.line.bytes_per_s * (1 + EQUAL_WITHIN):
            continue
        best = topology.figures.pcie(slot.max_generation, slot.max_width)
        if best is None or need > best or slot.state is not State.DEGRADED:
            yield _small_slot(topology, functions, links, rates)


def check_chipset(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for each accelerator that reaches its CPU through a chipset."""
    if is_guest(topology):
        return
    names = recorded_accelerators(topology)
    behind = {each.id: bridge for each in names if (bridge := _chipset_above(topology, each.id)) is not None}
    for name, bridge in behind.items():
        other = next((each.id for each in names if each.id not in behind), None)
        yield Finding(
            CHIPSET,
            Severity.WARNING,
            f"{name} sits in a slot of the chipset ({bridge.pci or bridge.id}), not of the CPU: it shares the "
            "chipset's narrow link with disks, network and USB, and its peers are far",
            remedy="# move the card to a slot of the CPU; which slot is which:\nsudo dmidecode -t slot\nlspci -tv",
            components=(name, bridge.id),
            harms=_slower(topology, name, other),
            evidence=(bridge.origin, topology.component(name).origin),
            grade=Grade.OBSERVED,
        )


def _cards(topology: Topology) -> list[list[str]]:
    cards: dict[str, list[str]] = {}
    for nic in topology.components(Kind.NIC):
        cards.setdefault(nic.card or nic.id, []).append(nic.id)
    return list(cards.values())


def _own_link(topology: Topology, name: str) -> Link | None:
    """Return the PCIe link of a function's slot."""
    parent = topology.parent(name)
    link = topology.link(name, parent) if parent is not None else None
    return link if link is not None and link.medium is Medium.PCIE and not link.internal else None


def _rates(topology: Topology, functions: list[str]) -> list[Bandwidth]:
    """Return the rates of a card's ports that are not down."""
    links = (network_link(topology, port.id) for name in functions for port in ports_of(topology, name))
    return [link.line for link in links if link is not None and link.line is not None and link.state is not State.DOWN]


def _single(topology: Topology, functions: list[str]) -> Bandwidth:
    """Return the rate of a card's fastest single port: a bond is several of them."""
    links = (network_link(topology, port.id) for name in functions for port in ports_of(topology, name))
    bonded = any("bond" in (topology.component(name).name or "") for name in functions)
    return max(
        (
            link.line * (1 / max(link.count or 1, 2 if bonded else 1))
            for link in links
            if link is not None and link.line is not None
        ),
        default=Bandwidth(0),
    )


def _small_slot(topology: Topology, functions: list[str], links: list[Link], rates: list[Bandwidth]) -> Finding:
    need = sum(rates, start=Bandwidth(0))
    slot = links[0]
    alone = _single(topology, functions).bytes_per_s > (slot.line or need).bytes_per_s * (1 + EQUAL_WITHIN)
    certain = alone and is_recorded(topology.component(functions[0])) and slot.grade > Grade.ASSUMED
    mended = [replace(link, line=need) for link in links]
    near = neighbours(topology)
    concerned = [name for name, own in near.items() if own.own in functions]
    ports = (
        f"port of {functions[0]} carries" if len(rates) == 1 else f"{len(rates)} ports of {functions[0]}'s card carry"
    )
    seen = f"Gen{slot.generation} x{slot.width}" if slot.generation and slot.width else "its slot"
    own = tuple(
        port_link.origin
        for name in functions
        for port in ports_of(topology, name)
        if (port_link := network_link(topology, port.id)) is not None
    )
    return Finding(
        NIC_SLOT,
        Severity.WARNING if certain else Severity.INFO,
        f"the {ports} {need.gbps:.0f} Gb/s ({need} GB/s), but PCIe {seen} only {slot.line} GB/s",
        remedy=(
            f"sudo lspci -s {address_of(topology, functions[0])} -vvv | grep -E 'LnkCap:|LnkSta:'\n"
            "# move the card to a slot of a newer generation or with more lanes, or count on the slot's figure"
        ),
        components=tuple(functions),
        harms=harms_of_links(topology, mended, concerned, [each.id for each in accelerators_of(topology)]),
        evidence=tuple(dict.fromkeys((*lines_of(topology, slot), *own))),
        grade=slot.grade,
    )


def _chipset_above(topology: Topology, name: str) -> Component | None:
    above = (topology.component(each) for each in chain(topology, name)[1:])
    return next((each for each in above if each.model is not None and _CHIPSET.search(each.model)), None)


def _slower(topology: Topology, name: str, other: str | None) -> tuple[Harm, ...]:
    """Compare the copy to host memory with that of an accelerator in a slot of the CPU."""
    own, there = host_route(topology, name), host_route(topology, other) if other is not None else None
    if own is None or there is None:
        return ()
    before, after = both_carried(there, own)
    if before is None or after is None or before <= after:
        return ()
    return (Harm(name, own.target, before, after),)


NIC_SLOT_RULE = Rule(
    NIC_SLOT,
    "A NIC's ports carry more than its slot",
    check_nics,
    reasoning=(
        "All ports of a card share its PCIe link. A 400 Gb/s port needs Gen5 x16 (50 of 63 GB/s); in a Gen4 x16 slot "
        "it gets 31.5. Two 200 Gb/s ports in Gen4 x16 share 31.5 as well: no fault, but no reason to expect 50."
    ),
    remedy="Move the card to a slot with more, or expect the slot's figure.",
    sources=("NVIDIA/nccl#452", "NVIDIA/nccl#1303", "meta-pytorch/torchcomms#3054"),
)

CHIPSET_RULE = Rule(
    CHIPSET,
    "An accelerator hangs on the chipset",
    check_chipset,
    reasoning=(
        "nvidia-smi prints PHB for a slot of the chipset as for one of the CPU, but the chipset's own link (DMI, or x4 "
        "on AMD) is shared by all that hangs on it. Only the PCIe tree tells the two apart."
    ),
    remedy="Move the card to a slot of the CPU.",
    sources=("club-3090#895",),
)
