"""What the words of the tools mean: one table a tool, from a printed word to a medium and how far apart a pair is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.model import SCALE_UP, Kind, Medium, Reach, Relation
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Origin
    from toposcope.model import Topology
    from toposcope.profiles.machine import Machine


@dataclass(frozen=True, slots=True)
class Meaning:
    """A word's meaning: how far apart on PCIe, or which scale-up medium with how many links (None: not said)."""

    reach: Reach | None = None
    medium: Medium | None = None
    links: int | None = None
    switched: bool = False


_NVIDIA = {
    "PIX": Meaning(Reach.SAME_SWITCH),
    "PXB": Meaning(Reach.SWITCHES),
    "PHB": Meaning(Reach.ROOT_COMPLEX),
    "NODE": Meaning(Reach.NUMA),
    "SYS": Meaning(Reach.SOCKET),
    "SOC": Meaning(Reach.SOCKET),
}
# npu-smi prints PHB for "same root bus or same NUMA node": only the farther of the two is sure.
_ASCEND = {
    "PIX": Meaning(Reach.SAME_SWITCH),
    "PXB": Meaning(Reach.SWITCHES),
    "PHB": Meaning(Reach.NUMA),
    "SYS": Meaning(Reach.SOCKET),
    "HCCS": Meaning(medium=Medium.HCCS),
    "XLink": Meaning(medium=Medium.HCCS),
    "HCCS_SW": Meaning(medium=Medium.HCCS, switched=True),
    "XLink_SW": Meaning(medium=Medium.HCCS, switched=True),
    "SIO": Meaning(medium=Medium.SIO),
    "UB": Meaning(medium=Medium.UB),
}
# AMD: two hops over PCIe are within one NUMA node, three between two, whatever bridges they pass.
_ROCM = {
    "XGMI": Meaning(medium=Medium.XGMI),
    "PCIE-2": Meaning(Reach.NUMA),
    "PCIE-3": Meaning(Reach.SOCKET),
}
_TABLES = {"nvidia-smi": _NVIDIA, "npu-smi": _ASCEND, "rocm-smi": _ROCM, "amd-smi": _ROCM}
_NVLINK = re.compile(r"NV(\d{1,9})")
_FABRIC_WORD = {Medium.NVLINK: "NV{}", Medium.HCCS: "HCCS", Medium.XGMI: "XGMI", Medium.SIO: "SIO", Medium.UB: "UB"}
_UNKNOWN = Meaning()


@lru_cache(maxsize=1024)
def meaning(source: str, word: str) -> Meaning:
    """Return what a word means in the output of a source; nothing for a word that says nothing (``N/A``, ``NA``)."""
    table = next((table for tool, table in _TABLES.items() if source.startswith(tool)), _NVIDIA)
    match = _NVLINK.fullmatch(word)
    if match and table is _NVIDIA:
        return Meaning(medium=Medium.NVLINK, links=int(match[1]))
    return table.get(word, _UNKNOWN)


def profile_words(topology: Topology, machine: Machine, origin: Origin) -> Iterator[Relation]:
    """Yield the words that the tools would print on a reference machine, for accelerators and NICs.

    Within a switch of several stages they print PXB; what the machine's ``words`` say prevails.
    """
    levels = machine.switches.levels if machine.switches else 1
    named = list(topology.components(Kind.ACCELERATOR, Kind.NIC))
    for a, b in combinations(named, 2):
        fabric = _fabric_word(topology, a.id, b.id)
        distance = None if fabric else reach(topology, a.id, b.id)
        if distance is Reach.SAME_SWITCH and levels > 1:
            distance = Reach.SWITCHES
        word = fabric or (distance.word if distance else None)
        mixed = a.kind is not b.kind
        if mixed and distance is not None and not distance.crosses_host:
            word = machine.words.get("gpu_nic", word)
        if word is not None:
            yield Relation(a.id, b.id, word, origin, distance)


def _fabric_word(topology: Topology, a: str, b: str) -> str | None:
    link = topology.link(a, b)
    if link is not None and link.medium in _FABRIC_WORD:
        return _FABRIC_WORD[link.medium].format(link.count)
    ups = [each for each in topology.links_of(a) if each.medium in SCALE_UP and _is_switch(topology, each.other(a))]
    downs = [each for each in topology.links_of(b) if each.medium in SCALE_UP and _is_switch(topology, each.other(b))]
    if not ups or not downs:
        return None
    return _FABRIC_WORD[ups[0].medium].format(sum(each.count or 0 for each in ups))


def _is_switch(topology: Topology, name: str) -> bool:
    return topology.component(name).kind in (Kind.NVSWITCH, Kind.FABRIC_SWITCH)
