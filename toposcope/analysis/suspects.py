"""Which part of a machine explains that some routes are slow: what they share and no healthy route passes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

from toposcope.model import Kind, Reach
from toposcope.model.placement import host_end

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from toposcope.analysis.segment import Segment
    from toposcope.model import Topology

_FAR = "remote:"
_ENDS = (Kind.ACCELERATOR, Kind.NIC)


@dataclass(frozen=True, slots=True)
class Passage:
    """What one measurement passed, in the direction of its data; ``both`` directions at once."""

    segments: tuple[Segment, ...]
    both: bool = False


@dataclass(frozen=True, slots=True)
class Suspect:
    """Something that explains slow routes.

    ``segments`` are the parts that cannot be told apart: all are passed by the same ``explains`` routes of ``slow``,
    by no healthy one. ``kind``: a ``component`` where all that begins or ends at it is slow, or all copies of one kind
    (with peers or the host, one way or both), a ``segment``,
    ``direction`` where the other direction of the segments is healthy, ``between`` where both ends are well and only
    what lies between them is left, ``varies`` where the same way was measured healthy as well, ``all`` where no route
    is healthy: then they are what all slow routes share, if anything; ``memory`` where slow copies are as fast as those
    of the memory of ``component``, another NUMA node.
    """

    kind: Literal["component", "segment", "between", "direction", "varies", "all", "memory"]
    segments: tuple[Segment, ...]
    explains: int
    slow: int
    component: str | None = None


class _Sort(IntEnum):
    """What may be to blame; of what explains equally much the greater is named."""

    DIRECTION = 0
    END = 1
    PART = 2


def suspects(topology: Topology, slow: Sequence[Passage], healthy: Sequence[Passage]) -> tuple[Suspect, ...]:
    """Return the fewest parts that explain all slow routes, the one that explains most first."""
    if slow and not healthy:
        return (_common(topology, slow),)
    well = {key for passage in healthy for key in _blamable(topology, passage)}
    passed = [
        {key: parts for key, parts in _blamable(topology, passage).items() if key not in well} for passage in slow
    ]
    waiting = set(range(len(slow)))
    found: list[Suspect] = []
    while waiting:
        counts = Counter(key for index in waiting for key in passed[index])
        best = max(counts, key=lambda key: (counts[key], key[0]), default=None)
        if best is None:
            break
        explained = {index for index in waiting if best in passed[index]}
        found.append(_suspect(topology, best, [passed[index] for index in sorted(explained)], len(slow)))
        waiting -= explained
    if waiting:
        found.append(_unexplained(topology, [slow[index] for index in sorted(waiting)], healthy, len(slow)))
    return tuple(found)


_Blamable = dict[tuple[_Sort, "Hashable"], tuple["Segment", ...]]


def _blamable(topology: Topology, passage: Passage) -> _Blamable:
    """Return all that may be to blame for a route, with the segments that stand for it."""
    near = [segment for segment in passage.segments if not _is_far(segment)]
    found: _Blamable = {}
    for segment in near:
        key = _key(topology, segment)
        found.setdefault((_Sort.PART, key), (segment,))
        for ends in ((segment.source, segment.target), (segment.target, segment.source))[: 1 + passage.both]:
            found.setdefault((_Sort.DIRECTION, (key, ends)), (segment,))
    outer = ((near[0].source, near[0]), (near[-1].target, near[-1])) if near else ()
    own = {end: segment for end, segment in outer if end in topology and topology.component(end).kind in _ENDS}
    for end, segment in own.items():
        found.setdefault((_Sort.END, (end, None)), (segment,))
        found.setdefault((_Sort.END, (end, (len(own), passage.both))), (segment,))  # with others, or with the host
    return found


def _common(topology: Topology, slow: Sequence[Passage]) -> Suspect:
    """Return what all routes share where none is healthy."""
    parts = [
        {key: parts for (sort, key), parts in _blamable(topology, each).items() if sort is _Sort.PART} for each in slow
    ]
    common = [key for key in parts[0] if all(key in others for others in parts)]
    return Suspect("all", tuple(parts[0][key][0] for key in common), len(slow), len(slow))


def _unexplained(topology: Topology, left: Sequence[Passage], healthy: Sequence[Passage], slow: int) -> Suspect:
    """Return what is left where every part of a slow route is healthy with others."""
    first = left[0]
    own = _blamable(topology, first).keys()
    again = any(own <= _blamable(topology, passage).keys() for passage in healthy)
    return Suspect("varies" if again else "between", first.segments, len(left), slow)


def _suspect(topology: Topology, best: tuple[_Sort, Hashable], explained: Sequence[_Blamable], slow: int) -> Suspect:
    """Name what explains these routes, with all that is passed by just the same ones."""
    sort, name = best
    if sort is _Sort.END:
        # A part that is healthy with others is not to blame.
        known = ((part, each) for each in explained for part in each[best])
        parts = {
            part.links or (part.source, part.target): part
            for part, each in known
            if (_Sort.PART, _key(topology, part)) in each
        }
        component, _ = name if isinstance(name, tuple) else (name, None)
        return Suspect("component", tuple(parts.values()), len(explained), slow, str(component))
    shared = [key for key in explained[0] if key[0] is sort and all(key in each for each in explained)]
    segments = tuple(part for key in shared for part in explained[0][key])
    if sort is _Sort.DIRECTION:
        return Suspect("direction", segments, len(explained), slow)
    ends = Counter(end for segment in segments for end in (segment.source, segment.target))
    own = [end for end in ends if end in topology and topology.component(end).kind in _ENDS]
    if len(own) > 1 or len(explained) == 1:  # a link between two of them, or one route only, accuses neither
        own = []
    return Suspect("component" if own else "segment", segments, len(explained), slow, own[0] if own else None)


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
