"""What the same questions get as answers on two machines that have the same ends: before and after a change."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from toposcope.analysis.contention import contend
from toposcope.analysis.finding import Verdict
from toposcope.analysis.remote import host_routes
from toposcope.analysis.route import Transport
from toposcope.base import UsageError
from toposcope.model import Kind
from toposcope.model.placement import host_end

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toposcope.analysis.analysis import Analysis
    from toposcope.analysis.finding import Finding
    from toposcope.analysis.route import Route
    from toposcope.base import Bandwidth
    from toposcope.model import Topology

EQUAL_WITHIN = 0.005
"""Figures this close are the same answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The default route between two ends, and what a finding says that it carries less (None: nothing does).

    ``share`` is what it keeps when all accelerators send at once; only for the ways to a remote host and to memory.
    """

    route: Route
    harmed: Bandwidth | None = None
    share: Bandwidth | None = None

    @property
    def carried(self) -> Bandwidth | None:
        """What a user will see, one direction: as harmed, else typical, else at line rate.

        None where a part of unknown speed stands on the way.
        """
        if self.route.limit.at_most:
            return None
        usable = self.route.limit.usable
        figure = self.route.limit.line if usable is None else usable.typical
        if self.harmed is None or figure is None:
            return figure
        return min(self.harmed, figure)

    @property
    def told_in_practice(self) -> bool:
        """Whether ``carried`` is more than a line rate."""
        return self.route.limit.usable is not None or self.harmed is not None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with its answers before and after; None where an end is missing."""

    source: str
    target: str
    before: Answer | None
    after: Answer | None

    @property
    def ratio(self) -> float | None:
        """What a user will see after, over before; None where a figure is missing."""
        if self.before is None or self.after is None:
            return None
        if self.before.told_in_practice is self.after.told_in_practice:
            return _over(self.after.carried, self.before.carried)
        sure = not (self.before.route.limit.at_most or self.after.route.limit.at_most)
        return _over(self.after.route.limit.line, self.before.route.limit.line) if sure else None

    @property
    def share_ratio(self) -> float | None:
        """The same where all accelerators send out at once."""
        if self.before is None or self.after is None:
            return None
        return _over(self.after.share, self.before.share)

    @property
    def worst(self) -> float:
        """The greater loss of the two; 0 where the end is gone, and without figures what is neither loss nor gain."""
        if self.after is None:
            return 0.0
        known = [each for each in (self.ratio, self.share_ratio) if each is not None]
        losses = [each for each in known if each < 1]
        return min(losses) if losses else max(known, default=1.0)

    @property
    def in_practice(self) -> bool:
        """Tell whether a user will see it: a change by line rate alone is held back by something else."""
        ratios = [each for each in (self.ratio, self.share_ratio) if each is not None]
        if self.before is None or self.after is None or not ratios:
            return True
        other = self.before.route.transport is not self.after.route.transport
        return other or any(abs(each - 1) > EQUAL_WITHIN for each in ratios)


def outcomes(before: Analysis, after: Analysis, names: Mapping[str, str] = MappingProxyType({})) -> tuple[Outcome, ...]:
    """Return the questions that get another answer, the one that loses most first, the one that gains most last.

    ``names`` maps ids of the second machine to those of the same parts on the first.
    """
    old = answers(before)
    new = {(names.get(a, a), names.get(b, b)): answer for (a, b), answer in answers(after).items()}
    found = [Outcome(*ends, old.get(ends), new.get(ends)) for ends in dict.fromkeys((*old, *new))]
    changed = [each for each in found if not _alike(each.before, each.after)]
    return tuple(sorted(changed, key=lambda each: each.worst))


def answers(analysis: Analysis) -> dict[tuple[str, str], Answer]:
    """Return the default route of every pair, to every NIC, to a remote host and to the memory beside."""
    topology = analysis.topology
    harms = _harms(analysis)
    shares = {"remote": shares_of(topology, "rail"), "host": shares_of(topology, "d2h")}
    routes = [*_routes(analysis), *_host(topology)]
    return {
        (route.source, target): Answer(route, _harm(route, harms), shares.get(target, {}).get(route.source))
        for route, target in routes
    }


def _harm(route: Route, harms: Mapping[tuple[str, str], Bandwidth]) -> Bandwidth | None:
    """Return what findings say of a route; out to a remote host also what they say of the way to its NICs."""
    ends = [route.target, *(route.nics or () if route.transport is Transport.GPUDIRECT_RDMA else ())]
    return min((harm for end in ends if (harm := harms.get((route.source, end))) is not None), default=None)


def shares_of(topology: Topology, pattern: str) -> dict[str, Bandwidth]:
    """Return what each accelerator gets in practice where all send at once in a pattern; {} where none can."""
    try:
        contention = contend(topology, pattern)
    except UsageError:
        return {}
    figures = {
        share.flow.source: share.line if share.usable is None else share.usable.typical
        for share in contention.shares
        if not share.at_most
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def findings_apart(
    before: Analysis, after: Analysis, names: Mapping[str, str] = MappingProxyType({})
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the findings that are gone, and those that are new; ``names`` as for ``outcomes``."""
    old, new = (
        {_same(each, {}): each for each in before.findings},
        {_same(each, names): each for each in after.findings},
    )
    gone = tuple(each for key, each in old.items() if key not in new)
    return gone, tuple(each for key, each in new.items() if key not in old)


def _routes(analysis: Analysis) -> Iterator[tuple[Route, str]]:
    for pair in analysis.pairs:
        if pair.route is not None:
            yield pair.route, pair.target
    for remote in analysis.remote:
        if remote.route is not None:
            yield remote.route, "remote"


def _host(topology: Topology) -> Iterator[tuple[Route, str]]:
    for each in topology.components(Kind.ACCELERATOR):
        if topology.parent(each.id) is not None:
            yield next(host_routes(topology, each.id, host_end(topology, each.id))), "host"


def _harms(analysis: Analysis) -> dict[tuple[str, str], Bandwidth]:
    """Return what findings say that routes carry, the least of each."""
    least: dict[tuple[str, str], Bandwidth] = {}
    told = (each for each in analysis.findings if each.verdict is Verdict.FOUND)
    for harm in (harm for finding in told for harm in finding.harms):
        for ends in ((harm.source, harm.target), (harm.target, harm.source)):
            if harm.after is not None:
                least[ends] = min(harm.after, least.get(ends, harm.after))
    return least


def _alike(before: Answer | None, after: Answer | None) -> bool:
    if before is None or after is None:
        return before is after
    if before.route.transport is not after.route.transport:
        return False
    pairs = (
        (before.route.limit.line, after.route.limit.line),
        (before.carried, after.carried),
        (before.share, after.share),
    )
    return all(_equal(*pair) for pair in pairs)


def _over(one: Bandwidth | None, other: Bandwidth | None) -> float | None:
    return one / other if one is not None and other is not None and other.bytes_per_s else None


def _equal(one: Bandwidth | None, other: Bandwidth | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one.bytes_per_s - other.bytes_per_s) <= EQUAL_WITHIN * max(one.bytes_per_s, other.bytes_per_s)


def _same(finding: Finding, names: Mapping[str, str]) -> tuple[str, Verdict, frozenset[str]]:
    """Key a finding by what it speaks of; that something could not be told counts once a rule."""
    told = finding.verdict is Verdict.FOUND
    components = (names.get(each, each) for each in finding.components if told)
    return finding.rule, finding.verdict, frozenset(components)
