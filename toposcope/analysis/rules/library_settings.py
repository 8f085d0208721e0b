"""transport-off, p2p-level-forced and p2p-short-reach: what the collective library was told, or does by default.

The first finds a variable that switches off a way that the machine has, or a log that shows none in use. The second
finds peer-to-peer forced across an Intel root complex, where host memory carries more; the third the opposite on AMD
hosts, where the library stages pairs that peer-to-peer would carry faster.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import peer_answers
from toposcope.analysis.rules.harm import both_carried, default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, listed, origins, recorded_accelerators, value_of
from toposcope.analysis.rules.traffic import is_on, rdma_nics, setting, text_of
from toposcope.model import SCALE_UP, Grade, Reach
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis.route import Route
    from toposcope.model import Fact, Topology

OFF, FORCED, SHORT = "transport-off", "p2p-level-forced", "p2p-short-reach"
_LEVELS = {
    "loc": None,
    "nvl": None,
    "pix": Reach.SAME_SWITCH,
    "pxb": Reach.SWITCHES,
    "phb": Reach.NUMA,
    "sys": Reach.SOCKET,
    "0": None,
    "1": Reach.SAME_SWITCH,
    "2": Reach.SWITCHES,
    "3": Reach.NUMA,
    "4": Reach.SOCKET,
    "5": Reach.SOCKET,
}
"""How far peer-to-peer goes by ``NCCL_P2P_LEVEL``; the library's PHB covers all of one NUMA node."""

_INTEL, _AMD = "GenuineIntel", "AuthenticAMD"
_FASTER = 1.05
_TRANSPORTS = {
    "NCCL_P2P_DISABLE": "peer-to-peer, NVLink too",
    "NCCL_SHM_DISABLE": "shared memory between accelerators of one host",
    "NCCL_IB_DISABLE": "InfiniBand and RoCE",
    "HCCL_INTER_HCCS_DISABLE": "HCCS between servers",
}


def check_off(topology: Topology) -> Iterator[Finding]:
    """Find what was switched off that the machine has."""
    names = [each.id for each in recorded_accelerators(topology)]
    for variable, what in _TRANSPORTS.items():
        fact = setting(topology, variable)
        if fact is None or not is_on(fact) or not _has(topology, variable, names):
            continue
        yield Finding(
            OFF,
            Severity.WARNING,
            f"{variable}={text_of(fact)} switches off {what}",
            remedy=f"unset {variable}",
            components=tuple(names) or ("host",),
            harms=tuple(_without_peers(topology, names)) if variable == "NCCL_P2P_DISABLE" else (),
            evidence=(fact.origin,),
            grade=Grade.OBSERVED,
        )
    yield from _sockets(topology, names)


def _has(topology: Topology, variable: str, names: Sequence[str]) -> bool:
    if variable == "NCCL_P2P_DISABLE":
        return any(_is_direct(route) for route in _defaults(topology, names))
    if variable == "NCCL_SHM_DISABLE":
        return any(route.transport is Transport.HOST_STAGED for route in _defaults(topology, names))
    if variable == "NCCL_IB_DISABLE":
        return bool(rdma_nics(topology))
    return any(said.word.startswith("HCCS") for said in topology.all_relations())


def _sockets(topology: Topology, names: Sequence[str]) -> Iterator[Finding]:
    """Find a job that went by TCP although RDMA devices are there, and no variable says so."""
    network, devices = topology.fact("host", "nccl.network"), topology.fact("host", "nccl.hcas")
    chosen = setting(topology, "NCCL_NET")
    off = setting(topology, "NCCL_IB_DISABLE")
    used = network is not None and str(network.value).lower() == "socket"
    told = chosen is not None and text_of(chosen).lower() == "socket"
    nics = rdma_nics(topology)
    if not (used or told) or not nics or is_on(off):
        return
    facts = [fact for fact in (network if used else None, chosen if told else None, devices) if fact is not None]
    yield Finding(
        OFF,
        Severity.WARNING,
        f"the library uses TCP sockets although {listed(nic.name or nic.id for nic in nics)} do RDMA",
        remedy=(
            "ibv_devinfo  # does the job see the devices? in a container: /dev/infiniband and a memlock limit of -1\n"
            "unset NCCL_NET NCCL_IB_DISABLE; NCCL_DEBUG=INFO JOB 2>&1 | grep -m 4 NET/"
        ),
        components=tuple(names) or tuple(nic.id for nic in nics),
        harms=tuple(Harm(name, "remote") for name in names),
        evidence=origins(facts),
        grade=Grade.OBSERVED,
    )


def _without_peers(topology: Topology, names: Sequence[str]) -> Iterator[Harm]:
    near = neighbours(topology)
    for a, b in combinations(names, 2):
        answers = peer_answers(topology, a, b, near)
        default = default_of(answers)
        staged = next((route for route in answers if route.transport is Transport.HOST_STAGED), None)
        if default is not None and _is_direct(default) and staged is not None:
            yield Harm(a, b, *both_carried(default, staged))


def _defaults(topology: Topology, names: Sequence[str]) -> Iterator[Route]:
    near = neighbours(topology)
    for a, b in combinations(names, 2):
        route = default_of(peer_answers(topology, a, b, near))
        if route is not None:
            yield route


def _is_direct(route: Route) -> bool:
    return route.transport is Transport.PCIE_P2P or route.segments[0].medium in SCALE_UP


def check_forced(topology: Topology) -> Iterator[Finding]:
    """Find peer-to-peer forced across an Intel root complex."""
    fact = setting(topology, "NCCL_P2P_LEVEL")
    level = None if fact is None else _LEVELS.get(text_of(fact).lower())
    if fact is None or level is None or level <= Reach.SWITCHES:
        return
    pairs = [(direct, staged) for direct, staged, distance in _over_cpu(topology) if distance <= level]
    if not pairs:
        return
    vendor = value_of(topology, "host", "cpu.vendor")
    names = list(dict.fromkeys(name for direct, _ in pairs for name in (direct.source, direct.target)))
    if vendor is None:
        message = f"NCCL_P2P_LEVEL={text_of(fact)} sends {listed(names)} through the CPU: good or bad by its vendor"
        yield could_not_tell(FORCED, message, "lscpu", names, (fact.origin,))
    elif vendor == _INTEL:
        faster = any(_is_faster(staged, direct) for direct, staged in pairs)
        message = f"NCCL_P2P_LEVEL={text_of(fact)} forces peer-to-peer through an Intel root complex"
        yield Finding(
            FORCED,
            Severity.WARNING if faster else Severity.INFO,
            message if faster else f"{message}; whether that is slower here than host memory a test of both would tell",
            remedy="unset NCCL_P2P_LEVEL  # the library then goes by host memory beyond PXB; compare all_reduce_perf",
            components=tuple(names),
            harms=tuple(_harm(staged, direct) for direct, staged in pairs),
            evidence=(fact.origin,),
            grade=Grade.DERIVED,
        )


def check_short(topology: Topology) -> Iterator[Finding]:
    """Find pairs on one AMD socket that the library stages though peer-to-peer is permitted and faster."""
    if value_of(topology, "host", "cpu.vendor") != _AMD:
        return
    fact = setting(topology, "NCCL_P2P_LEVEL")
    if fact is not None and (_LEVELS.get(text_of(fact).lower()) or Reach.SAME_SWITCH) > Reach.SWITCHES:
        return
    found: list[tuple[Route, Route]] = []
    logged: list[Fact] = []
    for direct, staged, distance in _over_cpu(topology):
        if distance not in (Reach.ROOT_COMPLEX, Reach.NUMA) or not staged.default or not _is_faster(direct, staged):
            continue
        found.append((staged, direct))
        said = _transport(topology, direct.source, direct.target)
        if said is not None and str(said.value).upper().startswith("SHM"):
            logged.append(said)
    if found:
        names = list(dict.fromkeys(name for staged, _ in found for name in (staged.source, staged.target)))
        yield Finding(
            SHORT,
            Severity.WARNING if logged else Severity.INFO,
            f"{listed(names)} are staged through host memory on one AMD socket; peer-to-peer would carry more",
            remedy="export NCCL_P2P_LEVEL=PHB  # compare both; wants ACS redirect off and the IOMMU off or iommu=pt",
            components=tuple(names),
            harms=tuple(_harm(direct, staged) for staged, direct in found),
            evidence=origins(logged) or origins([topology.fact("host", "cpu.vendor")]),
            grade=Grade.DERIVED,
        )


def _over_cpu(topology: Topology) -> Iterator[tuple[Route, Route, Reach]]:
    """Yield pairs without a fabric that peer-to-peer may join through the CPU: direct, staged, how far apart."""
    names = [each.id for each in recorded_accelerators(topology)]
    near = neighbours(topology)
    for a, b in combinations(names, 2):
        distance = reach(topology, a, b)
        if distance is None or distance <= Reach.SWITCHES:
            continue
        routes = peer_answers(topology, a, b, near)
        direct = next((route for route in routes if route.transport is Transport.PCIE_P2P), None)
        staged = next((route for route in routes if route.transport is Transport.HOST_STAGED), None)
        fabric = any(route.segments and route.segments[0].medium in SCALE_UP for route in routes)
        if direct is not None and direct.permitted and staged is not None and not fabric:
            yield direct, staged, distance


def _is_faster(one: Route, other: Route) -> bool:
    mine, its = both_carried(one, other)
    return mine is not None and its is not None and mine.bytes_per_s > its.bytes_per_s * _FASTER


def _harm(before: Route, after: Route) -> Harm:
    """Put figures only where the way without the fault is the faster one by them."""
    if not _is_faster(before, after):
        return Harm(after.source, after.target)
    return Harm(after.source, after.target, *both_carried(before, after))


def _transport(topology: Topology, a: str, b: str) -> Fact | None:
    return topology.fact(f"{a}|{b}", "nccl.transport") or topology.fact(f"{b}|{a}", "nccl.transport")


RULE_OFF = Rule(
    OFF,
    "A way that the machine has is switched off",
    check_off,
    reasoning=(
        "Variables set once to get around a fault stay in scripts and images. Without peer-to-peer all pairs go by "
        "host memory, without shared memory by the network, without RDMA by TCP."
    ),
    remedy="unset the variable; NCCL_DEBUG=INFO shows what is used then.",
    sources=("NCCL documentation: environment variables", "NVIDIA/nccl#1511", "Ascend HCCL documentation"),
)
RULE_FORCED = Rule(
    FORCED,
    "Peer-to-peer is forced through an Intel CPU",
    check_forced,
    reasoning=(
        "Intel root complexes pass peer-to-peer writes in small pieces: a copy through host memory is faster, and the "
        "library counts six fifths for the direct way. It therefore stages what is farther apart than PXB."
    ),
    remedy="unset NCCL_P2P_LEVEL.",
    sources=("NVIDIA/nccl#428", "NVIDIA/nccl#1305", "NCCL sources, graph/topo.h: INTEL_P2P_OVERHEAD"),
)
RULE_SHORT = Rule(
    SHORT,
    "Pairs on one AMD socket are staged",
    check_short,
    reasoning=(
        "AMD root complexes carry peer-to-peer well. The library stages what is farther apart than PXB on hosts with "
        "more than two accelerators, which has cost 24 to 42 %."
    ),
    remedy="export NCCL_P2P_LEVEL=PHB, where ACS redirect and a translating IOMMU are off.",
    sources=("NVIDIA/nccl#2080",),
)
