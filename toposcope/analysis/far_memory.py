"""Slow copies of host memory that are as fast as those of another NUMA node: the test may have run there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.expected import BOTH, Expected, in_manner, of_route
from toposcope.analysis.remote import host_routes
from toposcope.analysis.suspects import Suspect
from toposcope.model import Kind
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.model import Measurement, Topology

HOST = "host"
_WITHIN = 0.1
"""How far a figure may lie outside of what was published for the way and still fit it."""


def far_memory(topology: Topology, slow: Sequence[Measurement]) -> Iterator[Suspect]:
    """Yield the crossing to another node's memory where every slow copy of host memory is as fast as that way.

    ``slow`` are all slow measurements. Only those count that leave open which node's memory was copied.
    """
    copies = [each for each in slow if each.metric == "memcpy" and HOST in (each.source, each.target)]
    copies = [each for each in copies if "either" not in each.words]  # counts one direction, or both
    for node in topology.components(Kind.NUMA):
        fitting = [way for each in copies if (way := _fits(topology, each, node.id)) is not None]
        if copies and len(fitting) == len(copies):
            yield Suspect("memory", fitting[0].limits, len(copies), len(slow), node.id)
            return


def _fits(topology: Topology, each: Measurement, node: str) -> Expected | None:
    accelerator = each.target if each.source == HOST else each.source
    if accelerator is None or accelerator not in topology or topology.parent(accelerator) is None:
        return None
    above = chain(topology, accelerator)
    if node in above or all(topology.component(name).kind is not Kind.NUMA for name in above):
        return None  # its own node's memory, or nothing tells which node is its own
    (route,) = host_routes(in_manner(topology, each.words), accelerator, node)
    way = of_route(route, ways=2 if BOTH in each.words else 1)
    crosses = any(segment.is_crossing for segment in way.limits)
    if way.usable is None or not crosses:
        return None
    low, high = way.usable.low * (1 - _WITHIN), way.usable.high * (1 + _WITHIN)
    return way if low <= each.value <= high else None
