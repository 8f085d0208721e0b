"""PCI devices as components, and the PCIe links between them, from the tree that the sources show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from toposcope.assembly.cpus import numa_id
from toposcope.assembly.limits import MAX_DEPTH
from toposcope.assembly.pci_kinds import pci_id_of
from toposcope.assembly.pci_tree import PcieState, pcie_state
from toposcope.assembly.reference import with_usable
from toposcope.base import Problem, ProblemKind
from toposcope.model import Component, Grade, Kind, Link, Medium, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toposcope.assembly.evidence import Evidence
    from toposcope.assembly.figures import Lookup
    from toposcope.assembly.identity import Identities
    from toposcope.assembly.pci_tree import PciTree
    from toposcope.base import Bandwidth
    from toposcope.collectors.records import Accelerator, PciDevice, PlannedLink
    from toposcope.model import Topology

_VIRTUAL_FACTOR = 8
"""A bridge so many times slower than what hangs below it prints a made-up link (root-causes: R12)."""

_AMD = {"1002", "1022"}
"""AMD's two vendor ids: of its graphics and of its bridges."""

_SLEEPING = (Kind.ACCELERATOR,)


@dataclass(frozen=True)
class PciPart:
    """What is needed to place PCI devices: the tree, what each device is, and how each is called."""

    evidence: Evidence
    lookup: Lookup
    tree: PciTree
    kinds: Mapping[str, Kind]
    identities: Identities
    printed_numa: Mapping[str, int]
    """NUMA nodes by address as a matrix prints them, for sources that tell none (a tree)."""
    planned: Mapping[str, tuple[Bandwidth, PlannedLink]]
    """Line rates by address that a library planned with, for links that no tool showed."""


def add_pci(topology: Topology, part: PciPart) -> None:
    """Add all PCI devices, the root complexes above them, and their links."""
    names = _names(part)
    for address, device in part.evidence.devices.items():
        topology.add(_component(part, device, names[address]))
    roots = {parent for parent in part.tree.parents.values() if parent.startswith("pci")}
    for root in sorted(roots):
        _add_root(topology, part, root)
    for address in part.tree.parents:
        _connect(topology, part, address, names)
    _doubt_virtual_bridges(topology, part, names)
    topology.problems.extend(_uprooted(part))


def _uprooted(part: PciPart) -> Iterator[Problem]:
    for address in part.tree.uprooted:
        origin = part.evidence.devices[address].origin
        message = f"the bridges above {address} lead back to it, or are more than {MAX_DEPTH}: put on its root bus"
        yield Problem(ProblemKind.CLASH, origin, message, address)


def _names(part: PciPart) -> dict[str, str]:
    named = {each.pci: each.id for each in part.identities.all if each.pci}
    switches = {address: f"SW{index}" for index, address in enumerate(part.tree.switches)}
    fabric = [address for address, kind in part.kinds.items() if kind is Kind.NVSWITCH]
    nvswitches = {address: f"NVSW{index}" for index, address in enumerate(fabric)}
    return {
        address: named.get(address) or switches.get(address) or nvswitches.get(address) or address
        for address in part.evidence.devices
    }


def _component(part: PciPart, device: PciDevice, name: str) -> Component:
    kind = part.kinds[device.address]
    if device.address in part.tree.switches:
        kind = Kind.PCIE_SWITCH
    return Component(
        name,
        kind,
        device.origin,
        name=part.identities.name_of(name),
        model=device.name,
        pci=device.address,
        pci_id=pci_id_of(device),
        numa=_own_numa(device),
        card=device.address.rsplit(".", 1)[0] if kind is Kind.NIC else None,
    )


def _add_root(topology: Topology, part: PciPart, root: str) -> None:
    below = [
        (number, device)
        for address in part.tree.children.get(root, ())
        for device in _with_descendants(part, address)
        if (number := _numa_of(part, device)) is not None
    ]
    numa = Counter(number for number, _ in below).most_common(1)[0][0] if below else None
    first = part.evidence.devices[part.tree.children[root][0]].origin
    topology.add(Component(root, Kind.ROOT_COMPLEX, first, numa=numa))
    if numa is not None and numa_id(numa) in topology:
        link = Link(root, numa_id(numa), Medium.ROOT_COMPLEX, below[0][1].origin, Grade.OBSERVED, internal=True)
        topology.connect(link, upward=True)


def _numa_of(part: PciPart, device: PciDevice) -> int | None:
    own = _own_numa(device)
    return part.printed_numa.get(device.address) if own is None else own


def _own_numa(device: PciDevice) -> int | None:
    return device.numa if device.numa is not None and device.numa >= 0 else None


def _with_descendants(part: PciPart, address: str) -> list[PciDevice]:
    waiting, found = [address], []
    while waiting:
        current = waiting.pop()
        found.append(part.evidence.devices[current])
        waiting.extend(part.tree.children.get(current, ()))
    return found


def _connect(topology: Topology, part: PciPart, address: str, names: Mapping[str, str]) -> None:
    parent = part.tree.parents[address]
    below, above = part.evidence.devices[address], part.evidence.devices.get(parent)
    internal = part.tree.is_internal(address) or _inside_card(part, address)
    if internal:
        state = PcieState(None, None, None, None, None, State.UNKNOWN, Grade.OBSERVED)
    else:
        state = pcie_state(below, above, part.lookup, sleeps=part.kinds[address] in _SLEEPING)
        state = _told_by_vendor(part, names[address], state)
    planned = None if internal or state.line is not None or state.state is State.DOWN else part.planned.get(address)
    if planned is not None:
        state = replace(state, line=planned[0], grade=Grade.DERIVED)
    link = Link(
        names[address],
        names.get(parent, parent),
        Medium.PCIE,
        below.origin if planned is None else planned[1].origin,
        state.grade,
        generation=state.generation,
        width=state.width,
        max_generation=state.max_generation,
        max_width=state.max_width,
        line=state.line,
        state=state.state,
        internal=internal,
    )
    topology.connect(with_usable(topology, link), upward=True)


def add_lone_links(topology: Topology, part: PciPart) -> None:
    """Give the links of devices that no tree places (``lspci -vvv -s 01:00.0``) what their own link lines say."""
    for each in part.identities.all:
        device = part.evidence.devices.get(each.pci or "")
        parent = topology.parent(each.id) if each.id in topology else None
        if device is None or device.status is None or parent is None or device.address in part.tree.parents:
            continue
        link = topology.link(each.id, parent)
        if link is not None and link.medium is Medium.PCIE and link.line is None:
            state = pcie_state(device, None, part.lookup, sleeps=each.kind in _SLEEPING)
            known = {field.name: getattr(state, field.name) for field in fields(state)}
            topology.replace(with_usable(topology, replace(link, origin=device.origin, **known)))


def _inside_card(part: PciPart, address: str) -> bool:
    """Tell the made-up link between a GPU and the switch on its own card, which carries its maker's id."""
    parent = part.evidence.devices.get(part.tree.parents[address])
    switch = part.lookup.switch(pci_id_of(parent)) if parent else None
    if parent is None or switch is None or not switch.embedded or part.kinds[address] is not Kind.ACCELERATOR:
        return False
    ids = (pci_id_of(device) for device in (parent, part.evidence.devices[address]))
    makers = {found.split(":")[0] for found in ids if found}
    return len(makers) == 1 or makers == _AMD


def _told_by_vendor(part: PciPart, name: str, state: PcieState) -> PcieState:
    """Fill a link that lspci does not show from what the vendor's tool prints of the device."""
    record = part.evidence.accelerators.get(name)
    if record is None:
        return state
    if state.state is State.IDLE or (state.line is None and record.pcie_generation is None):
        return state
    return vendor_state(record, part.lookup) if state.line is None else state


def vendor_state(record: Accelerator, lookup: Lookup) -> PcieState:
    """Judge the PCIe link of an accelerator from what its vendor's tool prints."""
    generation, width = record.pcie_generation, record.pcie_width
    best, widest = record.pcie_max_generation, record.pcie_max_width
    narrow = bool(width and widest and width < widest)
    slow = bool(generation and best and generation < best)
    asleep = slow and (generation == 1 or record.performance_state not in (None, "P0"))
    shown = best if asleep else generation
    line = lookup.pcie_line(shown, width)
    state = (
        State.IDLE
        if asleep and not narrow
        else State.DEGRADED
        if narrow or slow
        else State.UP
        if line
        else State.UNKNOWN
    )
    grade = Grade.UNKNOWN if line is None else Grade.DERIVED if asleep else Grade.OBSERVED
    return PcieState(shown, width, best, widest, line, state, grade)


def _doubt_virtual_bridges(topology: Topology, part: PciPart, names: Mapping[str, str]) -> None:
    """Take away the figure of a bridge's link that is far below what hangs under it: it is made up."""
    fastest: dict[str, int] = {}
    for address, kind in part.kinds.items():
        if kind in (Kind.ACCELERATOR, Kind.NIC):
            name = names[address]
            link = next((each for each in topology.links_of(name) if each.source == name), None)
            rate = link.line.bytes_per_s if link is not None and link.line is not None else 0
            while (parent := topology.parent(name)) is not None:
                name = parent
                fastest[name] = max(fastest.get(name, 0), rate)
    for name, rate in fastest.items():
        parent = topology.parent(name)
        link = topology.link(name, parent) if parent else None
        if link is not None and link.line is not None and link.line.bytes_per_s * _VIRTUAL_FACTOR <= rate:
            topology.replace(
                replace(link, line=None, usable=None, generation=None, state=State.UNKNOWN, grade=Grade.UNKNOWN)
            )
