"""Tables of nccl-tests and rccl-tests: bus bandwidth by message size.

Grammar::

    output = header* device* titles row+ summary*
    device = "#" "Rank" n ["Group" g] "Pid" p "on" host "device" d "[" pci "]" model
    row    = size count type [redop] [root] group [group]      (out of place, in place)
    group  = time algbw busbw wrong

The collective is named by the command, by a line of the output, or told by what the bus bandwidth is of the algorithm
bandwidth (all-reduce: 2(n-1)/n). A launcher's prefix (``[1,0]<stdout>:``) passes. The better of the two groups counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth, pci_address
from toposcope.collectors.benchmarks.device import device_of
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Accelerator, Measurement, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.base import Capture, Origin

_PREFIX = re.compile(r"^(?:\[\d+,\d+\]<std\w+>: ?|\d{1,4}: )")
_DEVICE = re.compile(
    r"#\s+Rank\s+\d+\s+(?:Group\s+\d+\s+)?Pid\s+\d+\s+on\s+(?P<host>\S{1,200})\s+device\s+(?P<device>\d{1,3})"
    r"\s+\[(?P<pci>[0-9a-fA-FxX:.]{2,16})\](?P<model>.{0,200})"
)
_NAMED = re.compile(
    r"\b(?P<name>all_reduce|all_gather|reduce_scatter|alltoall|broadcast|reduce|gather|scatter|sendrecv|hypercube)_perf\b"
)
_ROW = re.compile(r"\s*\d{1,15}\s+\d{1,15}\s+[a-z]\w*\s+\S.*")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?(?:e[+-]?\d{1,3})?")
_COMMENT = re.compile(r"\s*#.*|.*(?:NCCL|RCCL) (?:INFO|WARN).*|\s*NCCL version.*|.*_perf\b.*")
_WRONG = re.compile(r"#\s*Out of bounds values\s*:\s*\d+\s+FAILED.*")
_GROUPS = (4, 8)
_LEADS = (5, 4, 3)


@dataclass(frozen=True, slots=True)
class _Row:
    size: int
    redop: str
    root: str
    algorithm: float
    bus: float
    origin: Origin


def parse(capture: Capture) -> Reading:
    """Read every row of the table; devices and the name of the test come from the lines above."""
    lines = output_lines(capture, keep_prompts=True)
    hosts: dict[str, list[str]] = {}
    name = collective_of(capture.argument)
    rows: list[_Row] = []
    listed: list[Accelerator] = []
    for index, raw in enumerate(lines.texts):
        text = _PREFIX.sub("", raw)
        device = _DEVICE.fullmatch(text)
        named = _NAMED.search(text)
        name = name or (named["name"] if named else None)
        if device is not None:
            address, label = _address(device["pci"]), f"GPU{device['device']}"
            hosts.setdefault(device["host"], []).append(f"{address}|{label}" if address else label)
            if len(hosts) == 1:
                listed.append(device_of(capture.origin(index), device["device"], device["model"], address))
        elif _ROW.fullmatch(text):
            row = _row(text.split(), capture.origin(index))
            if row is None:
                lines.unread(index, "no row of sizes and bandwidths")
            else:
                rows.append(row)
        elif _WRONG.fullmatch(text):
            lines.unread(index, "results were wrong: data was damaged on the way, whatever its speed")
        elif not _COMMENT.fullmatch(text):
            lines.stray(index)
            continue
        lines.fits(index)
    found = _measurements(rows, name, hosts)
    return Reading((*listed, *found), lines.all_problems("no line of nccl-tests"))


def collective_of(printed: str | None) -> str | None:
    """Bring a collective's name to one form: ``all reduce`` and ``allreduce`` are ``all_reduce``."""
    bare = (printed or "").replace(" ", "").replace("_", "")
    known = {"allreduce": "all_reduce", "allgather": "all_gather", "reducescatter": "reduce_scatter"}
    return known.get(bare, bare) or None


def _address(printed: str) -> str | None:
    bus = re.fullmatch(r"0x(?P<bus>[0-9a-fA-F]{1,2})", printed)  # old releases print the bus alone
    full = f"0000:{int(bus['bus'], 16):02x}:00.0" if bus else printed if "." in printed else f"{printed}.0"
    return pci_address(full) if ":" in full else None


def _row(words: list[str], origin: Origin) -> _Row | None:
    lead = next((lead for lead in _LEADS if len(words) - lead in _GROUPS), None)
    if lead is None:
        return None
    groups = [words[at : at + 3] for at in range(lead, len(words), 4)]
    numbers = [[float(word) for word in group] for group in groups if all(_NUMBER.fullmatch(word) for word in group)]
    if not numbers:
        return None
    _, algorithm, bus = max(numbers, key=lambda group: group[2])
    redop, root = (words[3] if lead > 3 else "none", words[4] if lead > 4 else "")  # noqa: PLR2004
    return _Row(int(words[0]), redop, root, algorithm, bus, origin)


def _measurements(rows: list[_Row], name: str | None, hosts: dict[str, list[str]]) -> Iterable[Measurement]:
    ranks = sum(len(members) for members in hosts.values()) or None
    collective = name or _told(rows, ranks)
    members = tuple(next(iter(hosts.values()), ()))
    for row in rows:
        yield Measurement(
            row.origin,
            "nccl-tests",
            "busbw",
            Bandwidth.gigabytes(row.bus),
            collective=collective,
            size=row.size,
            members=members,
            ranks=ranks,
            hosts=len(hosts) or None,
            algorithm=Bandwidth.gigabytes(row.algorithm),
        )


def _told(rows: list[_Row], ranks: int | None) -> str | None:
    """Tell the collective by the ratio of its bandwidths at the greatest size; None where several have it."""
    last = max(rows, key=lambda row: row.size, default=None)
    if last is None or not last.algorithm:
        return None
    ratio = last.bus / last.algorithm
    if ranks == 2 and last.root == "-1" and last.redop != "none" and abs(ratio - 1) < 0.03:  # noqa: PLR2004
        return "all_reduce"  # of two ranks its factor is 1; a reduce to one of them has a root
    if ratio > 1.01 and (ranks is None or abs(ratio - 2 * (ranks - 1) / ranks) < 0.03):  # noqa: PLR2004
        return "all_reduce"
    if ranks is not None and ratio < 0.99 and abs(ratio - (ranks - 1) / ranks) < 0.03:  # noqa: PLR2004
        return "reduce_scatter" if last.redop != "none" else None
    return None
