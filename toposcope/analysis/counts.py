"""How many components of a kind a machine has, as far as what was recorded can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import SCALE_UP, Kind

if TYPE_CHECKING:
    from toposcope.model import Topology


def count_of(topology: Topology, kind: Kind) -> int | None:
    """Count the components of a kind; None where one stands for an unknown number, or nothing could have shown any.

    Zero is an answer only where the PCI bus was seen (switches) or a profile says so.
    """
    counts = [component.count for component in topology.components(kind)]
    if None in counts:
        return None
    if counts:
        return sum(count for count in counts if count is not None)
    if kind in (Kind.SOCKET, Kind.NUMA):
        return None
    seen = any(component.kind is Kind.PCIE_BRIDGE for component in topology.components()) or topology.profile
    return 0 if seen or (kind is Kind.NVSWITCH and _has_mesh(topology)) else None


def _has_mesh(topology: Topology) -> bool:
    return any(
        link.medium in SCALE_UP and topology.component(link.target).kind is Kind.ACCELERATOR
        for link in topology.links()
    )
