"""The paths in words: the worst first, equal ones together, one sentence for each bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.model import Kind
from toposcope.render.terminal.tables import plain, table
from toposcope.render.wording import broken, call, gbs, is_far, medium_of, place_of, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.table import Table

    from toposcope.analysis import Analysis, Pair, Remote, Route
    from toposcope.base import Bandwidth
    from toposcope.model import Topology

_UNKNOWN_LAST = 1 << 62


def sentences(analysis: Analysis) -> Iterator[Text]:
    """Yield one sentence for each kind of path between accelerators and to a remote host, slowest first."""
    topology = analysis.topology
    peers = [pair for pair in analysis.pairs if topology.component(pair.target).kind is Kind.ACCELERATOR]
    groups = [(group, "pairs") for group in _alike(peers, topology)]
    groups += [(group, "accelerators") for group in _alike(analysis.remote, topology)]
    for group, what in sorted(groups, key=lambda each: _speed(each[0][0].route)):
        yield _sentence(group, what, topology)


def _sentence(group: Sequence[Pair | Remote], what: str, topology: Topology) -> Text:
    first = group[0]
    if first.route is None:
        return Text("")
    text = Text(sentence(first.route, topology))
    if first.best is not None:
        text.append(f" Faster and permitted: {_faster(first.best)}.", style="green")
    alike = f"{len(group)} {what} alike" if len(group) > 1 else ""
    grade = "" if topology.link_grades() == {first.route.limit.grade} else first.route.limit.grade.word
    if said := "; ".join(part for part in (alike, grade) if part):
        text.append(f" [{said}]", style="dim")
    return text


def _faster(route: Route) -> str:
    usable = f", {route.limit.usable.typical} in practice" if route.limit.usable is not None else ""
    nics = f" by {' and '.join(route.nics)} together" if route.nics and len(route.nics) > 1 else ""
    return f"{route.transport}{nics}, {gbs(route.limit.line)} GB/s at line rate{usable}"


def _alike(answers: Iterable[Pair | Remote], topology: Topology) -> list[list[Pair | Remote]]:
    """Group answers that differ in nothing but names."""
    groups: dict[object, list[Pair | Remote]] = {}
    for answer in answers:
        route = answer.route
        if route is not None:
            key = (
                route.transport,
                route.limit.line,
                route.limit.usable,
                tuple(medium_of(route.segments[index]) for index in route.limit.bottleneck),
                None if answer.best is None else answer.best.transport,
                bool(getattr(answer, "shared_with", ())),
                broken(route, topology) is not None,
            )
            groups.setdefault(key, []).append(answer)
    return list(groups.values())


def _speed(route: Route | None) -> float:
    figure: Bandwidth | None = None
    if route is not None:
        figure = route.limit.usable.typical if route.limit.usable is not None else route.limit.line
    return _UNKNOWN_LAST if figure is None else figure.bytes_per_s


def route_lines(route: Route, topology: Topology) -> Text:
    """Write the head of one route: transport, limit, why."""
    mark = "default" if route.default else "permitted" if route.permitted else "not permitted"
    text = Text(f"{route.transport}", style="bold").append(f" ({mark})", style="not bold dim")
    if route.via:
        text.append(f" through {call(route.via, topology)}", style="not bold")
    if route.nics:
        text.append(f" by {', '.join(call(nic, topology) for nic in route.nics)}", style="not bold")
    if route.why:
        text.append(f" - {route.why}", style="not bold dim")
    return text.append("\n" + sentence(route, topology), style="not bold")


def segments_table(route: Route, topology: Topology, *, ascii_only: bool) -> Table:
    """Make the table of one route's segments; what holds it back is marked, by line rate alone with a dash.

    The far half of a route to an identical host is left out: it is the same, read backwards.
    """
    made = table("", "segment", "medium", "line GB/s", "usable GB/s", "grade", "known from", ascii_only=ascii_only)
    for index, segment in enumerate(route.segments):
        if is_far(segment):
            continue
        mark = "*" if index in route.limit.bottleneck else "-" if index in route.limit.line_bottleneck else ""
        usable = segment.usable
        shown = f"{usable.typical} ({usable.low} to {usable.high})" if usable is not None else "?"
        made.add_row(
            Text(mark, style="bold red"),
            plain(place_of(segment, topology)),
            plain(medium_of(segment)),
            plain(gbs(segment.line)),
            plain(shown),
            plain(segment.grade.word),
            plain(segment.origin),
        )
    return made
