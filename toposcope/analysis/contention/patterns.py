"""The named patterns: which flows run at once, and how their rates make a collective's bus bandwidth.

Bus bandwidth as nccl-tests defines it: of an all-reduce 2 (n-1)/n of the data over the time, of an all-to-all (n-1)/n.
Flows that move in step (the hops of one ring) form a group with one rate, that of its slowest.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import TYPE_CHECKING

from toposcope.analysis.contention.order import chains, hops, rings
from toposcope.analysis.contention.result import Flow
from toposcope.analysis.contention.ways import backwards, host, out, peer, storage
from toposcope.analysis.fabric import fabric_links
from toposcope.analysis.nics import ports_of
from toposcope.base import UsageError
from toposcope.model import SCALE_UP, Kind
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toposcope.analysis.contention.order import Order
    from toposcope.analysis.contention.ways import Ways
    from toposcope.model import Component, Topology

Names = tuple[str, ...]

IN_SWITCH = "nvls"
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """The flows of a pattern. ``groups`` move in step (indices); their rates, times ``factor``, are the bus bandwidth.

    ``()`` for what is no collective. ``rings`` are the orders that were chosen.
    """

    flows: tuple[Flow, ...]
    groups: tuple[tuple[int, ...], ...] = ()
    factor: float = 1.0
    rings: tuple[Order, ...] = ()


def pairs(ways: Ways, among: Names) -> Plan:
    """Send from each of the first half to the one opposite in the second half."""
    half = len(_several(among)) // _PAIR
    return Plan(tuple(peer(ways, a, b) for a, b in zip(among[:half], among[half:], strict=False)))


def rail(ways: Ways, among: Names) -> Plan:
    """Send from each to the same one of an identical host; those that have no way out are left out."""
    flows = [flow for name in among if (flow := out(ways, name)) is not None]
    if not flows:
        raise UsageError(f"nothing here shows a way from {among[0]} to a remote host: no port of a NIC is known")
    return Plan(tuple(flows))


def ring(ways: Ways, among: Names) -> Plan:
    """All-reduce round rings; over a full mesh, from each to each other."""
    orders = rings(ways, _several(among))
    if not orders:
        return _everyone(ways, among)
    parts = [[peer(ways, a, b) for a, b in hops(order)] for order in orders]
    return _grouped(parts, 1.0, orders)


def tree(ways: Ways, among: Names) -> Plan:
    """All-reduce up a chain and down again, as a tree does inside one host."""
    orders = chains(ways, _several(among))
    parts = [[peer(ways, *hop) for a, b in pairwise(order) for hop in ((a, b), (b, a))] for order in orders]
    return _grouped(parts, 2 * (len(among) - 1) / len(among), orders)


def all_to_all(ways: Ways, among: Names) -> Plan:
    """Send from each to each other."""
    return _everyone(ways, _several(among))


def host_to_device(ways: Ways, among: Names) -> Plan:
    """Copy from the memory beside each accelerator to it."""
    return Plan(tuple(backwards(host(ways, name)) for name in among))


def device_to_host(ways: Ways, among: Names) -> Plan:
    """Copy from each accelerator to the memory beside it."""
    return Plan(tuple(host(ways, name) for name in among))


def checkpoint(ways: Ways, among: Names) -> Plan:
    """Write from each accelerator out by the nearest storage NIC; equally near ones take turns."""
    nics = storage_nics(ways)
    if not nics:
        raise UsageError(
            "no NIC is for storage here: every one is the nearest of some accelerator (try --flow GPU0:NIC1)"
        )
    turns: dict[Names, int] = {}
    flows = []
    for name in among:
        near = _nearest(ways.topology, name, nics)
        turn = turns[near] = turns.get(near, -1) + 1
        flows.append(storage(ways, name, near[turn % len(near)]))
    return Plan(tuple(flows))


def incast(ways: Ways, among: Names) -> Plan:
    """Send from all others to the first."""
    return Plan(tuple(peer(ways, name, among[0]) for name in _several(among)[1:]))


def in_switch(ways: Ways, among: Names) -> Plan:
    """All-reduce summed in the switches (NVLink SHARP): each sends its data to the switches once and gets it once.

    Bus bandwidth counts what a ring would have moved, which is more.
    """
    ups = [_to_switches(ways, name, _several(among)) for name in among]
    flows = tuple(flow for up in ups for flow in (up, backwards(up)))
    return Plan(flows, (tuple(range(len(flows))),), 2 * (len(among) - 1) / len(among))


PATTERNS: dict[str, Callable[[Ways, Names], Plan]] = {
    "pairs": pairs,
    "rail": rail,
    "ring": ring,
    "tree": tree,
    IN_SWITCH: in_switch,
    "all-to-all": all_to_all,
    "h2d": host_to_device,
    "d2h": device_to_host,
    "storage": checkpoint,
    "incast": incast,
}


def storage_nics(ways: Ways) -> list[Component]:
    """Return the NICs for storage: by their role, else those that are no accelerator's nearest and have a port."""
    topology = ways.topology
    nics = list(topology.components(Kind.NIC))
    near = {name for each in ways.near.values() for name in each.near}
    by_role = [nic for nic in nics if nic.role == "storage"]
    return by_role or [nic for nic in nics if nic.role is None and nic.id not in near and ports_of(topology, nic.id)]


def _everyone(ways: Ways, among: Names) -> Plan:
    flows = tuple(peer(ways, a, b) for a, b in permutations(among, _PAIR))
    return Plan(flows, (tuple(range(len(flows))),), len(among) - 1)


def _grouped(parts: Iterable[list[Flow]], factor: float, orders: tuple[Order, ...]) -> Plan:
    flows: list[Flow] = []
    groups = []
    for part in parts:
        groups.append(tuple(range(len(flows), len(flows) + len(part))))
        flows += part
    return Plan(tuple(flows), tuple(groups), factor, orders)


def _to_switches(ways: Ways, name: str, among: Names) -> Flow:
    other = next(each for each in among if each != name)
    flow = peer(ways, name, other)
    switched = len(flow.segments) > 1 and flow.segments[0].medium in SCALE_UP
    if not switched or not fabric_links(ways.topology, name):
        raise UsageError(f"{name} and {other} do not meet in switches: nothing there can sum")
    first = flow.segments[0]
    if f"collective-{first.medium}{first.generation}-{IN_SWITCH}" not in ways.topology.figures.efficiencies:
        raise UsageError(f"no switch of {first.medium} {first.generation or ''} is known to sum (NVLink SHARP)")
    return Flow(name, first.target, flow.transport, (first,))


def _nearest(topology: Topology, name: str, nics: list[Component]) -> Names:
    least = min(_distance(topology, name, nic.id) for nic in nics)
    return tuple(nic.id for nic in nics if _distance(topology, name, nic.id) == least)


def _distance(topology: Topology, name: str, nic: str) -> int:
    found = reach(topology, name, nic)
    return 99 if found is None else int(found)


def _several(among: Names) -> Names:
    if len(among) < _PAIR:
        raise UsageError(f"this pattern needs two accelerators; there {'is' if among else 'are'} {len(among)}")
    return among
