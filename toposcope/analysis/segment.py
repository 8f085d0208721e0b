"""Segments: the stages of a route, made from links, bundles of parallel links, and crossings of the host."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth, Origin
from toposcope.model import Grade, Kind, Medium, Reach, Usable, classes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.model import Figures, Link, Topology

_WIDE = 16
_CROSSING_MEDIUM = {Reach.ROOT_COMPLEX: Medium.ROOT_COMPLEX, Reach.NUMA: Medium.NUMA}
_CROSSING_WORD = {Reach.ROOT_COMPLEX: "root-complex", Reach.NUMA: "numa", Reach.SOCKET: "socket"}


@dataclass(frozen=True, slots=True)
class Segment:
    """One stage of a route. ``line`` and ``usable`` are of the whole bundle, one direction.

    ``reach`` is set for a crossing. ``links`` are the pairs of components that the segment covers, for a picture.
    ``classes`` are the efficiency classes that may give the usable figure, best first.
    """

    source: str
    target: str
    medium: Medium
    grade: Grade
    origin: Origin
    line: Bandwidth | None = None
    usable: Usable | None = None
    generation: int | None = None
    width: int | None = None
    count: int | None = 1
    reach: Reach | None = None
    links: tuple[tuple[str, str], ...] = ()
    name: str | None = None
    classes: tuple[str, ...] = ()

    def between(self, source: str, target: str, links: tuple[tuple[str, str], ...] | None = None) -> Segment:
        """Return the same stage between other ends. Written out, since it is what an analysis does most."""
        return Segment(
            source,
            target,
            self.medium,
            self.grade,
            self.origin,
            self.line,
            self.usable,
            self.generation,
            self.width,
            self.count,
            self.reach,
            self.links if links is None else links,
            self.name,
            self.classes,
        )

    @property
    def is_crossing(self) -> bool:
        """Tell whether this is the passing of a root complex, a NUMA fabric or a socket link."""
        return self.reach is not None


def of_link(topology: Topology, link: Link, *, use: str, source: str | None = None) -> Segment:
    """Make the segment of one link, read from ``source`` (by default from the link's own source)."""
    backwards = source is not None and source != link.source
    ends = (link.target, link.source) if backwards else (link.source, link.target)
    classes = classes_of(link, use)
    return Segment(
        *ends,
        link.medium,
        link.grade if link.line is not None else Grade.UNKNOWN,
        link.origin,
        link.line,
        topology.figures.usable(link.line, *classes),
        link.generation,
        link.width,
        link.count,
        None,
        ((link.source, link.target),),
        link.name,
        classes,
    )


def climb(topology: Topology, way: Sequence[str], *, use: str) -> list[Segment]:
    """Make the segments of a way upwards: the inside of a chip joins the link below it."""
    question = ("climb", tuple(way), use, id(topology.figures))
    # The figures are kept with the answer, so that no others take their id.
    segments, _ = topology.found_once(question, lambda: (_climb(topology, way, use), topology.figures))
    return list(segments)


def _climb(topology: Topology, way: Sequence[str], use: str) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for below, above in pairwise(way):
        link = topology.link(below, above)
        if link is None:
            continue
        if link.internal or link.medium in (Medium.ROOT_COMPLEX, Medium.NUMA):
            if segments:
                last = segments[-1]
                segments[-1] = last.between(last.source, above, (*last.links, (below, above)))
            continue
        segments.append(of_link(topology, link, use=use, source=below))
    return tuple(segments)


def reverse(segments: Iterable[Segment]) -> list[Segment]:
    """Read segments from the other end."""
    return [segment.between(segment.target, segment.source) for segment in reversed(list(segments))]


def crossing(topology: Topology, ends: tuple[str, str], reach: Reach, *, use: str, rest: Sequence[Segment]) -> Segment:
    """Make the segment for passing the host between two ends.

    Its line is that of the socket link where one is known; its usable figure is a measured factor on what the slowest
    PCIe generation of the rest of the route carries, since the raw links do not explain it. NUMA nodes of one socket
    are no socket link apart, whatever word was printed.
    """
    between = _socket_link(topology, *ends) if reach is Reach.SOCKET else None
    if reach is Reach.SOCKET and _in_one_socket(topology, *ends):
        reach = Reach.NUMA
    least = _base(topology.figures, rest)
    line = between.line if between is not None else None
    classes = _crossing_classes(topology.figures, reach, use, rest)
    usable = topology.figures.usable(least, *classes)
    if line is not None and usable is not None:
        usable = Usable(min(usable.low, line), min(usable.typical, line), min(usable.high, line))
    farthest = Medium.NUMA if between is None else between.medium
    medium = farthest if reach is Reach.SOCKET else _CROSSING_MEDIUM[reach]
    return Segment(
        *(_host_sides(topology, *ends) if between is not None else ends),
        medium=medium,
        grade=Grade.DERIVED if between is None or line is None else between.grade,
        origin=_class_origin(topology.figures, classes) if between is None or between.line is None else between.origin,
        line=line,
        usable=usable,
        count=between.count if between is not None else None,
        reach=reach,
        links=() if between is None else ((between.source, between.target),),
        name=between.name if between is not None else None,
        classes=classes,
    )


def _class_origin(figures: Figures, classes: tuple[str, ...]) -> Origin:
    """Name the measured class that a figure comes from."""
    found = next((name for name in classes if name in figures.efficiencies), None)
    return Origin("catalogue", f"classes/{found}" if found else "classes")


def unknown_crossing(ends: tuple[str, str]) -> Segment:
    """Make the segment for a way between two devices that nothing tells of: no figure, and no grade."""
    return Segment(*ends, medium=Medium.NUMA, grade=Grade.UNKNOWN, origin=Origin("topology", "unknown"), count=None)


def _crossing_classes(figures: Figures, reach: Reach, use: str, rest: Sequence[Segment]) -> tuple[str, ...]:
    if any(segment.medium is Medium.C2C for segment in rest):
        return ()  # nothing was measured across a CPU that an accelerator sits on
    if use in ("staged", "staged-same-switch"):
        return (use, "staged")
    generations = [segment.generation for segment in rest if segment.medium is Medium.PCIE and segment.generation]
    word = _CROSSING_WORD[reach]
    name = f"pcie{min(generations, default=0)}-{use}-{word}"
    names = (f"{name}.{figures.platform}", name) if figures.platform else (name,)
    return (*names, f"rdma-{word}") if use == "rdma" else names


def _base(figures: Figures, rest: Sequence[Segment]) -> Bandwidth | None:
    """Return what the factor of a crossing applies to: the slowest PCIe link of the rest, were it 16 lanes wide.

    A narrow link does not make the crossing worse than the link is itself; of links whose width nothing tells the
    slower ones may be narrow. No crossing was measured from a link between accelerator and CPU (C2C).
    """
    pcie = [segment for segment in rest if segment.medium is Medium.PCIE and segment.line is not None]
    links = pcie or [segment for segment in rest if segment.medium is not Medium.C2C]
    told = [_were_it_wide(figures, segment) for segment in links if segment.width is not None or not pcie]
    untold = [segment.line for segment in links if segment.width is None and pcie]
    lines = [*told, max((line for line in untold if line is not None), default=None)]
    return min((line for line in lines if line is not None), default=None)


def _were_it_wide(figures: Figures, segment: Segment) -> Bandwidth | None:
    narrow = segment.width is not None and segment.width < _WIDE
    return (figures.pcie(segment.generation, _WIDE) if narrow else None) or segment.line


def _in_one_socket(topology: Topology, a: str, b: str) -> bool:
    top = _top(topology, a)
    return top == _top(topology, b) and topology.component(top).kind is Kind.SOCKET


def _host_sides(topology: Topology, a: str, b: str) -> tuple[str, str]:
    return _top(topology, a), _top(topology, b)


def _socket_link(topology: Topology, a: str, b: str) -> Link | None:
    a, b = _host_sides(topology, a, b)
    return topology.link(a, b) if a != b else None


def _top(topology: Topology, name: str) -> str:
    while (parent := topology.parent(name)) is not None:
        name = parent
    return name
