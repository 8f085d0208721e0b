"""What the page knows of routes: computed beforehand, in words, with the parts of the drawing that each segment covers.

Lists are numbered and stand once; the page's script only looks up and shows. Figures are GB/s, one direction, as
they are printed everywhere.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Generic, TypedDict, TypeVar

from toposcope.analysis.analysis import default_of
from toposcope.analysis.default import faster
from toposcope.base.clean import printable
from toposcope.render.diagram import Marking, find_marked
from toposcope.render.html.ends import ends_of, ends_of_boxes, routes_between
from toposcope.render.html.proofs import proof_of, quoted
from toposcope.render.wording import call, gbs, is_far, medium_of, place_of, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from toposcope.analysis import Analysis, Route, Segment
    from toposcope.base import Origin
    from toposcope.model import Topology, Usable
    from toposcope.render.diagram import Diagram
    from toposcope.render.html.proofs import Proof, TextOf

Thing = TypeVar("Thing", bound="Hashable")
Written = TypeVar("Written")


class EndData(TypedDict):
    """One end of routes."""

    id: str
    title: str
    start: bool


class SegmentData(TypedDict):
    """One segment in words. ``boxes`` and ``wires`` are places in the drawing, ``origin`` in the list of origins."""

    place: str
    medium: str
    line: str
    usable: str
    typical: float | None
    grade: str
    origin: int
    far: bool
    boxes: list[int]
    wires: list[int]


class RouteData(TypedDict):
    """One route. ``slow``, ``slow_line`` and ``close`` are places in ``segments``."""

    transport: str
    mark: str
    note: str
    line: str
    usable: str
    grade: str
    segments: list[int]
    slow: list[int]
    slow_line: list[int]
    close: list[int]
    sentence: str


class PageData(TypedDict):
    """All that the script reads. ``routes`` has a key ``start goal`` of two numbers of ends."""

    ends: list[EndData]
    boxes: dict[str, list[int]]
    routes: dict[str, list[int]]
    answers: list[RouteData]
    segments: list[SegmentData]
    origins: list[Proof]
    chosen: list[int]


class Numbers(Generic[Thing, Written]):
    """A list in which each thing stands once, written when it first comes."""

    def __init__(self, write: Callable[[Thing], Written]) -> None:
        self._write = write
        self._places: dict[Thing, int] = {}
        self.written: list[Written] = []

    def place(self, thing: Thing) -> int:
        """Return the place of a thing."""
        found = self._places.get(thing)
        if found is None:
            found = self._places[thing] = len(self.written)
            self.written.append(self._write(thing))
        return found


def answers(analysis: Analysis, diagram: Diagram, text_of: TextOf, chosen: tuple[str, str] | None = None) -> PageData:
    """Compute every route between all ends. ``chosen`` are the ends that the page opens with."""
    topology = analysis.topology
    ends = ends_of(topology, chosen)
    origins: Numbers[Origin, Proof] = Numbers(partial(quoted, text_of=text_of))
    segments: Numbers[Segment, SegmentData] = Numbers(_Words(topology, diagram, origins).of)
    found: list[RouteData] = []
    routes: dict[str, list[int]] = {}
    for (start, source), (goal, target) in product(enumerate(ends), repeat=2):
        if not source.is_start or start == goal:
            continue
        between = routes_between(analysis, source, target)
        routes[f"{start} {goal}"] = list(range(len(found), len(found) + len(between)))
        better = faster(between, default_of(between))
        found += (_route(route, topology, segments, is_faster=route is better) for route in between)
    names = [end.id for end in ends]
    stands_for = ends_of_boxes(diagram, topology, ends)
    return PageData(
        ends=[EndData(id=printable(end.id), title=end.title, start=end.is_start) for end in ends],
        boxes={
            str(place): list(numbers) for place, box in enumerate(diagram.boxes) if (numbers := stands_for.get(box.id))
        },
        routes=routes,
        answers=found,
        segments=segments.written,
        origins=origins.written,
        chosen=[names.index(name) for name in chosen or () if name in names],
    )


def usable_words(usable: Usable | None) -> str:
    """Print what good copies achieve, with its range."""
    return "?" if usable is None else f"{usable.typical} ({usable.low} to {usable.high})"


def _route(route: Route, topology: Topology, segments: Numbers[Segment, SegmentData], *, is_faster: bool) -> RouteData:
    limit = route.limit
    allowed = "permitted, faster" if is_faster else "permitted"
    return RouteData(
        transport=route.transport.value,
        mark="default" if route.default else allowed if route.permitted else "not permitted",
        note=_note(route, topology),
        line=f"{'at most ' if limit.at_most and limit.line else ''}{gbs(limit.line)}",
        usable="?" if limit.usable is None else str(limit.usable.typical),
        grade=limit.grade.word,
        segments=[segments.place(segment) for segment in route.segments],
        slow=list(limit.bottleneck),
        slow_line=list(limit.line_bottleneck),
        close=list(limit.close_behind),
        sentence=sentence(route, topology),
    )


def _note(route: Route, topology: Topology) -> str:
    parts = [f"through {call(route.via, topology)}"] if route.via else []
    parts += [f"by {', '.join(call(nic, topology) for nic in route.nics)}"] if route.nics else []
    return printable("; ".join([*parts, *([route.why] if route.why else [])]))


class _Words:
    """Puts segments into words and finds them in the drawing."""

    def __init__(self, topology: Topology, diagram: Diagram, origins: Numbers[Origin, Proof]) -> None:
        self._topology = topology
        self._origins = origins
        self._diagram = diagram
        self._boxes = {box.id: place for place, box in enumerate(diagram.boxes)}
        self._wires = {edge.id: place for place, edge in enumerate(diagram.edges)}
        self._marked: dict[tuple[tuple[str, str], ...], tuple[list[int], list[int]]] = {}

    def of(self, segment: Segment) -> SegmentData:
        """Return a segment in words."""
        boxes, wires = self._find(_covered(segment))
        return SegmentData(
            place=place_of(segment, self._topology),
            medium=medium_of(segment),
            line=gbs(segment.line),
            usable=usable_words(segment.usable),
            typical=None if segment.usable is None else round(segment.usable.typical.gbs, 4),
            grade=segment.grade.word,
            origin=self._origins.place(proof_of(segment, self._topology)),
            far=is_far(segment),
            boxes=boxes,
            wires=wires,
        )

    def _find(self, pairs: tuple[tuple[str, str], ...]) -> tuple[list[int], list[int]]:
        found = self._marked.get(pairs)
        if found is None:
            marked = find_marked(self._diagram, Marking(highlight=pairs))
            boxes = sorted(self._boxes[name] for name in marked.boxes)
            found = self._marked[pairs] = boxes, sorted(self._wires[name] for name in marked.edges)
        return found


def _covered(segment: Segment) -> tuple[tuple[str, str], ...]:
    """Return the links of a segment; the ends where it is a crossing that no link stands for."""
    if is_far(segment):
        return ()
    return segment.links or ((segment.source, segment.target),)
