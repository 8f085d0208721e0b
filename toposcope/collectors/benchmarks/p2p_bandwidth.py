"""The CUDA samples p2pBandwidthLatencyTest and bandwidthTest.

Grammar of the first; rows are the sending device, 40 MB are copied::

    output = title device* (table)*
    device = "Device:" n "," model "," "pciBusID:" hex "," "pciDeviceID:" hex "," "pciDomainID:" hex
    table  = ("Unidirectional" | "Bidirectional") "P2P=" ("Enabled" | "Disabled") ... "Matrix (GB/s)" grid

Tables of connectivity and latency are passed over, the diagonal (a device's own memory) too. Grammar of the second::

    output = "[CUDA Bandwidth Test]" "Device" n ":" model mode*
    mode   = ("Host to Device" | "Device to Host" | ...) "Bandwidth" memory "Transfer Size" unit (size value)+

Copies of pageable memory are passed over: they measure the copy through the driver's own buffer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.collectors.benchmarks.device import device_of
from toposcope.collectors.benchmarks.grid import read_grid
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Accelerator, Measurement, Reading

if TYPE_CHECKING:
    from toposcope.base import Capture, Origin

_DEVICE = re.compile(
    r"\s*Device: (?P<number>\d{1,3}), (?P<model>.{1,100}), pciBusID: (?P<bus>[0-9a-fA-F]{1,2}), "
    r"pciDeviceID: (?P<device>[0-9a-fA-F]{1,2}), pciDomainID: ?(?P<domain>[0-9a-fA-F]{1,4})\s*"
)
_TABLE = re.compile(r"[\s#*]*(?P<way>Uni|Bi)directional\b.{0,20}P2P\b(?P<rest>.{0,60})")
_OTHER_TABLE = re.compile(r"\s*(?:P2P Connectivity Matrix|.*Latency.*Matrix.*|\s*(?:GPU|CPU)\s+(?:\d+\s*)+)\s*")
_PASSED = re.compile(
    r"\s*(?:\[P2P .*|Device=\d+ (?:CAN|CANNOT) .*|\*\*\*NOTE.*|So you can see.*"
    r"|CUDA Device.*|NOTE:.*|purposes.*|\[.*)\s*"
)
_SIZE = 40_000_000
"""What the test copies unless told otherwise: ten million integers."""

_MODE = re.compile(r"\s*(?P<mode>Host to Device|Device to Host|Device to Device) Bandwidth, \d+ Device.*")
_MEMORY = re.compile(r"\s*(?P<memory>PINNED|PAGEABLE|Pinned|Pageable) Memory Transfers\s*")
_TITLES = re.compile(r"\s*Transfer Size \(Bytes\)\s+Bandwidth\((?P<unit>MB/s|GB/s)\)\s*")
_FIGURE = re.compile(r"\s*(?P<size>\d{1,12})\s+(?P<value>\d{1,7}(?:\.\d{1,4})?)\s*")
_ONE = re.compile(r"\s*Device (?P<number>\d{1,3}): (?P<model>.{0,200})")
_SAMPLE = re.compile(
    r"\s*(?:\[CUDA Bandwidth Test\].*|Running on\.*|Quick Mode|Range Mode|Shmoo Mode|Result = .*|NOTE:.*|\.*)\s*"
)
_ENDS = {"Host to Device": ("host", None), "Device to Host": (None, "host")}


def parse(capture: Capture) -> Reading:
    """Read the tables of bandwidth."""
    lines = output_lines(capture)
    devices: dict[str, str] = {}
    found: list[Accelerator | Measurement] = []
    refused: set[tuple[str, str]] = set()
    index = 0
    while index < len(lines.texts):
        text = lines.texts[index]
        device, table = _DEVICE.fullmatch(text), _TABLE.match(text)
        index += 1
        if device is not None:
            devices[device["number"]] = _address(device)
            address = devices[device["number"]].partition("|")[0]
            found.append(device_of(capture.origin(index - 1), device["number"], device["model"], address))
        elif table is not None and "latency" not in text.lower():
            rows, after, torn = read_grid(lines.texts, index)
            for at in torn:
                lines.unread(at, "a row with other than its table's number of cells")
            for row in rows:
                found += [
                    _copy(
                        table,
                        capture.origin(row.index),
                        (_called(devices, row.label), _called(devices, column)),
                        value,
                        refused=(row.label, column) in refused,
                    )
                    for column, value in row.cells
                    if column != row.label
                ]
            index = max(index, after)
        elif _OTHER_TABLE.fullmatch(text):
            rows, after, _ = read_grid(lines.texts, index - 1 if not text.strip().endswith("Matrix") else index)
            if "Connectivity" in text:
                refused |= {(row.label, column) for row in rows for column, value in row.cells if not value}
            index = max(index, after)
        elif not _PASSED.fullmatch(text):
            lines.stray(index - 1)
            continue
        lines.fits(index - 1)
    return Reading(tuple(found), lines.all_problems("no line of p2pBandwidthLatencyTest"))


def _called(devices: dict[str, str], label: str) -> str:
    return devices.get(label, f"GPU{label}")


def parse_matrix(capture: Capture) -> Reading:
    """Read a matrix of GB/s that stands alone; its file's name may tell whether it counts one direction or both."""
    lines = output_lines(capture)
    rows, _, torn = read_grid(lines.texts, 0)
    for at in torn:
        lines.unread(at, "a row with other than its table's number of cells")
    if not rows:
        lines.unread(0, "no matrix of bandwidths")
    name = capture.file.lower()
    both = False if "uni" in name else True if "bidi" in name else None
    found = [
        Measurement(
            capture.origin(row.index),
            "matrix",
            "memcpy",
            Bandwidth.gigabytes(value),
            _gpu(row.label),
            _gpu(column),
            test=f"line {capture.first_line}",
            both=both,
        )
        for row in rows
        for column, value in row.cells
        if column != row.label
    ]
    return Reading(tuple(found), tuple(lines.problems))


def _gpu(label: str) -> str:
    return f"GPU{label}" if label.isdecimal() else label


def _copy(
    table: re.Match[str],
    origin: Origin,
    ends: tuple[str, str],
    value: float,
    *,
    refused: bool,
) -> Measurement:
    rest = table["rest"]
    return Measurement(
        origin,
        "p2pBandwidthLatencyTest",
        "memcpy",
        Bandwidth.gigabytes(value),
        *ends,
        both=table["way"] == "Bi",
        access="read" if "Read" in rest else "write",
        engine="copy",
        size=_SIZE,
        peer_access="Disabled" not in rest and not refused,
    )


def _address(device: re.Match[str]) -> str:
    domain, bus, number = (int(device[key], 16) for key in ("domain", "bus", "device"))
    return f"{domain:04x}:{bus:02x}:{number:02x}.0|GPU{device['number']}"


def parse_bandwidth_test(capture: Capture) -> Reading:
    """Read the figures of pinned copies between host and device."""
    lines = output_lines(capture)
    found: list[Accelerator | Measurement] = []
    device, mode, unit, pinned = "0", "", "GB/s", True
    for index, text in enumerate(lines.texts):
        if match := _FIGURE.fullmatch(text):
            if mode in _ENDS and pinned:
                found.append(_sample(capture.origin(index), match, mode, unit, device))
        elif match := _ONE.fullmatch(text):
            device = match["number"]
            found.append(device_of(capture.origin(index), device, match["model"]))
        elif match := _MODE.fullmatch(text):
            mode = match["mode"]
        elif match := _MEMORY.fullmatch(text):
            pinned = match["memory"].upper() == "PINNED"
        elif match := _TITLES.fullmatch(text):
            unit = match["unit"]
        elif not _SAMPLE.fullmatch(text):
            lines.stray(index)
            continue
        lines.fits(index)
    return Reading(tuple(found), lines.all_problems("no line of bandwidthTest"))


def _sample(origin: Origin, figure: re.Match[str], mode: str, unit: str, device: str) -> Measurement:
    value = float(figure["value"]) / (1000 if unit == "MB/s" else 1)
    src, dst = (end or f"GPU{device}" for end in _ENDS[mode])
    return Measurement(
        origin,
        "bandwidthTest",
        "memcpy",
        Bandwidth.gigabytes(value),
        src,
        dst,
        engine="copy",
        size=int(figure["size"]),
    )
