r"""The kernel's log, ``dmesg`` or ``journalctl -k``: what it says of PCIe links, peer-to-peer, errors and lost GPUs.

A log is everybody's: of its lines only these are read, all others are not this reader's business::

    ADDRESS: R Gb/s available PCIe bandwidth, limited by SPEED PCIe xW link at ADDRESS (capable of ...)
    ADDRESS: cannot be used for peer-to-peer DMA as the client and provider (ADDRESS) do not share ...
    ADDRESS: PCIe Bus Error: severity=(Corrected|Uncorrected ...), type=...     # newer: Correctable
    NVRM: Xid (PCI:ADDRESS): CODE, ...          NVRM: GPU ADDRESS: GPU has fallen off the bus
    iommu: Default domain type: (Translated|Passthrough) ...

Settings, of a PCI address: ``kernel.link_limited_by`` (the words after "limited by"), ``kernel.peer_dma_refused`` (the
other address), ``kernel.aer.corrected``, ``kernel.aer.uncorrected`` and ``kernel.xid.CODE`` (how many lines each),
``kernel.fallen_off_bus``; of the host ``iommu.default_domain``. Each points at the first line that said so.
A live run asks the journal for these lines alone, and for the first of all, which tells a log without them from none:
the rest of a log is the user's own business.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Reading, Setting
from toposcope.collectors.source import Collector, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture

_ADDRESS = r"(?P<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?)"
_WANTED = (
    "available PCIe bandwidth, limited by|cannot be used for peer-to-peer DMA|PCIe Bus Error"
    "|NVRM: Xid|fallen off the bus|Default domain type"
)
_LIMITED = re.compile(
    rf"{_ADDRESS}: [\d.]+ Gb/s available PCIe bandwidth, limited by (?P<by>.{{1,200}}?)(?: \(capable|$)"
)
_REFUSED = re.compile(rf"{_ADDRESS}: cannot be used for peer-to-peer DMA(?:.{{0,100}}?\((?P<other>[0-9a-fA-F:.]+)\))?")
_BUS_ERROR = re.compile(rf"{_ADDRESS}: (?:AER: )?PCIe Bus Error: severity=(?P<severity>Correct|Uncorrect)(?:ed|able)")
_XID = re.compile(rf"NVRM: Xid \(PCI:{_ADDRESS}\): (?P<code>\d{{1,5}})")
_FALLEN = re.compile(rf"NVRM:.{{0,60}}?{_ADDRESS}.{{0,60}}?fallen off the bus")
_DOMAIN = re.compile(r"Default domain type: (?P<kind>\w+)")


def parse(capture: Capture) -> Reading:
    """Read a log: one setting for each thing that some line says, with how many lines said it."""
    lines = output_lines(capture, keep_prompts=True)
    firsts: dict[tuple[str, str], int] = {}
    values: dict[tuple[str, str], str | int | bool] = {}
    for index, text in enumerate(lines.texts):
        for subject, name, value in _said(text):
            key = (subject, name)
            before = values.get(key)
            firsts.setdefault(key, index)
            values[key] = value + before if value == 1 and type(value) is int and type(before) is int else value
    settings = (
        Setting(subject, name, values[subject, name], capture.origin(index))
        for (subject, name), index in firsts.items()
    )
    return Reading(tuple(settings), tuple(lines.problems))


def _said(text: str) -> Iterator[tuple[str, str, str | int | bool]]:
    """Yield what one line says: subject, name and value; a value of 1 is counted."""
    if "PCIe" in text:
        if match := _LIMITED.search(text):
            yield _address(match["pci"]), "kernel.link_limited_by", match["by"]
        elif match := _BUS_ERROR.search(text):
            yield _address(match["pci"]), f"kernel.aer.{match['severity'].lower()}ed", 1
    elif "peer-to-peer DMA" in text:
        if match := _REFUSED.search(text):
            yield _address(match["pci"]), "kernel.peer_dma_refused", _address(match["other"] or "")
    elif "NVRM" in text:
        if match := _XID.search(text):
            yield _address(match["pci"]), f"kernel.xid.{match['code']}", 1
        if match := _FALLEN.search(text):
            yield _address(match["pci"]), "kernel.fallen_off_bus", True
    elif "Default domain type" in text and (match := _DOMAIN.search(text)):
        yield "host", "iommu.default_domain", match["kind"]


def _address(text: str) -> str:
    """Return a canonical address; NVRM leaves the function out."""
    return pci_address(text if "." in text else f"{text}.0") or text


COLLECTOR = Collector(
    "kernel-log",
    (
        Source(
            "kernel-log",
            parse,
            named=re.compile(r"dmesg\b|journalctl\b.*(?:\s-\w*k|--dmesg)|(?:var[ /]log[ /])?kern(?:el)?[._]log\b"),
            begins=re.compile(
                r"^(?:\[ {0,8}\d{1,8}\.\d{6}\]|\w{3} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,64} kernel:)"
                rf" .{{0,300}}?(?:{_WANTED}|Linux version )",
                re.MULTILINE,
            ),
            command=("journalctl", "-k", "-b", "-q", "--no-pager", "-o", "cat", "-g", f"Linux version|{_WANTED}"),
            root=True,
            gives="links that trained low, PCIe errors, GPUs that fell off the bus, refused peer-to-peer",
        ),
    ),
)
