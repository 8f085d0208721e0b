"""Small topologies built from what a record says of its machine: two devices, a group, a host with its rails."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.machines import ORIGIN, Builder
from tests.prediction.wiring import Wiring, lookup, narrowed, slower
from toposcope.model import Fact, Kind, Medium, Topology

if TYPE_CHECKING:
    from tests.prediction.records import Record


def start(machine: Wiring) -> Builder:
    figures = lookup().figures({"NVIDIA"}, None)
    builder = Builder(Topology(figures=replace(figures, platform=machine.platform)))
    for socket in range(2):
        builder.socket(f"socket{socket}", f"numa{socket}")
    if machine.numa > machine.sockets:
        builder.numa("numa0b", "socket0")
    builder.link("socket0", "socket1", Medium.SOCKET, None, count=None)
    return builder


def place(builder: Builder, name: str, under: str) -> str:
    return builder.root_complex(f"rc-{name}", under)


def pair_of(record: Record, machine: Wiring, *, names: tuple[str, ...] = ("GPU0", "GPU1")) -> Builder:
    """Build two devices as far apart as the record says."""
    builder = start(machine)
    generation, width = machine.pcie or (4, 16)
    apart = distance(record)
    slow = narrowed(record) if "degraded" in record.link_class else None
    if apart == "switch":
        builder.switch("switch", place(builder, "switch", "numa0"), generation)
        ups = ["switch", "switch"]
    elif apart == "root-complex":
        root = place(builder, "shared", "numa0")
        ups = [root, root]
    else:
        inside = "numa0b" if "numa0b" in builder.topology else "numa0"
        far = {"numa": inside, "socket": "numa1"}[apart]
        ups = [place(builder, "0", "numa0"), place(builder, "1", far)]
    if slow is not None and apart != "switch":
        builder.add("switch0", Kind.PCIE_SWITCH)
        builder.pcie("switch0", ups[0], *slow)
        ups[0] = "switch0"
        generation, width = max((generation, width), _beside_a_slow_one(machine))
    for name, up in zip(names, ups, strict=True):
        if name.startswith("GPU"):
            own = slower(record) if name == names[-1] else None
            builder.accelerator(name, up, *(own or (generation, width)))
        else:
            builder.nic(name, up, *slot_of(record, machine))
    return builder


def _beside_a_slow_one(machine: Wiring) -> tuple[int, int]:
    """The link of an accelerator whose uplink is the slow one."""
    return machine.pcie if machine.pcie and machine.pcie[0] > 2 else (5, 16)


def slot_of(record: Record, machine: Wiring) -> tuple[int, int]:
    """Return the slot of a NIC: as narrow as the record says, else wide enough for its rate."""
    slow = narrowed(record) if "degraded" in record.link_class else None
    if slow:
        return slow
    told = machine.pcie or (0, 16)
    enough = 5 if (machine.rate or 0) > 200 else 4 if (machine.rate or 0) > 100 else 3
    return (max(told[0], enough), 16)


def distance(record: Record) -> str:
    """Read how far apart two devices are: from the class, then the path, then the printed matrix."""
    name, text = record.link_class, f"{record.path} {record.source} {record.destination}"
    if re.search(r"xsocket|_sys", name) or re.search(r"\bSYS\b|xGMI-EPYC|QPI|other NUMA|socket link|cross chip", text):
        return "socket"
    if re.search(r"switch|_pix|_pxb|gdr", name) and not re.search(r"node|_phb", name) and "NODE, same chip" not in text:
        return "switch"
    if "NODE, same chip" in text or re.search(r"same[ -]switch|PIX|same PCIe root|switch-PCIe\d", text):
        return "switch"
    if "switch" in text and not re.search(r"CPU|root complex|host", text):
        return "switch"
    nodes = re.search(r"node|_numa", name) or re.search(r"NODE|other root|switch-CPU-switch", text)
    if nodes or re.search(r"NPS\d", record.topology.get("topo_matrix", "") + record.topology.get("cpu", "")):
        return "numa"
    return "numa" if re.match(r"\d+>\d+$", record.flows) else "root-complex"


def joined(machine: Wiring, count: int) -> Topology:
    builder = start(machine)
    names = [f"GPU{index}" for index in range(count)]
    for index, name in enumerate(names):
        builder.accelerator(name, place(builder, name, f"numa{index * 2 // count}"), *(machine.pcie or (4, 16)))
    fabric = machine.fabric
    if fabric is None:
        return builder.topology
    more = {"count": fabric.links, "generation": fabric.generation}
    if fabric.switched:
        builder.add("switch", Kind.NVSWITCH)
        for name in names:
            builder.link(name, "switch", fabric.medium, fabric.links * fabric.gbs, **more)
    else:
        for index, a in enumerate(names):
            for b in names[index + 1 :]:
                builder.link(a, b, fabric.medium, fabric.links * fabric.gbs, **more)
    return builder.topology


def over_cpu(machine: Wiring) -> Topology:
    builder = start(machine)
    fabric = machine.fabric
    assert fabric is not None
    for index in range(2):
        builder.add(f"GPU{index}", Kind.ACCELERATOR)
        builder.link(
            f"GPU{index}",
            f"numa{index}",
            fabric.medium,
            fabric.links * fabric.gbs,
            upward=True,
            generation=fabric.generation,
        )
    return builder.topology


def rails(record: Record, machine: Wiring, count: int) -> Topology:
    """Build the accelerators of one host with its NICs: each NIC below a switch with accelerators where all have one.

    A host with fewer NICs than half its accelerators has them on the CPU.
    """
    builder = start(machine)
    rails = machine.rails or 1
    slot = slot_of(record, machine)
    near = rails * 2 >= count and not re.search(r"CPU|SYS|NODE", record.path)
    for index in range(count):
        under = place(builder, f"g{index}", f"numa{index * 2 // count}")
        builder.switch(f"switch{index}", under, slot[0])
        builder.accelerator(f"GPU{index}", f"switch{index}", slot[0], 16)
    for index in range(rails):
        under = f"switch{index * count // rails}" if near else place(builder, f"n{index}", f"numa{index * 2 // rails}")
        builder.nic(f"NIC{index}", under, *slot)
        builder.port(f"NIC{index}", machine.rate)
    fabric = machine.fabric
    if fabric is None:  # a record of several hosts that does not say what joins the accelerators inside each
        builder.topology.note(Fact("host", "fabric.hidden", value=True, origin=ORIGIN))
    if fabric is not None:
        builder.add("nvswitch", Kind.NVSWITCH)
        for index in range(count):
            builder.link(
                f"GPU{index}",
                "nvswitch",
                fabric.medium,
                fabric.links * fabric.gbs,
                count=fabric.links,
                generation=fabric.generation,
            )
    return builder.topology
