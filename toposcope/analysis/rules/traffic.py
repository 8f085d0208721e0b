"""Which NICs carry accelerator traffic, how near they are, and what a process was told of them.

A NIC counts where something shows that it does RDMA and nothing shows that it is slow or kept for other work.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.analysis.nics import network_link, ports_of, rate_of
from toposcope.base import Bandwidth
from toposcope.model import FactStatus, Grade, Kind, Reach
from toposcope.model.placement import chain, reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Fact, Topology

SLOW = Bandwidth.gigabits(100)
"""A NIC slower than this serves management or storage."""

_RDMA_NAME = re.compile(
    r"(?:mlx[45]|bnxt_re|irdma|hns|efa|ionic|erdma|qedr|cxgb4|rocep|rocex|ibp|ibs|rdmap|roce|siw|hfi1)[\w.-]*"
)
_RDMA_VENDORS = ("15b3:", "1d0f:efa", "1dd8:")
_RDMA_MODEL = re.compile(r"mellanox|connectx|bluefield|elastic fabric|pollara", re.IGNORECASE)
_MATRIX_SOURCES = ("nvidia-smi-topo", "nvml")
_SETTINGS = ("env", "nccl.conf", "nccl.set")
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
FAR = (Reach.NUMA, Reach.SOCKET)


def rdma_nics(topology: Topology) -> list[Component]:
    """Return the NICs that carry accelerator traffic, as far as it is known."""
    return [nic for nic in topology.components(Kind.NIC) if nic.role is None and _counts(topology, nic)]


def does_rdma(nic: Component) -> bool:
    """Tell a NIC that an RDMA tool or a matrix names, or whose maker builds no other."""
    if nic.origin.source.startswith(_MATRIX_SOURCES):
        return True
    if _RDMA_NAME.fullmatch(nic.name or ""):
        return True
    return bool((nic.pci_id or "").startswith(_RDMA_VENDORS) or _RDMA_MODEL.search(nic.model or ""))


def is_device_name(name: str | None) -> bool:
    """Tell the name of an RDMA device from a label, a netdev's name, and none at all."""
    return _RDMA_NAME.fullmatch(name or "") is not None


def known_reach(topology: Topology, a: str, b: str) -> Reach | None:
    """Tell how far apart two devices are, where a tool printed it or an observed tree shows it.

    A row of a matrix that was cut leaves devices in a derived place: that place proves nothing.
    """
    printed = next((each.reach for each in topology.relations(a, b) if each.reach is not None), None)
    if printed is not None:
        return printed
    derived = any(_is_derived(topology, name) for name in (a, b))
    return None if derived else reach(topology, a, b)


def nearest(topology: Topology, accelerator: str, nics: list[Component]) -> tuple[Reach | None, list[str]]:
    """Return how near the nearest of these NICs is and which ones are that near."""
    found = [(known_reach(topology, accelerator, nic.id), nic.id) for nic in nics]
    least = min((distance for distance, _ in found if distance is not None), default=None)
    return least, [name for distance, name in found if distance is not None and distance is least]


def setting(topology: Topology, name: str) -> Fact | None:
    """Return what a variable was set to: by the environment, by ``nccl.conf``, as a log of the library tells."""
    facts = (topology.fact("host", f"{place}.{name}") for place in _SETTINGS)
    return next((fact for fact in facts if fact is not None and fact.status is FactStatus.VALUE), None)


def text_of(fact: Fact | None) -> str:
    """Return a setting's value as text, "" where there is none."""
    return "" if fact is None or fact.value is None else str(fact.value).strip()


def is_on(fact: Fact | None) -> bool:
    """Tell whether a switch of the environment is on."""
    return text_of(fact).lower() not in ("", "0", "false", "no", "off", "n")


def is_logged(topology: Topology) -> bool:
    """Tell whether a log of the library was recorded: it prints every variable that it found set."""
    return topology.fact("host", "nccl.log") is not None


def visible(topology: Topology, names: list[str]) -> tuple[list[str], Fact | None]:
    """Return the accelerators that a process sees, in its order, and the variable that says so."""
    for name in _VISIBLE:
        fact = setting(topology, name)
        words = [word.strip() for word in text_of(fact).split(",") if word.strip()]
        if fact is None or not words:
            continue
        numbered = dict(enumerate(names))
        chosen = [_chosen(topology, word, numbered) for word in words]
        known = [each for each in chosen if each is not None]
        if len(known) == len(words):
            return known, fact
    return names, None


def ways_out(topology: Topology, nics: list[Component]) -> Iterator[tuple[Component, Component]]:
    """Yield each port with its NIC."""
    for nic in nics:
        for port in ports_of(topology, nic.id):
            yield nic, port


def shown_name(topology: Topology, name: str) -> str:
    """Call a NIC as commands do: its device name, else its id."""
    component = topology.component(name)
    return component.name or name


def is_ethernet(topology: Topology, port: str) -> bool | None:
    """Tell a RoCE port from an InfiniBand one, None where no tool said."""
    fact = topology.fact(port, "link_layer")
    return None if fact is None else str(fact.value).lower().startswith("eth")


def line_of(topology: Topology, port: str) -> Bandwidth | None:
    """Return the rate of a port, one direction."""
    link = network_link(topology, port)
    return None if link is None else link.line


def _counts(topology: Topology, nic: Component) -> bool:
    rate = rate_of(topology, nic.id)
    return does_rdma(nic) and (rate is None or rate >= SLOW)


def _is_derived(topology: Topology, name: str) -> bool:
    way = chain(topology, name)
    return len(way) < 2 or topology.component(way[1]).grade in (Grade.DERIVED, Grade.UNKNOWN)  # noqa: PLR2004 - nothing above


def _chosen(topology: Topology, word: str, numbered: dict[int, str]) -> str | None:
    if word.isdecimal() and len(word) < 6:  # noqa: PLR2004 - an index
        return numbered.get(int(word))
    for name in numbered.values():
        fact = topology.fact(name, "uuid")
        if fact is not None and str(fact.value).startswith(word):
            return name
    return None
