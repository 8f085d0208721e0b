"""What ``ethtool -i``, ``-m`` and ``-S`` print of one netdev: its driver and PCI address, its module, its counters.

Grammar::

    driver     = (key ":" value)*                      # driver, version, firmware-version, bus-info ...
    module     = (key ":" value)*                      # a key may come twice
    statistics = "NIC statistics:" (name ":" number)*

The netdev does not stand in the text: the command's argument names it. Counters are many (2000 of an mlx5): only those
of errors, drops, pauses and congestion are kept, and of a ring or a virtual function none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.records import NicName, Reading, Setting

if TYPE_CHECKING:
    from toposcope.base import Capture
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

_DRIVER_KEYS = {
    "driver": "driver",
    "version": "driver.version",
    "firmware-version": "firmware.version",
}
_DRIVER_OTHERS = frozenset({
    "bus-info", "expansion-rom-version", "supports-statistics", "supports-test", "supports-eeprom-access",
    "supports-register-dump", "supports-priv-flags",
})  # fmt: skip
_MODULE_KEYS = {
    "identifier": "module.identifier",
    "connector": "module.connector",
    "vendor name": "module.vendor",
    "vendor pn": "module.part",
    "vendor sn": "module.serial",
    "vendor rev": "module.revision",
    "br, nominal": "module.rate",
    "transmitter technology": "module.technology",
    "module temperature": "module.temperature",
    "module state": "module.state",
    "cable assembly length": "module.length",
    "length (copper)": "module.length",
    "length (copper or active cable)": "module.length",
}
_COUNTER = re.compile(r"\s+(?P<name>[\w.\[\]-]{1,100}):\s+(?P<value>\d{1,20})\s*")
_COUNTER_LOST_BLANKS = re.compile(r"(?P<name>[a-z][\w.]{1,100}): (?P<value>\d{1,20})\s*")
_TELLING = re.compile(
    r"err|drop|discard|pause|crc|symbol|timeout|retrans|ecn|cnp|out_of|link_down|buf_alloc|lost|missed|fifo|collision"
    r"|_phy$|no_buffer|pfc|fec|stall|wait"
)
_OF_A_PART = re.compile(r"(?:[rt]x|ch|queue|q|vf|xdp|txq|rxq)_?(?:queue_)?\[?\d+|\d+_(?:rx|tx)_|rep_")
_NO_NETDEV = "which netdev this is of is not said"


def parse_driver(capture: Capture) -> Reading:
    """Read ``ethtool -i``: the netdev's PCI function, and ``driver``, ``firmware.version`` as settings."""
    lines = output_lines(capture)
    blocks: list[dict[str, tuple[str, int]]] = []
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None or (pair[0] not in _DRIVER_KEYS and pair[0] not in _DRIVER_OTHERS):
            lines.stray(index)
            continue
        if not blocks or pair[0] in blocks[-1]:
            blocks.append({})  # a shell's loop prints one after the other
        blocks[-1][pair[0]] = (pair[1], index)
        lines.fits(index)
    netdev = capture.argument if len(blocks) == 1 else None
    records = [record for fields in blocks for record in _driver(lines, fields, netdev)]
    return Reading(tuple(records), lines.all_problems("no line of ethtool -i"))


def _driver(lines: Lines, fields: dict[str, tuple[str, int]], netdev: str | None) -> list[Record]:
    bus, index = fields.get("bus-info", ("", 0))
    pci = pci_address(bus)
    records: list[Record] = []
    if pci and netdev:
        records.append(NicName(lines.capture.origin(index), netdev=netdev, pci=pci))
    subject = netdev or pci
    if subject is None:
        if fields:
            lines.unread(index, _NO_NETDEV)
        return records
    for key, name in _DRIVER_KEYS.items():
        value, at = fields.get(key, ("", 0))
        if value and value != "N/A":
            records.append(Setting(subject, name, value, lines.capture.origin(at)))
    return records


def parse_module(capture: Capture) -> Reading:
    """Read ``ethtool -m``: ``module.identifier``, ``module.part``, ``module.length`` ... of the netdev."""
    lines = output_lines(capture)
    fields: dict[str, tuple[str, int]] = {}
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None:
            lines.stray(index)
            continue
        name = _MODULE_KEYS.get(pair[0].lower())
        if name is not None and pair[1] not in ("", "0m"):
            fields.setdefault(name, (pair[1], index))
        lines.fits(index)
    records = _of_netdev(lines, fields)
    return Reading(tuple(records), lines.all_problems("no line of ethtool -m"))


def parse_statistics(capture: Capture) -> Reading:
    """Read ``ethtool -S``: ``counter.NAME`` of the netdev, for the names that tell of trouble."""
    lines = output_lines(capture)
    fields: dict[str, tuple[str, int]] = {}
    for index, text in enumerate(lines.texts):
        match = _COUNTER.fullmatch(text) or _COUNTER_LOST_BLANKS.fullmatch(text)
        if match is None:
            if text.strip() == "NIC statistics:":
                lines.fits(index)
            else:
                lines.stray(index)
            continue
        lines.fits(index)
        if _TELLING.search(match["name"]) and not _OF_A_PART.match(match["name"]):
            fields.setdefault(f"counter.{match['name']}", (match["value"], index))
    records = _of_netdev(lines, fields)
    return Reading(tuple(records), lines.all_problems("no counter"))


def _of_netdev(lines: Lines, fields: dict[str, tuple[str, int]]) -> list[Setting]:
    netdev = lines.capture.argument
    if netdev is None:
        if fields:
            lines.unread(min(index for _, index in fields.values()), _NO_NETDEV)
        return []
    return [_setting(netdev, name, text, lines, index) for name, (text, index) in fields.items()]


def _setting(netdev: str, name: str, text: str, lines: Lines, index: int) -> Setting:
    number = whole(text) if name.startswith("counter.") else None
    return Setting(netdev, name, text if number is None else number, lines.capture.origin(index))
