"""acs-redirect: a PCIe switch sends what two devices below it say to each other up to the CPU and back.

A port acts on a request only where the way could turn: at the ports right below the place where the two ways meet.
Redirecting anywhere else, as on the way to a management port, harms nothing. ``SrcValid+`` and ``UpstreamFwd+`` alone
redirect nothing, and ``DirectTrans+`` lets translated requests pass. At root ports the way turns at the CPU anyhow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import nic_answers, peer_answers
from toposcope.analysis.rules.harm import default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import (
    address_of,
    could_not_tell,
    is_guest,
    listed,
    origins,
    recorded_accelerators,
    value_of,
)
from toposcope.model import FactStatus, Grade, Kind, Reach
from toposcope.model.placement import chain, meeting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.route import Route
    from toposcope.base import Bandwidth
    from toposcope.model import Topology

NAME = "acs-redirect"
REDIRECTED = "acs-redirect"
"""The efficiency class of what is redirected below one switch."""

_BITS = ("acs.request_redirect", "acs.completion_redirect")
_HANDED_TO_GUESTS = "vfio-pci"


@dataclass(slots=True)
class _Seen:
    """What the pairs of a machine showed: ports that redirect, with the routes they spoil, and ports not known."""

    near: dict[str, Neighbours]
    ports: dict[str, None] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)
    unknown: dict[str, None] = field(default_factory=dict)
    undecided: list[str] = field(default_factory=list)


def check(topology: Topology) -> Iterator[Finding]:
    """Look at the ports where the ways of peers, and of accelerators and their NICs, turn."""
    if is_guest(topology):
        return
    names = [each.id for each in recorded_accelerators(topology)]
    if not names:
        yield from _without_accelerator(topology)
        return
    seen = _Seen(neighbours(topology))
    for a, b in _pairs(names, seen.near):
        _look(topology, a, b, seen)
    if seen.ports:
        yield _found(topology, seen, names)
    elif seen.undecided:
        yield _open(seen)


def redirects(topology: Topology, port: str) -> bool | None:
    """Tell whether a port redirects, None where that is not known; a port without ACS does not."""
    facts = [topology.fact(port, name) for name in _BITS]
    if any(fact is not None and fact.value is True for fact in facts):
        return value_of(topology, port, "acs.direct_translated") is not True
    known = [fact for fact in facts if fact is not None and fact.status in (FactStatus.VALUE, FactStatus.ABSENT)]
    return False if known else None


def _pairs(names: list[str], near: Mapping[str, Neighbours]) -> Iterator[tuple[str, str]]:
    yield from combinations(names, 2)
    for name, own in near.items():
        if name in names:
            yield from ((name, nic) for nic in own.near)


def _look(topology: Topology, a: str, b: str, seen: _Seen) -> None:
    place = meeting(topology, a, b)
    if place.at is None or place.reach is None or place.reach > Reach.SWITCHES:
        return
    if topology.component(place.at).kind not in (Kind.PCIE_SWITCH, Kind.PCIE_BRIDGE):
        return  # functions of one card, slices of one accelerator
    ports = [way[-2] for way in (place.up, place.down) if len(way) > 1]
    answers = {port: redirects(topology, port) for port in ports}
    redirecting = [port for port, answer in answers.items() if answer]
    undecided = None in answers.values() and not redirecting
    if not redirecting and not undecided:
        return
    route = _direct(topology, a, b, seen.near)
    if route is None:
        return
    if redirecting:
        seen.routes.append(route)
        seen.ports.update(dict.fromkeys(redirecting))
    else:
        seen.undecided.append(f"{a} to {b}")
        seen.unknown.update(dict.fromkeys(port for port, answer in answers.items() if answer is None))


def _direct(topology: Topology, a: str, b: str, near: dict[str, Neighbours]) -> Route | None:
    """Return the default route of two devices if it is peer-to-peer over PCIe."""
    if topology.component(b).kind is Kind.NIC:
        route = default_of(nic_answers(topology, a, b))
    else:
        route = default_of(peer_answers(topology, a, b, near))
    return route if route is not None and route.transport is Transport.PCIE_P2P else None


def _found(topology: Topology, seen: _Seen, names: list[str]) -> Finding:
    ports = list(seen.ports)
    facts = [topology.fact(port, name) for port in ports for name in _BITS]
    handed = any(value_of(topology, name, "driver") == _HANDED_TO_GUESTS for name in names)
    switches = listed(address_of(topology, port) for port in ports)
    message = (
        f"ACS redirect is on at {switches}: data between devices below one switch goes up to the CPU and comes back "
        "over the same uplink, which leaves about half where both send"
    )
    return Finding(
        NAME,
        Severity.INFO if handed else Severity.WARNING,
        f"{message}; needed here, since accelerators are handed to virtual machines" if handed else message,
        remedy=_FOR_GUESTS if handed else _off(topology, ports),
        components=tuple(ports),
        harms=tuple(_harm(topology, route) for route in seen.routes),
        evidence=origins(fact for fact in facts if fact is not None and fact.value is True),
        grade=Grade.OBSERVED,
    )


def _off(topology: Topology, ports: list[str]) -> str:
    commands = [f"sudo setpci -s {address_of(topology, port)} ECAP_ACS+0x6.w=0000" for port in ports]
    return "\n".join([*commands, "# to be redone after each boot; for good: ACS Control off in the BIOS"])


def _harm(topology: Topology, route: Route) -> Harm:
    """Put what is redirected beside the direct way: both by the classes of the catalogue where it has them."""
    line = route.limit.line
    redirected = topology.figures.usable(line, REDIRECTED)
    usable: Bandwidth | None = route.limit.usable.typical if route.limit.usable is not None else None
    if redirected is None or usable is None:
        return Harm(route.source, route.target, line)
    return Harm(route.source, route.target, usable, min(redirected.typical, usable))


def _open(seen: _Seen) -> Finding:
    message = (
        f"whether ACS sends {listed(seen.undecided)} by way of the CPU is not known: the ACS bits of the switch ports "
        "between them were not read"
    )
    return could_not_tell(NAME, message, "sudo lspci -D -nn -vvv", tuple(seen.unknown))


def _without_accelerator(topology: Topology) -> Iterator[Finding]:
    """Say what the ports above the NICs do where accelerators were not recorded; no route can be named."""
    above = {name: None for nic in topology.components(Kind.NIC) for name in chain(topology, nic.id)[1:]}
    ports = [name for name in above if topology.component(name).pci is not None and redirects(topology, name)]
    if ports:
        message = (
            f"ACS redirect is on at {listed(address_of(topology, port) for port in ports)}; no accelerator was "
            "recorded, so whether it is on the way between two of them is not known"
        )
        found = origins(topology.fact(port, _BITS[0]) for port in ports)
        yield could_not_tell(NAME, message, "sudo lspci -D -nn -vvv", ports, found)


_FOR_GUESTS = (
    "sudo setpci -s ADDRESS ECAP_ACS+0x6.w=005d  # DirectTrans+ on the ports, with ATS on the NIC: "
    "mlxconfig -d ADDRESS set ATS_ENABLED=true"
)

RULE = Rule(
    NAME,
    "ACS sends peer-to-peer traffic by way of the CPU",
    check,
    reasoning=(
        "With P2P Request or Completion Redirect set at the downstream port of a switch, packets between two devices "
        "below that switch are sent up to the root complex for checking. They use the switch's uplink in both "
        "directions, so two-way traffic gets about half; with an IOMMU that translates, copies may fail or hang. "
        "Only the ports right below the place where two ways meet matter; SrcValid and UpstreamFwd redirect nothing, "
        "and DirectTrans exempts translated requests (virtual machines with ATS)."
    ),
    remedy=(
        "sudo setpci -s ADDRESS ECAP_ACS+0x6.w=0000 for each port named, after each boot; or ACS Control off in the "
        "BIOS. In a virtual machine ACS has to stay: switch on ATS instead."
    ),
    sources=(
        "NCCL documentation, troubleshooting: PCI Access Control Services",
        "NVIDIA/nccl#489",
        "NVIDIA/nccl-tests#112",
        "NVIDIA/nccl-tests#252",
        "NVIDIA/nccl#1086",
    ),
)
