"""Prints what the tools would print on a reference machine: the same host as text, for reading it back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.assembly import Lookup, topology_of_machine
from toposcope.model import Kind, Medium
from toposcope.profiles.store import find_machine, load_catalogue, load_machines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Topology

GTS = {1: "2.5GT/s", 2: "5GT/s", 3: "8GT/s", 4: "16GT/s", 5: "32GT/s", 6: "64GT/s"}
CATALOGUE = load_catalogue()
MACHINES = load_machines()
LOOKUP = Lookup(CATALOGUE)


def machine(name: str) -> Topology:
    """Build the topology of a reference machine."""
    return topology_of_machine(find_machine(name, MACHINES), LOOKUP)


def labels(topology: Topology) -> list[str]:
    """The devices of a matrix: accelerators, then the NICs that carry their traffic."""
    nics = [nic.id for nic in topology.components(Kind.NIC) if nic.role == "compute"]
    return [*(each.id for each in topology.components(Kind.ACCELERATOR)), *nics]


def topo_m(topology: Topology) -> str:
    """Print ``nvidia-smi topo -m`` of a machine, with affinities."""
    names = labels(topology)
    lines = ["\t" + "\t".join([*names, "CPU Affinity", "NUMA Affinity"])]
    for row in names:
        cells = [" X " if row == column else word(topology, row, column) for column in names]
        lines.append("\t".join([row, *cells, *affinity(topology, row)]))
    nics = [name for name in names if name.startswith("NIC")]
    legend = ["", "NIC Legend:", "", *(f"  {name}: mlx5_{index}" for index, name in enumerate(nics))]
    return "\n".join([*lines, *(legend if nics else [])]) + "\n"


def npu_topo(topology: Topology) -> str:
    """Print ``npu-smi info -t topo`` of a machine."""
    names = labels(topology)
    head = "\t   " + "".join(f"{name:<11}" for name in names) + "CPU Affinity"
    rows = (
        f"{row:<11}"
        + "".join(f"{'X' if row == column else word(topology, row, column):<11}" for column in names)
        + affinity(topology, row)[0]
        for row in names
    )
    return "\n".join([head, *rows]) + "\n"


def word(topology: Topology, a: str, b: str) -> str:
    """Return the word of a pair."""
    return topology.relations(a, b)[0].word


def affinity(topology: Topology, name: str) -> list[str]:
    """Return CPU and NUMA affinity of an accelerator, nothing for a NIC."""
    if name.startswith("NIC"):
        return []
    fact = topology.fact(name, "cpus")
    numa = topology.component(name).numa or 0
    return [str(fact.value) if fact else f"{numa * 16}-{numa * 16 + 15}", str(numa)]


@dataclass
class Bus:
    """Numbers buses and functions while a tree is printed."""

    last: int = 0
    blocks: list[str] = field(default_factory=list)
    address_of: dict[str, str] = field(default_factory=dict)

    def next(self) -> int:
        """Return a new bus number."""
        self.last += 1
        return self.last


def lspci_vvv(topology: Topology) -> tuple[str, dict[str, str]]:
    """Print ``lspci -D -nn -vvv`` of a machine; returns the text and the address of each component."""
    bus = Bus()
    for domain, root in enumerate(topology.components(Kind.ROOT_COMPLEX)):
        bus.last = 0
        for slot, child in enumerate(below(topology, root.id), start=1):
            link = topology.link(child.id, root.id)
            port = f"{domain:04x}:00:{slot:02x}.0"
            secondary = bus.next()
            _device(topology, bus, child, f"{domain:04x}", secondary)
            capability = link_lines(link.generation, link.width) if link else []
            bus.blocks.append(
                block(
                    port, "PCI bridge [0604]: Example Root Port [1d00:0001]", root.numa, "Root Port (Slot+)", capability
                )
                + f"\tBus: primary=00, secondary={secondary:02x}, subordinate={bus.last:02x}, sec-latency=0\n"
            )
    for index, _ in enumerate(topology.components(Kind.NVSWITCH)):
        bus.blocks.append(
            block(f"fff0:{index + 1:02x}:00.0", "Bridge [0680]: NVIDIA Corporation Device [10de:22a3]", 0, None, [])
        )
    return "\n".join(sorted(bus.blocks)), bus.address_of


def below(topology: Topology, name: str) -> Iterator[Component]:
    """Yield the components right below another in the PCIe structure."""
    for component in topology.components():
        link = topology.link(component.id, name)
        if topology.parent(component.id) == name and link is not None and link.medium is Medium.PCIE:
            yield component


def _device(topology: Topology, bus: Bus, component: Component, domain: str, number: int) -> None:
    address = f"{domain}:{number:02x}:00.0"
    bus.address_of[component.id] = address
    parent = topology.parent(component.id)
    link = topology.link(component.id, parent) if parent else None
    lines = link_lines(link.generation, link.width) if link else []
    if component.kind is not Kind.PCIE_SWITCH:
        bus.blocks.append(block(address, header(component), component.numa, "Endpoint, MSI 00", lines))
        return
    inner = bus.next()
    for slot, child in enumerate(below(topology, component.id)):
        down = topology.link(child.id, component.id)
        secondary = bus.next()
        _device(topology, bus, child, domain, secondary)
        bus.blocks.append(
            block(
                f"{domain}:{inner:02x}:{slot:02x}.0",
                "PCI bridge [0604]: Example Switch [1d00:0002]",
                component.numa,
                "Downstream Port (Slot-)",
                link_lines(down.generation, down.width) if down else [],
            )
            + f"\tBus: primary={inner:02x}, secondary={secondary:02x}, subordinate={bus.last:02x}, sec-latency=0\n"
        )
    bus.blocks.append(
        block(address, "PCI bridge [0604]: Example Switch [1d00:0002]", component.numa, "Upstream Port", lines)
        + f"\tBus: primary={number:02x}, secondary={inner:02x}, subordinate={bus.last:02x}, sec-latency=0\n"
    )


def header(component: Component) -> str:
    """Print class, name and ids of an endpoint."""
    if component.kind is Kind.NIC:
        return "Infiniband controller [0207]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]"
    code = "Processing accelerators [1200]" if component.id.startswith("NPU") else "3D controller [0302]"
    vendor = "Huawei Technologies Co., Ltd." if component.id.startswith("NPU") else "NVIDIA Corporation"
    return f"{code}: {vendor} XX100 [{component.model}] [{component.pci_id}]"


def block(address: str, head: str, numa: int | None, port: str | None, lines: list[str]) -> str:
    """Print one device."""
    text = [f"{address} {head} (rev a1)"]
    if numa is not None:
        text.append(f"\tNUMA node: {numa}")
    if port is not None:
        text.append(f"\tCapabilities: [60] Express (v2) {port}")
    return "\n".join([*text, *lines]) + "\n"


def link_lines(generation: int | None, width: int | None) -> list[str]:
    """Print LnkCap and LnkSta of a link at full speed."""
    if generation is None:
        return []
    return [
        f"\t\tLnkCap:\tPort #0, Speed {GTS[generation]}, Width x{width}, ASPM not supported",
        f"\t\tLnkSta:\tSpeed {GTS[generation]}, Width x{width}",
    ]
