"""rocm_bandwidth_test, and the presets ``p2p`` and ``a2a`` of TransferBench.

Grammar of the first; devices are CPUs first, then GPUs with their PCI addresses (``Bdirectional`` is as printed)::

    output = version device* (title grid)*
    device = "Device:" n "," model ["," uuid] ["," pci]
    title  = ("Unidirectional" | "Bidirectional" | "Bdirectional") "copy peak bandwidth GB/s"

Grammar of the second; the sender executes a copy in one direction unless the title says ``Remote read``::

    output = setting* ["Bytes Per Direction" bytes] (title grid)*
    title  = ("Unidirectional" | "Bidirectional") "copy peak bandwidth GB/s" "[" ... "]" "(GPU-Executor:" what ")"
    row    = ("CPU" | "GPU") n ("->" | "<-" | "<->") cell+

Of both directions the rows ``<->`` count, which are the sum. Access and distance grids, and the diagonal, are passed
over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth, pci_address
from toposcope.collectors.benchmarks.grid import GridRow, read_grid
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Measurement, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture

_TITLE = re.compile(r"\s*(?P<way>Uni|Bi|B)directional copy peak bandwidth GB/s(?P<rest>.{0,120})")
_DEVICE = re.compile(r"\s*Device: (?P<number>\d{1,3}),\s+(?P<rest>.{1,300})")
_PCI = re.compile(r",\s+(?P<pci>(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{1,2}:[0-9a-fA-F]{1,2}\.[0-7])\s*$")
_OTHER = re.compile(r"\s*(?:Inter-)?Device (?:Access|Numa Distance)\s*")
_BYTES = re.compile(r"\s*Bytes Per Direction\s+(?P<bytes>\d{1,13})\s*")


def parse(capture: Capture) -> Reading:
    """Read the grids of copies; settings and other grids pass."""
    lines = output_lines(capture)
    devices: dict[str, str] = {}
    found: list[Measurement] = []
    size: int | None = None
    index = 0
    while index < len(lines.texts):
        text = lines.texts[index]
        index += 1
        lines.fits(index - 1)
        title = _TITLE.fullmatch(text)
        if title is not None:
            rows, after, torn = read_grid(lines.texts, index)
            for at in torn:
                lines.unread(at, "a row with other than its table's number of cells")
            if not rows:
                lines.unread(index - 1, "a title without a table")
            found += _figures(title, rows, devices, size, capture)
            index = max(index, after)
        elif _OTHER.fullmatch(text):
            _, after, _ = read_grid(lines.texts, index)
            index = max(index, after)
        elif match := _DEVICE.fullmatch(text):
            devices[match["number"]] = _device(match, devices)
        elif match := _BYTES.fullmatch(text):
            size = int(match["bytes"])
    if not found and not lines.problems:
        lines.unread(0, "no table of copies")
    return Reading(tuple(found), tuple(lines.problems))


def _device(match: re.Match[str], devices: dict[str, str]) -> str:
    """Name a device: by its PCI address, else as the GPU or CPU of its number among its kind."""
    printed = _PCI.search(match["rest"])
    if printed is not None:
        domain, rest = printed["pci"].rsplit(":", 2)[:-2], printed["pci"].rsplit(":", 2)[-2:]
        bus, (device, function) = rest[0], rest[1].split(".")
        full = f"{(domain or ['0000'])[0]}:{int(bus, 16):02x}:{int(device, 16):02x}.{function}"
        return pci_address(full) or f"GPU{len(devices)}"
    if re.search(r"GPU-|Radeon|Instinct|gfx\d", match["rest"]) and not re.search(
        r"Processor|CPU|Ryzen|EPYC", match["rest"]
    ):
        return f"GPU{sum(not each.startswith('host') for each in devices.values())}"
    return f"host:{sum(each.startswith('host') for each in devices.values())}"


def _figures(
    title: re.Match[str], rows: list[GridRow], devices: dict[str, str], size: int | None, capture: Capture
) -> Iterator[Measurement]:
    both, rest = title["way"] != "Uni", title["rest"]
    summed = any(row.arrow == "<->" for row in rows)
    for row in rows:
        if row.arrow == "<-" or (summed and row.arrow != "<->"):
            continue
        for column, value in row.cells:
            src, dst = _place(row.label, devices), _place(column, devices)
            if src == dst or (src.startswith("host") and dst.startswith("host")):
                continue
            # TransferBench lets the sender's cores copy, or the receiver's where it reads remotely.
            by_cpu = bool(row.arrow) and (dst if "Remote read" in rest else src).startswith("host")
            yield Measurement(
                capture.origin(row.index),
                "TransferBench" if row.arrow else "rocm_bandwidth_test",
                "memcpy",
                Bandwidth.gigabytes(value),
                src,
                dst,
                both=both,
                access="read" if "Remote read" in rest else "write" if row.arrow else None,
                engine="cpu" if by_cpu else "kernel" if "GFX" in rest else "copy",
                size=size,
            )


def _place(label: str, devices: dict[str, str]) -> str:
    if label.startswith("CPU"):
        return f"host:{label.removeprefix('CPU')}"
    return label if label.startswith("GPU") else devices.get(label, f"GPU{label}")
