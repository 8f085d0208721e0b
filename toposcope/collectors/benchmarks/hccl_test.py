"""Huawei's hccl_test and the bandwidth test of ascend-dmi.

Grammar of the first (``aveg`` is as printed); the bandwidth is data over time, the algorithm bandwidth::

    output = setting* titles row+
    titles = "data_size(Bytes):" ["|"] "aveg_time(us):" ["|"] "alg_bandwidth(GB/s):" ["|"] "check_result:"
    row    = size ["|"] time ["|"] bandwidth ["|"] result

Grammar of the second: under a title that names the direction (``Host to Device Test``, ``Device to Host Test``,
``Unidirectional Peer to Peer Test``, ``Bidirectional Peer to Peer Test``) a table with a column ``Bandwidth(GB/s)``, or
a matrix of all pairs with ``**`` on the diagonal. Copies inside one device are passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.collectors.benchmarks.grid import read_grid
from toposcope.collectors.benchmarks.nccl_tests import collective_of
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Measurement, Reading

if TYPE_CHECKING:
    from toposcope.base import Capture, Origin

_TITLES = re.compile(
    r"\s*data_size\(Bytes\):?[\s|]+ave?r?e?g_time\(us\):?[\s|]+alg_bandwidth\(GB/s\):?.*", re.IGNORECASE
)
_ROW = re.compile(
    r"\s*\|?\s*(?P<size>\d{1,15})[\s|]+(?P<time>\d{1,12}(?:\.\d{1,6})?)"
    r"[\s|]+(?P<value>\d{1,7}(?:\.\d{1,6})?)(?:[\s|]+(?P<result>\w+).*)?"
)
_SETTING = re.compile(r".*(?:minbytes is|rank|iters|hccl|HCCL|mpi|device|warmup).*", re.IGNORECASE)
_RANKS = re.compile(r".*\b(?:rank[ _]?size|ranks?)\s*(?:is|[:=])\s*(?P<ranks>\d{1,5}).*", re.IGNORECASE)

_DIRECTION = re.compile(
    r"[\s|+*=-]*(?P<way>Host to Device|Device to Host|Device to Device"
    r"|(?:Unidirectional|Bidirectional) Peer to Peer|Peer to Peer)\s*(?:Test)?.*",
    re.IGNORECASE,
)
_COLUMNS = re.compile(r".*\bBandwidth\s*\(GB/s\).*", re.IGNORECASE)
_RULE = re.compile(r"[\s|+=*-]*")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,6})?")
_ID = re.compile(r".*\bDevice(?: ID)?\s*[:=]?\s*(?P<id>\d{1,3})\b.*", re.IGNORECASE)
_PAIR = re.compile(
    r".*\b(?:Source|src).{0,20}?(?P<src>\d{1,3})\b.*\b(?:Dest\w*|dst).{0,20}?(?P<dst>\d{1,3})\b.*", re.IGNORECASE
)


def parse(capture: Capture) -> Reading:
    """Read the rows of hccl_test; the collective is known from the command."""
    lines = output_lines(capture)
    found: list[Measurement] = []
    ranks = None
    for index, text in enumerate(lines.texts):
        row = _ROW.fullmatch(text)
        told = _RANKS.fullmatch(text)
        ranks = int(told["ranks"]) if told else ranks
        if row is not None:
            if row["result"] == "failed":
                lines.unread(index, "the tool found its result to be wrong")
            found.append(
                Measurement(
                    capture.origin(index),
                    "hccl_test",
                    "algbw",
                    Bandwidth.gigabytes(float(row["value"])),
                    collective=collective_of(capture.argument),
                    size=int(row["size"]),
                    ranks=ranks,
                )
            )
        elif not (_TITLES.fullmatch(text) or _SETTING.fullmatch(text)):
            lines.stray(index)
            continue
        lines.fits(index)
    return Reading(tuple(found), lines.all_problems("no row of hccl_test"))


def parse_dmi(capture: Capture) -> Reading:
    """Read the tables of ``ascend-dmi --bw``."""
    lines = output_lines(capture)
    found: list[Measurement] = []
    way, columns, device, pair = "", [], "0", None
    index = 0
    while index < len(lines.texts):
        text = lines.texts[index]
        index += 1
        lines.fits(index - 1)
        if match := _DIRECTION.fullmatch(text):
            way = match["way"].lower()
            rows, after, _ = read_grid(lines.texts, index)
            if rows:
                found += [
                    _dmi(capture.origin(row.index), way, (f"NPU{row.label}", f"NPU{column}"), value, None)
                    for row in rows
                    for column, value in row.cells
                    if column != row.label
                ]
                index = after
        elif match := _PAIR.fullmatch(text):
            pair = (f"NPU{match['src']}", f"NPU{match['dst']}")
        elif _COLUMNS.fullmatch(text):
            columns = [word.lower() for word in _words(text)]
        elif columns and (cells := _cells(text)) and len(cells) == len(columns):
            by_name = dict(zip(columns, cells, strict=True))
            value, size = _starting(by_name, "bandwidth"), _starting(by_name, "size")
            ends = _ends(way, f"NPU{device}", pair)
            if ends is not None and value is not None:
                found.append(_dmi(capture.origin(index - 1), way, ends, value, None if size is None else int(size)))
        elif match := _ID.fullmatch(text):
            device = match["id"]
        elif text.strip() and not _RULE.fullmatch(text):
            lines.last = min(lines.last, index - 2)
            lines.stray(index - 1)
    return Reading(tuple(found), lines.all_problems("no line of a bandwidth test"))


def _starting(cells: dict[str, str], name: str) -> float | None:
    return next((float(cell) for title, cell in cells.items() if title.startswith(name)), None)


def _ends(way: str, device: str, pair: tuple[str, str] | None) -> tuple[str, str] | None:
    """Tell who sends to whom; None for copies inside one device and for a pair that is not named."""
    if "peer" in way:
        return pair
    return {"host to device": ("host", device), "device to host": (device, "host")}.get(way)


def _cells(text: str) -> list[str]:
    cells = _words(text)
    return cells if cells and all(_NUMBER.fullmatch(cell) for cell in cells) else []


def _words(text: str) -> list[str]:
    return [word.strip() for word in re.split(r"\s*\|\s*|\s{2,}", text.strip(" |")) if word.strip()]


def _dmi(origin: Origin, way: str, ends: tuple[str, str], value: float, size: int | None) -> Measurement:
    figure = Bandwidth.gigabytes(value)
    both = way.startswith("bi")
    return Measurement(origin, "ascend-dmi", "memcpy", figure, *ends, test=way, both=both, size=size)
