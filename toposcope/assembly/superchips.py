"""Accelerators that sit on their CPU by a link of their own (NVLink-C2C), which no tool draws in its tree or matrix.

The model tells: a superchip's copies of host memory never pass the PCIe port that it is listed under. The link leads to
the NUMA node above the accelerator; where nothing tells the node, nothing is added. A PCIe tree that a tool shows stays
beside it, for what hangs below the same switch; one that only the words of a matrix imply gives way to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.assembly.reference import with_usable
from toposcope.base import Bandwidth, Origin
from toposcope.model import Grade, Kind, Link, Medium

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toposcope.model import Topology
    from toposcope.profiles.catalogue import Device


def add_host_links(topology: Topology, devices: Mapping[str, Sequence[Device]]) -> None:
    """Hang each accelerator whose model has a link to its CPU on the NUMA node above it. ``devices`` fit it, by id."""
    for each in list(topology.components(Kind.ACCELERATOR)):
        links = {device.host_link for device in devices.get(each.id, ())}
        own = links.pop() if len(links) == 1 else None
        nodes = (name for name in topology.chain(each.id)[1:] if topology.component(name).kind is Kind.NUMA)
        node = next(nodes, None)
        if own is None or node is None or topology.parent(each.id) == node:
            continue
        origin = Origin("catalogue", devices[each.id][0].name)
        line = None if own.line_gbs is None else Bandwidth.gigabytes(own.line_gbs)
        link = Link(
            each.id,
            node,
            Medium(own.medium),
            origin,
            Grade.ASSUMED,
            generation=own.generation,
            line=line,
            name=own.name,
        )
        topology.connect(with_usable(topology, link), upward=not _is_shown(topology, each.id))


def _is_shown(topology: Topology, name: str) -> bool:
    parent = topology.parent(name)
    return parent is not None and topology.component(parent).grade is Grade.OBSERVED
