"""Makes the /sys of a reference machine: the folders and links of the kernel, from the model alone.

Addresses are those that ``tests.printing.lspci_vvv`` prints, so that the two speak of one host. Of a PCI function
there is what the kernel shows of it, a configuration space of 4096 bytes included; of NICs their RDMA device and
netdev; of the CPUs sockets and NUMA nodes, sixteen CPUs a node where the machine names none.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.collectors.sysfs.printers import config
from tests.printing import below
from toposcope.analysis.nics import network_link, ports_of
from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toposcope.model import Component, Link, Topology

RATES = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
ROOT_PORT, UPSTREAM, DOWNSTREAM, ENDPOINT = "Root Port", "Upstream Port", "Downstream Port", "Endpoint"


@dataclass(frozen=True)
class Function:
    """One PCI function: where it stands, what it is, its link, and the buses below where it is a bridge."""

    path: str
    ids: str
    code: str
    port_type: str
    numa: int | None
    link: Link | None
    buses: tuple[int, int, int] | None = None
    component: Component | None = None

    @property
    def address(self) -> str:
        """Its address: the last step of its path."""
        return self.path.rpartition("/")[2]


def functions(topology: Topology) -> list[Function]:
    """Return the PCI functions of a machine, numbered as ``lspci_vvv`` numbers them."""
    found: list[Function] = []
    for domain, root in enumerate(topology.components(Kind.ROOT_COMPLEX)):
        last = 0
        for slot, child in enumerate(below(topology, root.id), start=1):
            path = f"pci{domain:04x}:00/{domain:04x}:00:{slot:02x}.0"
            secondary = last + 1
            inside, last = _device(topology, child, path, domain, secondary)
            link = topology.link(child.id, root.id)
            found.append(
                Function(path, "1d00:0001", "0604", ROOT_PORT, root.numa, link, (0, secondary, last)),
            )
            found += inside
    for index, each in enumerate(topology.components(Kind.NVSWITCH)):
        path = f"pcifff0:{index + 1:02x}/fff0:{index + 1:02x}:00.0"
        found.append(Function(path, "10de:22a3", "0680", ENDPOINT, 0, None, None, each))
    return found


def _device(topology: Topology, component: Component, above: str, domain: int, bus: int) -> tuple[list[Function], int]:
    path = f"{above}/{domain:04x}:{bus:02x}:00.0"
    parent = topology.parent(component.id)
    link = topology.link(component.id, parent) if parent else None
    if component.kind is not Kind.PCIE_SWITCH:
        ids, code = identity(component)
        return [Function(path, ids, code, ENDPOINT, component.numa, link, None, component)], bus
    inner, last, found = bus + 1, bus + 1, []
    for slot, child in enumerate(below(topology, component.id)):
        port = f"{path}/{domain:04x}:{inner:02x}:{slot:02x}.0"
        secondary = last + 1
        inside, last = _device(topology, child, port, domain, secondary)
        down = topology.link(child.id, component.id)
        buses = (inner, secondary, last)
        found += [Function(port, "1d00:0002", "0604", DOWNSTREAM, component.numa, down, buses), *inside]
    own = Function(path, "1d00:0002", "0604", UPSTREAM, component.numa, link, (bus, inner, last), component)
    return [own, *found], last


def identity(component: Component) -> tuple[str, str]:
    """Return ids and class of an endpoint."""
    if component.kind is Kind.NIC:
        return "15b3:1021", "0207"
    known = component.pci_id or "10de:ffff"
    return known, "0302" if known.startswith("10de") else "1200"


def names_of_nics(topology: Topology) -> dict[str, str]:
    """Return the RDMA device of each NIC: those that carry accelerator traffic first, as the legend of a matrix."""
    nics = sorted(topology.components(Kind.NIC), key=lambda nic: nic.role != "compute")
    return {nic.id: f"mlx5_{number}" for number, nic in enumerate(nics)}


def sys_tree(topology: Topology, root: Path) -> dict[str, str]:
    """Make the tree below a folder; returns the PCI address of each component that has one."""
    addresses: dict[str, str] = {}
    names = names_of_nics(topology)
    for each in functions(topology):
        _write_function(root, each, topology)
        if each.component is not None:
            addresses[each.component.id] = each.address
        if each.component is not None and each.component.kind is Kind.NIC:
            _write_nic(root, each, topology, names[each.component.id])
    _write_cpus(root, topology)
    write(root / "sys/class/dmi/id/product_name", topology.profile or "machine")
    (root / "sys/class/iommu").mkdir(parents=True)
    return addresses


def write(path: Path, value: object) -> None:
    """Write an attribute, with its line end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{value}\n")


def link_to(path: Path, target: Path) -> None:
    """Make a link, relative as the kernel's are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(os.path.relpath(target, path.parent))


def _write_function(root: Path, each: Function, topology: Topology) -> None:
    folder = root / "sys/devices" / each.path
    vendor, device = each.ids.split(":")
    attributes = {
        "vendor": f"0x{vendor}",
        "device": f"0x{device}",
        "subsystem_vendor": "0x0000",
        "subsystem_device": "0x0000",
        "class": f"0x{each.code}00",
        "revision": "0xa1",
        "numa_node": -1 if each.numa is None else each.numa,
        "local_cpulist": ",".join(cpus_of(topology, each.numa)),
    }
    gts = RATES.get(each.link.generation or 0) if each.link else None
    width = each.link.width if each.link else None
    if gts is not None:
        for which in ("current", "max"):
            attributes[f"{which}_link_speed"] = f"{gts} GT/s PCIe"
            attributes[f"{which}_link_width"] = width or 0
    if each.buses:
        attributes |= {"secondary_bus_number": each.buses[1], "subordinate_bus_number": each.buses[2]}
    for name, value in attributes.items():
        write(folder / name, value)
    (folder / "resource").write_text("0x0000000000000000 0x0000000000000000 0x0000000000000000\n" * 7)
    (folder / "config").write_bytes(_config(each, gts or 2.5, width or 1))
    link_to(root / "sys/bus/pci/devices" / each.address, folder)


def _config(each: Function, gts: float, width: int) -> bytes:
    space = bytearray(
        config(
            port_type=each.port_type,
            bridge=each.buses,
            gts=gts,
            width=width,
            now_gts=gts,
            now_width=width,
            acs=0 if each.port_type in (ROOT_PORT, DOWNSTREAM) else None,
        )
    )
    vendor, device = each.ids.split(":")
    space[0:2] = int(vendor, 16).to_bytes(2, "little")
    space[2:4] = int(device, 16).to_bytes(2, "little")
    space[0x0A:0x0C] = int(each.code, 16).to_bytes(2, "little")
    return bytes(space)


def _write_nic(root: Path, each: Function, topology: Topology, name: str) -> None:
    folder = root / "sys/devices" / each.path
    nic = each.component
    ports = ports_of(topology, nic.id) if nic else []
    rdma = folder / "infiniband" / name
    for number, port in enumerate(ports, start=1):
        link = network_link(topology, port.id)
        infiniband = link is not None and link.medium == "infiniband"
        place = rdma / f"ports/{number}"
        if link is not None and link.line is not None:
            write(place / "rate", f"{link.line.gbps:g} Gb/sec (4X NDR)")
        write(place / "state", "4: ACTIVE")
        write(place / "phys_state", "5: LinkUp")
        write(place / "link_layer", "InfiniBand" if infiniband else "Ethernet")
    write(rdma / "node_type", "1: CA")
    link_to(rdma / "device", folder)
    link_to(root / "sys/class/infiniband" / name, rdma)


def cpus_of(topology: Topology, numa: int | None) -> Iterator[str]:
    """Yield the CPUs of a NUMA node, as lists."""
    fact = topology.fact(f"NUMA{numa}", "cpus") if numa is not None else None
    if fact is not None:
        yield str(fact.value)
    elif numa is not None:
        yield f"{numa * 16}-{numa * 16 + 15}"


def _write_cpus(root: Path, topology: Topology) -> None:
    system = root / "sys/devices/system"
    nodes = [node for node in topology.components(Kind.NUMA) if node.numa is not None]
    online: list[int] = []
    for node in nodes:
        listed = next(cpus_of(topology, node.numa))
        folder = system / f"node/node{node.numa}"
        write(folder / "cpulist", listed)
        write(folder / "cpumap", _mask(members(listed)))
        write(folder / "distance", " ".join("10" if other is node else "20" for other in nodes))
        write(folder / "meminfo", f"Node {node.numa} MemTotal:       67108864 kB")
        socket = topology.parent(node.id)
        for cpu in members(listed):
            online.append(cpu)
            place = system / f"cpu/cpu{cpu}/topology"
            write(place / "physical_package_id", (socket or "0").removeprefix("CPU") or 0)
            write(place / "core_id", cpu)
            write(place / "thread_siblings", _mask([cpu]))
            write(place / "core_siblings", _mask(members(listed)))
    listed = ",".join(map(str, sorted(online)))
    for name in ("online", "present", "possible"):
        write(system / "cpu" / name, listed)
    write(system / "node/online", ",".join(str(node.numa) for node in nodes))


def members(listed: str) -> list[int]:
    """Return the numbers of a list: ``0-2,8``."""
    parts = (part.partition("-") for part in listed.split(","))
    return [number for low, _, high in parts for number in range(int(low), int(high or low) + 1)]


def _mask(cpus: list[int]) -> str:
    bits = sum(1 << cpu for cpu in cpus)
    words = [f"{bits >> 32 * index & 0xFFFFFFFF:08x}" for index in range(max(1, (bits.bit_length() + 31) // 32))]
    return ",".join(reversed(words))
