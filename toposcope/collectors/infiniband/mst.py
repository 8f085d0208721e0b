"""What ``mst status -v`` prints: PCI function, RDMA device, netdev and NUMA node of each NVIDIA device, in one table.

Grammar; the columns are found by the header's words, an empty cell shifts nothing because every word has its shape::

    output = title* header row*
    header = "DEVICE_TYPE" "MST" "PCI" "RDMA" "NET" "NUMA"
    row    = type mst-device pci [rdma] ["net-"netdev] [node]

The node is ``-1`` or missing in a guest. Without ``-v`` there is no table of names and nothing is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import NicName, PciDevice, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin
    from toposcope.collectors.records import Record

_HEADER = re.compile(r"\s*DEVICE_TYPE\s+MST\s+PCI\s.*")
_ROW = re.compile(
    r"\s*(?P<type>[A-Za-z][^\s/]{0,63})\s+(?:(?P<mst>/dev/mst/\S{1,80}|NA)\s+)?(?P<pci>[0-9a-fA-F:]{5,16}\.[0-7])"
    r"(?:\s+(?P<rdma>[A-Za-z][\w.-]{0,62}))??(?:\s+net-(?P<netdev>\S{1,200}))?(?:\s+(?P<numa>-?\d{1,4}|N/A|NA))?\s*"
)
_TITLE = re.compile(r"\s*(?:MST modules?:|PCI devices:|-{3,}|MST devices:|MST PCI .*|No MST devices.*)\s*")


def parse(capture: Capture) -> Reading:
    """Read the table; lines above it (loaded modules) pass."""
    lines = output_lines(capture)
    head = next((index for index, text in enumerate(lines.texts) if _HEADER.fullmatch(text)), None)
    if head is None:
        lines.unread(0, "no table of names, which mst status -v prints")
        return Reading((), tuple(lines.problems))
    lines.fits(head)
    records: list[Record] = []
    for index in range(head + 1, len(lines.texts)):
        match = _ROW.fullmatch(lines.texts[index])
        if match is not None:
            records += _row(match, capture.origin(index))
        elif not _TITLE.fullmatch(lines.texts[index]):
            lines.stray(index)
            continue
        lines.fits(index)
    return Reading(tuple(records), lines.all_problems("no row of mst status"))


def _row(match: re.Match[str], origin: Origin) -> Iterator[Record]:
    pci = pci_address(match["pci"])
    if pci is None:
        return
    rdma = None if match["rdma"] in (None, "NA") else match["rdma"]
    # A bond's function lists all netdevs above it, joined by commas.
    netdevs = [name.removeprefix("net-") for name in (match["netdev"] or "").split(",") if name]
    for netdev in netdevs or [None]:
        if rdma or netdev:
            yield NicName(origin, rdma=rdma, netdev=netdev, pci=pci)
    node = match["numa"]
    if node is not None and node.isdecimal():
        yield PciDevice(pci, origin, numa=int(node))
    if match["mst"] not in (None, "NA"):
        yield Setting(rdma or pci, "mst.device", match["mst"], origin)
