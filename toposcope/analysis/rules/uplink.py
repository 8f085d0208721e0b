"""shared-uplink: accelerators below one switch whose NICs, or whose peers, are all reached over its one uplink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.limit import EQUAL_WITHIN
from toposcope.analysis.nics import neighbours, rate_of
from toposcope.analysis.routes import remote_answers
from toposcope.analysis.rules.harm import default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import accelerators_of, address_of, is_guest, listed
from toposcope.analysis.rules.ways import lines_of, ways_of
from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.rules.ways import Way
    from toposcope.analysis.segment import Segment
    from toposcope.model import Topology

NAME = "shared-uplink"


def check(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for each uplink that all ways out together ask more of than it has."""
    if is_guest(topology):
        return
    near = neighbours(topology)
    names = {each.id for each in accelerators_of(topology)}
    for way in ways_of(topology, near):
        if topology.component(way.link.source).kind is Kind.PCIE_SWITCH and way.link.line is not None:
            yield from _on(topology, way, [name for name in way.devices if name in names], near)


def _on(topology: Topology, way: Way, below: list[str], near: dict[str, Neighbours]) -> Iterator[Finding]:
    uplink = way.link
    outside = {name: own for name in below if (own := near[name].own) is not None and own not in way.devices}
    rates = [rate_of(topology, nic) for nic in dict.fromkeys(outside.values())]
    asked = sum(rate.bytes_per_s for rate in rates if rate is not None)
    several = len(outside) > 1
    if not several or uplink.line is None or asked <= uplink.line.bytes_per_s * (1 + EQUAL_WITHIN):
        return
    routes = [default_of(remote_answers(topology, name, near)) for name in outside]
    crossing = [route for route in routes if route is not None and _passes(route.segments, uplink.source)]
    if not crossing:
        return
    share = uplink.line * (1 / len(crossing))
    names = [route.source for route in crossing]
    yield Finding(
        NAME,
        Severity.INFO,
        f"{listed(names)} reach their NICs over the one uplink of {uplink.source} ({uplink.line} GB/s one way): "
        f"together they get {share} GB/s each",
        remedy=f"lspci -tv\n# place a NIC below {address_of(topology, uplink.source)}, or spread the accelerators",
        components=(uplink.source, *names),
        harms=tuple(Harm(route.source, route.target, route.limit.line, share) for route in crossing),
        evidence=lines_of(topology, uplink),
        grade=uplink.grade,
    )


def _passes(segments: Sequence[Segment], switch: str) -> bool:
    return any(switch in pair for segment in segments for pair in segment.links)


RULE = Rule(
    NAME,
    "Several accelerators share one uplink on their way out",
    check,
    reasoning=(
        "Accelerators behind one PCIe switch whose NICs are elsewhere all pass the switch's uplink. One flow alone "
        "sees no limit; together they divide the uplink. With a NIC below the same switch the uplink is not used."
    ),
    remedy="Put a NIC below the same switch, or spread accelerators over switches.",
    sources=("NVIDIA/nccl#439", "NVIDIA/nccl#1086"),
)
