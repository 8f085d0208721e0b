"""What ``ethtool NETDEV`` prints: speed, lanes, whether there is a link.

Grammar; a value may go on over deeply indented lines without a key::

    output   = ("Settings for" netdev ":" field*)*
    field    = key ":" value continuation*

``Speed`` is in Mb/s (``100000Mb/s``; ``Unknown!`` while down). The fastest of the supported link modes
(``400000baseCR8/Full``) is the port's most. A ``Settings for`` line may be lost in a copy: the command's argument
then names the netdev.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.rates import gigabits, megabits
from toposcope.collectors.records import NetworkPort, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Bandwidth, Capture
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

# "Netdev status:" stands before it where another tool passes it on.
_BEGINS = re.compile(r"(?:.*\bstatus:\s?)?Settings for (?P<netdev>[^\s:]{1,64}):\s*")
_MODE = re.compile(r"\b(\d{1,7})base\w+")
_KEY = re.compile(r"\s*[A-Za-z][A-Za-z0-9 ()/._-]{0,60}:")
_SETTINGS = {
    "duplex": "duplex",
    "auto-negotiation": "auto_negotiation",
    "port": "connector",
    "transceiver": "transceiver",
    "advertised fec modes": "fec.advertised",
    "active fec encoding": "fec.active",
    "active fec encodings": "fec.active",
}
_REFUSED = re.compile(r"(?:Cannot get|netlink error|Could not|No data available|Operation not)\b.*")


@dataclass(slots=True)
class _Block:
    index: int
    netdev: str
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    key: str | None = None

    def value(self, key: str) -> str | None:
        return self.fields.get(key, ("",))[0] or None


def parse(capture: Capture) -> Reading:
    """Read the settings of one or more netdevs. ``state`` is the printed ``Link detected`` (``yes``, ``no``)."""
    lines = output_lines(capture)
    blocks: list[_Block] = []
    if capture.argument and "Settings for " not in capture.text:
        blocks.append(_Block(0, capture.argument))
    for index, text in enumerate(lines.texts):
        if match := _BEGINS.fullmatch(text):
            blocks.append(_Block(index, match["netdev"]))
        elif not blocks or not _take(text, index, blocks[-1]):
            lines.stray(index)
            continue
        lines.fits(index)
    records = tuple(record for block in blocks if block.fields for record in _records(lines, block))
    return Reading(records, lines.all_problems("no line of ethtool"))


def _take(text: str, index: int, block: _Block) -> bool:
    """Take a field, or a line that goes on with the field above it."""
    if not text.strip():
        return False
    if _REFUSED.match(text):
        return True
    if _KEY.match(text):
        pair = key_and_value(text)
        if pair is not None:
            block.key = pair[0].lower()
            block.fields.setdefault(block.key, (pair[1], index))
            return True
    if block.key is None or not text[0].isspace():
        return False
    value, first = block.fields[block.key]
    block.fields[block.key] = (f"{value} {text.strip()}"[:4096], first)
    return True


def _records(lines: Lines, block: _Block) -> Iterator[Record]:
    speed, index = block.fields.get("speed", ("", block.index))
    rate = megabits(speed)
    if rate is None and speed and not speed.lower().startswith(("unknown", "0", "-1", "4294967295", "65535")):
        lines.unread(index, f"no speed of {block.netdev}")
    yield NetworkPort(
        device=block.netdev,
        origin=lines.capture.origin(block.index),
        rate=rate,
        max_rate=_most(block),
        width=whole(block.value("lanes") or ""),
        state=block.value("link detected"),
    )
    for key, name in _SETTINGS.items():
        if value := block.value(key):
            yield Setting(block.netdev, name, value, lines.capture.origin(block.fields[key][1]))


def _most(block: _Block) -> Bandwidth | None:
    modes = [int(mode) for mode in _MODE.findall(block.value("supported link modes") or "")]
    return gigabits(str(max(modes) / 1000)) if modes else None
