"""Reads ``udevadm info --export-db``: PCI functions with their bridges, and the names of NICs.

Grammar; a block a device, divided by empty lines, one property a line::

    output = block*
    block  = "P:" path, ("E:" NAME "=" value | [A-Z] ":" word)*

The path (below ``/sys``) is the chain of bridges, so the parent is certain. ``PCI_CLASS`` has lost its leading zeros.
``udevadm info -a`` prints attributes of the same devices in another form, which :mod:`sysfs` would name so::

    walk   = ("looking at" ["parent"] "device" "'" path "':" (KEY "==" '"' value '"')*)*

Blocks of devices that are neither PCI functions nor NICs pass.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import NicName, PciDevice, Reading
from toposcope.collectors.sysfs.lines import Entry
from toposcope.collectors.sysfs.pci import parent_of, pci_records
from toposcope.collectors.sysfs.places import chain, places_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

_PROPERTY = re.compile(r"E: ?([A-Za-z_][\w.-]{0,100})=(.*)")
_OTHER = re.compile(r"[A-Z]: ?.*")
_SHOWN = frozenset({
    "SUBSYSTEM", "PCI_CLASS", "PCI_ID", "PCI_SUBSYS_ID", "PCI_SLOT_NAME", "DRIVER", "INTERFACE", "NAME",
    "ID_VENDOR_FROM_DATABASE", "ID_MODEL_FROM_DATABASE", "ID_PCI_SUBCLASS_FROM_DATABASE", "DEVPATH",
})  # fmt: skip
_ID = re.compile(r"[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}")
_NIC = re.compile(r"/(?P<kind>net|infiniband)/(?P<name>[^/]{1,64})$")
_CLASS = re.compile(r"[0-9A-Fa-f]{1,6}")
_WALK = re.compile(r"\s*looking at (?:parent )?device '(?P<path>/[^']*)':\s*")
_WALK_FIELD = re.compile(r"\s*(?P<key>[A-Z]+)(?:\{(?P<attribute>[^}]{1,100})\})?==\"(?P<value>.*)\"\s*")


def parse(capture: Capture) -> Reading:
    """Read an exported database, one device's block, or an attribute walk (``-a``)."""
    lines = output_lines(capture)
    if "looking at " in capture.text:
        return _walk(lines)
    records: list[Record] = []
    path, index = "", 0
    fields: dict[str, str] = {}
    for at, text in enumerate(lines.texts):
        if text[:3] == "P: ":
            records += _device(path, fields, capture.origin(index))
            path, index, fields = text[3:].strip(), at, {}
        elif match := _PROPERTY.fullmatch(text):
            if match[1] in _SHOWN:
                fields.setdefault(match[1], match[2].strip())
        elif not _OTHER.fullmatch(text):
            lines.stray(at)
            continue
        lines.fits(at)
    records += _device(path, fields, capture.origin(index))
    return Reading(tuple(records), lines.all_problems("no line of udevadm"))


def _device(path: str, fields: dict[str, str], origin: Origin) -> Iterator[Record]:
    path = path or fields.get("DEVPATH", "")
    if match := _NIC.search(path):
        steps = [step for step in chain(path) if step]
        if steps and "/usb" not in path:
            kind = match["kind"]
            rdma, netdev = (match["name"], None) if kind == "infiniband" else (None, match["name"])
            yield NicName(origin, rdma=rdma, netdev=netdev, pci=steps[-1])
        return
    address = pci_address(path.rpartition("/")[2])
    if address is None or fields.get("SUBSYSTEM", "pci") != "pci":
        return
    yield _pci(path, address, fields, origin)


def _pci(path: str, address: str, fields: dict[str, str], origin: Origin) -> PciDevice:
    parent, at_root = parent_of(path, address)
    code = fields.get("PCI_CLASS", "")
    names = (fields.get("ID_VENDOR_FROM_DATABASE"), fields.get("ID_MODEL_FROM_DATABASE"))
    return PciDevice(
        address=address,
        origin=origin,
        parent=parent,
        at_root=at_root,
        class_code=code.lower().zfill(6)[:4] if _CLASS.fullmatch(code) else None,
        class_name=fields.get("ID_PCI_SUBCLASS_FROM_DATABASE"),
        pci_id=_pair(fields.get("PCI_ID", "")),
        subsystem_id=_pair(fields.get("PCI_SUBSYS_ID", "")),
        name=" ".join(name for name in names if name) or None,
        driver=fields.get("DRIVER"),
    )


def _pair(text: str) -> str | None:
    """Return ``10de:2330``; ``0000:0000`` is no subsystem."""
    if not _ID.fullmatch(text):
        return None
    vendor, _, device = text.lower().partition(":")
    return None if int(vendor, 16) == 0 else f"{vendor.zfill(4)}:{device.zfill(4)}"


def _walk(lines: Lines) -> Reading:
    """Turn the walk into entries of ``/sys`` and read those."""
    entries: list[Entry] = []
    path = ""
    for index, text in enumerate(lines.texts):
        if match := _WALK.fullmatch(text):
            path = match["path"]
        elif (match := _WALK_FIELD.fullmatch(text)) and path:
            if match["key"] in ("ATTR", "ATTRS"):
                entries.append(Entry(f"/sys{path}", match["attribute"] or "", match["value"], index))
            elif match["key"] in ("DRIVER", "DRIVERS") and match["value"]:
                entries.append(Entry(f"/sys{path}", "driver", match["value"], index))
        elif text.strip():
            if path:
                lines.stray(index)
            continue
        else:
            continue
        lines.fits(index)
    places = places_of(lines.capture, entries)
    records = tuple(pci_records(lines.capture, places))
    return Reading(records, (*places.problems, *lines.all_problems("no line of udevadm info -a")))
