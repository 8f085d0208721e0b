"""Links as a collective library plans with them, brought back to what they are: line rates and numbers of links.

The library's figures are derated by a constant for each generation (``catalogue``: ``planned_lane_gbs``,
``planned_gbs``). Where a figure may stand for links that differ in their line, nothing is derived from it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count, islice
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.collectors.records import FabricLink, PlannedLink
from toposcope.model import Medium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.assembly.evidence import Evidence
    from toposcope.assembly.figures import Lookup

_FABRIC = {"NVL": Medium.NVLINK, "XGMI": Medium.XGMI}
_SWITCH = "NVSwitch"


def with_planned(evidence: Evidence, lookup: Lookup) -> Evidence:
    """Return the evidence with the single links that planned bundles stand for, where no tool listed them."""
    if evidence.fabric_links:
        return evidence
    numbers: dict[str, Iterator[int]] = {}
    bundles = ((each, numbers.setdefault(each.device, count())) for each in evidence.all(PlannedLink))
    found = tuple(link for each, numbered in bundles for link in _links(each, numbered, lookup))
    return replace(evidence, records=(*evidence.records, *found)) if found else evidence


def planned_lines(evidence: Evidence, lookup: Lookup) -> dict[str, tuple[Bandwidth, PlannedLink]]:
    """Return the line rates of PCIe links that a library planned with, by the address of the device below.

    None in a guest: there the library reads what the hypervisor made up.
    """
    if evidence.is_guest:
        return {}
    planned = {each.device: each for each in reversed(evidence.all(PlannedLink)) if each.kind == "PCI"}
    lines = ((address, lookup.planned_pcie(each.value), each) for address, each in planned.items())
    return {address: (line, each) for address, line, each in lines if line is not None}


def _links(planned: PlannedLink, numbered: Iterator[int], lookup: Lookup) -> Iterator[FabricLink]:
    medium = _FABRIC.get(planned.kind)
    bundle = lookup.planned_links(medium, planned.value) if medium is not None else None
    if bundle is None or medium is None:
        return
    links, each = bundle
    for number in islice(numbered, links):
        yield FabricLink(
            planned.device,
            number,
            planned.origin,
            active=True,
            rate=Bandwidth.gigabytes(each),
            peer=planned.peer,
            peer_kind=None if planned.peer else _SWITCH,
            medium=medium.value,
            planned=True,
        )
