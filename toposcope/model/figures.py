"""The figures of the catalogue that questions about a topology need.

A topology carries them, so that an answer depends on nothing but the topology.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.model.vocabulary import Reach


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Usable over line for one class of segment, as measured: lowest, median, highest.

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
class Library:
    """What a collective library does by default on a machine.

    ``peer_reach``: how far apart two accelerators may be for PCIe peer-to-peer; on hosts whose CPU vendor is
    ``few_vendor`` and with at most ``few_accelerators`` accelerators it is ``few_reach``. ``rdma_reach``: the same for
    accelerator and NIC. ``relay``: whether a third accelerator may pass data on. ``proxy``: whether data may go to the
    accelerator that owns the NIC first (PXN).
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

    @property
    def title(self) -> str:
        """Name and version, as an answer quotes them: ``NCCL 2.30``."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class Figures:
    """Efficiency classes by name, and the library whose defaults apply (None: no accelerator, or unknown)."""

    efficiencies: dict[str, Efficiency] = field(default_factory=dict)
    library: Library | None = None
