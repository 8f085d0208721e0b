"""The parts of the page that need no script: the matrix of all pairs, the findings, the problems."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from toposcope.analysis import Verdict
from toposcope.render.html.links import evidence
from toposcope.render.html.markup import Markup, element
from toposcope.render.html.proofs import shortened
from toposcope.render.wording import gbs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis import Analysis, Finding, Pair, Remote
    from toposcope.base import Bandwidth, Problem
    from toposcope.render.html.ends import End
    from toposcope.render.html.proofs import TextOf

_STEPS = 5
_SHOWN_EVIDENCE = 6
_SHOWN_HARMS = 8
_ONLY = 0.6
"""Where on the scale a figure stands that is the only one."""


def pair_matrix(analysis: Analysis, ends: Sequence[End]) -> Markup:
    """Write the matrix of all pairs and ways out: the tools' words and the line rate of each default route."""
    answers: dict[tuple[str, str], Pair | Remote] = {}
    for pair in analysis.pairs:
        answers[pair.source, pair.target] = pair
        answers.setdefault((pair.target, pair.source), pair)
    answers |= {(remote.source, "remote"): remote for remote in analysis.remote}
    lines, typicals = (
        [figure for answer in answers.values() if (figure := of(answer)) is not None] for of in (_line, _typical)
    )
    scales = (lines, typicals)
    shown = [(place, end) for place, end in enumerate(ends) if end.in_matrix]
    head = element("tr", element("td"), *(element("th", _short(end), scope="col") for _, end in shown))
    rows = (
        element(
            "tr",
            element("th", end.title, scope="row"),
            *(_cell((place, end), goal, answers.get((end.id, goal[1].id)), scales) for goal in shown),
        )
        for place, end in shown
        if end.is_start
    )
    return element("table", element("thead", head), element("tbody", *rows), class_="pairs")


def _short(end: End) -> str:
    return end.id if end.kind != "nic" else end.title.replace("(", "").replace(")", "")


def _cell(
    start: tuple[int, End],
    goal: tuple[int, End],
    answer: Pair | Remote | None,
    scales: tuple[Sequence[Bandwidth], Sequence[Bandwidth]],
) -> Markup:
    if start[0] == goal[0]:
        return element("td", "X", class_="self")
    line, typical = _line(answer), _typical(answer)
    relation = answer.relation if answer is not None else None
    at_most = "≤ " if answer is not None and answer.route is not None and answer.route.limit.at_most and line else ""
    figure = f"{at_most}{gbs(line)}"
    button = element(
        "button",
        *([element("span", relation, class_="word")] if relation else []),
        element("span", figure, class_="sum line-rate"),
        element("span", gbs(typical), class_="sum typical"),
        type="button",
        data_pair=f"{start[0]} {goal[0]}",
        tabindex=-1,
        aria_label=f"{start[1].title} to {goal[1].title}: {relation or ''} {figure}, usable {gbs(typical)} GB/s",
        class_=f"{_heat('heat', line, scales[0])} {_heat('used', typical, scales[1])}",
    )
    return element("td", button)


def _line(answer: Pair | Remote | None) -> Bandwidth | None:
    return None if answer is None or answer.route is None else answer.route.limit.line


def _typical(answer: Pair | Remote | None) -> Bandwidth | None:
    usable = None if answer is None or answer.route is None else answer.route.limit.usable
    return None if usable is None else usable.typical


def _heat(name: str, figure: Bandwidth | None, known: Sequence[Bandwidth]) -> str:
    """Return the class of a colour: the logarithm between the least and the most."""
    if figure is None:
        return f"{name}-open"
    low, high = min(known).bytes_per_s, max(known).bytes_per_s
    share = log(max(figure.bytes_per_s, 1) / max(low, 1)) / log(high / max(low, 1)) if high > low else _ONLY
    return f"{name}{round(share * _STEPS)}"


def finding_list(findings: Sequence[Finding], text_of: TextOf, ends: Sequence[End]) -> Iterator[Markup]:
    """Write the findings, the gravest first, what could not be told last."""
    places = {end.id: place for place, end in enumerate(ends)}
    for finding in sorted(findings, key=lambda each: (each.verdict is Verdict.COULD_NOT_TELL, -each.severity)):
        told = finding.verdict is Verdict.FOUND
        word = finding.severity.word if told else "could not tell"
        yield element(
            "article",
            element(
                "h3",
                element("span", word, class_="badge"),
                element("span", finding.message),
            ),
            *_harms(finding, places),
            *_proofs(finding, text_of),
            *_remedy(finding),
            element("p", f"rule {finding.rule}", class_="rule"),
            class_=f"finding {finding.severity.word if told else 'open'}",
        )


def _remedy(finding: Finding) -> Iterator[Markup]:
    if finding.remedy:
        yield element("p", "What to do", class_="origin")
        yield element("code", *(element("span", line) for line in finding.remedy.splitlines()), class_="remedy")


def _harms(finding: Finding, places: dict[str, int]) -> Iterator[Markup]:
    if not finding.harms:
        return
    shown = []
    for harm in finding.harms[:_SHOWN_HARMS]:
        text = f"{harm.source} to {harm.target}: {gbs(harm.after)} instead of {gbs(harm.before)} GB/s"
        ends = [places.get(name) for name in (harm.source, harm.target)]
        pair = None if None in ends else " ".join(map(str, ends))
        shown.append(
            element("li", element("button", text, type="button", data_pair=pair) if pair else element("span", text))
        )
    left = len(finding.harms) - len(shown)
    rest = [element("li", f"and {left} more routes")] if left else []
    yield element("ul", *shown, *rest, class_="harms")


def _proofs(finding: Finding, text_of: TextOf) -> Iterator[Markup]:
    if not finding.evidence:
        return
    shown = [
        element("li", evidence(str(origin), shortened(text_of(origin) or "")))
        for origin in finding.evidence[:_SHOWN_EVIDENCE]
    ]
    left = len(finding.evidence) - len(shown)
    rest = [element("li", f"and {left} more lines")] if left else []
    yield element("ul", *shown, *rest, class_="proofs")


def problem_list(problems: Sequence[Problem]) -> Iterator[Markup]:
    """Write what was not read, was repaired, or contradicts another line."""
    for problem in problems:
        against = f" (against {problem.other})" if problem.other is not None else ""
        yield element(
            "li",
            element("span", problem.kind.value, class_="badge"),
            element("span", f"{problem.message}{against}", class_="message"),
            element("span", str(problem.origin), class_="origin"),
            *([element("code", shortened(problem.text))] if problem.text.strip() else []),
            class_="problem",
        )
