"""How well the program predicts published measurements, one machine left out at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from tests.prediction.fit import Sample, figures_of, fit, samples
from tests.prediction.questions import Question, question
from toposcope.analysis.route import Transport
from toposcope.model import NETWORKS, Medium, Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.prediction.records import Record
    from toposcope.analysis.expected import Expected


@dataclass(frozen=True)
class Score:
    """One record with its prediction. ``named`` is whether the limit is the stated one, None where none is stated."""

    record: Record
    predicted: float
    line: float
    constant: float | None
    limit: str
    named: bool | None

    @property
    def error(self) -> float:
        return abs(self.predicted - self.record.value) / self.record.value


@dataclass(frozen=True)
class Report:
    scores: list[Score]
    unmodelled: list[tuple[Record, str]]


def score(records: Sequence[Record], learned: Sequence[Record], *, beside: bool = True) -> Report:
    """Predict every record that is meant to be predicted, from the other machines of ``learned`` only.

    ``beside``: and from what ``evidence.toml`` holds of other machines.
    """
    asked = [(record, question(record)) for record in records if record.scored]
    made = (question(record) for record in learned if record.usable)
    known = samples([each for each in made if isinstance(each, Question)], beside=beside)
    scores: list[Score] = []
    unmodelled: list[tuple[Record, str]] = []
    by_machine = {record.machine: figures_of(fit(_without(known, record.machine))) for record, _ in asked}
    for record, made in asked:
        if isinstance(made, str):
            unmodelled.append((record, made))
            continue
        expected = made.ask(by_machine[record.machine])
        if expected is None or expected.usable is None or expected.line is None:
            unmodelled.append((record, "no figure for the way"))
            continue
        constant = nccl_figure(expected, ways=2 if record.both else 1)
        named = names_the_limit(record, expected)
        scores.append(
            Score(record, expected.usable.typical.gbs, expected.line.gbs, constant, limit_of(expected), named)
        )
    return Report(scores, unmodelled)


def _without(known: Sequence[Sample], machine: str) -> list[Sample]:
    return [sample for sample in known if sample.machine != machine]


# NCCL's constants (corpus NCCL_MODEL.md, section 2), GB/s one direction: one NVLink by generation, PCIe x16, sockets.
_NVLINK = {1: 18.0, 2: 20.0, 3: 20.0, 4: 20.6, 5: 40.1}
_PCIE = {1: 3.0, 2: 6.0, 3: 12.0, 4: 24.0, 5: 48.0, 6: 96.0}
_XGMI = {2: 24.0, 3: 36.0, 4: 48.0, 5: 48.0}
_SOCKETS = 16.0


def nccl_figure(expected: Expected, *, ways: int) -> float | None:
    """What NCCL plans with for the same way: the least of its constants, GB/s, None where it has none."""
    found = [figure for each in expected.segments if (figure := _constant(each)) is not None]
    generation = re.match(r"collective-pcie(\d)", " ".join(expected.classes))
    if generation:  # a ring over PCIe: its link, or the sockets where it crosses them
        return min([_PCIE[int(generation[1])], *found])
    if expected.transport is None:  # all links of an accelerator, all rails of a host
        whole = len(found) == len(expected.segments) and found
        return sum(found) if whole else expected.line.gbs if expected.line is not None else None
    return min(found) * ways if found else None


def _constant(segment) -> float | None:
    if segment.reach is Reach.SOCKET:
        return _SOCKETS
    if segment.is_crossing or segment.line is None:
        return None
    table = {Medium.NVLINK: _NVLINK, Medium.XGMI: _XGMI}.get(segment.medium)
    if table is not None:
        return table.get(segment.generation or 0, 20.0) * (segment.count or 1)
    if segment.medium is Medium.PCIE:
        return _PCIE.get(segment.generation or 0, 12.0) * (segment.width or 16) / 16
    return segment.line.gbs


_STATED = {
    "staged": r"stag|SHM|P2P (?:disabled|not available|off)|no P2P|host memory leg",
    "uplink": r"uplink|upstream port",
    "pcie": r"uplink|upstream|\bPCIe\b|slot|x8\b|x4\b|Gen\d|GPU link|downstream port",
    "socket": r"xGMI|socket|QPI|UPI|X-bus|CPU crossing|groups",
    "root-complex": r"root complex|NIC attached to the CPU|CPU crossing",
    "network": r"link rate|rails?\b|network|RoCE|\bport\b|\bNIC\b(?! attached)",
    "nvlink": r"NVLink|128 B payload|SM (?:copies|copy|transfers|payload)|NVLS|in-switch",
    "xgmi": r"xGMI|mesh|CRC",
    "hccs": r"HCCS",
}


def stated_limits(record: Record) -> set[str]:
    """The kinds of limit that the words of a record name."""
    return {kind for kind, words in _STATED.items() if re.search(words, record.bottleneck)}


def limit_of(expected: Expected) -> str:
    """The kind of limit that the program names."""
    if expected.transport == Transport.HOST_STAGED:
        return "staged"
    first = expected.limits[0]
    if first.is_crossing:
        return "socket" if first.reach is Reach.SOCKET else "root-complex"
    return "network" if first.medium in NETWORKS else str(first.medium)


def limits_named(expected: Expected) -> set[str]:
    """All kinds of limit that the program names: what holds back in practice; of a staged copy, what it waits for."""
    found = {limit_of(expected)}
    if expected.transport is Transport.HOST_STAGED:
        if "staged-same-switch" in {name for each in expected.segments for name in each.classes}:
            found.add("uplink")
        lines = [each.line for each in expected.segments if each.line is not None]
        if lines and min(lines) < max(lines):
            least = min(lines)
            found |= {str(each.medium) for each in expected.segments if each.line == least}
    return found


def names_the_limit(record: Record, expected: Expected) -> bool | None:
    """Whether the program names the limit that the record states; None where it states none that could be named."""
    stated = stated_limits(record)
    if "bottleneck" not in record.use or not stated:
        return None
    return bool(limits_named(expected) & stated)


def percentile(errors: Sequence[float], share: float) -> float:
    """The error that this share of the records stays below."""
    ordered = sorted(errors)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


BASELINES: dict[str, Callable[[Score], float | None]] = {
    "theory": lambda each: each.line,
    "theory x 0.8": lambda each: 0.8 * each.line,
    "NCCL": lambda each: each.constant,
}


def baseline_errors(scores: Sequence[Score], name: str) -> list[float]:
    found = ((BASELINES[name](each), each.record.value) for each in scores)
    return [abs(figure - value) / value for figure, value in found if figure is not None]


def summary(scores: Sequence[Score]) -> dict[str, float]:
    errors = [each.error for each in scores]
    made = {"records": len(errors), "median": median(errors), "p90": percentile(errors, 0.9)}
    for name in BASELINES:
        others = baseline_errors(scores, name)
        if others:
            made |= {f"{name} median": median(others), f"{name} p90": percentile(others, 0.9)}
    return made
