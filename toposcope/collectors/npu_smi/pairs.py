"""``npu-smi info -t TYPE -i N [-c C]`` for the types that print ``key : value`` lines.

Grammar::

    output  = section (blank section)*
    section = (TAB key " : " value | TAB " : " more)+

``NPU ID`` stands in the first section or, as for ``health``, nowhere: then the command's ``-i`` names the card. A
section of a chip holds its ``Chip ID`` at the top (``common``) or at the end (``usages``); one with ``Chip Name : mcu``
speaks of the controller. A line with a blank key continues the value above it.

Every pair becomes a fact ``TYPE.key``. ``board`` also gives the PCI function with its ids, ``board``, ``usages`` and
``health`` complete the accelerator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.ascend import (
    EMPTY_WORDS,
    Body,
    Pair,
    body,
    label,
    mebibytes,
    pair,
    reading,
    setting,
    slug,
    unread,
    whole,
)
from toposcope.collectors.npu_smi.replies import answer, refused
from toposcope.collectors.records import Accelerator, PciDevice, Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import Record

_TARGET = re.compile(r"(\d{1,9})(?:\s+-c\s+(\d{1,9}))?")
_HEX = re.compile(r"(?:0x)?([0-9a-f]{4})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """Which chip an output speaks of, as far as the command tells: ``-i 2 -c 1``."""

    npu: int | None = None
    chip: int | None = None

    @property
    def name(self) -> str | None:
        """The label, or None where the card is not known."""
        return None if self.npu is None else label(self.npu, self.chip)


def target(capture: Capture, chip: int | None = None) -> Target:
    """Read the command's argument: ``2`` or ``2 -c 1``. ``chip`` is the one asked where the argument is silent."""
    match = _TARGET.fullmatch((capture.argument or "").strip())
    if match is None:
        return Target(None, chip)
    return Target(int(match[1]), chip if match[2] is None else int(match[2]))


def parse(capture: Capture, *, kind: str) -> Reading:
    """Read the pairs of one TYPE. Where the NPU is not known they are dropped, with a problem."""
    found = body(capture)
    asked = target(capture)
    if refusal := refused(capture, found, asked.name or "host", f"npu-smi.{kind}"):
        return Reading(tuple(refusal[0]), tuple(refusal[1]))
    sections, problems = _sections(capture, found)
    if not sections:
        problems.append(unread(capture, 0, f"no {kind} of an NPU", capture.text[:80]))
        return Reading((), tuple(problems))
    records: list[Record] = []
    for section in sections:
        asked = _named(asked, section)
        records += _section(capture, asked, section, kind)
    if asked.npu is None:
        first = sections[0][0]
        problems.append(unread(capture, first.index, f"which NPU this {kind} is of, is not known", first.key))
    return reading(capture, found, records, problems)


def _sections(capture: Capture, found: Body) -> tuple[list[list[Pair]], list[Problem]]:
    sections: list[list[Pair]] = []
    problems = list(found.problems)
    for line in found.lines:
        item = pair(line)
        if item is None or answer(line) == "unreadable":
            problems.append(unread(capture, line.index, "not a pair of key and value", line.text))
        elif not item.key and sections:
            last = sections[-1].pop()
            sections[-1].append(replace(last, value=f"{last.value}; {item.value}"))
        elif line.index in found.breaks or not sections or any(item.key == held.key for held in sections[-1]):
            sections.append([item])
        else:
            sections[-1].append(item)
    return sections, problems


def _named(asked: Target, section: list[Pair]) -> Target:
    """Return whom a section is of: a printed ``NPU ID`` holds until the next one."""
    printed = next((whole(item.value) for item in section if item.key == "NPU ID"), None)
    return asked if printed is None else Target(printed, asked.chip)


def _section(capture: Capture, asked: Target, section: list[Pair], kind: str) -> list[Record]:
    values = {item.key: item.value for item in section}
    chip = whole(values.get("Chip ID"))
    subject = Target(asked.npu, asked.chip if chip is None else chip).name
    if subject is None:
        return []
    prefix = f"{kind}.mcu" if values.get("Chip Name", "").lower() == "mcu" else kind
    facts: list[Record] = [
        setting(capture, subject, f"{prefix}.{slug(item.key)}", item)
        for item in section
        if item.key not in ("NPU ID", "Chip ID")
    ]
    if prefix != kind:
        return facts
    first = section[0].index
    return [*_EXTRA.get(kind, _nothing)(capture, subject, first, values), *facts]


def _nothing(capture: Capture, subject: str, index: int, values: dict[str, str]) -> list[Record]:
    del capture, subject, index, values
    return []


def _printed(values: dict[str, str], key: str) -> str | None:
    value = values.get(key, "")
    return None if value.lower() in EMPTY_WORDS else value


def _board(capture: Capture, subject: str, index: int, values: dict[str, str]) -> list[Record]:
    origin = capture.origin(index)
    pci = pci_address(values.get("PCIe Bus Info", ""))
    model, serial = _printed(values, "Chip Name"), _printed(values, "Serial Number")
    records: list[Record] = [Accelerator(origin, subject, model=model, pci=pci, serial=serial)]
    device = _identity(values, "PCI Vendor ID", "PCI Device ID")
    if pci and device:
        subsystem = _identity(values, "Subsystem Vendor ID", "Subsystem Device ID")
        records.append(PciDevice(pci, origin, pci_id=device, subsystem_id=subsystem))
    return records


def _identity(values: dict[str, str], vendor: str, device: str) -> str | None:
    parts = [_HEX.fullmatch(values.get(key, "")) for key in (vendor, device)]
    return ":".join(part[1].lower() for part in parts if part) if all(parts) else None


def _usages(capture: Capture, subject: str, index: int, values: dict[str, str]) -> list[Record]:
    memory = mebibytes(values.get("HBM Capacity(MB)")) or mebibytes(values.get("DDR Capacity(MB)"))
    busy = whole(values.get("Aicore Usage Rate(%)"))
    if memory is None and busy is None:
        return []
    return [Accelerator(capture.origin(index), subject, memory_bytes=memory, utilisation=busy)]


def _health(capture: Capture, subject: str, index: int, values: dict[str, str]) -> list[Record]:
    status = _printed(values, "Health Status") or _printed(values, "Health")
    return [Accelerator(capture.origin(index), subject, health=status)] if status else []


_EXTRA: dict[str, Callable[[Capture, str, int, dict[str, str]], list[Record]]] = {
    "board": _board,
    "usages": _usages,
    "common": _usages,
    "health": _health,
}
