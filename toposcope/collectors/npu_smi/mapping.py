"""Which chips there are: ``npu-smi info -m`` (a table) and ``npu-smi info -l`` (a list of cards).

``-m``: columns by their names, a row's last column is all that remains (``Ascend 910A``)::

    NPU ID   [Slot ID]   Chip ID   [Chip Logic ID]   [Chip Phy-ID]   Chip Name
    0                    0          0                 0               Ascend910
    0                    2          -                 -               Mcu              (or 3559: no accelerator)

With a logic id beside it, a Phy-ID names the chip (A3, whose matrix is labelled so); on a 950 there is no logic id and
the matrix shows NPU ids. ``-l``: ``Total Count : N`` (310: ``Card Count``), then for each card ``NPU ID : i`` with
pairs, ``Chip Count : k`` the one that matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.ascend import Body, Line, Pair, body, label, pair, reading, setting, slug, unread, whole
from toposcope.collectors.npu_smi.replies import refused
from toposcope.collectors.records import Accelerator, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import Record

_COLUMN = re.compile(r"NPU ID|Slot ID|Chip ID|Chip Logic ID|Chip Phy-ID|Chip Name")
_FACTS = {
    "NPU ID": "npu.id",
    "Chip ID": "npu.chip",
    "Chip Logic ID": "npu.logic_id",
    "Chip Phy-ID": "npu.phy_id",
    "Slot ID": "npu.slot",
}


def parse_map(capture: Capture) -> Reading:
    """Read ``npu-smi info -m``: an accelerator with its numbers as facts for each row.

    Rows of controllers have ``-`` for the logic id and are passed over.
    """
    found = body(capture)
    if refusal := refused(capture, found, "host", "npu-smi.map"):
        return Reading(tuple(refusal[0]), tuple(refusal[1]))
    records: list[Record] = []
    problems = list(found.problems)
    columns: tuple[str, ...] = ()
    for line in found.lines:
        names = tuple(_COLUMN.findall(line.text))
        if len(names) > 1:
            columns = names
        elif not columns:
            problems.append(unread(capture, line.index, "before the header of the mapping table", line.text))
        elif row := _cells(columns, line):
            records += _chip(capture, line, row)
        else:
            problems.append(unread(capture, line.index, "not a row of the mapping table", line.text))
    if not columns:
        problems.append(unread(capture, 0, "no mapping table", capture.text[:80]))
    return reading(capture, found, records, problems)


def _cells(columns: tuple[str, ...], line: Line) -> dict[str, str] | None:
    words = line.text.split(maxsplit=len(columns) - 1)
    row = dict(zip(columns, words, strict=False))
    return row if len(row) == len(columns) and whole(row.get("NPU ID")) is not None else None


def _chip(capture: Capture, line: Line, row: dict[str, str]) -> list[Record]:
    name = row.get("Chip Name", "")
    npu = whole(row["NPU ID"])
    if npu is None or "-" in (row.get("Chip Logic ID"), row.get("Chip Phy-ID")):
        return []
    physical = whole(row.get("Chip Phy-ID")) if "Chip Logic ID" in row else None
    subject = label(npu, whole(row.get("Chip ID")), physical)
    origin = capture.origin(line.index)
    facts = [(fact, whole(row.get(column))) for column, fact in _FACTS.items()]
    settings = [Setting(subject, fact, value, origin) for fact, value in facts if value is not None]
    return [Accelerator(origin, subject, model=name or None), *settings]


def parse_list(capture: Capture) -> Reading:
    """Read ``npu-smi info -l``: how many cards the host has, and the facts of each card on ``NPU<n>``."""
    found = body(capture)
    if refusal := refused(capture, found, "host", "npu-smi.list"):
        return Reading(tuple(refusal[0]), tuple(refusal[1]))
    records, problems = _cards(capture, found)
    if not records:
        problems.append(unread(capture, 0, "no list of cards", capture.text[:80]))
    return reading(capture, found, records, problems)


def _cards(capture: Capture, found: Body) -> tuple[list[Record], list[Problem]]:
    records: list[Record] = []
    problems = list(found.problems)
    card: str | None = None
    for line in found.lines:
        item = pair(line)
        if item is None:
            problems.append(unread(capture, line.index, "not a line of the list of cards", line.text))
        elif item.key in ("Total Count", "Card Count"):
            records.append(setting(capture, "host", "npu.count", item))
        elif item.key in ("NPU ID", "Card ID") and whole(item.value) is not None:
            card = f"NPU{whole(item.value)}"
            records.append(setting(capture, card, "npu.id", item))
        elif card is None:
            problems.append(unread(capture, line.index, "which NPU this is of, is not known", line.text))
        else:
            records.append(setting(capture, card, _list_fact(item), item))
    return records, problems


def _list_fact(item: Pair) -> str:
    return "npu.chips" if item.key == "Chip Count" else f"board.{slug(item.key)}"


def cards(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the NPU ids that ``info``, ``-m`` or ``-l`` showed, in printed order."""
    return tuple(dict.fromkeys(str(value) for value in _numbers(records, "npu.id").values()))


def second_chips(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the NPU ids of cards that have a chip 1 (A3, 300I Duo)."""
    npus = _numbers(records, "npu.id")
    chips = _numbers(records, "npu.chip")
    return tuple(dict.fromkeys(str(npus[name]) for name, chip in chips.items() if chip == 1 and name in npus))


def _numbers(records: Sequence[Record], name: str) -> dict[str, int]:
    found = (record for record in records if isinstance(record, Setting) and record.name == name)
    return {record.subject: record.value for record in found if isinstance(record.value, int)}
