"""What flows share: each direction of each link is a capacity of its own, and so is each crossing between two roots.

- The functions of one card share the link of their slot. An accelerator's links to its switches are one bundle. The
  trunks between switches are one bundle too.
- A socket link carries its line figure, as many crossings as pass it. A crossing itself (root complex, NUMA fabric,
  socket) has no line figure; its usable one is that of its class, for all that goes from one root port to another.
- Two accelerators that stage for each other at once get what tests of both directions show, which is less.
- An accelerator that copies to several peers at once over PCIe reaches less of its link than with one.
- Where a flow passes a link with less than the link carries (one end of a bundle has fewer links, a class is worse for
  this use), that figure binds this flow alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from toposcope.analysis.route import Transport
from toposcope.base import Bandwidth
from toposcope.model import NETWORKS, SCALE_UP, Kind, Medium, Usable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from toposcope.analysis.contention.result import Flow
    from toposcope.analysis.segment import Segment
    from toposcope.model import Link, Topology

    Figure = Callable[["Capacity"], Bandwidth | None]

_SWITCHES = (Kind.NVSWITCH, Kind.FABRIC_SWITCH)
_STRUCTURE = (Medium.ROOT_COMPLEX, Medium.NUMA)


@dataclass(slots=True)
class Capacity:
    """One capacity while it is put together: the links it is made of, and the flows on it."""

    source: str
    target: str
    segment: Segment
    line: Bandwidth | None
    usable: Usable | None
    links: dict[tuple[str, str], Bandwidth | None] = field(default_factory=dict)
    flows: list[int] = field(default_factory=list)
    own: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """One segment of a flow on the capacity that it loads."""

    key: Hashable
    ends: tuple[str, str]
    segment: Segment
    links: dict[tuple[str, str], Bandwidth | None]
    line: Bandwidth | None
    usable: Usable | None
    whole: Usable | None
    """What the capacity has for all flows together, where that is not what this flow may have of it."""


def capacities(topology: Topology, flows: Sequence[Flow]) -> tuple[list[Capacity], list[list[int]]]:
    """Return the capacities that these flows load, and for each flow the indices of those it passes."""
    known: dict[Hashable, int] = {}
    found: list[Capacity] = []
    passed: list[list[tuple[int, Stage]]] = []
    made: dict[int, list[Stage]] = {}
    ends = {(flow.source, flow.target) for flow in flows if flow.transport is Transport.HOST_STAGED}
    for index, flow in enumerate(flows):
        both = (flow.source, flow.target) in ends and (flow.target, flow.source) in ends
        stages = made.setdefault(id(flow.segments), []) or list(_stages(topology, flow, both=both))
        made[id(flow.segments)] = stages
        passed.append([(_place(found, known, stage, index), stage) for stage in stages])
    for each in found:
        _widen(each)
        _spread(topology, each, flows)
    return found, [[*(at for at, _ in row), *_private(found, row, index)] for index, row in enumerate(passed)]


def figure_of(capacity: Capacity, measure: str) -> float:
    """Return what a capacity carries by ``line``, ``low``, ``typical`` or ``high``; infinite if unknown."""
    usable: Bandwidth | None = capacity.line
    if measure != "line" and capacity.usable is not None:
        usable = getattr(capacity.usable, measure)
    return inf if usable is None else float(usable.bytes_per_s)


def _place(found: list[Capacity], known: dict[Hashable, int], stage: Stage, flow: int) -> int:
    at = known.get(stage.key)
    if at is None:
        at = known[stage.key] = len(found)
        found.append(Capacity(*stage.ends, stage.segment, stage.line, stage.whole))
    capacity = found[at]
    capacity.flows.append(flow)
    capacity.links.update(stage.links)
    capacity.usable = _better(capacity.usable, stage.whole)
    if capacity.line is not None and stage.line is not None:
        capacity.line = max(capacity.line, stage.line)
    return at


def _widen(capacity: Capacity) -> None:
    """Let a bundle carry all of its links, though each flow used those that its other end has too."""
    lines = [line for line in capacity.links.values() if line is not None]
    total = sum(lines, start=Bandwidth(0))
    if len(lines) < 2 or len(lines) < len(capacity.links) or capacity.line is None or total <= capacity.line:  # noqa: PLR2004
        return
    factor = total / capacity.line
    capacity.line = total
    if (usable := capacity.usable) is not None:
        capacity.usable = Usable(usable.low * factor, usable.typical * factor, usable.high * factor)


def _spread(topology: Topology, capacity: Capacity, flows: Sequence[Flow]) -> None:
    """Let an accelerator reach less of its PCIe link where it copies to, or from, several peers at once.

    Published measurements: 0.68 of the line for two peers and 0.59 to 0.65 for three, where one gets 0.85; that is what
    the collectives' class says.
    """
    segment = capacity.segment
    ends = [end for end in (segment.source, segment.target) if _is_accelerator(topology, end)]
    if segment.medium is not Medium.PCIE or not ends or len(capacity.flows) < 2:  # noqa: PLR2004
        return
    copies = [flows[index] for index in capacity.flows if flows[index].transport is Transport.PCIE_P2P]
    peers = {end for flow in copies for end in (flow.source, flow.target) if _is_accelerator(topology, end)}
    reached = topology.figures.usable(capacity.line, f"collective-pcie{segment.generation}", "collective-pcie")
    if len(peers - set(ends)) > 1 and reached is not None and _less(reached.typical, _typical(capacity.usable)):
        capacity.usable = reached


def _is_accelerator(topology: Topology, name: str) -> bool:
    return name in topology and topology.component(name).kind is Kind.ACCELERATOR


def _private(found: list[Capacity], row: Sequence[tuple[int, Stage]], flow: int) -> list[int]:
    """Add what binds one flow alone: stages on which it gets less than the link carries."""
    added = []
    for at, stage in row:
        whole = found[at]
        if _less(stage.line, whole.line) or _less(_typical(stage.usable), _typical(whole.usable)):
            found.append(Capacity(*stage.ends, stage.segment, stage.line, stage.usable, flows=[flow], own=True))
            added.append(len(found) - 1)
    return added


def _stages(topology: Topology, flow: Flow, *, both: bool) -> Iterator[Stage]:
    """Yield what each segment loads: a crossing its class, and the socket link where that is known."""
    for index, segment in enumerate(flow.segments):
        if not segment.is_crossing:
            yield _of_links(topology, segment)
            continue
        if segment.line is not None:
            whole = Usable(segment.line, segment.line, segment.line)
            key = ("link", segment.source, segment.target)
            yield Stage(key, (segment.source, segment.target), segment, {}, segment.line, whole, whole)
        if segment.usable is not None:
            usable = _in_both_directions(topology, segment, segment.usable) if both else segment.usable
            yield _of_crossing(flow, index, segment, usable)


def _in_both_directions(topology: Topology, segment: Segment, usable: Usable) -> Usable:
    """Scale what a crossing carries one way to what it carries each way where both are used."""
    known = topology.figures.efficiencies
    name = next((name for name in segment.classes if name in known), None)
    twin = known.get(f"{name}:both")
    if name is None or twin is None:
        return usable
    one = known[name]
    factors = (twin.low / one.low, twin.typical / one.typical, twin.high / one.high)
    return Usable(usable.low * factors[0], usable.typical * factors[1], usable.high * factors[2])


def _of_crossing(flow: Flow, index: int, segment: Segment, usable: Usable) -> Stage:
    """Let all that goes from one root port to another share what the class leaves of the lesser of the two ports."""
    before = flow.segments[index - 1] if index else segment
    after = flow.segments[index + 1] if index + 1 < len(flow.segments) else segment
    ends = (before.target if index else segment.source, after.source if after is not segment else segment.target)
    roots = min((each.line for each in (before, after) if each.line is not None), default=None)
    lines = (each.line for each in flow.segments if each.line is not None and not each.is_crossing)
    least = min(lines, default=None)
    factor = max(roots / least, 1.0) if roots is not None and least is not None else 1.0
    whole = Usable(usable.low * factor, usable.typical * factor, usable.high * factor)
    return Stage(("crossing", *ends), ends, segment, {}, None, usable, whole)


def _of_links(topology: Topology, segment: Segment) -> Stage:
    links = [link for link in (topology.link(*pair) for pair in segment.links) if link is not None and _carries(link)]
    key, ends = _key(topology, segment, links)
    bundled = segment.medium in SCALE_UP
    lines = {(link.source, link.target): link.line for link in links} if bundled else {}
    return Stage(key, ends, segment, lines, segment.line, segment.usable, segment.usable)


def _key(topology: Topology, segment: Segment, links: list[Link]) -> tuple[Hashable, tuple[str, str]]:
    ends = (segment.source, segment.target)
    if not links:
        return ends, ends
    if segment.medium in SCALE_UP and _to_switches(topology, links):
        for direction, end in (("out", segment.source), ("in", segment.target)):
            if _is_accelerator(topology, end):
                return (direction, end), ends
    if len(links) > 1:
        return ends, ends
    link = links[0]
    forward = segment.source == link.source or segment.target == link.target
    if segment.medium in NETWORKS:
        return (link.source, link.target, forward), (link.source, ends[1]) if forward else (ends[0], link.source)
    device = topology.component(link.source)
    if device.kind is not Kind.NIC or device.card is None:
        return (link.source, link.target, forward), ends
    slot = "+".join(_functions(topology, device.card, link.target))
    return ("slot", slot, forward), (slot, ends[1]) if forward else (ends[0], slot)


def _functions(topology: Topology, card: str, parent: str) -> list[str]:
    """Name the functions of a card below one port of the host."""
    return [
        each.id for each in topology.components(Kind.NIC) if each.card == card and topology.parent(each.id) == parent
    ]


def _to_switches(topology: Topology, links: list[Link]) -> bool:
    return any(topology.component(end).kind in _SWITCHES for end in (links[0].source, links[0].target))


def _carries(link: Link) -> bool:
    return not link.internal and link.medium not in _STRUCTURE


def _better(one: Usable | None, other: Usable | None) -> Usable | None:
    if one is None or other is None:
        return one or other
    return Usable(*(max(getattr(one, name), getattr(other, name)) for name in ("low", "typical", "high")))


def _less(one: Bandwidth | None, other: Bandwidth | None) -> bool:
    return one is not None and other is not None and one < other


def _typical(usable: Usable | None) -> Bandwidth | None:
    return None if usable is None else usable.typical
