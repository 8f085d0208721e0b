"""Measurements held against predictions: which are normal, and where the slow ones point to.

A measurement is *slow* where it is clearly below what its route should give, *above* where it is more than the line
carries, *normal* else. Too small a message, copies that ran together, and routes without a figure are not judged.
The suspect is what all slow routes pass and no healthy one; where no single one is, the fewest that explain them all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING

from toposcope.analysis.collective import ALL_REDUCE, expected_collective
from toposcope.analysis.expected import BOTH, Expected, expected_copy, expected_transfer
from toposcope.analysis.far_memory import far_memory
from toposcope.analysis.finding import Finding, Severity, Verdict
from toposcope.analysis.rules import RULES
from toposcope.analysis.segment import reverse
from toposcope.analysis.suspects import Passage, Suspect, suspects
from toposcope.base import Bandwidth, UsageError
from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toposcope.base import Problem
    from toposcope.model import Measurement, Topology

LEAST_SIZE = {"memcpy": 16 << 20, "rdma": 32 << 10, "busbw": 256 << 20, "algbw": 256 << 20, "sendrecv": 64 << 20}
"""Bytes below which a test measures its start more than the link. Published: NVLink 3 all-reduce reaches 87 % of its
best at 1 GiB; copies of 16 MiB their best on HCCS and PCIe; 64 KiB saturate a 400G port."""

START_S = 0.002
"""Seconds that no start of a test takes: published latencies of small messages are 10 us to 1 ms, over hosts too."""

_UNITS = (("GiB", 30), ("MiB", 20), ("KiB", 10))

NO_FIGURE = "nothing tells what a part of the way carries; the accelerators' model may, or --profile"
_ENOUGH = 3

SLOW_BELOW, OF_LOWEST = 0.85, 0.9
"""Slow: below this share of the typical figure, and of the lowest that was published for the class."""

ABOVE_LINE = 1.03
_BUS = {ALL_REDUCE: 2.0, "all_gather": 1.0, "reduce_scatter": 1.0, "alltoall": 1.0}
"""Bus over algorithm bandwidth of n ranks, in units of (n-1)/n, as nccl-tests defines them (PERFORMANCE.md)."""


def size_words(size: int) -> str:
    """Write a size in bytes with a binary unit: ``256 MiB``."""
    unit, shift = next(((unit, shift) for unit, shift in _UNITS if size >= 1 << shift), ("B", 0))
    return f"{size / (1 << shift):.3g} {unit}"


class Health(StrEnum):
    """How a measurement stands to its prediction."""

    NORMAL = "normal"
    SLOW = "slow"
    ABOVE = "above"
    UNJUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Judged:
    """One measurement beside its prediction. ``value`` is in the convention of the prediction (bus bandwidth)."""

    measurement: Measurement
    value: Bandwidth
    expected: Expected | None
    share: float | None
    health: Health
    why: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """All measurements of a machine, the suspects where some are slow, and what of the measurements was not read.

    ``reasons`` are the faults found on this machine that harm a slow route or sit in a suspect. ``elsewhere`` counts
    the measurements of components that this machine has not.
    """

    judged: tuple[Judged, ...]
    suspects: tuple[Suspect, ...]
    problems: tuple[Problem, ...] = ()
    reasons: tuple[Finding, ...] = ()
    elsewhere: int = 0

    @property
    def health(self) -> Health:
        """Slow where one is; not judged where nothing could be."""
        found = [each.health for each in self.judged]
        if Health.SLOW in found:
            return Health.SLOW
        return Health.NORMAL if Health.NORMAL in found else Health.ABOVE if Health.ABOVE in found else Health.UNJUDGED


def check(topology: Topology, measurements: Sequence[Measurement] | None = None) -> Check:
    """Hold measurements (by default those that the topology carries) against what their routes should give.

    Of a series over message sizes the greatest size counts.
    """
    taken = _greatest(topology.measurements if measurements is None else measurements)
    cache = _Expectations(topology)
    judged = tuple(_beside_their_kind([_judge(each, cache) for each in taken]))
    slow, well = (_passages(judged, health) for health in (Health.SLOW, Health.NORMAL))
    slowly = [each.measurement for each in judged if each.health is Health.SLOW]
    blamed = tuple(far_memory(topology, slowly))
    if not any(each.explains == len(slow) for each in blamed):
        blamed += suspects(topology, slow, well)
    return Check(judged, blamed, reasons=_reasons(topology, judged, blamed) if slowly else ())


def _passages(judged: Iterable[Judged], health: Health) -> list[Passage]:
    """Return what the measurements between two ends passed, as their data went; a collective tells no part from others.

    What a way cannot carry tells nothing of it: the test was of something else.
    """
    found = []
    for each in judged:
        one = each.measurement
        if each.health is health and each.expected is not None and one.source is not None:
            segments = each.expected.segments
            way = tuple(reverse(segments)) if one.source.startswith("host") and one.metric != "rdma" else segments
            found.append(Passage(way, BOTH in one.words))
    return found


def _reasons(topology: Topology, judged: Sequence[Judged], blamed: Sequence[Suspect]) -> tuple[Finding, ...]:
    """Find the faults that explain slow measurements: on their routes, or in the parts under suspicion."""
    ways = {(one.source, one.target) for each in judged if each.health is Health.SLOW for one in [each.measurement]}
    ways |= {(target, source) for source, target in ways}
    parts = {end for each in blamed for part in each.segments for end in (part.source, part.target)}
    found = (finding for rule in RULES for finding in rule.check(topology))
    return tuple(
        finding
        for finding in found
        if finding.verdict is Verdict.FOUND
        and finding.severity >= Severity.WARNING
        and (parts & set(finding.components) or any((harm.source, harm.target) in ways for harm in finding.harms))
    )


def _greatest(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Keep the greatest size of every series: the same test between the same ends in the same manner.

    A test that ran twice has it twice.
    """
    best: dict[object, list[Measurement]] = {}
    key: object
    for each in measurements:
        ends = (each.source, each.target, each.nic, each.members, each.ranks, each.hosts)
        key = (each.tool, each.origin.file, each.metric, ends, each.test, each.words, each.collective, each.peer_access)
        key = key if each.size is not None else (key, each.origin, each.value)
        known = best.setdefault(key, [each])
        if (each.size or 0) > (known[0].size or 0):
            best[key] = [each]
        elif each is not known[0] and each.size == known[0].size:
            known.append(each)
    return [each for series in best.values() for each in series]


@dataclass(slots=True)
class _Expectations:
    """Predictions, made once for all measurements that ask the same."""

    topology: Topology
    made: dict[object, Expected | str] = field(default_factory=dict)

    def of(self, each: Measurement) -> Expected | str:
        """Return the prediction, or why there is none."""
        key: object = (each.metric, each.source, each.target, each.words, each.nic, each.peer_access)
        if each.source is None and each.target is None:
            key = (each.collective, each.members, each.ranks, each.hosts)
        if key not in self.made:
            try:
                self.made[key] = _expected(self.topology, each)
            except UsageError as error:
                self.made[key] = str(error)
        return self.made[key]


def _judge(each: Measurement, expectations: _Expectations) -> Judged:
    value, taken, note = _comparable(each, expectations.topology)
    reason = _out_of_question(each)
    if reason is not None or taken is None:
        return Judged(each, value, None, None, Health.UNJUDGED, reason or note or "")
    judged = _against(taken, value, expectations.of(taken), expectations)
    shown = replace(judged.measurement, ranks=each.ranks)  # as printed: those that were taken are in the note
    return replace(judged, measurement=shown, why=judged.why or note or "")


def _out_of_question(each: Measurement) -> str | None:
    """Say why a measurement tells nothing of one route, None where it does."""
    if "cpu" in each.words:
        return "copied by the cores of the CPU, which are the limit"
    return f"{each.flows} copies ran together" if (each.flows or 1) > 1 else None


def _against(each: Measurement, value: Bandwidth, expected: Expected | str, expectations: _Expectations) -> Judged:
    if isinstance(expected, str):
        return Judged(each, value, None, None, Health.UNJUDGED, expected)
    if "either" in each.words and _too_much(value, expected):
        # One direction cannot carry this: the figure counts both.
        both = replace(each, words=(BOTH, *(word for word in each.words if word != "either")))
        return _against(both, value, expectations.of(both), expectations)
    if expected.usable is None or expected.line is None or expected.at_most:
        return Judged(each, value, expected, None, Health.UNJUDGED, NO_FIGURE)
    share = value / expected.usable.typical
    return Judged(each, value, expected, share, *_health(each, value, expected, share))


def _beside_their_kind(judged: list[Judged]) -> Iterator[Judged]:
    """Judge by the others what no figure is known for: alike routes, measured alike, ought to give alike."""
    kinds: dict[object, list[Judged]] = {}
    for each in judged:
        if each.why == NO_FIGURE and each.expected is not None:
            kinds.setdefault(_kind(each), []).append(each)
    for each in judged:
        alike = kinds.get(_kind(each), []) if each.why == NO_FIGURE and each.expected is not None else []
        if len(alike) < _ENOUGH:
            yield each
            continue
        share = each.value.bytes_per_s / median(other.value.bytes_per_s for other in alike)
        health = Health.SLOW if share < SLOW_BELOW * OF_LOWEST else Health.NORMAL
        yield replace(each, share=share, health=health, why=f"beside the {len(alike)} of its kind")


def _kind(each: Judged) -> object:
    way = () if each.expected is None else tuple((part.medium, part.reach) for part in each.expected.segments)
    one = each.measurement
    return (one.tool, one.test, one.metric, one.words, one.peer_access, frozenset((way, way[::-1])))


def _health(each: Measurement, value: Bandwidth, expected: Expected, share: float) -> tuple[Health, str]:
    usable = expected.usable
    if share < SLOW_BELOW and usable is not None and value < usable.low * OF_LOWEST:
        least = LEAST_SIZE.get(each.metric, 0)
        if each.size is not None and each.size < least and not _outlasts_a_start(each.size, value, usable.typical):
            return Health.UNJUDGED, f"too small to judge, {size_words(least)} and more fill this way"
        return Health.SLOW, ""
    if _too_much(value, expected):
        return Health.ABOVE, "more than this way carries: the wiring or the test is not as the recording says"
    return Health.NORMAL, ""


def _outlasts_a_start(size: int, value: Bandwidth, typical: Bandwidth) -> bool:
    """Tell a small message that took longer than it should by more than any test takes to start."""
    if not value.bytes_per_s:
        return True
    return size / value.bytes_per_s - size / typical.bytes_per_s > START_S


def _too_much(value: Bandwidth, expected: Expected) -> bool:
    """Tell a figure that is more than the line carries, and more than was ever published where that counts higher."""
    if expected.line is None or expected.usable is None:
        return False
    return value > max(expected.line, expected.usable.high) * ABOVE_LINE


def _comparable(each: Measurement, topology: Topology) -> tuple[Bandwidth, Measurement | None, str | None]:
    """Return what to compare: a bus bandwidth where only the algorithm bandwidth was printed.

    With it the measurement as it is taken, and a note on that. None for the measurement where it cannot be compared.
    """
    if each.metric != "algbw" or each.collective in ("broadcast", "reduce", "sendrecv"):
        return each.value, each, None
    factor = _BUS.get(each.collective or "")
    every = sum("/" not in one.id for one in topology.components(Kind.ACCELERATOR))
    ranks = each.ranks or len(each.members) or every
    if factor is None or not ranks:
        return each.value, None, "algorithm bandwidth of a collective that the output does not tell"
    value = each.value * (factor * (ranks - 1) / ranks)
    if each.ranks or each.members:
        return value, each, None
    return value, replace(each, ranks=ranks), f"if all {ranks} took part"


def _expected(topology: Topology, each: Measurement) -> Expected | str:
    if each.source is None or each.target is None:
        return _collective(topology, each)
    if each.metric == "rdma":
        return _transfer(topology, each)
    ends = (each.source, each.target)
    if ends[0].startswith("host"):
        ends = (ends[1], ends[0])
    if ends[0].startswith("host"):
        return "a copy inside host memory"
    if ends[0] == ends[1]:
        return "a copy inside one accelerator"
    found = expected_copy(
        topology, *ends, each.words, peer_access=True if each.peer_access is None else each.peer_access
    )
    return found if found is not None else "no way between the two is known"


def _transfer(topology: Topology, each: Measurement) -> Expected | str:
    nics = [nic.id for nic in topology.components(Kind.NIC)]
    nic = each.nic or (nics[0] if len(nics) == 1 else None)
    if nic is None:
        return "the output does not tell which NIC"
    accelerator = None if each.source is None or each.source.startswith("host") else each.source
    found = expected_transfer(topology, nic, accelerator, each.words)
    return found if found is not None else "no port of this NIC is known"


def _collective(topology: Topology, each: Measurement) -> Expected | str:
    everyone = [one.id for one in topology.components(Kind.ACCELERATOR) if "/" not in one.id]
    hosts = each.hosts or 1
    per_host = (each.ranks or 0) // hosts
    members = list(each.members) or (everyone if per_host in (0, len(everyone)) else [])
    if not members:
        return f"the output does not tell which {per_host} accelerators took part"
    if each.collective is None:
        return "the output does not tell which collective"
    found = expected_collective(topology, members, each.collective, hosts=hosts)
    return found if found is not None else NO_FIGURE
