"""What the tools of a host print on a reference machine, source by source, for recordings of every strength."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.collectors.npu_smi.printers import Chip, Style, box
from tests.printing import lspci_vvv, npu_topo, topo_m
from tests.sys_tree import names_of_nics, sys_tree
from toposcope.analysis.fabric import fabric_links
from toposcope.model import Kind, Medium, Reach
from toposcope.model.placement import reach
from toposcope.recording import sysfs
from toposcope.recording.disk_tree import DiskTree

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.model import Component, Topology

LEVELS = {
    Reach.SAME_SWITCH: 10, Reach.SWITCHES: 20, Reach.ROOT_COMPLEX: 30, Reach.NUMA: 40, Reach.SOCKET: 50,
}  # fmt: skip


def of_sysfs(topology: Topology, root: Path) -> dict[str, str]:
    """Return the text of each source of /sys."""
    sys_tree(topology, root)
    return sysfs.texts(DiskTree(root))


def of_nvidia_text(topology: Topology) -> dict[str, str]:
    """Return what nvidia-smi and lspci print."""
    text, addresses = lspci_vvv(topology)
    rows = "".join(
        f"{index}, NVIDIA {gpu.model}, {_uuid(index)}, {_long(addresses[gpu.id])}\n"
        for index, gpu in enumerate(_accelerators(topology))
        if gpu.id in addresses
    )
    query = f"index, name, uuid, pci.bus_id\n{rows}"
    names = names_of_nics(topology)
    ports = "".join(
        f"{addresses[nic]} {name} (MT4129 - MCX1) A NIC fw 28.1.0 port 1 (ACTIVE) ==> ib{number} (Up)\n"
        for number, (nic, name) in enumerate(names.items())
        if nic in addresses
    )
    found = {"nvidia-smi-topo-m": topo_m(topology), "lspci-vvv": text, "nvidia-smi-query-gpu": query}
    return {**found, "ibdev2netdev": ports} if ports else found


def of_npu_text(topology: Topology) -> dict[str, str]:
    """Return what npu-smi and lspci print."""
    text, addresses = lspci_vvv(topology)
    npus = _accelerators(topology)
    chips = [
        Chip(index, 0, index, (npu.model or "").removeprefix("Ascend "), "OK", addresses[npu.id].upper(), 65536, 3)
        for index, npu in enumerate(npus)
    ]
    return {"npu-smi-topo": npu_topo(topology), "lspci-vvv": text, "npu-smi-info": box(chips, Style())}


def of_nvml(topology: Topology) -> dict[str, str]:
    """Return what NVML answers."""
    _, addresses = lspci_vvv(topology)
    gpus = _accelerators(topology)
    document = {
        "format": "toposcope.nvml/1",
        "driver": {"version": {"value": "550.54.15"}},
        "gpus": [_gpu(topology, gpu, index, gpus, addresses) for index, gpu in enumerate(gpus)],
        "pairs": [
            {"first": first, "second": second, "ancestor": {"value": LEVELS[apart]}}
            for first, a in enumerate(gpus)
            for second, b in enumerate(gpus)
            if first < second and (apart := reach(topology, a.id, b.id)) is not None
        ],
    }
    return {"nvml": json.dumps(document, indent=1)}


def _gpu(
    topology: Topology, gpu: Component, index: int, gpus: list[Component], addresses: dict[str, str]
) -> dict[str, object]:
    answers: dict[str, object] = {
        "name": f"NVIDIA {gpu.model}",
        "uuid": _uuid(index),
        "numa": [1 << (gpu.numa or 0)],
    }
    if gpu.id in addresses:
        answers["pci"] = _long(addresses[gpu.id])
    link = topology.link(gpu.id, topology.parent(gpu.id) or "")
    if link is not None and link.medium is Medium.PCIE and link.generation:
        answers |= {f"pcie_{word}generation": link.generation for word in ("", "max_")}
        answers |= {f"pcie_{word}width": link.width for word in ("", "max_")}
    ends = [link.other(gpu.id) for link in fabric_links(topology, gpu.id) for _ in range(link.count or 0)]
    nvlinks = [
        {
            "link": number,
            "state": {"value": 1},
            "remote_type": {"value": 0 if end in addresses and not end.startswith("NVSW") else 2},
            "remote_pci": {"value": _long(addresses.get(end, f"fff0:{_number(end) + 1:02x}:00.0"))},
        }
        for number, end in enumerate(ends)
    ]
    return {"index": index, **{key: {"value": value} for key, value in answers.items()}, "nvlinks": nvlinks}


def _accelerators(topology: Topology) -> list[Component]:
    return list(topology.components(Kind.ACCELERATOR))


def _number(name: str) -> int:
    return int("".join(character for character in name if character.isdigit()))


def _uuid(index: int) -> str:
    return f"GPU-00000000-0000-4000-8000-{index:012x}"


def _long(address: str) -> str:
    return f"0000{address}".upper()
