"""The whole analysis of one host: every pair, every way out, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.default import faster
from toposcope.analysis.nics import Neighbours, neighbours
from toposcope.analysis.remote import nic_routes
from toposcope.analysis.routes import nic_answers, peer_answers, remote_answers
from toposcope.analysis.rules import RULES
from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.analysis.finding import Finding
    from toposcope.analysis.route import Route
    from toposcope.analysis.rules import Rule
    from toposcope.model import Topology


@dataclass(frozen=True, slots=True)
class Pair:
    """Two components, the word a tool printed for them, the default route, and a faster permitted one if there is."""

    source: str
    target: str
    relation: str | None
    route: Route | None
    best: Route | None


@dataclass(frozen=True, slots=True)
class Remote:
    """The way of one accelerator to an identical host. ``shared_with`` are the accelerators that use the same NIC."""

    source: str
    relation: str | None
    route: Route | None
    best: Route | None
    shared_with: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The answers about one topology, in the machine's order."""

    topology: Topology
    neighbours: dict[str, Neighbours]
    pairs: tuple[Pair, ...]
    remote: tuple[Remote, ...]
    findings: tuple[Finding, ...]


def analyze(topology: Topology, rules: Sequence[Rule] = RULES) -> Analysis:
    """Answer every question about a topology at once.

    Each pair of accelerators, and of accelerator and NIC, comes once, in printed order; bandwidths are of one
    direction. ``rules`` are those whose findings are wanted.
    """
    near = neighbours(topology)
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR)]
    nics = [each.id for each in topology.components(Kind.NIC)]
    pairs = [
        *(_pair(topology, a, b, peer_answers(topology, a, b, near)) for a, b in combinations(accelerators, 2)),
        *(_to_nic(topology, a, nic) for a in accelerators for nic in nics),
    ]
    remote = [_remote(topology, each, near) for each in accelerators]
    findings = [finding for rule in rules for finding in rule.check(topology)]
    return Analysis(topology, near, tuple(pairs), tuple(each for each in remote if each.route), tuple(findings))


def relation_word(topology: Topology, a: str, b: str) -> str | None:
    """Return the word printed for a pair, the matrix before ``topo -mp``."""
    return next((relation.word for relation in topology.relations(a, b)), None)


def default_of(routes: Iterable[Route]) -> Route | None:
    """Return the route that is marked as the default."""
    return next((route for route in routes if route.default), None)


def _pair(topology: Topology, a: str, b: str, routes: tuple[Route, ...]) -> Pair:
    default = default_of(routes)
    return Pair(a, b, relation_word(topology, a, b), default, faster(routes, default))


def _to_nic(topology: Topology, accelerator: str, nic: str) -> Pair:
    """Answer for an accelerator and a NIC: peer-to-peer where it is permitted, which nothing beats; else all ways."""
    direct = next(nic_routes(topology, accelerator, nic))
    if not direct.permitted:
        return _pair(topology, accelerator, nic, nic_answers(topology, accelerator, nic))
    return Pair(accelerator, nic, relation_word(topology, accelerator, nic), replace(direct, default=True), None)


def _remote(topology: Topology, accelerator: str, near: dict[str, Neighbours]) -> Remote:
    routes = remote_answers(topology, accelerator, near)
    default = default_of(routes)
    own = near[accelerator].own
    shared = tuple(name for name, each in near.items() if name != accelerator and own is not None and each.own == own)
    inside = default is not None and default.nics is None
    word = None if own is None or inside else relation_word(topology, accelerator, own)
    return Remote(accelerator, word, default, faster(routes, default), () if inside else shared)
