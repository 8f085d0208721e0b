"""link-narrow and link-slow: a PCIe link on the way of an accelerator or its NIC trained below what both ends can.

A width below what both ends can is a fault at any time. A rate is so only under load: an idle accelerator lowers it,
and its link then counts with what it can. Links with a made-up rate (virtual bridges) take no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Severity
from toposcope.analysis.nics import rate_of
from toposcope.analysis.rules.harm import harms_of_links
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import (
    accelerators_of,
    address_of,
    could_not_tell,
    is_guest,
    listed,
    number_of,
    value_of,
)
from toposcope.analysis.rules.ways import Way, lines_of, ways_of, whole
from toposcope.model import Grade, Kind, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Link, Topology

NARROW, SLOW = "link-narrow", "link-slow"
_FEWEST_LANES = 8
"""Network functions with fewer lanes than that are management ports, unless their rate says otherwise."""

_MOSTLY_GONE = 4
"""A link with a quarter of its lanes or less is nearly no link."""


def check_width(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for each link that runs on fewer lanes than both of its ends have."""
    if is_guest(topology):
        return
    for way in ways_of(topology):
        link = way.link
        if link.line is None or not link.width or not link.max_width or link.width >= link.max_width:
            continue
        if _is_enough(topology, way):
            continue
        mostly = link.width * _MOSTLY_GONE <= link.max_width
        message = f"the link of {_ends(topology, link)} runs on {link.width} of {link.max_width} lanes"
        yield _found(topology, NARROW, way, message, Severity.CRITICAL if mostly else Severity.WARNING)


def check_rate(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for each link that trained low while it was used, and one for all that were idle."""
    if is_guest(topology):
        return
    unsure: list[Way] = []
    ways = ways_of(topology)
    for way in ways:
        link = way.link
        if link.state is State.IDLE:
            unsure.append(way)
        if link.state is not State.DEGRADED or not _is_slow(link) or _is_enough(topology, way):
            continue
        if _is_sure(topology, way) or _is_alone_in_it(topology, way, ways):
            message = f"the link of {_ends(topology, link)} runs at Gen{link.generation} of Gen{link.max_generation}"
            yield _found(topology, SLOW, way, message, Severity.WARNING)
        else:
            unsure.append(way)
    if unsure:
        yield _idle(topology, unsure)


def _is_slow(link: Link) -> bool:
    known = link.line is not None and link.generation is not None and link.max_generation is not None
    return known and (link.generation or 0) < (link.max_generation or 0) and link.width == link.max_width


def _is_enough(topology: Topology, way: Way) -> bool:
    """Tell a link that carries all that the port of the NIC below it can: nothing is lost."""
    if topology.component(way.link.source).kind is not Kind.NIC:
        return False
    rate = rate_of(topology, way.link.source)
    if rate is None or way.link.line is None:
        return (way.link.max_width or 0) < _FEWEST_LANES
    return rate <= way.link.line


def _is_sure(topology: Topology, way: Way) -> bool:
    """Tell a link whose port above is known too and that was seen at work where its device sleeps otherwise.

    Accelerators sleep, and with them the switch on the card of one.
    """
    if topology.component(way.link.target).pci is None:
        return False
    sleepers = [name for name in way.devices if topology.component(name).kind is Kind.ACCELERATOR]
    if len(way.devices) > 1 or not sleepers:
        return way.link.generation != 1 or not sleepers
    return any(_works(topology, name) for name in sleepers)


def _is_alone_in_it(topology: Topology, way: Way, ways: list[Way]) -> bool:
    """Tell an accelerator below its rate while another of its model runs at full rate: rest is then no reason."""
    own = topology.component(way.link.source)
    return own.kind is Kind.ACCELERATOR and any(
        topology.component(other.link.source).model == own.model
        and other.link.state is State.UP
        and other.link.generation == way.link.max_generation
        for other in ways
        if topology.component(other.link.source).kind is Kind.ACCELERATOR
    )


def _works(topology: Topology, accelerator: str) -> bool:
    busy = (number_of(topology, accelerator, "utilisation") or 0) > 0
    return busy or value_of(topology, accelerator, "performance_state") == "P0"


def _found(topology: Topology, rule: str, way: Way, message: str, severity: Severity) -> Finding:
    link = way.link
    mended = whole(topology, link) or link
    harms = harms_of_links(topology, [mended], way.accelerators, [each.id for each in accelerators_of(topology)])
    rates = (
        f": {link.line} GB/s one way instead of {mended.line}"
        if link.line is not None and mended.line is not None
        else ""
    )
    return Finding(
        rule,
        severity if link.grade > Grade.ASSUMED else Severity.INFO,
        message + rates,
        remedy=_remedy(topology, link),
        components=tuple(dict.fromkeys((link.source, *way.accelerators))),
        harms=harms,
        evidence=lines_of(topology, link),
        grade=link.grade,
    )


def _idle(topology: Topology, ways: list[Way]) -> Finding:
    names = list(dict.fromkeys(name for way in ways for name in way.devices))
    message = (
        f"the links of {listed(names)} were seen below their rate, as idle accelerators are, which is no fault; what "
        "they train to under load was not recorded"
    )
    remedy = (
        "# while a job runs:\nnvidia-smi --query-gpu=index,pstate,pcie.link.gen.current,pcie.link.gen.max --format=csv"
        if any(topology.component(name).id.startswith("GPU") for name in names)
        else "# while a job runs:\nsudo lspci -D -nn -vvv"
    )
    evidence = tuple(dict.fromkeys(line for way in ways for line in lines_of(topology, way.link)[:1]))
    return could_not_tell(SLOW, message, remedy, names, evidence)


def _ends(topology: Topology, link: Link) -> str:
    ends = [topology.component(name) for name in (link.source, link.target)]
    named = [f"{end.id} ({end.pci})" if end.pci is not None and end.pci != end.id else end.id for end in ends]
    return " under ".join(named) if ends[1].pci is not None else named[0]


def _remedy(topology: Topology, link: Link) -> str:
    ends = [name for name in (link.source, link.target) if topology.component(name).pci is not None]
    look = [f"sudo lspci -s {address_of(topology, name)} -vvv | grep -E 'LnkCap:|LnkSta:'" for name in ends]
    return "\n".join(
        [
            *(look or ["sudo lspci -D -nn -vvv"]),
            "sudo dmesg | grep -iE 'available PCIe bandwidth|AER'",
            "# seat card, riser and cable anew; check bifurcation and link speed of the slot in the BIOS",
        ]
    )


_SOURCES = (
    "PCI Express Base Specification: link width and speed negotiation",
    "NVIDIA/NVSentinel#890",
    "aikitoria NVIDIA-patcher#106",
    "facebookresearch gcm, check-pci",
)

NARROW_RULE = Rule(
    NARROW,
    "A PCIe link runs on fewer lanes than it has",
    check_width,
    reasoning=(
        "Both ends of the link can use more lanes than it trained to (LnkSta below LnkCap, or nvidia-smi's current "
        "below its maximum). Width does not follow the load, so this is a fault even on an idle machine: a card or "
        "riser that is not seated, a dirty contact, a bad lane, or bifurcation set wrongly. All traffic over the link "
        "shrinks with the lanes."
    ),
    remedy="Seat card, riser and cable anew, swap slots to see which part is bad, check bifurcation in the BIOS.",
    sources=_SOURCES,
)

SLOW_RULE = Rule(
    SLOW,
    "A PCIe link trained to a lower generation than both ends can",
    check_rate,
    reasoning=(
        "A link that runs at a lower rate than both of its ends offer carries half for each generation. Accelerators "
        "lower the rate when idle (2.5 GT/s at full width, P8), which is no fault: only what was seen at work counts."
    ),
    remedy=(
        "Look again under load. If the rate stays low: seat the card anew, set the slot to its full generation in the "
        "BIOS, update firmware of retimers and switches."
    ),
    sources=(*_SOURCES, "open-mpi/hwloc#653 (idle)", "Syllo/nvtop#6 (idle)"),
)
