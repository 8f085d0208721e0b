"""The figures of the catalogue that questions about a topology need.

A topology carries them, so that an answer depends on nothing but the topology.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toposcope.model.link import Usable
from toposcope.model.vocabulary import NETWORKS, Medium

if TYPE_CHECKING:
    from toposcope.base import Bandwidth
    from toposcope.model.link import Link
    from toposcope.model.vocabulary import Reach


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Usable over line for one class of segment, as measured: lowest, median, highest.

    A name may end in a CPU family (``pcie5-peer-socket.turin``) and in a manner of copying (``staged:both``).
    ``records`` is how many published measurements it rests on; ``inferred`` that it has none of its own and takes the
    factor of the nearest class of its kind.
    """

    name: str
    low: float
    typical: float
    high: float
    records: int
    source: str
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """The first release of a library that knows these models (words of their names), and what earlier ones do."""

    models: tuple[str, ...]
    least: str
    reason: str
    source: str


@dataclass(frozen=True, slots=True)
class Library:
    """What a collective library does by default on a machine.

    ``peer_reach``: how far apart two accelerators may be for PCIe peer-to-peer; on hosts whose CPU vendor is
    ``few_vendor`` and with at most ``few_accelerators`` accelerators it is ``few_reach``. ``rdma_reach``: the same for
    accelerator and NIC. ``relay``: whether a third accelerator may pass data on. ``proxy``: whether data may go to the
    accelerator that owns the NIC first (PXN). ``releases`` are the first ones that know some models.
    ``visible``, ``order``, ``nic_list`` and ``device_file`` are how it is told of accelerators and NICs.
    """

    name: str
    version: str
    peer_reach: Reach
    rdma_reach: Reach
    relay: bool = False
    proxy: bool = False
    few_vendor: str | None = None
    few_accelerators: int = 0
    few_reach: Reach | None = None
    source: str = ""
    releases: tuple[Release, ...] = ()
    visible: str | None = None
    order: str | None = None
    nic_list: str | None = None
    device_file: str | None = None

    @property
    def title(self) -> str:
        """Name and version, as an answer quotes them: ``NCCL 2.30``."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class Figures:
    """Efficiency classes by name, and the library whose defaults apply (None: no accelerator, or unknown).

    ``platform`` is the suffix of the crossing classes that were measured on this CPU family. ``lanes`` is what one PCIe
    lane of a generation carries, one direction; ``planned_lanes`` what collective libraries plan with for it.
    """

    efficiencies: dict[str, Efficiency] = field(default_factory=dict)
    library: Library | None = None
    platform: str | None = None
    lanes: dict[int, Bandwidth] = field(default_factory=dict)
    planned_lanes: dict[int, Bandwidth] = field(default_factory=dict)

    def pcie(self, generation: int | None, width: int | None) -> Bandwidth | None:
        """Return what a PCIe link carries after line coding, one direction; None where a part is not known."""
        lane = self.lanes.get(generation or 0)
        return None if lane is None or not width else lane * width

    def usable(self, line: Bandwidth | None, *names: str) -> Usable | None:
        """Apply the first class that there is of these names to a line figure; None where there is none, or no line."""
        found = next((self.efficiencies[name] for name in names if name in self.efficiencies), None)
        if line is None or found is None:
            return None
        return Usable(line * found.low, line * found.typical, line * found.high)

    def in_manner(self, *words: str) -> Figures:
        """Return the figures for one manner of copying, where it was measured apart: ``both``, ``read``, ``to-host``.

        The class ``staged:both`` then stands in the place of ``staged``; of several words the first one that a class
        has counts. Factors are of one direction, also where both are loaded at once.
        """
        found = {
            name: self.efficiencies[variant]
            for name in self.efficiencies
            for variant in [f"{name}:{word}" for word in reversed(words)]
            if variant in self.efficiencies
        }
        return replace(self, efficiencies=self.efficiencies | found) if found else self


def classes_of(link: Link, use: str) -> tuple[str, ...]:
    """Name the efficiency classes of a link, best first. ``use`` is ``peer``, ``host``, ``rdma`` or ``npu``."""
    if link.medium is Medium.PCIE:
        return (f"pcie{link.generation}-{'host' if use == 'host' else 'peer'}",)
    if link.medium in NETWORKS:
        rate = round(link.line.gbps) if link.line else 0
        return ("roce-npu",) if use == "npu" else (f"rdma{rate}", "rdma")
    return (f"{link.medium}{link.generation}", str(link.medium))
