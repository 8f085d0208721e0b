"""Every finding on a recording of the shared corpus is listed in ``corpus_findings*.toml`` with why it is right.

A finding that is not listed fails as a possible false alarm, one that is listed and no longer found as a lost one.
``[[finding]]`` is one recording; ``[[group]]`` lists the recordings that share a verdict and its reason.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.shared import cases, needs_shared
from toposcope import app
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import RULES
from toposcope.base import InputError

if TYPE_CHECKING:
    from toposcope.analysis import Finding

FOLDERS = ("nvidia", "pci", "ascend", "rocm", "vendors")
TABLES = sorted(Path(__file__).parent.glob("corpus_findings*.toml"))

Row = tuple[str, str, str]
"""Rule, verdict, severity."""


@cache
def known() -> app.Knowledge:
    return app.knowledge()


@cache
def expected() -> dict[str, Counter[Row]]:
    """Read all tables: the rows of each recording."""
    rows: dict[str, Counter[Row]] = {}
    for table in TABLES:
        content = tomllib.loads(table.read_text())
        for entry in [*content.get("finding", ()), *content.get("group", ())]:
            assert entry["why"].strip()
            for recording in entry.get("recordings") or [entry["recording"]]:
                row = (entry["rule"], entry.get("verdict", "found"), entry["severity"])
                rows.setdefault(recording, Counter())[row] += entry.get("count", 1)
    return rows


def findings(folder: Path) -> list[Finding]:
    """Run every rule over a recording; one that no tool's output is in has no findings."""
    source = folder / "input" if (folder / "input").is_dir() else folder
    try:
        loaded = app.load([str(source)], known())
    except InputError:
        return []
    return [finding for each in loaded for rule in RULES for finding in rule.check(each.topology)]


RECORDINGS = [case for folder in FOLDERS for case in cases(folder)]


@needs_shared
@pytest.mark.parametrize("case", RECORDINGS, ids=[f"{case.parent.name}/{case.name}" for case in RECORDINGS])
def test_findings_of_a_recording_are_the_listed_ones(case: Path) -> None:
    found = findings(case)

    shown = Counter((each.rule, each.verdict.value, each.severity.word) for each in found)
    assert shown == expected().get(f"{case.parent.name}/{case.name}", Counter()), [each.message for each in found]


@needs_shared
def test_every_listed_recording_is_there() -> None:
    assert set(expected()) <= {f"{case.parent.name}/{case.name}" for case in RECORDINGS}


@pytest.mark.parametrize("name", sorted(known().machines))
def test_no_reference_machine_is_warned_of(name: str) -> None:
    topology = app.profile_topology(name, known())

    loud = [each for rule in RULES for each in rule.check(topology) if each.severity >= Severity.WARNING]
    assert loud == []
