"""Boards for the rules, built by hand: a few devices whose ports, links and facts a test sets as it needs them."""

from __future__ import annotations

from dataclasses import replace

from tests.machines import ORIGIN, PCIE_LANE, Builder
from toposcope.base import Bandwidth, Origin
from toposcope.model import (
    Component,
    Efficiency,
    Fact,
    FactStatus,
    FactValue,
    Figures,
    Grade,
    Kind,
    Library,
    Link,
    Medium,
    Reach,
    Topology,
)

LIBRARY = Library(
    "NCCL",
    "2.30",
    Reach.SWITCHES,
    Reach.SWITCHES,
    relay=True,
    proxy=True,
    visible="CUDA_VISIBLE_DEVICES",
    order="CUDA_DEVICE_ORDER=PCI_BUS_ID",
    nic_list="NCCL_IB_HCA",
    device_file="/dev/nvidia{number}",
)
CLASSES = {"pcie5-peer": 0.8, "pcie4-peer": 0.8, "acs-redirect": 0.4, "staged": 0.6, "staged-same-switch": 0.36}
MADE_UP = Origin("profile", "board")


def figures() -> Figures:
    """Make figures with which answers come out round."""
    return Figures(
        {name: Efficiency(name, factor, factor, factor, 1, "test") for name, factor in CLASSES.items()},
        LIBRARY,
        lanes={generation: Bandwidth.gigabytes(gbs) for generation, gbs in PCIE_LANE.items()},
    )


def note(topology: Topology, component: str, name: str, value: FactValue, status: str = "value") -> None:
    """Note a fact whose line is its own."""
    line = 100 + sum(1 for _ in topology.facts())
    topology.note(Fact(component, name, value, Origin("test", "facts.txt", line), FactStatus(status)))


def switched(*, generation: int = 5, switches: int = 1) -> Topology:
    """Build two accelerators and a 400G NIC below each PCIe switch, every one at a port of its own; no fabric."""
    b = Builder(Topology(host="board", figures=figures()))
    b.socket("CPU0", "NUMA0")
    for index in range(switches):
        bus = f"0000:{0x10 * (index + 1):02x}"
        b.root_complex(f"pci{bus}", "NUMA0")
        b.add(f"{bus}:00.0", Kind.PCIE_BRIDGE, pci=f"{bus}:00.0")
        b.link(f"{bus}:00.0", f"pci{bus}", Medium.PCIE, internal=True, upward=True)
        b.add(f"SW{index}", Kind.PCIE_SWITCH, pci=f"{bus}:01.0")
        b.pcie(f"SW{index}", f"{bus}:00.0", generation)
        for place in range(3):
            port = f"{bus}:{2 + place:02x}.0"
            b.add(port, Kind.PCIE_BRIDGE, pci=port)
            b.link(port, f"SW{index}", Medium.PCIE, internal=True, upward=True)
        first, second = 2 * index, 2 * index + 1
        b.accelerator(f"GPU{first}", f"{bus}:02.0", generation, model="Board GPU", pci=f"{bus}:0a.0")
        b.accelerator(f"GPU{second}", f"{bus}:03.0", generation, model="Board GPU", pci=f"{bus}:0b.0")
        b.nic(f"NIC{index}", f"{bus}:04.0", generation, name=f"mlx5_{index}", pci=f"{bus}:0c.0")
        b.port(f"NIC{index}", 400)
    return b.topology


def two_sockets(generation: int = 4) -> Topology:
    """Build two accelerators and a 200G NIC under each of two CPUs, without switches and without a fabric."""
    b = Builder(Topology(host="board", figures=figures()))
    for half in range(2):
        b.socket(f"CPU{half}", f"NUMA{half}")
        for place in range(3):
            bus = f"0000:{0x40 * half + 0x10 * place:02x}"
            b.root_complex(f"pci{bus}", f"NUMA{half}")
            port = f"{bus}:01.0"
            b.add(port, Kind.PCIE_BRIDGE, pci=port)
            b.link(port, f"pci{bus}", Medium.PCIE, internal=True, upward=True)
            if place < 2:
                name = f"GPU{2 * half + place}"
                b.accelerator(name, port, generation, model="Board GPU", pci=f"{bus}:0a.0")
            else:
                b.nic(f"NIC{half}", port, generation, name=f"mlx5_{half}", pci=f"{bus}:0a.0")
                b.port(f"NIC{half}", 200)
    b.link("CPU0", "CPU1", Medium.SOCKET, None, count=None)
    return b.topology


def fabric(accelerators: int = 8, *, links: int = 18, without: tuple[int, ...] = ()) -> Topology:
    """Build accelerators behind NVSwitches on the bus; those ``without`` have no link to them."""
    b = Builder(Topology(host="board", figures=figures()))
    b.socket("CPU0", "NUMA0")
    for index in range(accelerators):
        b.root_complex(f"rc{index}", "NUMA0")
        b.accelerator(f"GPU{index}", f"rc{index}", 5, model="Board SXM", pci=f"0000:{index + 1:02x}:00.0")
        note(b.topology, f"GPU{index}", "form_factor", "SXM5")
        note(b.topology, f"GPU{index}", "fabric.links.made", links)
    b.switched("NVSW0", [f"GPU{i}" for i in range(accelerators) if i not in without], links, 25)
    return b.topology


def mesh(accelerators: int = 8, *, medium: Medium = Medium.HCCS, without: tuple[tuple[int, int], ...] = ()) -> Topology:
    """Build accelerators that are each linked to each, but for the pairs ``without``."""
    b = Builder(Topology(host="board", figures=figures()))
    b.socket("CPU0", "NUMA0")
    names = [f"NPU{index}" for index in range(accelerators)]
    for index, name in enumerate(names):
        b.root_complex(f"rc{index}", "NUMA0")
        b.accelerator(name, f"rc{index}", 4, model="Board NPU", pci=f"0000:{index + 1:02x}:00.0")
    for index in range(accelerators):
        for other in range(index + 1, accelerators):
            if (index, other) not in without:
                b.link(names[index], names[other], medium, 28)
    return b.topology


def assumed(topology: Topology) -> Topology:
    """Make a board a reference machine: nothing of it was recorded."""
    for each in list(topology.components()):
        topology.add(replace(each, origin=MADE_UP, grade=Grade.ASSUMED))
    for link in list(topology.links()):
        topology.replace(replace(link, origin=MADE_UP, grade=Grade.ASSUMED))
    return topology


def relink(topology: Topology, a: str, b: str, gbs: float | None = None, **changes) -> Topology:
    """Change the link between two neighbours; ``gbs`` is its new line figure."""
    link = topology.link(a, b)
    assert link is not None
    if gbs is not None:
        changes["line"] = Bandwidth.gigabytes(gbs)
    topology.replace(replace(link, **changes))
    return topology


__all__ = [
    "ORIGIN",
    "Component",
    "Link",
    "assumed",
    "fabric",
    "figures",
    "mesh",
    "note",
    "relink",
    "switched",
    "two_sockets",
]
