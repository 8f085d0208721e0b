"""Small reference machines, built by hand: what the model holds, without any text being read.

``Builder`` says the usual things in one line each; every machine below is a function that returns a new topology.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations

from toposcope.base import Bandwidth, Origin
from toposcope.model import Component, Grade, Kind, Link, Medium, State, Topology

ORIGIN = Origin("test", "test.txt", 1)
PCIE_LANE = {1: 0.25, 2: 0.5, 3: 0.9846, 4: 1.9692, 5: 3.9385, 6: 7.5625}
"""GB/s of one lane, one direction."""


@dataclass
class Builder:
    """Puts a machine together from below: every ``under`` is the component above in the structure."""

    topology: Topology = field(default_factory=Topology)
    grade: Grade = Grade.OBSERVED

    def add(self, name: str, kind: Kind, /, **more) -> str:
        self.topology.add(Component(name, kind, ORIGIN, grade=more.pop("grade", self.grade), **more))
        return name

    def link(self, a: str, b: str, medium: Medium, gbs: float | None = None, *, upward: bool = False, **more) -> None:
        line = None if gbs is None else Bandwidth.gigabytes(gbs)
        link = Link(a, b, medium, ORIGIN, more.pop("grade", self.grade), line=line, **more)
        self.topology.connect(link, upward=upward)

    def pcie(self, a: str, under: str, generation: int = 4, width: int = 16, **more) -> None:
        gbs = PCIE_LANE[generation] * width
        more = {"generation": generation, "width": width, "state": State.UP, **more}
        self.link(a, under, Medium.PCIE, gbs, upward=True, **more)

    def socket(self, name: str, numa: str | None = None, *, memory: float | None = None) -> str:
        self.add(name, Kind.SOCKET)
        if numa is not None:
            self.numa(numa, name)
        if memory is not None:
            self.memory(f"memory-{name}", name, memory)
        return name

    def numa(self, name: str, under: str | None) -> str:
        self.add(name, Kind.NUMA)
        if under is not None:
            self.link(name, under, Medium.NUMA, upward=True)
        return name

    def memory(self, name: str, on: str, gbs: float | None) -> None:
        self.add(name, Kind.MEMORY)
        self.link(name, on, Medium.MEMORY, gbs)

    def root_complex(self, name: str, under: str) -> str:
        self.add(name, Kind.ROOT_COMPLEX)
        self.link(name, under, Medium.ROOT_COMPLEX, upward=True)
        return name

    def switch(self, name: str, under: str, generation: int = 4, *, count: int | None = 1) -> str:
        self.add(name, Kind.PCIE_SWITCH, count=count)
        self.pcie(name, under, generation)
        return name

    def accelerator(self, name: str, under: str | None, generation: int = 4, width: int = 16, /, **more) -> str:
        self.add(name, Kind.ACCELERATOR, **more)
        if under is not None:
            self.pcie(name, under, generation, width)
        return name

    def nic(self, name: str, under: str | None, generation: int = 4, width: int = 16, /, **more) -> str:
        self.add(name, Kind.NIC, **more)
        if under is not None:
            self.pcie(name, under, generation, width)
        return name

    def port(self, nic: str, gbps: float | None, medium: Medium = Medium.ETHERNET, *, network: str = "network") -> None:
        name = f"{nic}-port"
        self.add(name, Kind.NIC_PORT)
        self.link(nic, name, medium, internal=True)
        if network not in self.topology:
            self.add(network, Kind.NETWORK)
        self.link(name, network, medium, None if gbps is None else gbps / 8, state=State.UP)

    def switched(self, switch: str, accelerators: list[str], links: int, gbs: float, *, count: int | None = 1) -> None:
        self.add(switch, Kind.NVSWITCH, count=count)
        for name in accelerators:
            self.link(name, switch, Medium.NVLINK, links * gbs, count=links, state=State.UP)

    def mesh(self, names: list[str], medium: Medium, gbs: float) -> None:
        for a, b in combinations(names, 2):
            self.link(a, b, medium, gbs, state=State.UP)

    def degrade(self, a: str, b: str, gbs: float, **changes) -> None:
        link = self.topology.link(a, b)
        line = Bandwidth.gigabytes(gbs)
        self.topology.replace(replace(link, line=line, state=State.DEGRADED, **changes))


def a100() -> Topology:
    """Eight accelerators behind four PCIe switches and six NVSwitches, eight NICs beside them, two for storage."""
    b = Builder(Topology(host="a100-8"))
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}", memory=204.8)
        b.root_complex(f"rc-s{half}", f"numa{half}")
        b.nic(f"NIC{8 + half}", f"rc-s{half}", name=f"mlx5_{8 + half}", role="storage")
        b.port(f"NIC{8 + half}", 100)
        for switch in (2 * half, 2 * half + 1):
            b.root_complex(f"rc{switch}", f"numa{half}")
            b.switch(f"switch{switch}", f"rc{switch}")
            for index in (2 * switch, 2 * switch + 1):
                pci = f"0000:{0x10 + index * 9:02x}:00.0"
                b.accelerator(f"GPU{index}", f"switch{switch}", model="A100-SXM4-80GB", pci=pci)
                b.nic(f"NIC{index}", f"switch{switch}", name=f"mlx5_{index}")
                b.port(f"NIC{index}", 200)
    b.link("socket0", "socket1", Medium.SOCKET, 62.4, count=3)
    b.switched("nvswitch", [f"GPU{i}" for i in range(8)], 12, 25, count=6)
    return b.topology


def h100() -> Topology:
    """Eight accelerators, one PCIe Gen5 switch and one 400G NIC each, InfiniBand, a degraded slot."""
    b = Builder(Topology(host="h100-8"))
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}", memory=307.2)
        for index in range(4 * half, 4 * half + 4):
            b.root_complex(f"rc{index}", f"numa{half}")
            b.switch(f"switch{index}", f"rc{index}", 5)
            b.accelerator(f"GPU{index}", f"switch{index}", 5, model="H100 80GB HBM3")
            b.nic(f"NIC{index}", f"switch{index}", 5, name=f"mlx5_{index}")
            b.port(f"NIC{index}", 400, Medium.INFINIBAND)
    b.link("socket0", "socket1", Medium.SOCKET, 62.4, count=4)
    for index in range(4):
        b.switched(f"nvswitch{index}", [f"GPU{i}" for i in range(8)], 5 if index > 1 else 4, 25)
    b.degrade("GPU5", "switch5", 31.5, width=8, max_generation=5, max_width=16)
    return b.topology


def l40s() -> Topology:
    """Four accelerators and two dual-port NICs straight under two CPUs; no switch, no fabric."""
    b = Builder(Topology(host="l40s-4"))
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}")
        for index in (2 * half, 2 * half + 1):
            b.root_complex(f"rc{index}", f"numa{half}")
            b.accelerator(f"GPU{index}", f"rc{index}", model="L40S")
        b.root_complex(f"rc-n{half}", f"numa{half}")
        b.add(f"bridge{half}", Kind.PCIE_BRIDGE)
        b.link(f"bridge{half}", f"rc-n{half}", Medium.PCIE, internal=True, upward=True)
        for function in range(2):
            name = f"NIC{2 * half + function}"
            b.nic(name, f"bridge{half}", name=f"mlx5_{2 * half + function}", card=f"card{half}")
            b.port(name, 200)
    b.link("socket0", "socket1", Medium.SOCKET, None, count=None)
    return b.topology


def hccs_mesh(accelerators: int = 8) -> Topology:
    """Four sockets of two NUMA nodes, one accelerator a NUMA node, a full mesh, and a RoCE port in each accelerator."""
    b = Builder(Topology(host="mesh-8"))
    names = [f"NPU{index}" for index in range(accelerators)]
    for socket in range(4):
        b.socket(f"socket{socket}")
        for numa in (2 * socket, 2 * socket + 1):
            b.numa(f"numa{numa}", f"socket{socket}")
            b.memory(f"memory{numa}", f"numa{numa}", 70.4)
    for index, name in enumerate(names):
        b.root_complex(f"rc{index}", f"numa{index % 8}")
        b.accelerator(name, f"rc{index}", model="910B")
        b.port(name, 200)
    b.root_complex("rc-nic", "numa0")
    b.nic("NIC0", "rc-nic", 3, 8, name="enp1s0", role="management")
    b.port("NIC0", 100)
    for a, c in combinations(range(4), 2):
        b.link(f"socket{a}", f"socket{c}", Medium.SOCKET, 30.0, grade=Grade.ASSUMED)
    b.mesh(names, Medium.HCCS, 28)
    return b.topology


CUBE = {(0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 2, (2, 6): 1, (3, 7): 1}
CUBE |= {(4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 2}


def dgx_1v() -> Topology:
    """Eight accelerators in a cube mesh: sixteen pairs joined by one link or two, the others not at all."""
    b = Builder(Topology(host="cube-8"))
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}", memory=127.9)
        for switch in (2 * half, 2 * half + 1):
            b.root_complex(f"rc{switch}", f"numa{half}")
            b.switch(f"switch{switch}", f"rc{switch}", 3)
            b.nic(f"NIC{switch}", f"switch{switch}", 3, name=f"mlx5_{switch}")
            b.port(f"NIC{switch}", 100, Medium.INFINIBAND)
            for index in (2 * switch, 2 * switch + 1):
                b.accelerator(f"GPU{index}", f"switch{switch}", 3, model="V100-SXM2")
    b.link("socket0", "socket1", Medium.SOCKET, 38.4, count=2, grade=Grade.ASSUMED)
    for (one, other), count in CUBE.items():
        b.link(f"GPU{one}", f"GPU{other}", Medium.NVLINK, 25 * count, count=count, state=State.UP)
    return b.topology


def matrix_only() -> Topology:
    """What a matrix alone gives: switches of unknown number, no rates, nothing but derived structure."""
    b = Builder(Topology(), grade=Grade.DERIVED)
    for half in range(2):
        b.numa(f"numa{half}", None)
        b.root_complex(f"rc{half}", f"numa{half}")
        b.add(f"switch{half}", Kind.PCIE_SWITCH, count=None)
        b.link(f"switch{half}", f"rc{half}", Medium.PCIE, upward=True)
        for index in (2 * half, 2 * half + 1):
            for name, kind in ((f"GPU{index}", Kind.ACCELERATOR), (f"NIC{index}", Kind.NIC)):
                b.add(name, kind)
                b.link(name, f"switch{half}", Medium.PCIE, upward=True)
    b.link("numa0", "numa1", Medium.NUMA)
    b.add("nvswitch", Kind.NVSWITCH, count=None)
    for index in range(4):
        b.link(f"GPU{index}", "nvswitch", Medium.NVLINK, None, count=12, state=State.UP)
    return b.topology


def guest() -> Topology:
    """A virtual machine: devices, but no tree."""
    b = Builder(Topology(host="guest"))
    for index in range(2):
        b.accelerator(f"GPU{index}", None, model="H100 PCIe")
        b.nic(f"NIC{index}", None, name=f"mlx5_{index}")
    b.link("GPU0", "GPU1", Medium.NVLINK, 300, count=12, state=State.UP)
    return b.topology


def workstation() -> Topology:
    """One socket, one accelerator in a slot behind two bridges, one slow NIC, a disk, and things nobody asks about."""
    b = Builder(Topology(host="desk"))
    b.socket("socket0", "numa0", memory=83.2)
    b.root_complex("rc0", "numa0")
    for name, under in (("bridge0", "rc0"), ("bridge1", "bridge0"), ("bridge2", "bridge1")):
        b.add(name, Kind.PCIE_BRIDGE)
        b.pcie(name, under, 4, 16, internal=under == "rc0")
    b.accelerator("GPU0", "bridge2", 1, 16, model="RTX 4090", pci="0000:01:00.0")
    b.nic("NIC0", "rc0", 2, 1, name="enp5s0")
    b.port("NIC0", 2.5)
    b.add("disk0", Kind.STORAGE)
    b.pcie("disk0", "rc0", 4, 4)
    b.add("audio", Kind.OTHER)
    b.pcie("audio", "rc0", 1, 1)
    return b.topology


def superchip_tray() -> Topology:
    """Two superchips: accelerators on C2C, fabric switches outside the host, each shared with other trays."""
    b = Builder(Topology(host="tray"), grade=Grade.ASSUMED)
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}", memory=512)
        for index in (2 * half, 2 * half + 1):
            b.add(f"GPU{index}", Kind.ACCELERATOR, model="GB200")
            b.link(f"GPU{index}", f"numa{half}", Medium.C2C, 450, upward=True)
            b.root_complex(f"rc{index}", f"numa{half}")
            b.nic(f"NIC{index}", f"rc{index}", 5, name=f"mlx5_{index}")
            b.port(f"NIC{index}", 400, Medium.INFINIBAND)
    b.link("socket0", "socket1", Medium.C2C, 300)
    for switch in range(18):
        b.add(f"fabric{switch}", Kind.FABRIC_SWITCH, model="NVSwitch")
        for index in range(4):
            b.link(f"GPU{index}", f"fabric{switch}", Medium.NVLINK, 50)
    return b.topology


def xgmi_mesh() -> Topology:
    """Eight accelerators in a full xGMI mesh, each with a switch and a NIC; one link trained low, one missing."""
    b = Builder(Topology(host="xgmi-8"))
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}")
        for index in range(4 * half, 4 * half + 4):
            b.root_complex(f"rc{index}", f"numa{half}")
            b.switch(f"switch{index}", f"rc{index}", 5)
            b.accelerator(f"GPU{index}", f"switch{index}", 5, model="MI300X")
            b.nic(f"NIC{index}", f"switch{index}", 5, name=f"bnxt_re{index}")
            b.port(f"NIC{index}", 400)
    b.link("socket0", "socket1", Medium.SOCKET, 96, count=4)
    for one, other in combinations(range(8), 2):
        if (one, other) != (1, 6):
            b.link(f"GPU{one}", f"GPU{other}", Medium.XGMI, 64, state=State.UP)
    b.degrade("GPU2", "GPU5", 32)
    return b.topology


def crowded() -> Topology:
    """Thirty-two NICs for eight accelerators, and disks by the dozen."""
    b = Builder(Topology(host="crowded"))
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}")
        b.root_complex(f"rc-d{half}", f"numa{half}")
        for disk in range(6 * half, 6 * half + 6):
            b.add(f"disk{disk}", Kind.STORAGE, model="NVMe 3.84TB")
            b.pcie(f"disk{disk}", f"rc-d{half}", 4, 4)
        for index in range(4 * half, 4 * half + 4):
            b.root_complex(f"rc{index}", f"numa{half}")
            b.switch(f"switch{index}", f"rc{index}", 5)
            b.accelerator(f"GPU{index}", f"switch{index}", 5, model="H100 80GB HBM3")
            for nic in range(4 * index, 4 * index + 4):
                b.nic(f"NIC{nic}", f"switch{index}", name=f"rdmap{nic}s0")
                b.port(f"NIC{nic}", 100)
    b.link("socket0", "socket1", Medium.SOCKET, 96)
    b.switched("nvswitch", [f"GPU{i}" for i in range(8)], 18, 25, count=4)
    return b.topology


def two_boards() -> Topology:
    """Sixteen accelerators on two boards, each with its own six NVSwitches, joined by trunks; four leaves."""
    b = Builder(Topology(host="boards-16"))
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}")
        board = [f"GPU{index}" for index in range(8 * half, 8 * half + 8)]
        for switch in range(4 * half, 4 * half + 4):
            b.root_complex(f"rc{switch}", f"numa{half}")
            b.switch(f"switch{switch}", f"rc{switch}", 3)
            for index in (2 * switch, 2 * switch + 1):
                b.accelerator(f"GPU{index}", f"switch{switch}", 3, model="V100-SXM3")
            b.nic(f"NIC{switch}", f"switch{switch}", 3, name=f"mlx5_{switch}")
            b.port(f"NIC{switch}", 100, Medium.INFINIBAND, network=f"leaf{switch % 4}")
        b.switched(f"nvswitch{half}", board, 6, 25, count=6)
    b.add("spine", Kind.NETWORK)
    for leaf in range(4):
        b.link(f"leaf{leaf}", "spine", Medium.INFINIBAND, 400, count=8)
    b.link("socket0", "socket1", Medium.SOCKET, 62.4)
    b.link("nvswitch0", "nvswitch1", Medium.NVLINK, 1200, count=48)
    return b.topology


MACHINES = (
    a100,
    h100,
    l40s,
    hccs_mesh,
    dgx_1v,
    matrix_only,
    guest,
    workstation,
    superchip_tray,
    xgmi_mesh,
    crowded,
    two_boards,
)
