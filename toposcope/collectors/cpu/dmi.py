"""The machine's name and its slots from DMI: ``dmidecode``, or the files of ``/sys/class/dmi/id``.

Grammar of ``dmidecode``::

    structure = "Handle" ..., title, (TAB key ":" value, (TAB TAB item)*)*, empty line

A slot with a ``Bus Address`` names the PCI function that sits in it; ``0000:00:00.0`` with an unused slot is a
placeholder, and ``0000:ff:1f.7`` too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import key_and_value, output_lines
from toposcope.collectors.records import PciDevice, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

HOST = "host"
_WANTED = {
    ("System Information", "Manufacturer"): "product.vendor",
    ("System Information", "Product Name"): "product.name",
    ("System Information", "Version"): "product.version",
    ("Base Board Information", "Manufacturer"): "board.vendor",
    ("Base Board Information", "Product Name"): "board.name",
    ("BIOS Information", "Vendor"): "bios.vendor",
    ("BIOS Information", "Version"): "bios.version",
}
_FILES = {
    "product_name": "product.name", "product_version": "product.version", "sys_vendor": "product.vendor",
    "board_name": "board.name", "board_vendor": "board.vendor", "bios_version": "bios.version",
    "system-product-name": "product.name", "system-manufacturer": "product.vendor",
    "system-version": "product.version", "baseboard-product-name": "board.name",
    "baseboard-manufacturer": "board.vendor", "bios-version": "bios.version",
}  # fmt: skip
_NO_VALUE = frozenset({
    "", "not specified", "to be filled by o.e.m.", "default string", "unknown", "none", "system product name",
    "system manufacturer", "n/a", "not available",
})  # fmt: skip
_SLOTS = ("System Slot Information", "Onboard Device", "On Board Device Information")
_HANDLE = re.compile(r"Handle 0x[0-9A-Fa-f]+, DMI type \d+.*")
_PLACEHOLDERS = frozenset({"0000:00:00.0", "0000:ff:1f.7"})


def parse_dmidecode(capture: Capture) -> Reading:
    """Read ``dmidecode``: names of system and board as settings, slots as partial PCI devices."""
    lines = output_lines(capture)
    if not any(_HANDLE.fullmatch(text) for text in lines.texts):
        return _plain(lines)
    records: list[Record] = []
    title = ""
    slot: dict[str, tuple[str, Origin]] = {}
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if not text[:1].isspace():
            records.extend(_slot(title, slot))
            title, slot = ("" if _HANDLE.fullmatch(text) else text.strip()), {}
        elif pair is not None:
            origin = capture.origin(index)
            slot[pair[0]] = (pair[1], origin)
            records.extend(_name(_WANTED.get((title, pair[0])), pair[1], origin, records))
    records.extend(_slot(title, slot))
    return Reading(tuple(records), tuple(lines.problems))


def _name(name: str | None, value: str, origin: Origin, known: list[Record]) -> Iterator[Setting]:
    """Take the first board only: blade chassis list several."""
    if name is None or any(isinstance(record, Setting) and record.name == name for record in known):
        return
    yield _named(name, value, origin)


def _named(name: str, value: str, origin: Origin) -> Setting:
    if value.lower() in _NO_VALUE:
        return Setting(HOST, name, None, origin, "absent")
    return Setting(HOST, name, value, origin)


def _slot(title: str, fields: dict[str, tuple[str, Origin]]) -> Iterator[PciDevice]:
    if title not in _SLOTS or "Bus Address" not in fields:
        return
    name, _ = fields.get("Designation") or fields.get("Reference Designation") or ("", None)
    address = pci_address(fields["Bus Address"][0])
    usage = fields.get("Current Usage", ("", None))[0]
    if address is not None and name and address not in _PLACEHOLDERS and usage != "Available":
        yield PciDevice(address, fields["Bus Address"][1], slot=name)


def parse_dmi_file(capture: Capture) -> Reading:
    """Read a file of one line (``product_name``); ``argument`` or the file's name tells which."""
    return _plain(output_lines(capture))


def _plain(lines: Lines) -> Reading:
    capture = lines.capture
    asked = f"{capture.argument or ''} {capture.file}".lower().replace(" ", "_")
    name = next((name for key, name in _FILES.items() if key in asked or key.replace("-", "_") in asked), None)
    records: list[Record] = []
    for index, text in enumerate(lines.texts):
        if name is None or records or not text.strip():
            lines.stray(index)
            continue
        records.append(_named(name, text.strip(), capture.origin(index)))
        lines.fits(index)
    return Reading(tuple(records), lines.all_problems("no name that DMI gives"))
