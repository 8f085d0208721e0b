"""A reference machine as a topology: everything in it is assumed, with the profile as its origin."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.assembly.words import profile_words
from toposcope.base import Bandwidth, Origin, pci_address
from toposcope.model import Component, Fact, Grade, Kind, Link, Medium, State, Topology, classes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.assembly.figures import Lookup
    from toposcope.model import FactValue
    from toposcope.profiles.machine import Bundle, Machine, Nics, Pcie

NETWORK = "network"


def topology_of_machine(machine: Machine, lookup: Lookup, *, name: str | None = None) -> Topology:
    """Build the topology of a reference machine whose options are filled in."""
    accelerators = machine.accelerators
    devices = lookup.devices(names=[accelerators.model]) if accelerators else []
    platform = lookup.platform(machine.cpu.vendor, machine.cpu.model, None, None)
    topology = Topology(figures=lookup.figures({device.vendor for device in devices}, platform))
    topology.profile = machine.name
    builder = _Builder(machine, lookup, topology, Origin("profile", name or machine.name))
    builder.cpus()
    builder.switches()
    builder.accelerators()
    builder.nics()
    builder.fabric()
    for relation in profile_words(topology, machine, builder.origin):
        topology.relate(relation)
    return topology


class _Builder:
    """The steps of one machine; they share what is being built."""

    def __init__(self, machine: Machine, lookup: Lookup, topology: Topology, origin: Origin) -> None:
        self.machine = machine
        self.lookup = lookup
        self.topology = topology
        self.origin = origin
        self._bridges = 0

    def cpus(self) -> None:
        """Add sockets, NUMA nodes and memory."""
        cpu = self.machine.cpu
        if cpu.vendor:
            self.note("host", "cpu.vendor", cpu.vendor)
        for socket in range(cpu.sockets):
            self.add(f"CPU{socket}", Kind.SOCKET, model=cpu.model)
            for index in range(cpu.numa_per_socket):
                node = socket * cpu.numa_per_socket + index
                self.add(f"NUMA{node}", Kind.NUMA, numa=node)
                self.up(f"NUMA{node}", f"CPU{socket}", Medium.NUMA, internal=True)
                if cpu.numa_cpus:
                    self.note(f"NUMA{node}", "cpus", cpu.numa_cpus[node])
            if cpu.memory_gbs:
                self.add(f"MEM{socket}", Kind.MEMORY)
                self.join(f"MEM{socket}", f"CPU{socket}", Medium.MEMORY, line=Bandwidth.gigabytes(cpu.memory_gbs))
        if cpu.link is not None:
            for a, b in combinations(range(cpu.sockets), 2):
                self.bundle(f"CPU{a}", f"CPU{b}", cpu.link, medium=Medium.SOCKET)

    def switches(self) -> None:
        """Add the PCIe switches below their root complexes."""
        switches = self.machine.switches
        for index, place in enumerate(switches.at if switches else ()):
            if switches is not None:
                numa = self.numa_of(place)
                self.add(f"SW{index}", Kind.PCIE_SWITCH, model=switches.model, pci_id=switches.pci_id, numa=numa)
                self.pcie(f"SW{index}", self.above(place), switches.uplink)

    def accelerators(self) -> None:
        """Add the accelerators with what is known of their model, and the ports inside them."""
        parts = self.machine.accelerators
        if parts is None:
            return
        device = next(iter(self.lookup.devices(names=[parts.model])), None)
        for index, place in enumerate(parts.at):
            name, numa = f"{parts.prefix}{index}", self.numa_of(place)
            pci_id = device.pci_ids[0] if device and device.pci_ids else None
            pci = pci_address(parts.pci[index]) if parts.pci else None
            self.add(name, Kind.ACCELERATOR, model=parts.model, pci=pci, pci_id=pci_id, numa=numa)
            if parts.host_link is not None:
                self.bundle(name, f"NUMA{numa}", parts.host_link, upward=True)
            elif parts.pcie is not None:
                self.pcie(name, self.above(place), parts.pcie)
            if parts.port_gbps:
                self.port(name, 0, Medium(parts.port_medium), parts.port_gbps)
            if device is not None and device.memory_gb:
                self.note(name, "memory_bytes", int(device.memory_gb * 1e9))
            if device is not None and device.peer_over_pcie is not None:
                self.note(name, "peer_over_pcie", device.peer_over_pcie)
            if self.machine.cpu.numa_cpus and numa is not None:
                self.note(name, "cpus", self.machine.cpu.numa_cpus[numa])

    def nics(self) -> None:
        """Add the NICs in the order of the machine's tables, numbered through."""
        number = 0
        for group in self.machine.nics:
            for index, place in enumerate(group.at):
                self.nic(f"NIC{number}", group, index, place)
                number += 1

    def nic(self, name: str, group: Nics, index: int, place: str) -> None:
        """Add one NIC with its ports."""
        named = group.names[index] if group.names else None
        pci = pci_address(group.pci[index]) if group.pci else None
        self.add(name, Kind.NIC, name=named, model=group.model, pci=pci, numa=self.numa_of(place), role=group.role)
        self.pcie(name, self.above(place), group.pcie)
        for port in range(group.ports):
            rate = None if isinstance(group.rate_gbps, str) else group.rate_gbps
            self.port(name, port, Medium(group.medium), rate, members=group.members)

    def fabric(self) -> None:
        """Add what joins the accelerators: switches, or links between pairs."""
        fabric, parts = self.machine.fabric, self.machine.accelerators
        if fabric is None or parts is None:
            return
        if fabric.switches:
            self._switched(fabric.switches)
        for a, b, count in (*(fabric.pairs or ()), *self._groups()):
            self.scale_up(f"{parts.prefix}{a}", f"{parts.prefix}{b}", count)

    def _groups(self) -> Iterable[tuple[int, int, int]]:
        fabric = self.machine.fabric
        for group in (fabric.groups or ()) if fabric else ():
            for a, b in combinations(group, 2):
                yield a, b, fabric.links_per_pair if fabric else 1

    def _switched(self, count: int) -> None:
        fabric, parts = self.machine.fabric, self.machine.accelerators
        if fabric is None or parts is None:
            return
        boards, each = fabric.boards, count // fabric.boards
        kind = Kind.FABRIC_SWITCH if fabric.outside else Kind.NVSWITCH
        for index in range(count):
            self.add(f"NVSW{index}", kind, model=fabric.switch_model)
        per_board = len(parts.at) // boards
        spread = fabric.links_per_switch or (1,) * each
        for index in range(len(parts.at)):
            first = (index // per_board) * each
            for offset, links in enumerate(spread):
                self.scale_up(f"{parts.prefix}{index}", f"NVSW{first + offset}", links)
        if fabric.trunk_links:
            for index in range(count - each):
                self.scale_up(f"NVSW{index}", f"NVSW{index + each}", fabric.trunk_links)

    def scale_up(self, a: str, b: str, count: int) -> None:
        """Join two ends of the fabric by so many links."""
        fabric = self.machine.fabric
        if fabric is not None:
            line = Bandwidth.gigabytes(fabric.link_gbs * count)
            self.join(a, b, Medium(fabric.medium), count=count, generation=fabric.generation, line=line)

    def above(self, place: str) -> str:
        """Return the component that a place means: a switch, an accelerator, or a root complex on its CPU."""
        kind, number = place.rstrip("0123456789"), int(place[len(place.rstrip("0123456789")) :])
        if kind == "switch":
            return f"SW{number}"
        if kind == "gpu" and self.machine.accelerators is not None:
            return f"{self.machine.accelerators.prefix}{number}"
        return self.root_complex(self.numa_of(place) or 0)

    def root_complex(self, numa: int) -> str:
        """Return the root complex for one more root port: its own, or the one of the NUMA node."""
        shared = self.machine.host_bridges == "socket"
        name = f"RC{numa}" if shared else f"RC{self._bridges}"
        self._bridges += 1
        if name not in self.topology:
            self.add(name, Kind.ROOT_COMPLEX, numa=numa)
            self.up(name, f"NUMA{numa}", Medium.ROOT_COMPLEX, internal=True)
        return name

    def numa_of(self, place: str) -> int | None:
        """Return the NUMA node of a place: a socket means its first one."""
        kind, number = place.rstrip("0123456789"), int(place[len(place.rstrip("0123456789")) :])
        if kind == "socket":
            return number * self.machine.cpu.numa_per_socket
        if kind == "numa":
            return number
        parts = self.machine.switches if kind == "switch" else self.machine.accelerators
        return self.numa_of(parts.at[number]) if parts is not None else None

    def port(self, owner: str, index: int, medium: Medium, gbps: float | None, members: int = 1) -> None:
        """Add a network port with its rate."""
        name = f"{owner}/p{index + 1}"
        if NETWORK not in self.topology:
            self.add(NETWORK, Kind.NETWORK, count=None)
        self.add(name, Kind.NIC_PORT)
        self.join(owner, name, medium, internal=True)
        line = None if gbps is None else Bandwidth.gigabits(gbps)
        self.join(name, NETWORK, medium, line=line, count=members, state=State.UP)

    def pcie(self, below: str, above: str, link: Pcie) -> None:
        """Hang a device below a switch, a root complex or an accelerator."""
        line = self.lookup.pcie_line(link.generation, link.width)
        self.up(below, above, Medium.PCIE, generation=link.generation, width=link.width, line=line)

    def bundle(self, a: str, b: str, bundle: Bundle, *, medium: Medium | None = None, upward: bool = False) -> None:
        """Join two components by something that is no PCIe link."""
        line = None if bundle.line_gbs is None else Bandwidth.gigabytes(bundle.line_gbs)
        self._link(
            a,
            b,
            medium or Medium(bundle.medium),
            upward=upward,
            count=bundle.links,
            generation=bundle.generation,
            line=line,
            name=bundle.name,
        )

    def up(self, a: str, b: str, medium: Medium, **limits: object) -> None:
        """Add a structural link."""
        self._link(a, b, medium, upward=True, **limits)

    def join(self, a: str, b: str, medium: Medium, **limits: object) -> None:
        """Add a link that is no part of the PCIe and CPU structure."""
        self._link(a, b, medium, upward=False, **limits)

    def _link(self, a: str, b: str, medium: Medium, *, upward: bool, **limits: object) -> None:
        link = Link(a, b, medium, self.origin, Grade.ASSUMED, **{"state": State.UP, **limits})  # type: ignore[arg-type]
        self.topology.connect(with_usable(self.topology, link), upward=upward)

    def add(self, ident: str, kind: Kind, **known: object) -> None:
        """Add a component."""
        self.topology.add(Component(ident, kind, self.origin, Grade.ASSUMED, **known))  # type: ignore[arg-type]

    def note(self, component: str, name: str, value: FactValue) -> None:
        """Add a fact."""
        self.topology.note(Fact(component, name, value, self.origin))


def with_usable(topology: Topology, link: Link) -> Link:
    """Give a link its usable figure, of the class for copies between peers."""
    usable = topology.figures.usable(link.line, *classes_of(link, "peer"))
    return link if usable is None else replace(link, usable=usable)
