"""Two machines, or one at two times: what changed on it, and what the same questions get as answers on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.analysis.changes import Difference, changes, parts, renamed, same_kind
from toposcope.analysis.contention import contend
from toposcope.analysis.outcome import Outcome, answers, findings_apart, outcomes
from toposcope.base import UsageError
from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.analysis.analysis import Analysis
    from toposcope.analysis.contention import Contention
    from toposcope.analysis.finding import Finding
    from toposcope.base import Bandwidth
    from toposcope.model import Topology, Usable

__all__ = ["Comparison", "Difference", "Kindred", "Question", "compare"]


@dataclass(frozen=True, slots=True)
class Kindred:
    """``count`` answers that are equal: how data goes, at line rate and in practice, one direction."""

    transport: str
    line: Bandwidth | None
    usable: Usable | None
    count: int

    @property
    def carried(self) -> Bandwidth | None:
        """What a user will see: typical, else at line rate."""
        return self.line if self.usable is None else self.usable.typical


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the answers of both machines, equal ones together, the slowest first."""

    what: str
    a: tuple[Kindred, ...]
    b: tuple[Kindred, ...]

    @property
    def line_ratio(self) -> float | None:
        """The slowest answer of a over that of b, at line rate."""
        return _over(self.a[0].line, self.b[0].line) if self.a and self.b else None

    @property
    def ratio(self) -> float | None:
        """The slowest answer of a over that of b, in practice."""
        return _over(self.a[0].carried, self.b[0].carried) if self.a and self.b else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs. ``changes`` and ``routes`` are only given where both are one machine, or built alike.

    ``routes`` are the questions between the same ends that get another answer, the greatest loss first; ``gone`` and
    ``new`` the findings of only one of the two.
    """

    alike: bool
    changes: tuple[Difference, ...]
    parts: tuple[Difference, ...]
    questions: tuple[Question, ...]
    routes: tuple[Outcome, ...] = ()
    gone: tuple[Finding, ...] = ()
    new: tuple[Finding, ...] = ()

    @property
    def equal(self) -> bool:
        """Tell whether nothing differs."""
        differing = any(each.a != each.b for each in self.questions)
        return not (self.changes or self.parts or self.routes or self.gone or self.new or differing)


def compare(a: Analysis, b: Analysis) -> Comparison:
    """Compare two machines by the same questions; of one machine at two times, also say what changed on it."""
    alike = same_kind(a.topology, b.topology)
    ours, theirs = _questions(a), _questions(b)
    questions = tuple(Question(what, ours[what], theirs[what]) for what in ours if ours[what] or theirs[what])
    if not alike:
        return Comparison(alike, (), parts(a, b), questions)
    names = renamed(a.topology, b.topology)
    found = changes(a.topology, b.topology)
    return Comparison(alike, found, parts(a, b), questions, outcomes(a, b, names), *findings_apart(a, b, names))


def _questions(analysis: Analysis) -> dict[str, tuple[Kindred, ...]]:
    topology = analysis.topology
    own = {(name, near.own) for name, near in analysis.neighbours.items()}
    found = answers(analysis)
    peers = [answer for (_, end), answer in found.items() if _is(topology, end, Kind.ACCELERATOR)]
    nics = [answer for ends, answer in found.items() if ends in own]
    outs = [answer for (_, end), answer in found.items() if end == "remote"]
    host = [answer for (_, end), answer in found.items() if end == "host"]
    table = {"accelerator to accelerator": peers, "accelerator to its NIC": nics, "accelerator to a remote one": outs}
    table["accelerator to host memory"] = host
    singles = {
        what: _kindred((each.route.transport.value, each.route.limit.line, each.route.limit.usable) for each in routes)
        for what, routes in table.items()
    }
    return {
        "accelerator to accelerator": singles["accelerator to accelerator"],
        "all-reduce, bus bandwidth": _bus(_contention(topology, "ring")),
        "all-to-all, bus bandwidth": _bus(_contention(topology, "all-to-all")),
        "accelerator to its NIC": singles["accelerator to its NIC"],
        "accelerator to a remote one": singles["accelerator to a remote one"],
        "to a remote one, all at once": _shares(_contention(topology, "rail")),
        "accelerator to host memory": singles["accelerator to host memory"],
        "to host memory, all at once": _shares(_contention(topology, "d2h")),
    }


def _contention(topology: Topology, pattern: str) -> Contention | None:
    try:
        return contend(topology, pattern)
    except UsageError:
        return None


def _shares(contention: Contention | None) -> tuple[Kindred, ...]:
    shares = () if contention is None else contention.shares
    return _kindred((share.flow.transport.value, share.line, share.usable) for share in shares)


def _bus(contention: Contention | None) -> tuple[Kindred, ...]:
    if contention is None or contention.bus is None:
        return ()
    ways = dict.fromkeys(share.flow.transport.value for share in contention.shares)
    return (Kindred(", ".join(ways), contention.bus.line, contention.bus.usable, 1),)


def _kindred(figures: Iterable[tuple[str, Bandwidth | None, Usable | None]]) -> tuple[Kindred, ...]:
    groups: dict[tuple[str, str, str], Kindred] = {}
    for transport, line, usable in figures:
        key = (transport, str(line), "" if usable is None else str(usable.typical))
        count = groups[key].count if key in groups else 0
        groups[key] = Kindred(transport, line, usable, count + 1)
    known = [each for each in groups.values() if each.carried is not None]
    slowest = sorted(known, key=lambda each: each.carried.bytes_per_s if each.carried is not None else 0)
    return (*slowest, *(each for each in groups.values() if each.carried is None))


def _is(topology: Topology, name: str, kind: Kind) -> bool:
    return name in topology and topology.component(name).kind is kind


def _over(one: Bandwidth | None, other: Bandwidth | None) -> float | None:
    return one / other if one is not None and other is not None and other.bytes_per_s else None
