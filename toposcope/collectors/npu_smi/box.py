"""The box that ``npu-smi info`` draws: one accelerator in two rows, for every product and width.

Grammar (split at ``|``; a line of ``+ - =`` is a rule; widths vary by product and version)::

    box    = rule banner rule head-1 head-2 rule (row-1 row-2 rule)* processes?
    banner = "| npu-smi 23.0.rc2    Version: 23.0.rc2 |"
    head-1 = "| NPU  Name | Health | Power(W) Temp(C) Hugepages-Usage(page) |"      950: "| NPU ID | Name | Health ..."
    head-2 = "| Chip [Phy-ID | Device] | Bus-Id | AICore(%) Memory-Usage(MB) [HBM-Usage(MB)] |"    950: "| | | Bus-Id"
    row-1  = "| 0  910B1 | OK | 88.4 46 0 / 0 |"        row-2 = "| 0 [1] | 0000:C1:00.0 | 0  0 / 0  4175 / 65536 |"

Head-2 tells the product: ``Chip`` (910A, 910B), ``Chip Phy-ID`` (A3), ``Chip Device`` (310P), blank (950). The two
chips of a 300I Duo show one Bus-Id. The second table (processes) and the power, temperature and huge pages of a row
say nothing of the topology and are passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.ascend import EMPTY_WORDS, Line, body, label, mebibytes, reading, unread, whole
from toposcope.collectors.npu_smi.replies import is_usage, is_warning, refused
from toposcope.collectors.records import Accelerator, Reading, Setting

if TYPE_CHECKING:
    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import Record

_BANNER = re.compile(r"npu-smi\s+(\S+)\s+Version:\s*(\S+)")
_COLUMN = re.compile(r"([A-Za-z][\w -]{0,40})\(([^)]{1,8})\)")


@dataclass(frozen=True, slots=True)
class _Head:
    """What the header said: names of row-2's identity words, place of the middle cell, names of the usage columns."""

    identity: tuple[str, ...] = ()
    middle: int = 1
    usage: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _First:
    """The first row of an accelerator."""

    index: int
    npu: int
    name: str
    health: str | None


@dataclass(slots=True)
class _State:
    """How far the box has been read."""

    capture: Capture
    records: list[Record]
    problems: list[Problem]
    head: _Head | None = None
    first: _First | None = None
    processes: bool = False

    def report(self, index: int, message: str, text: str) -> None:
        self.problems.append(unread(self.capture, index, message, text))


def parse(capture: Capture) -> Reading:
    """Read the box: an accelerator for each pair of rows, and the versions of npu-smi and driver as host facts.

    A row that is cut keeps what it has and is reported; so is an accelerator whose second row is missing.
    """
    found = body(capture)
    if refusal := refused(capture, found, "host", "npu-smi.info"):
        return Reading(tuple(refusal[0]), tuple(refusal[1]))
    state = _State(capture, [], list(found.problems))
    for line in found.lines:
        if line.text[0] == "|":
            _row(state, line)
        elif is_warning(line):
            state.records.append(
                Setting("host", "driver.ascend_complete", value=False, origin=capture.origin(line.index))
            )
        elif line.text.strip("+-= ") and not is_usage(line):
            state.report(line.index, "not a line of npu-smi's table", line.text)
    _close(state)
    if state.head is None and not state.processes:
        state.report(0, "no table of npu-smi", capture.text[:80])
    return reading(capture, found, state.records, state.problems)


def _row(state: _State, line: Line) -> None:
    cells = [cell.strip() for cell in line.text.split("|")[1:]]
    whole_line = cells[-1] == "" and len(cells) > 1
    cells = cells[:-1] if whole_line else _untorn(cells)
    joined = line.text
    if banner := _BANNER.search(joined):
        _banner(state, line, banner)
    elif "Process id" in joined:
        _close(state)
        state.processes = True
    elif any(cell == "Bus-Id" for cell in cells):
        state.head = _second_head(cells)
    elif "Health" in cells:
        _close(state)
        state.processes = False
        state.head = _Head(middle=cells.index("Health"))
    elif not state.processes:
        torn = not whole_line or len(cells) < (state.head or _Head()).middle + 2
        if torn:
            state.report(line.index, "the row ends early", line.text)
        _data(state, line, cells, torn=torn)


def _untorn(cells: list[str]) -> list[str]:
    """Drop the last word of a row that ends early: it may be a part of a number. A whole address is none."""
    *before, last = cells
    return [*before, last if pci_address(last) else last.rpartition(" ")[0].strip()]


def _banner(state: _State, line: Line, match: re.Match[str]) -> None:
    origin = state.capture.origin(line.index)
    state.processes = False
    state.records.append(Setting("host", "npu-smi.version", match[1], origin))
    state.records.append(Setting("host", "driver.ascend", match[2], origin))


def _second_head(cells: list[str]) -> _Head:
    middle = cells.index("Bus-Id")
    usage = tuple(f"{name.strip()}({unit})" for name, unit in _COLUMN.findall(cells[-1]))
    return _Head(tuple(" ".join(cells[:middle]).split()), middle, usage)


def _data(state: _State, line: Line, cells: list[str], *, torn: bool) -> None:
    head = state.head or _Head()
    middle = cells[head.middle] if len(cells) > head.middle else None
    second = middle is not None and (
        pci_address(middle) is not None or (bool(state.first) and not torn and _is_blank(middle))
    )
    if second and state.first:
        _accelerator(state, line, head, cells)
        state.first = None
        return
    if second:
        state.report(line.index, "a second row without its first: which NPU it is, is not known", line.text)
        return
    _close(state)
    words = " ".join(cells[: head.middle]).split()
    npu = whole(words[0]) if words else None
    # Chips are named by numbers too (310), but a torn row of two numbers may as well be a second row, and a number
    # where the health should be is a process's.
    if npu is None or len(words) == 1 or (torn and whole(words[1]) is not None) or whole(middle) is not None:
        state.report(line.index, "not a row of an NPU", line.text)
        return
    state.first = _First(line.index, npu, " ".join(words[1:]), middle or None)


def _is_blank(cell: str) -> bool:
    return cell.lower() in EMPTY_WORDS


def _close(state: _State) -> None:
    """Report an accelerator whose second row never came, and keep what its first row said."""
    first = state.first
    if first is None:
        return
    state.first = None
    state.report(first.index, f"NPU {first.npu} has no second row", first.name)
    head = state.head or _Head()
    if "Phy-ID" not in head.identity:
        origin = state.capture.origin(first.index)
        state.records.append(Accelerator(origin, label(first.npu), model=first.name, health=first.health))


def _accelerator(state: _State, line: Line, head: _Head, cells: list[str]) -> None:
    first = state.first
    if first is None:
        return
    words = " ".join(cells[: head.middle]).split()
    identity = dict(zip(head.identity or ("Chip",), words, strict=False))
    chip, physical, logic = (whole(identity.get(name)) for name in ("Chip", "Phy-ID", "Device"))
    if "Phy-ID" in head.identity and physical is None:
        state.report(line.index, f"a chip of NPU {first.npu} has no Phy-ID, hence no name", line.text)
        return
    if len(words) > 1 and not head.identity:
        state.report(line.index, "the header that names these columns is missing", line.text)
        return
    name = label(first.npu, chip, physical)
    percent, pairs = _usage(head, cells[head.middle + 1] if len(cells) > head.middle + 1 else "")
    origin = state.capture.origin(first.index)
    state.records.append(
        Accelerator(
            origin,
            name,
            model=first.name,
            pci=pci_address(cells[head.middle]),
            memory_bytes=mebibytes(pairs.get("HBM-Usage(MB)")) or mebibytes(pairs.get("Memory-Usage(MB)")),
            utilisation=whole(percent),
            health=first.health,
        )
    )
    numbers = (("npu.id", first.npu), ("npu.chip", chip), ("npu.phy_id", physical), ("npu.logic_id", logic))
    place = state.capture.origin(line.index)
    state.records += [Setting(name, key, value, place) for key, value in numbers if value is not None]


def _usage(head: _Head, cell: str) -> tuple[str | None, dict[str, str]]:
    """Return the utilisation in per cent and the totals of the ``used / total`` columns by their names."""
    words = cell.replace("/", " / ").split()
    totals = [words[place + 1] for place, word in enumerate(words[:-1]) if word == "/" and place]
    names = [name for name in head.usage if not name.endswith("(%)")]
    has_percent = len(names) < len(head.usage) and bool(words)
    return (words[0] if has_percent else None), dict(zip(names, totals, strict=False))
