"""perftest: ib_write_bw, ib_read_bw, ib_send_bw and raw_ethernet_bw.

Grammar::

    output = ["Using"/"Picking" ... device] rule title setting* titles row+ rule
    title  = ("RDMA_Write" | "RDMA_Read" | "Send") ["Bidirectional"] ["Post List"] "BW Test"
    titles = "#bytes" "#iterations" "BW peak["unit"]" "BW average["unit"]" "MsgRate[Mpps]"
    row    = bytes iterations peak average rate

The average counts. ``MB/sec`` is 2^20 bytes (perftest_resources.c: format factor 0x100000), ``Gb/sec`` 10^9 bits. Of a
test of both directions the figure counts both. A line about CUDA or ROCm says that the memory is an accelerator's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth, pci_address
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Measurement, Reading

if TYPE_CHECKING:
    from toposcope.base import Capture

_TITLE = re.compile(
    r"\s*(?P<verb>RDMA_Write|RDMA_Read|Send|Write|Read|Raw Ethernet\S*)(?: with \w+)?"
    r"(?P<both> Bidirectional)?.{0,40}\bBW Test\s*"
)
_DEVICE = re.compile(r".*\bDevice\s*: (?P<device>[A-Za-z][\w-]{1,40})\s*.*")
_GPU = re.compile(
    r".*\b(?:Picking (?:GPU|device No\.?)|device name = \[|Using (?:CUDA|ROCm) [Dd]evice|initializing CUDA|Using GPU).*"
)
_GPU_PCI = re.compile(r".*PCIe address is (?P<bus>[0-9a-fA-F]{1,2}:[0-9a-fA-F]{2}(?:\.\d)?).*")
_GPU_NUMBER = re.compile(r".*(?:Picking (?:GPU|device) (?:No\.? ?)?|dev = |with ID: )(?P<number>\d{1,3})\b.*")
_TITLES = re.compile(r"\s*#bytes\s+#iterations\s+BW peak\[(?P<unit>[A-Za-z]+/sec)\]\s+BW average\[.*")
_ROW = re.compile(
    r"\s*(?P<size>\d{1,12})\s+\d{1,12}\s+[\d.]{1,12}\s+(?P<average>\d{1,9}(?:\.\d{1,4})?)\s+[\d.]{1,12}.*"
)
_KIND = {"RDMA_Write": "write", "RDMA_Read": "read", "Write": "write", "Read": "read"}
_UNITS = {"MB/sec": 2**20 * 1e-9, "MiB/sec": 2**20 * 1e-9, "Gb/sec": 0.125, "GiB/sec": 2**30 * 1e-9, "GB/sec": 1.0}


def parse(capture: Capture) -> Reading:
    """Read the rows of the table; settings pass."""
    lines = output_lines(capture)
    found: list[Measurement] = []
    verb, device, unit, gpu = "", None, "MB/sec", None
    both = False
    for index, text in enumerate(lines.texts):
        if match := _TITLE.fullmatch(text):
            verb, both = match["verb"], match["both"] is not None
        elif match := _TITLES.fullmatch(text):
            unit = match["unit"]
        elif (match := _ROW.fullmatch(text)) and verb:
            if unit not in _UNITS:
                lines.unread(index, f"a figure in {unit}")
                continue
            value = Bandwidth.gigabytes(float(match["average"]) * _UNITS[unit])
            found.append(
                Measurement(
                    capture.origin(index),
                    "perftest",
                    "rdma",
                    value,
                    gpu or "host",
                    "remote",
                    test=capture.argument or verb,
                    collective=None,
                    both=both,
                    access="read" if _KIND.get(verb) == "read" else "write",
                    size=int(match["size"]),
                    members=(device,) if device else (),
                )
            )
        elif match := _DEVICE.fullmatch(text):
            device = match["device"]
        gpu = gpu or _accelerator(text)
        lines.fits(index)
    if not found:
        lines.unread(0, "no figure of perftest")
    return Reading(tuple(found), tuple(lines.problems))


def _accelerator(text: str) -> str | None:
    if not _GPU.fullmatch(text):
        return None
    address = _GPU_PCI.fullmatch(text)
    if address is not None:
        bus = address["bus"] if "." in address["bus"] else f"{address['bus']}.0"
        return pci_address(f"0000:{bus}")
    number = _GPU_NUMBER.fullmatch(text)
    return f"GPU{number['number']}" if number else None
