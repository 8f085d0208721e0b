"""The answer to ``contend``: the flows of a pattern at once, at line rate and in practice."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from toposcope.analysis.contention.capacity import capacities, figure_of
from toposcope.analysis.contention.filling import fair_shares
from toposcope.analysis.contention.patterns import IN_SWITCH, PATTERNS, Plan
from toposcope.analysis.contention.result import BusBandwidth, Contention, Share, SharedLink
from toposcope.analysis.contention.ways import Ways, ends_of, named
from toposcope.analysis.naming import find
from toposcope.analysis.route import Transport
from toposcope.base import Bandwidth, UsageError
from toposcope.model import NETWORKS, SCALE_UP, Kind, Usable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis.contention.capacity import Capacity
    from toposcope.analysis.contention.result import Flow
    from toposcope.model import Topology

    Filled = tuple[list[float], list[int | None]]

EXPLICIT = "flows"
"""The pattern of flows that a user names one by one."""

_USABLE = ("low", "typical", "high")
_FULL = 1 - 1e-9


def contend(
    topology: Topology,
    pattern: str | None = None,
    *,
    among: Sequence[str] = (),
    flows: Sequence[str] = (),
) -> Contention:
    """Share the links between the flows of a pattern, and those named by their ends, all at once.

    ``among`` are the accelerators that take part, by any name (default: all); ``flows`` are given as ``GPU0:NIC1``.
    Every flow takes its default route. Raises UsageError for an unknown pattern or name, and for a pattern that has no
    meaning here.
    """
    ways = Ways(topology)
    members = _members(topology, among)
    plan = Plan(())
    if pattern is not None:
        if pattern not in PATTERNS:
            raise UsageError(f"there is no pattern {pattern!r}; there are {', '.join(PATTERNS)}")
        if not members:
            raise UsageError("this machine shows no accelerator, so nothing can be sent")
        plan = PATTERNS[pattern](ways, members)
    plan = replace(plan, flows=(*plan.flows, *(named(ways, *ends_of(topology, each)) for each in flows)))
    if not plan.flows:
        raise UsageError(f"nothing to send: give --pattern ({', '.join(PATTERNS)}) or --flow GPU0:NIC1")
    ends = {end for flow in plan.flows for end in (flow.source, flow.target)}
    part = members if pattern is not None else tuple(name for name in ways.near if name in ends)
    return share(topology, plan, pattern or EXPLICIT, part)


def share(topology: Topology, plan: Plan, pattern: str, among: tuple[str, ...]) -> Contention:
    """Share the links between the flows of a plan."""
    found, passed = capacities(topology, plan.flows)
    rates, held = _filled(found, passed, "line")
    in_use = {measure: _filled(found, passed, measure) for measure in _USABLE}
    order = sorted(range(len(found)), key=lambda index: _fullness(found[index], rates))
    place = {index: at for at, index in enumerate(order)}
    alone = [_alone(found, row, "line") for row in passed]
    shares = tuple(
        Share(
            flow,
            _bandwidth(rates[index]),
            _usable(found, in_use, index, rates[index]),
            _at(place, held[index]),
            _at(place, in_use["typical"][1][index]),
            _bandwidth(alone[index]),
            _bandwidth(_alone(found, passed[index], "typical")),
        )
        for index, flow in enumerate(plan.flows)
    )
    links = tuple(_link(found[index], rates, alone) for index in order)
    bus = _bus(topology, plan, pattern, found, passed) if plan.groups else None
    return Contention(pattern, among, shares, links, bus, plan.rings)


def _members(topology: Topology, among: Sequence[str]) -> tuple[str, ...]:
    """Return the accelerators that take part; slices of one only where they are named."""
    if not among:
        return tuple(each.id for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id)
    found = [find(topology, name) for name in among]
    wrong = next((each for each in found if each.kind is not Kind.ACCELERATOR), None)
    if wrong is not None:
        raise UsageError(f"--among takes accelerators; {wrong.id} is a {wrong.kind}")
    return tuple(dict.fromkeys(each.id for each in found))


def _filled(found: list[Capacity], flows: Sequence[Sequence[int]], measure: str) -> Filled:
    return fair_shares(flows, [figure_of(each, measure) for each in found])


def _fullness(capacity: Capacity, rates: list[float]) -> tuple[bool, float, int]:
    """Sort by how full: links before what binds one flow alone, unknown ones last."""
    line = figure_of(capacity, "line")
    load = sum(rates[flow] for flow in capacity.flows)
    return (capacity.own, -load / line if load < inf else 0.0, -len(capacity.flows))


def _alone(found: list[Capacity], row: Sequence[int], measure: str) -> float:
    return min((figure_of(found[index], measure) / row.count(index) for index in row), default=inf)


def _usable(found: list[Capacity], in_use: dict[str, Filled], flow: int, line: float) -> Usable | None:
    """Return the range of a flow; None where it is held by a link that no measurement speaks of.

    Where others lose more than this one in practice, it could gain: its share at line rate is promised, no more.
    """
    held = in_use["typical"][1][flow]
    if held is None or found[held].usable is None:
        return None
    low, typical, high = (Bandwidth(round(min(in_use[measure][0][flow], line))) for measure in _USABLE)
    return Usable(min(low, typical), typical, max(high, typical))


def _link(capacity: Capacity, rates: list[float], alone: list[float]) -> SharedLink:
    load, demand = (sum(figures[flow] for flow in capacity.flows) for figures in (rates, alone))
    return SharedLink(
        capacity.source,
        capacity.target,
        capacity.segment,
        capacity.line,
        capacity.usable,
        tuple(capacity.flows),
        _bandwidth(load),
        _bandwidth(demand),
        capacity.own,
    )


def _bus(
    topology: Topology, plan: Plan, pattern: str, found: list[Capacity], passed: list[list[int]]
) -> BusBandwidth | None:
    """Predict the bus bandwidth: the groups' rates by line, times what collectives reach of it.

    Never more than plain copies over the same links would leave, which matters where a crossing is slow.
    """
    groups = [[link for flow in group for link in passed[flow]] for group in plan.groups]
    rates, held = _filled(found, groups, "line")
    if inf in rates:
        return BusBandwidth(None, None)
    line = Bandwidth(round(sum(rates) * plan.factor))
    slowest = held[min(range(len(rates)), key=rates.__getitem__)]
    names = _classes(plan.flows, found[slowest], pattern) if slowest is not None else ()
    figures = topology.figures
    efficiency = next((name for name in names if name in figures.efficiencies), None)
    usable = figures.usable(line, *names)
    copies = [Bandwidth(round(sum(_filled(found, groups, measure)[0]) * plan.factor)) for measure in _USABLE]
    if usable is not None and pattern != IN_SWITCH:
        pairs = zip((usable.low, usable.typical, usable.high), copies, strict=True)
        usable = Usable(*(min(pair) for pair in pairs))
    return BusBandwidth(line, usable, efficiency)


def _classes(flows: Sequence[Flow], at: Capacity, pattern: str) -> tuple[str, ...]:
    """Name the classes of a collective that this link holds back, best first."""
    segment = at.segment
    if segment.medium in NETWORKS:
        return ("collective-network",)
    if segment.medium in SCALE_UP and not segment.is_crossing:
        suffix = f"-{IN_SWITCH}" if pattern == IN_SWITCH else ""
        name = f"collective-{segment.medium}"
        return (f"{name}{segment.generation}{suffix}", f"{name}{suffix}")
    used = (each for flow in at.flows for each in flows[flow].segments)
    generations = [each.generation for each in used if each.generation and each.medium not in SCALE_UP]
    staged = "-staged" if any(flow.transport is Transport.HOST_STAGED for flow in flows) else ""
    return (f"collective-pcie{min(generations, default=0)}{staged}", f"collective-pcie{staged}")


def _at(place: dict[int, int], index: int | None) -> int | None:
    return None if index is None else place[index]


def _bandwidth(figure: float) -> Bandwidth | None:
    return None if figure == inf else Bandwidth(round(figure))
