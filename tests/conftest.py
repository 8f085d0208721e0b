"""What holds for all tests; and at the end of a run, what of the corpus is read right, by folder and kind of fact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.conformance.tally import MARK, Tally, asked

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

settings.register_profile("toposcope", deadline=None)  # no property fails because the machine that runs it is busy
settings.load_profile("toposcope")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say of each test of the corpus what it asks; the reports carry it, from the processes of xdist too."""
    for item in items:
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        facts = asked(item.originalname, parameters) if isinstance(item, pytest.Function) and parameters else None
        if facts is not None:
            item.user_properties.append((MARK, list(facts)))


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print the table, where the corpus is there."""
    tally = Tally()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, value in getattr(report, "user_properties", ()):
                if name == MARK and (report.when == "call" or outcome == "failed"):
                    folder, kind, count = value
                    tally.add(folder, kind, count, passed=outcome == "passed")
    lines = tally.table()
    if lines:
        terminalreporter.write_sep("=", "facts of the corpus")
        for line in lines:
            terminalreporter.write_line(line)
