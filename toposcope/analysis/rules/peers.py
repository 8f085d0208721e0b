"""peer-refused: accelerators that may not copy to each other over PCIe, so that all goes through host memory."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.peer import refused
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import peer_answers
from toposcope.analysis.rules.harm import both_carried, default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import is_guest, listed, origins, recorded_accelerators, value_of
from toposcope.model import Grade, Reach
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.analysis.route import Route
    from toposcope.model import Fact, Topology

NAME = "peer-refused"
_WORDS = ("p2p.read", "p2p.write", "p2p.pcie")
_GRANTED = ("OK", "X", None)
_MEANING = {
    "CNS": "the chipset is not supported",
    "GNS": "the model does not support it",
    "TNS": "the topology is not supported",
    "NS": "not supported",
    "DR": "disabled by the driver's registry key",
}


def check(topology: Topology) -> Iterator[Finding]:
    """Yield one finding for all pairs that are refused by one cause and have no fabric to use instead."""
    names = [each.id for each in recorded_accelerators(topology)]
    near = neighbours(topology)
    causes: dict[str, list[tuple[Route, Route | None]]] = {}
    for a, b in combinations(names, 2):
        if refused(topology, a, b) is None:
            continue
        routes = peer_answers(topology, a, b, near)
        default = default_of(routes)
        if default is None or default.transport is not Transport.HOST_STAGED:
            continue
        direct = next((route for route in routes if route.transport is Transport.PCIE_P2P), None)
        causes.setdefault(_cause(topology, a, b), []).append((default, direct))
    for cause, pairs in causes.items():
        yield _found(topology, cause, pairs)
    yield from _alone(topology)


def _alone(topology: Topology) -> Iterator[Finding]:
    """Yield what ``topo -p2p`` alone shows: words of accelerators of which nothing else was recorded."""
    causes: dict[str, list[Fact]] = {}
    for fact in topology.facts():
        a, found, _ = fact.component.partition("|")
        if found and a not in topology and fact.name in _WORDS and fact.value not in _GRANTED:
            causes.setdefault(str(fact.value), []).append(fact)
    for cause, facts in causes.items():
        names = list(dict.fromkeys(name for fact in facts for name in fact.component.split("|")))
        yield Finding(
            NAME,
            Severity.INFO,
            f"no peer-to-peer between {listed(names)}: {_because(cause)}; unless a fabric joins them, copies go "
            "through host memory",
            remedy="nvidia-smi topo -m\nnvidia-smi -L\nnvidia-smi topo -p2p p",
            components=tuple(dict.fromkeys(fact.component for fact in facts)),
            evidence=origins(facts),
            grade=Grade.OBSERVED,
        )


def _word(topology: Topology, a: str, b: str) -> Fact | None:
    facts = (topology.fact(pair, name) for pair in (f"{a}|{b}", f"{b}|{a}") for name in _WORDS)
    return next((fact for fact in facts if fact is not None and fact.value not in _GRANTED), None)


def _because(cause: str) -> str:
    return f"topo -p2p prints {cause}" + (f" ({_MEANING[cause]})" if cause in _MEANING else "")


def _cause(topology: Topology, a: str, b: str) -> str:
    word = _word(topology, a, b)
    return str(word.value) if word is not None else ""


def _found(topology: Topology, cause: str, pairs: list[tuple[Route, Route | None]]) -> Finding:
    names = list(dict.fromkeys(end for route, _ in pairs for end in (route.source, route.target)))
    facts = [_word(topology, route.source, route.target) for route, _ in pairs]
    facts += [topology.fact(name, "peer_over_pcie") for name in names]
    able = all(value_of(topology, name, "peer_over_pcie") is True for name in names)
    models = listed(dict.fromkeys(topology.component(name).model or name for name in names))
    because = _because(cause) if cause else f"{models} does not do it by the driver that its maker ships"
    one_switch = [
        f"{route.source}-{route.target}"
        for route, _ in pairs
        if (apart := reach(topology, route.source, route.target)) is not None and apart <= Reach.SWITCHES
    ]
    worst = f"; pairs below one switch ({listed(one_switch)}) pass its uplink twice" if one_switch else ""
    return Finding(
        NAME,
        Severity.WARNING if cause and able and not is_guest(topology) else Severity.INFO,
        f"no peer-to-peer over PCIe between {listed(names)}: {because}; copies go through host memory{worst}",
        remedy=(
            "nvidia-smi topo -p2p r\nnvidia-smi topo -p2p p\n"
            "# no setting makes a model able that its maker did not; where it is able: IOMMU, BIOS and driver version, "
            "and place pairs that talk under different switches"
        ),
        components=tuple(names),
        harms=tuple(_harm(default, direct) for default, direct in pairs),
        evidence=origins(facts),
        grade=Grade.OBSERVED if cause else Grade.DERIVED,
    )


def _harm(default: Route, direct: Route | None) -> Harm:
    if direct is None:
        return Harm(default.source, default.target, None, default.limit.line)
    before, after = both_carried(direct, default)
    return Harm(default.source, default.target, before, after)


RULE = Rule(
    NAME,
    "Accelerators may not copy to each other over PCIe",
    check,
    reasoning=(
        "Consumer cards (GeForce, most RTX) have peer-to-peer switched off by the driver, and some chipsets or "
        "topologies refuse it (CNS, TNS). Data is then staged in host memory: up from one card and down to the other. "
        "Two cards below one switch are the worst pair, since both halves pass one uplink."
    ),
    remedy="Know the limit; put pairs that talk much under different switches or root ports; or choose cards with P2P.",
    sources=("NVIDIA/nccl#1086", "NVIDIA/nccl#1309", "NVIDIA/nvbandwidth#45"),
)
