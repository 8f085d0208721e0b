"""How results are put into words: segments, limits, and the one sentence that names a bottleneck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base.clean import printable
from toposcope.model import NETWORKS, Kind, Medium, Reach, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis import Route, Segment
    from toposcope.base import Bandwidth
    from toposcope.model import Component, Topology

_CROSSING = {
    Reach.ROOT_COMPLEX: "the root complex",
    Reach.NUMA: "the way between host bridges of one NUMA node",
    Reach.SOCKET: "the way between NUMA nodes",
}
_MEDIUM = {
    Medium.NVLINK: "NVLink",
    Medium.C2C: "NVLink-C2C",
    Medium.HCCS: "HCCS",
    Medium.SIO: "SIO",
    Medium.UB: "UB",
    Medium.XGMI: "xGMI",
    Medium.MEMORY: "memory",
    Medium.PCIE: "PCIe",
}
_FAR = "remote:"


def gbs(figure: Bandwidth | None) -> str:
    """Print a bandwidth in GB/s, a question mark where it is unknown."""
    return "?" if figure is None else str(figure)


def medium_of(segment: Segment) -> str:
    """Name what a segment is made of: ``PCIe Gen4 x16``, ``12 x NVLink3``, ``200 Gb/s port``."""
    if segment.is_crossing:
        return segment.name or _crossing(segment)
    if segment.medium is Medium.NUMA:
        return "a way that nothing shows"
    if segment.medium is Medium.PCIE:
        count = f"{segment.count} x " if segment.count and segment.count > 1 else ""
        generation = f" Gen{segment.generation}" if segment.generation else ""
        width = f" x{segment.width}" if segment.width else ""
        return f"{count}PCIe{generation}{width}"
    if segment.medium in NETWORKS:
        rate = f"{segment.line.gbps:.0f} Gb/s " if segment.line else ""
        return f"{rate}{'ports' if segment.count and segment.count > 1 else 'port'}"
    name = _MEDIUM.get(segment.medium, segment.medium)
    if segment.medium is Medium.NVLINK:
        return f"{f'{segment.count} x ' if segment.count else ''}{name}{segment.generation or ''}"
    return f"{segment.count} x {name}" if segment.count and segment.count > 1 else name


def _crossing(segment: Segment) -> str:
    if segment.medium is Medium.SOCKET:
        return "the link between the sockets"
    return _CROSSING[segment.reach] if segment.reach is not None else "the host"


def place_of(segment: Segment, topology: Topology) -> str:
    """Name where a segment is: its ends, or the port."""
    if segment.medium in NETWORKS and not segment.is_crossing:
        end = segment.target if segment.source == "network" else segment.source
        return call(end, topology)
    if segment.source == segment.target:
        return call(segment.source, topology)
    return f"{call(segment.source, topology)} - {call(segment.target, topology)}"


def call(name: str, topology: Topology) -> str:
    """Call a component as people know it: the id, with the other tool's name for a NIC."""
    far, bare = (_FAR, name.removeprefix(_FAR)) if name.startswith(_FAR) else ("", name)
    if bare not in topology:
        return printable(name)
    component = topology.component(bare)
    return printable(f"{far}{_called(component)}")


def _called(component: Component) -> str:
    if component.kind is Kind.NIC and component.name and component.name != component.id:
        return f"{component.id} ({component.name})"
    return component.id


def bottleneck_words(route: Route, indices: Sequence[int], topology: Topology) -> tuple[str, ...]:
    """Name the segments of a bottleneck, each once: the far half of a remote route says the same."""
    near = [route.segments[index] for index in indices if not is_far(route.segments[index])]
    chosen = near or [route.segments[index] for index in indices]
    return tuple(dict.fromkeys(_named(each, topology) for each in chosen))


def _named(segment: Segment, topology: Topology) -> str:
    if segment.medium in NETWORKS and not segment.is_crossing:
        return f"the {medium_of(segment)} of {place_of(segment, topology)}"
    return f"{medium_of(segment)} ({place_of(segment, topology)})"


def is_far(segment: Segment) -> bool:
    """Tell a segment of the identical host at the other end of the network."""
    return segment.source.startswith(_FAR) or segment.target.startswith(_FAR)


def broken(route: Route, topology: Topology) -> Segment | None:
    """Return the first segment of a route with a link that is down."""
    for segment in route.segments:
        links = (topology.link(a, b) for a, b in segment.links)
        if any(link is not None and link.state is State.DOWN for link in links):
            return segment
    return None


def sentence(route: Route, topology: Topology) -> str:
    """Say in one sentence what a route carries and what holds it back.

    The bottleneck named is the one that a user will see (least usable); the one by line rate too where they differ.
    """
    limit = route.limit
    ends = f"{call(route.source, topology)} to {_goal(route, topology)}"
    if (down := broken(route, topology)) is not None:
        return f"{ends}: nothing passes, {_named(down, topology)} is down."
    if limit.line is None:
        return f"{ends}: the limit is not known; {_missing(route, topology)}."
    usable = f" at line rate, {limit.usable.typical} in practice" if limit.usable is not None else ""
    text = f"{ends}: {'at most ' if limit.at_most else ''}{limit.line} GB/s{usable}, held back by "
    text += _listed(bottleneck_words(route, limit.bottleneck, topology))
    if set(limit.line_bottleneck) != set(limit.bottleneck):
        text += f"; by line rate it is {_listed(bottleneck_words(route, limit.line_bottleneck, topology))}"
    if limit.at_most:
        text += f"; {_missing(route, topology)}"
    if limit.next_line is not None:
        text += f"; {_next(route)} would be next at {limit.next_line}"
    return text + "."


def _goal(route: Route, topology: Topology) -> str:
    if route.target == "remote":
        noun = route.source.rstrip("0123456789/")
        return f"a remote {'NPU' if noun == 'Phy-ID' else noun}"
    return call(route.target, topology)


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words[:2]) + (f" and {len(words) - 2} more" if len(words) > 2 else "")  # noqa: PLR2004


def _next(route: Route) -> str:
    held = set(route.limit.line_bottleneck)
    index = next(
        index
        for index, segment in enumerate(route.segments)
        if index not in held and segment.line == route.limit.next_line
    )
    return medium_of(route.segments[index])


def _missing(route: Route, topology: Topology) -> str:
    index = route.limit.unknown
    unknown = None if index is None else route.segments[index]
    return f"nothing tells the speed of {_named(unknown, topology)}" if unknown else "no figure is known"
