"""The segments between two devices through the PCIe and CPU structure, and from a device up to its CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.segment import Segment, climb, crossing, reverse, unknown_crossing
from toposcope.model import Kind, Medium
from toposcope.model.placement import chain, meeting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.model import Topology
    from toposcope.model.placement import Meeting

_HOST = (Kind.ROOT_COMPLEX, Kind.NUMA, Kind.SOCKET)


def through(topology: Topology, place: Meeting, *, use: str, beyond: Sequence[Segment] = ()) -> list[Segment]:
    """Make the segments from one device to another through the place where they meet, then ``beyond``.

    The usable figure of a crossing is a factor on the least line of all the rest, ``beyond`` included.
    """
    up, down = climb(topology, place.up, use=use), reverse(climb(topology, place.down, use=use))
    ends = (place.up[-1], place.down[-1])
    if place.reach is None:
        return [*up, unknown_crossing(ends), *down, *beyond]
    if not place.reach.crosses_host:
        return [*up, *down, *beyond]
    rest = [*up, *down, *beyond]
    return [*up, crossing(topology, ends, place.reach, use=use, rest=rest), *down, *beyond]


def between(topology: Topology, a: str, b: str, *, use: str, beyond: Sequence[Segment] = ()) -> list[Segment]:
    """Make the segments between two devices, then ``beyond``."""
    return through(topology, meeting(topology, a, b), use=use, beyond=beyond)


def to_host(topology: Topology, name: str) -> tuple[str, ...]:
    """Return the way up from a device to the CPU's side: its root complex, or the CPU itself where it sits on it.

    A link of its own to the CPU (C2C) goes before the PCIe tree that it is listed in as well.
    """
    own = (link for link in topology.links_of(name) if link.medium is Medium.C2C)
    beside = next((cpu for link in own if topology.component(cpu := link.other(name)).kind in _HOST), None)
    if beside is not None:
        return (name, beside)
    way = chain(topology, name)
    end = next((index for index, each in enumerate(way) if topology.component(each).kind in _HOST), len(way) - 1)
    return way[: end + 1]
