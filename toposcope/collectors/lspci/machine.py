r"""The machine-readable forms of ``lspci``: quoted words (``-mm``) and tagged lines (``-vmm``, ``-vmmk``).

Grammar::

    words  = address (blank '"' text '"' | blank "-r" rev | blank "-p" progif)*     class vendor device [subvendor sub]
    tagged = record (empty line record)*
    record = (tag ":" blanks value)*           Slot Class Vendor Device SVendor SDevice Rev ProgIf Driver NUMANode ...

Without ``-mm`` but with ``-m`` alone, old versions call the slot ``Device`` too. With ``-n`` ids stand for names, with
``-nn`` they follow the names in brackets. A quotation mark inside a name is written ``\"``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind, pci_address
from toposcope.collectors.lspci.classes import class_code
from toposcope.collectors.lspci.lines import lines_of, shown
from toposcope.collectors.records import PciDevice, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture

# Such a line holds a few names; a longer one is something else.
_LONGEST_LINE = 4096
_WORDS = re.compile(r'\s*([0-9a-f:]{5,16}\.[0-7])\s+(?=")')
_WORD = re.compile(r'\s*+(?:"((?:[^"\\]|\\.)*+)"|-([rp])([0-9a-f]{2}))')
_TAG = re.compile(r"\s*([A-Za-z]{3,12}):[ \t]*(.*)")
_NUMBERED = re.compile(r"(.*) \[([0-9a-f]{4})\]")
_NUMBER = re.compile(r"[0-9a-f]{4}")
_POSITIONS = ("Class", "Vendor", "Device", "SVendor", "SDevice")
_OTHERS = ("Slot", "Rev", "ProgIf", "Driver", "Module", "NUMANode", "IOMMUGroup", "PhySlot", "DTNode")
_TAGS = frozenset((*_POSITIONS, *_OTHERS))


def parse(capture: Capture) -> Reading:
    """Read either form. A line inside the output that is neither form becomes a problem."""
    devices: list[PciDevice] = []
    problems: list[Problem] = []
    aliens: list[Problem] = []
    for index, tags in _records(capture, aliens):
        device = _device(capture, index, tags)
        if device is None:
            problems.append(Problem(ProblemKind.UNREAD, capture.origin(index), "no address of a device", _shown(tags)))
            continue
        devices.append(device)
    if devices:
        first, last = devices[0].origin.line, devices[-1].origin.line
        problems += (alien for alien in aliens if first < alien.origin.line < last)
    else:
        problems += aliens[:1]
    return Reading(tuple(devices), tuple(problems))


def _records(capture: Capture, aliens: list[Problem]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the tags of each device with the line where it begins; other lines land in ``aliens``."""
    tags: dict[str, str] = {}
    start = 0
    for index, raw in enumerate(lines_of(capture.text)):
        line = raw.rstrip()
        if len(line) > _LONGEST_LINE:
            aliens.append(_alien(capture, index, f"a line of {len(line)} characters was left out", line))
            continue
        words = _WORDS.match(line)
        tag = None if words else _TAG.match(line)
        if words is not None:
            if tags:
                yield start, tags
            yield index, _positional(words[1], line[words.end() :])
            tags = {}
        elif tag is not None and tag[1] in _TAGS:
            if tags and _is_slot(tag[1], tag[2]):
                yield start, tags
                tags = {}
            start = start if tags else index
            tags.setdefault("Slot" if _is_slot(tag[1], tag[2]) else tag[1], tag[2])
        elif line:
            aliens.append(_alien(capture, index, "not a line of lspci", line))
    if tags:
        yield start, tags


def _address(slot: str) -> str | None:
    """Return the canonical address; a domain may be cut of its leading zeros here."""
    return pci_address(slot.strip().zfill(len("0000:00:00.0")) if slot.count(":") > 1 else slot)


def _is_slot(tag: str, value: str) -> bool:
    return tag == "Slot" or (tag == "Device" and pci_address(value) is not None)


def _positional(address: str, text: str) -> dict[str, str]:
    tags = {"Slot": address}
    names = iter(_POSITIONS)
    match = _WORD.match(text)
    while match is not None:
        word, option, number = match.groups()
        if option:
            tags["Rev" if option == "r" else "ProgIf"] = number
        else:
            tags[next(names, "")] = word.replace('\\"', '"')
        match = _WORD.match(text, match.end())
    return tags


def _device(capture: Capture, index: int, tags: dict[str, str]) -> PciDevice | None:
    address = _address(tags.get("Slot", ""))
    if address is None:
        return None
    kind, code = _named(tags.get("Class", ""))
    vendor, vendor_id = _named(tags.get("Vendor", ""))
    device, device_id = _named(tags.get("Device", ""))
    name = " ".join(filter(None, (vendor, device))) or None
    return PciDevice(
        address,
        capture.origin(index),
        class_code=code or class_code(kind),
        class_name=kind or None,
        pci_id=_pair(vendor_id, device_id),
        subsystem_id=_pair(_named(tags.get("SVendor", ""))[1], _named(tags.get("SDevice", ""))[1]),
        name=name,
        revision=tags.get("Rev") or None,
        numa=_number(tags.get("NUMANode")),
        driver=tags.get("Driver") or None,
        iommu_group=_number(tags.get("IOMMUGroup")),
        slot=tags.get("PhySlot") or None,
        virtual="Virtual Function" in (name or ""),
        alive=tags.get("Rev") != "ff",
    )


def _named(text: str) -> tuple[str, str | None]:
    """Split ``name [id]``, ``name`` or ``id`` into name and id."""
    if _NUMBER.fullmatch(text):
        return "", text
    match = _NUMBERED.fullmatch(text)
    return (match[1], match[2]) if match else (text, None)


def _pair(vendor: str | None, device: str | None) -> str | None:
    return f"{vendor}:{device}" if vendor and device else None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else None  # noqa: PLR2004 - no such node


def _shown(tags: dict[str, str]) -> str:
    return shown(" ".join(f"{tag}: {value}" for tag, value in tags.items()))


def _alien(capture: Capture, index: int, message: str, line: str) -> Problem:
    return Problem(ProblemKind.UNREAD, capture.origin(index), message, shown(line))
