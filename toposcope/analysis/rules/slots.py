"""nic-slot and chipset-slot: a device in a slot that gives less than it needs, or that hangs on the chipset."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.limit import EQUAL_WITHIN
from toposcope.analysis.nics import neighbours, network_link, ports_of
from toposcope.analysis.rules.harm import both_carried, harms_of_links, host_route
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import (
    accelerators_of,
    address_of,
    is_guest,
    is_recorded,
    listed,
    recorded_accelerators,
)
from toposcope.analysis.rules.ways import lines_of
from toposcope.base import Bandwidth
from toposcope.model import Grade, Kind, Medium, State
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Link, Topology

NIC_SLOT, CHIPSET = "nic-slot", "chipset-slot"
_CHIPSET = re.compile(r"\b(?:chipset|PCH)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Card:
    """Functions that share a slot, the slot's link, and the rates of their ports that are not down."""

    functions: tuple[str, ...]
    slot: Link
    rates: tuple[Bandwidth, ...]

    @property
    def need(self) -> Bandwidth:
        """What all ports carry together."""
        return sum(self.rates, start=Bandwidth(0))


def check_nics(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for cards whose ports together carry more than their PCIe link; equal ones are one finding."""
    if is_guest(topology):
        return
    kinds: dict[tuple[object, ...], list[_Card]] = {}
    for functions in _cards(topology):
        slot, rates = _own_link(topology, functions[0]), _rates(topology, functions)
        if slot is None or slot.line is None or not rates:
            continue
        card = _Card(tuple(functions), slot, tuple(rates))
        best = topology.figures.pcie(slot.max_generation, slot.max_width)
        trained_low = slot.state is State.DEGRADED and best is not None and card.need <= best
        if card.need.bytes_per_s > slot.line.bytes_per_s * (1 + EQUAL_WITHIN) and not trained_low:
            kinds.setdefault((card.need, slot.line, len(rates), slot.grade), []).append(card)
    for cards in kinds.values():
        yield _small_slot(topology, cards)


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


def _small_slot(topology: Topology, cards: list[_Card]) -> Finding:
    first, slot = cards[0], cards[0].slot
    names = [name for card in cards for name in card.functions]
    line = slot.line or first.need
    alone = _single(topology, list(first.functions)).bytes_per_s > line.bytes_per_s * (1 + EQUAL_WITHIN)
    certain = alone and is_recorded(topology.component(names[0])) and slot.grade > Grade.ASSUMED
    near = neighbours(topology)
    concerned = [name for name, own in near.items() if own.own in names]
    heads = listed(card.functions[0] for card in cards)
    ports = f"port of {heads}" if len(first.rates) == 1 else f"{len(first.rates)} ports of a card ({heads})"
    seen = f"Gen{slot.generation} x{slot.width}" if slot.generation and slot.width else "its slot"
    wires = (network_link(topology, port.id) for name in names for port in ports_of(topology, name))
    evidence = [*(line for card in cards for line in lines_of(topology, card.slot)), *(w.origin for w in wires if w)]
    return Finding(
        NIC_SLOT,
        Severity.WARNING if certain else Severity.INFO,
        f"the {ports} can carry {first.need.gbps:.0f} Gb/s ({first.need} GB/s), but PCIe {seen} only {line} GB/s",
        remedy="\n".join(
            [
                *(
                    f"sudo lspci -s {address_of(topology, card.functions[0])} -vvv | grep -E 'LnkCap:|LnkSta:'"
                    for card in cards[:4]
                ),
                "# a slot with more for NIC and accelerator (newer generation, more lanes); or count on this figure",
            ]
        ),
        components=tuple(names),
        harms=_out(topology, cards, concerned) if alone else (),
        evidence=tuple(dict.fromkeys(evidence)),
        grade=slot.grade,
    )


def _out(topology: Topology, cards: list[_Card], accelerators: list[str]) -> tuple[Harm, ...]:
    """Compare the ways out through these cards with those through slots that are wide enough."""
    names = [each.id for each in accelerators_of(topology)]
    harms = harms_of_links(topology, _wide(topology, cards, accelerators), accelerators, names)
    return tuple(harm for harm in harms if harm.target == "remote")


def _wide(topology: Topology, cards: list[_Card], accelerators: list[str]) -> list[Link]:
    """Return the links on the ways to these cards as they would have to be for their ports, of no generation known."""
    need = max(card.need for card in cards)
    above = [name for card in cards for name in card.functions] + accelerators
    pairs = dict.fromkeys(pair for name in above for pair in pairwise(chain(topology, name)))
    links = [link for pair in pairs if (link := topology.link(*pair)) is not None]
    return [
        replace(link, line=need, generation=None)
        for link in links
        if link.medium is Medium.PCIE and not link.internal and link.line is not None and link.line < need
    ]


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
