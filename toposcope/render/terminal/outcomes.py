"""Before and after on a terminal: what was changed, the routes that change with it, findings that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.analysis.outcome import findings_apart, outcomes
from toposcope.base.clean import printable
from toposcope.render.terminal.contention import span
from toposcope.render.terminal.tables import DIM, SEVERITY, plain, table
from toposcope.render.wording import bottleneck_words, call, gbs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from toposcope.analysis import Analysis, Finding
    from toposcope.analysis.outcome import Answer, Outcome
    from toposcope.analysis.whatif import Change
    from toposcope.model import Topology

_SHOWN = 12
_WORSE, _BETTER = 0.995, 1.005


def consequence_lines(
    before: Analysis, after: Analysis, changes: Sequence[Change], *, ascii_only: bool
) -> Iterator[RenderableType]:
    """Yield the parts of the screen, top to bottom."""
    yield from _changes(changes, before.topology)
    found = outcomes(before, after)
    if found:
        yield Text("\nRoutes that change, GB/s in practice, the greatest loss first", style="bold")
        yield outcomes_table(found, before.topology, after.topology, ascii_only=ascii_only)
    else:
        yield Text("\nno route changes", style="bold")
    gone, new = findings_apart(before, after)
    yield from findings_lines("no more", gone)
    yield from findings_lines("new", new)


def outcomes_table(found: Sequence[Outcome], before: Topology, after: Topology, *, ascii_only: bool) -> RenderableType:
    """Make the table of routes that change, equal ones together."""
    made = table("routes", "before", "after", "", "all at once", "held back by", ascii_only=ascii_only)
    groups: dict[object, list[Outcome]] = {}
    for each in (each for each in found if each.in_practice and each.before is not None and each.after is not None):
        groups.setdefault((_target(each, before), _cell(each.before), _cell(each.after), _together(each)), []).append(
            each
        )
    ranked = list(groups.values())
    unseen = sum(not each.in_practice for each in found)
    one_sided = sum(each.before is None or each.after is None for each in found)
    for group in ranked[:_SHOWN]:
        first = group[0]
        made.add_row(
            plain(_names(group, before)),
            plain(_cell(first.before)),
            plain(_cell(first.after)),
            _ratio(first.ratio),
            _styled(_together(first), first.share_ratio),
            plain(_held(first.after, after)),
        )
    if len(ranked) > _SHOWN:
        made.add_row(plain(f"and {len(ranked) - _SHOWN} more kinds (--json has all)"), *([plain("")] * 5))
    if one_sided:
        made.add_row(plain(f"and {one_sided} to or from what only one of both has"), *([plain("")] * 5))
    if unseen:
        made.add_row(plain(f"and {unseen} by line rate alone"), *([plain("")] * 5))
    return made


def _changes(changes: Sequence[Change], topology: Topology) -> Iterator[Text]:
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    for each in changes:
        groups.setdefault((each.what, each.before, each.after, each.note), []).append(each.component)
    for (what, before, after, note), names in groups.items():
        text = Text(f"{span([call(name, topology) for name in names])}, {what}: ", style="bold")
        text.append(printable(f"{before}, now {after}"), style="not bold")
        yield text.append(f" ({note})", style="not bold yellow") if note else text


def findings_lines(word: str, findings: Sequence[Finding]) -> Iterator[Text]:
    """Yield findings that come (``new``) or go, one line each."""
    for each in findings:
        style = SEVERITY[each.severity.word] if word == "new" else "green"
        text = Text(f"{word}: ", style=style).append(printable(each.message), style="default")
        yield text.append(f" [{each.rule}]", style=DIM)


def _target(outcome: Outcome, topology: Topology) -> str:
    """Tell by what kind of thing a question ends, so that unlike questions stay apart."""
    return topology.component(outcome.target).kind if outcome.target in topology else outcome.target


def _names(group: Sequence[Outcome], topology: Topology) -> str:
    sources = list(dict.fromkeys(call(each.source, topology) for each in group))
    targets = list(dict.fromkeys(call(each.target, topology) for each in group))
    if len(sources) * len(targets) == len(group):
        return f"{span(sources)} to {span(targets)}"
    first = f"{call(group[0].source, topology)} to {call(group[0].target, topology)}"
    return f"{first} and {len(group) - 1} more"


def _cell(answer: Answer | None) -> str:
    if answer is None:
        return "none"
    limit = answer.route.limit
    figure = f"<{gbs(limit.line)}" if limit.at_most and limit.line is not None else gbs(answer.carried)
    line = " (line)" if limit.line is not None and not limit.at_most and not answer.told_in_practice else ""
    return f"{figure} {answer.route.transport}{line}"


def _together(outcome: Outcome) -> str:
    before, after = (None if each is None else each.share for each in (outcome.before, outcome.after))
    if before is None and after is None:
        return ""
    return gbs(before) if gbs(before) == gbs(after) else f"{gbs(before)}, now {gbs(after)}"


def _held(answer: Answer | None, topology: Topology) -> str:
    if answer is None:
        return ""
    words = bottleneck_words(answer.route, answer.route.limit.bottleneck, topology)
    return words[0] if words else "nothing known"


def _ratio(ratio: float | None) -> Text:
    return _styled("?" if ratio is None else f"x {ratio:.2f}", ratio)


def _styled(text: str, ratio: float | None) -> Text:
    style = "" if ratio is None else "red" if ratio < _WORSE else "green" if ratio > _BETTER else ""
    return Text(text, style=style)
