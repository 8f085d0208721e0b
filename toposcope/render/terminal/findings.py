"""Findings and problems in words, each with the line that proves it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.analysis import Verdict
from toposcope.base import ProblemKind
from toposcope.base.clean import printable
from toposcope.render.terminal.tables import DIM, SEVERITY
from toposcope.render.wording import gbs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis import Finding, Harm
    from toposcope.base import Problem
    from toposcope.render.documents import TextOf

_SHOWN_HARMS = 4
_TOLD = 3
_SHOWN_TEXT = 160


def finding_lines(findings: Sequence[Finding], text_of: TextOf) -> Iterator[Text]:
    """Yield each finding: what, which routes, the evidence, the remedy; the gravest first."""
    for finding in sorted(findings, key=lambda each: (each.verdict is Verdict.COULD_NOT_TELL, -each.severity)):
        told = finding.verdict is Verdict.FOUND
        word = finding.severity.word if told else "could not tell"
        text = Text(f"{word}: ", style=SEVERITY[finding.severity.word] if told else DIM)
        text.append(f"{printable(finding.message)} ", style="default").append(f"[{finding.rule}]", style=DIM)
        for harm in finding.harms[:_SHOWN_HARMS]:
            text.append(f"\n  {printable(harm.source)} to {printable(harm.target)}{_loss(harm)}")
        if len(finding.harms) > _SHOWN_HARMS:
            text.append(f"\n  and {len(finding.harms) - _SHOWN_HARMS} more routes")
        for origin in finding.evidence[:2]:
            line = printable((text_of(origin) or "").strip())[:_SHOWN_TEXT]
            text.append(f"\n  {printable(str(origin))}: {line}" if line else f"\n  {printable(str(origin))}", style=DIM)
        if finding.remedy:
            text.append("\n  " + "\n  ".join(printable(line) for line in finding.remedy.splitlines()))
        yield text


def _loss(harm: Harm) -> str:
    if harm.before is None and harm.after is None:
        return ""
    return f": {gbs(harm.after)} instead of {gbs(harm.before)} GB/s"


def problem_lines(problems: Sequence[Problem], *, verbose: bool) -> Iterator[Text]:
    """Yield the problems: all where asked, else the first that quote no line, for they say what to do, and a count."""
    told = list(problems) if verbose else [each for each in problems if not each.text][:_TOLD]
    yield from map(_problem, told)
    left = Counter(problem.kind.value for problem in problems)
    left.subtract(problem.kind.value for problem in told)
    counted = ", ".join(f"{count} {kind}" for kind, count in left.items() if count)
    if counted:
        more = "more " if told else ""
        yield Text(f"{more}lines with a problem: {counted} (--verbose lists them)", style=DIM)


def _problem(problem: Problem) -> Text:
    open_question = problem.kind is ProblemKind.UNREAD and not problem.text
    text = Text("open: " if open_question else f"{problem.kind}: ", style="yellow")
    text.append(f"{printable(str(problem.origin))}: {printable(problem.message)}", style="default")
    if problem.other is not None:
        text.append(f" (against {printable(str(problem.other))})", style=DIM)
    if problem.text:
        text.append(f"\n  {printable(problem.text.strip())[:_SHOWN_TEXT]}", style=DIM)
    return text
