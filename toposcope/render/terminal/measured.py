"""The verdict on measurements, and their table: the slow ones first, alike ones together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.analysis.measured import Health, size_words
from toposcope.render.measured import limits_of, subject, verdict
from toposcope.render.terminal.tables import plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from toposcope.analysis.measured import Check, Judged
    from toposcope.model import Topology

_LOOK = {Health.SLOW: "bold red", Health.ABOVE: "yellow", Health.NORMAL: "green", Health.UNJUDGED: "dim"}
_ORDER = (Health.SLOW, Health.ABOVE, Health.NORMAL, Health.UNJUDGED)
_PROBLEMS = 3
_LISTED = 6
"""So many slow ones are listed one by one."""


def check_parts(check: Check, topology: Topology, *, ascii_only: bool, every: bool) -> Iterator[Text | Table]:
    """Yield the sentence, the table, and what was left out of it."""
    yield Text(verdict(check, topology), style=_LOOK[check.health] if check.health is Health.SLOW else "bold")
    made = table(
        "measured", "test", "size", "GB/s", "expected", "share", "verdict", "held back by", ascii_only=ascii_only
    )
    rows = [[each] for each in check.judged] if every else _groups(check.judged)
    for group in sorted(rows, key=_rank):
        _row(made, group, topology)
    yield made
    if any(len(group) > 1 for group in rows):
        yield Text("Alike ones share a row; --verbose lists each.", style="dim")
    shown = check.problems if every else check.problems[:_PROBLEMS]
    for problem in shown:
        yield plain(f"{problem.origin}: {problem.message}")
    if len(check.problems) > len(shown):
        yield Text(f"{len(check.problems) - len(shown)} more lines with a problem; --verbose lists them.", style="dim")


def _groups(judged: Sequence[Judged]) -> list[list[Judged]]:
    """Put together what has the same test, prediction and verdict; slow ones stay apart while they are few."""
    groups: dict[object, list[Judged]] = {}
    few = sum(each.health is Health.SLOW for each in judged) <= _LISTED
    for index, each in enumerate(judged):
        expected = each.expected
        key: tuple[object, ...] = (
            each.health,
            each.measurement.tool,
            each.measurement.test,
            each.measurement.metric,
            each.measurement.words,
            each.measurement.collective,
            each.measurement.peer_access,
            None if expected is None else expected.usable,
            each.why,
        )
        if each.health is Health.SLOW and few:
            key = (index,)
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def _rank(group: list[Judged]) -> tuple[int, float]:
    first = min(group, key=lambda each: each.share or 0)
    return (_ORDER.index(first.health), first.share or 0)


def _row(made: Table, group: list[Judged], topology: Topology) -> None:
    first = min(group, key=lambda each: each.value)
    usable = None if first.expected is None else first.expected.usable
    name = subject(first, topology) + (f" and {len(group) - 1} more" if len(group) > 1 else "")
    values = sorted({str(first.value), str(max(each.value for each in group))}, key=float)
    shares = [
        f"{each.share:.0%}" for each in (first, max(group, key=lambda each: each.value)) if each.share is not None
    ]
    limits = limits_of(first, topology)
    verdict_text = first.health.value if not first.why else f"{first.health.value}: {first.why}"
    made.add_row(
        plain(name),
        plain(_test(first)),
        plain("?" if first.measurement.size is None else size_words(first.measurement.size)),
        plain(" to ".join(values)),
        plain("?" if usable is None else f"{usable.typical} ({usable.low} to {usable.high})"),
        plain(" to ".join(dict.fromkeys(shares)) or "-"),
        Text(verdict_text, style=_LOOK[first.health]),
        plain(limits[0] if limits else "-"),
    )


def _test(judged: Judged) -> str:
    """Say how it was measured: tool, what is counted, and the manner where it matters."""
    each = judged.measurement
    words = [word for word in each.words if word in ("both", "read", "write", "kernel")]
    peer = ["P2P off"] if each.peer_access is False else []
    counted = [each.metric if judged.value == each.value else f"{each.metric}, as busbw"] if "bw" in each.metric else []
    return ", ".join([each.tool, *counted, *words, *peer])
