"""What the pictures show of a result: the marked path of a diagram, the heat map of all pairs, the bars of a route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import Grade, Kind
from toposcope.render.charts import PairCell, PairChart, RouteChart, SegmentBar
from toposcope.render.diagram import Marking
from toposcope.render.wording import call, medium_of, sentence

if TYPE_CHECKING:
    from toposcope.analysis import Analysis, Route
    from toposcope.model import Topology


def marking_of(route: Route, topology: Topology) -> Marking:
    """Mark a route and its bottleneck in the diagram, with the sentence about it below."""
    held = [route.segments[index] for index in route.limit.bottleneck]
    return Marking(
        highlight=tuple(link for segment in route.segments for link in segment.links),
        bottleneck=tuple(link for segment in held for link in segment.links),
        caption=sentence(route, topology),
    )


def pair_chart(analysis: Analysis) -> PairChart:
    """Make the heat map of all pairs: line rate of each default route."""
    topology = analysis.topology
    rows = tuple(each.id for each in topology.components(Kind.ACCELERATOR))
    nics = tuple(each.id for each in topology.components(Kind.NIC))
    cells: list[PairCell] = []
    mixed = not topology.all_assumed()
    for pair in analysis.pairs:
        figure = None if pair.route is None else pair.route.limit.line
        mark = "" if figure is None or pair.route is None else _mark(pair.route, mixed=mixed)
        cells.append(PairCell(pair.source, pair.target, figure, pair.relation or "", mark))
        if pair.target in rows:
            cells.append(PairCell(pair.target, pair.source, figure, pair.relation or "", mark))
    used = [text for mark, text in _MARKS.items() if any(cell.mark == mark for cell in cells)]
    meaning = ", ".join(("line rate of the default route", *used))
    return PairChart(_title(topology), meaning, rows, (*rows, *nics), tuple(cells))


_MARKS = {"<": "< at most", "~": "~ assumed"}


def _mark(route: Route, *, mixed: bool) -> str:
    """Tell an upper limit and an assumed figure; nothing is marked where all are assumed, as in a reference machine."""
    if route.limit.at_most:
        return "<"
    return "~" if mixed and route.limit.grade is Grade.ASSUMED else ""


def route_chart(route: Route, topology: Topology) -> RouteChart:
    """Make the bars of one route's segments."""
    bars = tuple(
        SegmentBar(
            call(segment.source, topology),
            call(segment.target, topology),
            segment.medium,
            segment.line,
            None if segment.usable is None else segment.usable.typical,
            is_bottleneck=index in route.limit.bottleneck,
            detail=medium_of(segment),
        )
        for index, segment in enumerate(route.segments)
    )
    title = f"{_title(topology)}: {call(route.source, topology)} to {call(route.target, topology)}, {route.transport}"
    return RouteChart(title, bars, sentence(route, topology))


def _title(topology: Topology) -> str:
    return topology.host or topology.profile or "machine"
