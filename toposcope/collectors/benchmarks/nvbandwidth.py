"""NVIDIA's nvbandwidth: one matrix a test, as text or as JSON.

Grammar of the text::

    output = version device* test*
    device = "Device" n ":" model "(" pci ")"
    test   = "Running" name "." title grid "SUM" name sum
    title  = kind engine a"(row)" ("->" | "<-" | "<->") b"(column)" [part] "bandwidth (GB/s)"

Data flows along the arrow. A test of both directions prints its two halves and their ``Total``, or one half only,
measured while the other runs; the total counts both. Tests of latency and of one device's own memory are passed over.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toposcope.base import Bandwidth, pci_address
from toposcope.collectors.benchmarks.device import device_of
from toposcope.collectors.benchmarks.grid import GridRow, read_grid
from toposcope.collectors.output_lines import Lines, output_lines
from toposcope.collectors.records import Accelerator, Measurement, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin

_DEVICE = re.compile(
    r"\s*Device (?P<number>\d{1,3}): (?P<model>.{1,100}?) ?"
    r"\((?P<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.\d)?)\)\s*"
)
_RUNNING = re.compile(r"\s*Running (?P<name>\w{4,80})\.?\s*")
_TITLE = re.compile(
    r"\s*(?:memcpy |multinode )*(?P<engine>CE|SM|local copy)?.{0,40}?(?P<row>CPU|GPU)\(row\) (?P<arrow><?->?) "
    r"(?P<column>CPU|GPU)\(column\)(?: (?P<part>\w+))? bandwidth \(GB/s\)\s*"
)
_PASSED = re.compile(
    r"\s*(?:nvbandwidth Version.*|Built from.*|CUDA (?:Runtime|Driver).*|NVIDIA Driver.*|Driver Version.*|SUM \w+ .*"
    r"|NOTE:.*|Performance can .*|Process \d+.*|WARNING.*|Waived.*|\S+ waived.*|Running multinode.*|MPI .*|\S{1,64})\s*"
)
_LATENCY = re.compile(r"\s*\S.{0,100}\(ns\)\s*")
_ENGINES = {"CE": "copy", "SM": "kernel"}
_ALL = re.compile(r"\ball_to|to_all|one_to_all|all_to_one|bisect")


@dataclass(frozen=True, slots=True)
class _Test:
    name: str
    engine: str | None
    row: str
    column: str
    arrow: str
    part: str

    @property
    def both(self) -> bool:
        return self.arrow == "<->" or "bidirectional" in self.name

    @property
    def counts(self) -> bool:
        """Whether its figures are copies between two places: no half of a test that prints a total, no local copy."""
        return not self.part.lower().startswith(("read", "write")) and "local_copy" not in self.name


def parse(capture: Capture) -> Reading:
    """Read all tests; JSON where the text is JSON."""
    if capture.text.lstrip().startswith("{"):
        return _document(capture)
    lines = output_lines(capture)
    devices: dict[str, str] = {}
    found: list[Accelerator | Measurement] = []
    name, index = "", 0
    while index < len(lines.texts):
        text = lines.texts[index]
        device, running, title = _DEVICE.fullmatch(text), _RUNNING.fullmatch(text), _TITLE.fullmatch(text)
        lines.fits(index)
        index += 1
        if device is not None:
            address = _full(device["pci"])
            devices[device["number"]] = f"{address}|GPU{device['number']}"
            found.append(device_of(capture.origin(index - 1), device["number"], device["model"], address))
        elif running is not None:
            name = running["name"]
        elif title is not None:
            rows, index, torn = read_grid(lines.texts, index)
            _tell_torn(lines, rows, torn, index - 1)
            found += _figures(_test(name, title), rows, devices, capture)
        elif _LATENCY.fullmatch(text):
            index = max(index, read_grid(lines.texts, index)[1])
        elif not _PASSED.fullmatch(text) and text.strip():
            lines.last = min(lines.last, index - 2)
            lines.stray(index - 1)
    return Reading(tuple(found), lines.all_problems("no line of nvbandwidth"))


def _tell_torn(lines: Lines, rows: list[GridRow], torn: list[int], at: int) -> None:
    for index in torn:
        lines.unread(index, "a row with other than its table's number of cells")
    if rows:
        lines.fits(rows[-1].index)
    else:
        lines.unread(min(at, len(lines.texts) - 1), "a test without a table")


def _full(address: str) -> str:
    return pci_address(address if "." in address else f"{address}.0") or address


def _test(name: str, title: re.Match[str]) -> _Test:
    engine = _ENGINES.get(title["engine"] or "", "kernel" if name.endswith("_sm") else "copy")
    return _Test(name, engine, title["row"], title["column"], title["arrow"], title["part"] or "")


def _figures(test: _Test, rows: list[GridRow], devices: dict[str, str], capture: Capture) -> Iterator[Measurement]:
    if not test.counts:
        return
    for row in rows:
        for column, value in row.cells:
            first, second = _place(test.row, row.label, devices), _place(test.column, column, devices)
            yield _figure(test, (first, second), value, capture.origin(row.index), flows=len(row.cells))


def _figure(test: _Test, ends: tuple[str, str], value: float, origin: Origin, *, flows: int) -> Measurement:
    backwards = test.arrow == "<-" or ("device_to_host" in test.name and test.row == "CPU")
    src, dst = reversed(ends) if backwards else ends
    # Host tests of both directions print one half only.
    both = test.both and test.row == test.column
    return Measurement(
        origin,
        "nvbandwidth",
        "memcpy",
        Bandwidth.gigabytes(value),
        src,
        dst,
        test=test.name or None,
        both=both,
        access="read" if "_read_" in test.name else "write" if "_write_" in test.name else None,
        engine="kernel" if test.engine == "kernel" else "copy",
        flows=flows if _ALL.search(test.name) else 2 if test.both and not both else None,
    )


def _place(kind: str, number: str, devices: dict[str, str]) -> str:
    return "host" if kind == "CPU" else devices.get(number, f"GPU{number}")


def _document(capture: Capture) -> Reading:
    """Read the JSON form; what is not as expected is one problem."""
    lines = output_lines(capture)
    try:
        tests = json.loads(capture.text)["nvbandwidth"]["testcases"]
        found = [each for test in tests for each in _case(test, capture)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        lines.unread(0, "no JSON of nvbandwidth")
        return Reading((), tuple(lines.problems))
    return Reading(tuple(found), tuple(lines.problems))


def _case(test: dict[str, Any], capture: Capture) -> Iterator[Measurement]:
    title = _TITLE.fullmatch(str(test.get("bandwidth_description", "")))
    matrix = test.get("bandwidth_matrix")
    if title is None or not isinstance(matrix, list):
        return
    kind = _test(str(test.get("name", "")), title)
    for number, row in enumerate(matrix):
        cells = [(str(at), value) for at, cell in enumerate(row) if (value := _float(cell)) is not None]
        rows = [GridRow(str(number), "", tuple(cells), 0)]
        yield from _figures(kind, rows, {}, capture)


def _float(cell: object) -> float | None:
    try:
        value = float(str(cell))
    except ValueError:
        return None
    return value if 0 <= value < 1e7 else None  # noqa: PLR2004 - no link of this age
