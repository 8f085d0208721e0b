"""Which part of a machine explains that some routes are slow: what they share and no healthy route passes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from toposcope.model import Kind, Reach
from toposcope.model.placement import host_end

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from toposcope.analysis.segment import Segment
    from toposcope.model import Topology

_FAR = "remote:"


@dataclass(frozen=True, slots=True)
class Suspect:
    """Something that explains slow routes.

    ``segments`` are the parts that cannot be told apart: all are passed by the same ``explains`` routes of ``slow``,
    by no healthy one. ``kind``: a ``component`` where they are all that leads to it, a ``segment``, ``between`` where
    both ends are well and only what lies between them is left, ``direction`` where the way back is healthy, ``all``
    where no route is healthy: then they are what
    all slow routes share, if anything; ``memory`` where slow copies are as fast as those of the memory of
    ``component``, another NUMA node.
    """

    kind: Literal["component", "segment", "between", "direction", "all", "memory"]
    segments: tuple[Segment, ...]
    explains: int
    slow: int
    component: str | None = None


def suspects(
    topology: Topology, slow: Sequence[Sequence[Segment]], healthy: Sequence[Sequence[Segment]]
) -> tuple[Suspect, ...]:
    """Return the fewest parts that explain all slow routes, the one that explains most first."""
    well = {_key(topology, segment) for route in healthy for segment in route}
    passed = [{_key(topology, each): each for each in route if not _is_far(each)} for route in slow]
    if slow and not healthy:
        common = set.intersection(*(set(route) for route in passed))
        return (Suspect("all", tuple(passed[0][key] for key in passed[0] if key in common), len(slow), len(slow)),)
    open_routes = set(range(len(slow)))
    found: list[Suspect] = []
    while open_routes:
        counts = Counter(key for index in open_routes for key in passed[index] if key not in well)
        most = max(counts.values(), default=0)
        if not most:
            break
        best = [key for key, count in counts.items() if count == most]
        first = best[0]
        explained = {index for index in open_routes if first in passed[index]}
        same = [key for key in best if {index for index in open_routes if key in passed[index]} == explained]
        parts = tuple(next(passed[index][key] for index in explained if key in passed[index]) for key in same)
        found.append(_suspect(topology, parts, len(explained), len(slow)))
        open_routes -= explained
    if open_routes:
        between = tuple(slow[min(open_routes)])
        back = [{_key(topology, segment) for segment in route} for route in healthy]
        one_way = all(any(set(passed[index]) <= keys for keys in back) for index in open_routes)
        found.append(Suspect("direction" if one_way else "between", between, len(open_routes), len(slow)))
    return tuple(found)


def _suspect(topology: Topology, parts: tuple[Segment, ...], explains: int, slow: int) -> Suspect:
    ends = Counter(end for segment in parts for end in (segment.source, segment.target))
    own = [end for end in ends if end in topology and topology.component(end).kind in (Kind.ACCELERATOR, Kind.NIC)]
    if len(own) > 1 or explains == 1:  # a link between two of them, or one route only, accuses neither
        own = []
    return Suspect("component" if own else "segment", parts, explains, slow, own[0] if own else None)


def _is_far(segment: Segment) -> bool:
    """Tell a part of the other host, which is the mirror image and not what was measured."""
    return segment.source.startswith(_FAR) or segment.target.startswith(_FAR)


def _key(topology: Topology, segment: Segment) -> Hashable:
    """Name a segment whichever way it is read: crossings of sockets by the sockets that they join."""
    source, target = segment.source, segment.target
    if segment.reach is Reach.SOCKET:
        return ("socket", frozenset(_top(topology, end) for end in (source, target)))
    if segment.is_crossing:
        return ("crossing", segment.reach, frozenset((source, target)))
    if segment.links:
        return frozenset(frozenset(link) for link in segment.links)
    return frozenset((source, target))


def _top(topology: Topology, name: str) -> str:
    return host_end(topology, name) if name in topology else name
