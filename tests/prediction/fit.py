"""Efficiency classes from records: which class a record speaks of, and what a class is where nothing speaks of it.

A record is asked as a question (``questions``); what holds its answer back names the class, and the value over what the
factor of that class applies to is one sample. typical is the median of the samples of one direction (of all, where
there are only others), low and high are the least and the greatest of all; one sample alone gives 5 % to either side.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.prediction.plan import guess, nearest, planned
from tests.prediction.questions import Question, question
from tests.prediction.wiring import lookup
from toposcope.analysis.expected import BOTH, Expected
from toposcope.model import Efficiency, Figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.prediction.records import Record
    from toposcope.analysis.segment import Segment

EVIDENCE = Path(__file__).with_name("evidence.toml")
ALONE = 0.05
ALONE_OF = ("staged-same-switch", "rdma-host", "roce-npu-host")
"""Classes that are no special case of the ones that they fall back to."""


@dataclass(frozen=True)
class Sample:
    """One ratio of a class, with the machine that it was measured on."""

    name: str
    ratio: float
    machine: str
    both: bool = False


@dataclass(frozen=True)
class Fitted:
    """A class as computed. ``like`` names the class that it takes its factors from, where it has no sample."""

    name: str
    low: float
    typical: float
    high: float
    samples: tuple[Sample, ...] = ()
    like: str | None = None

    @property
    def machines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(sample.machine for sample in self.samples))


def questions(records: Iterable[Record]) -> list[Question]:
    """The questions of the records that say what good copies achieve."""
    made = (question(record) for record in records if record.usable)
    return [each for each in made if isinstance(each, Question)]


def evidence() -> list[Sample]:
    """What was published beside the records."""
    machines = tomllib.loads(EVIDENCE.read_text())["machines"]
    found = [
        Sample(each["class"], each["value"] / each["line"], machine["name"])
        for machine in machines
        for each in machine["figures"]
    ]
    both_ways = [replace(each, name=each.name.partition(":")[0]) for each in found if each.name.endswith("-host")]
    return [*found, *(each for each in both_ways if each.name not in {one.name for one in found})]


def titles() -> dict[str, str]:
    """How the sources are called, by machine."""
    told = tomllib.loads(EVIDENCE.read_text())
    return {each["name"]: each["source"] for each in told["machines"]} | told["titles"]


def samples(asked: Iterable[Question], *, beside: bool = True) -> list[Sample]:
    """The samples of the records, and those published beside them where these may be used."""
    known = _guessed()
    return [*(sample for each in asked for sample in _samples(each, known)), *(evidence() if beside else ())]


def _guessed() -> Figures:
    """Round figures for all classes, only to tell which class a record speaks of; the samples do not depend on them."""
    guesses = {name: guess(name) for name in planned()}
    efficiencies = {name: Efficiency(name, factor, factor, factor, 0, "") for name, factor in guesses.items()}
    return replace(lookup().figures({"NVIDIA"}, None), efficiencies=efficiencies)


def _samples(asked: Question, figures: Figures) -> Iterator[Sample]:
    expected = asked.ask(figures)
    if expected is None or expected.usable is None:
        return
    names = _names(expected, asked.record)
    manner = figures.in_manner(*asked.words, *(("crowd",) if asked.crowd else ()))
    factor = next((manner.efficiencies[name].typical for name in names if name in manner.efficiencies), None)
    held = _held(expected, asked.record)
    if factor is None or held is None:
        return
    record, words = asked.record, (*asked.words, *(("crowd",) if asked.crowd else ()))
    ratio = record.value / (held / factor)
    if asked.shared and not asked.crowd:
        return  # what flows leave each other is no property of a class
    for name in names[:1] if names[0] in ALONE_OF else names:
        variant = next((f"{name}:{word}" for word in words if f"{name}:{word}" in planned()), name)
        for each in {variant: 0, name: 0} if variant.endswith("-host") else (variant,):
            if each in planned():
                yield Sample(each, ratio, record.machine, both=BOTH in asked.words)


def _binding(expected: Expected, record: Record) -> Segment | None:
    """The segment that the record is about: a crossing, else the least by line rate, whatever the figures say."""
    slow = "degraded" in record.link_class
    crossings = (each for each in expected.segments if each.is_crossing and each.usable is not None and not slow)
    crossing = next(crossings, None)
    lined = [each for each in expected.segments if each.line is not None and each.usable is not None]
    return crossing or min(lined, key=lambda each: each.line, default=None)


def _names(expected: Expected, record: Record) -> tuple[str, ...]:
    own = expected.classes and expected.classes[0].startswith(("collective", "rdma-numa", "rdma-socket"))
    if own or expected.transport is None:
        return expected.classes
    binding = _binding(expected, record)
    return binding.classes if binding is not None else ()


def _held(expected: Expected, record: Record) -> float | None:
    """What the answer would be if the segment in question alone held it back, GB/s."""
    if expected.usable is None:
        return None
    binding = _binding(expected, record)
    if _names(expected, record) == expected.classes or binding is None or expected.transport is None:
        return expected.usable.typical.gbs
    held = min((each.usable.typical for each in expected.limits if each.usable is not None), default=None)
    return None if held is None else expected.usable.typical.gbs * (binding.usable.typical / held)


def fit(found: Iterable[Sample]) -> dict[str, Fitted]:
    """Compute all planned classes from samples; a class without one takes the nearest that has some."""
    by_name: dict[str, list[Sample]] = {}
    for sample in found:
        by_name.setdefault(sample.name, []).append(sample)
    own = {name: _fitted(name, by_name[name]) for name in planned() if name in by_name}
    made = dict(own)
    for name in planned():
        if name in own:
            continue
        like = next(((other, scale) for other, scale in nearest(name) if other in own), None)
        if like is not None:
            other, scale = like
            model = own[other]
            made[name] = Fitted(
                name, *(min(1.0, scale * figure) for figure in (model.low, model.typical, model.high)), like=other
            )
    return {name: made[name] for name in planned() if name in made}


def _fitted(name: str, found: list[Sample]) -> Fitted:
    ratios = [min(1.0, sample.ratio) for sample in found]
    one_way = [min(1.0, sample.ratio) for sample in found if not sample.both]
    typical = median(one_way or ratios)
    low, high = (
        (min(ratios), max(ratios)) if len(ratios) > 1 else (typical * (1 - ALONE), min(1.0, typical * (1 + ALONE)))
    )
    return Fitted(name, low, typical, high, tuple(found))


def figures_of(classes: dict[str, Fitted]) -> Figures:
    """The figures of the catalogue with these classes in the place of its own."""
    efficiencies = {
        name: Efficiency(name, each.low, each.typical, each.high, len(each.samples), "", inferred=each.like is not None)
        for name, each in classes.items()
    }
    return replace(lookup().figures({"NVIDIA"}, None), efficiencies=efficiencies)
