"""What ``ibstat`` and ``ibstatus`` print: RDMA devices with their ports, state and rate.

Grammar; indentation is not needed, since copies lose it::

    ibstat   = ("CA '" name "'" field* ("Port" n ":" field*)*)*       # one port asked: its block alone
    ibstatus = ("Infiniband device '" name "' port" n "status:" field*)*
    field    = key ":" value

``Rate`` of ibstat is in Gb/s (``400``, ``2.5``, ``40 (FDR10)``), ibstatus repeats the kernel (``200 Gb/sec (4X HDR)``).
A port that is down prints the rate of its last try or 10 or 40, which means nothing: ``state`` tells. ibstat may end
in an error of one device (``ibpanic: ... stat of IB device 'mlx5_8' failed``) after good blocks of the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.rates import LANE_GBPS, gigabits, kernel_rate
from toposcope.collectors.records import NetworkPort, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Bandwidth, Capture
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

_DEVICE = re.compile(r"\s*CA '(?P<device>[^']{1,64})'\s*")
_PORT = re.compile(r"\s*Port (?P<port>\d{1,3}):\s*")
_STATUS = re.compile(r"\s*Infiniband device '(?P<device>[^']{1,64})' port (?P<port>\d{1,3}) status:\s*")
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?: \((\w+)\))?")
_FAILED = re.compile(r"ibpanic:.* IB device '([^']{1,64})' failed")
_ERROR = re.compile(r"(?:ibpanic|ibwarn|ibstat|ibstatus|Fatal error|umad_\w+)\b.*")
_FIELDS = frozenset({
    "ca type", "number of ports", "firmware version", "hardware version", "node guid", "system image guid", "state",
    "physical state", "rate", "base lid", "lmc", "sm lid", "capability mask", "port guid", "link layer",
    "default gid", "phys state", "link_layer",
})  # fmt: skip
_DEVICE_SETTINGS = {"ca type": "model", "firmware version": "firmware.version", "node guid": "guid.node"}


@dataclass(slots=True)
class _Block:
    """A device (``port`` None) or a port with its fields as printed."""

    index: int
    device: str
    port: int | None = None
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)

    def value(self, *keys: str) -> str | None:
        return next((self.fields[key][0] for key in keys if self.fields.get(key, ("",))[0]), None)


def parse(capture: Capture) -> Reading:
    """Read either output; ``argument`` (``mlx5_0 1``) names the device where one port was asked."""
    lines = output_lines(capture)
    blocks: list[_Block] = []
    asked = "_".join((capture.argument or "").split()[:-1]) or None
    for index, text in enumerate(lines.texts):
        opened = _opened(text, index, blocks, asked)
        if opened is not None:
            blocks.append(opened)
            lines.fits(index)
        elif not _field(text, index, blocks, lines):
            lines.stray(index)
    records = [record for block in blocks for record in _records(lines, block)]
    return Reading(tuple(records), lines.all_problems("no line of a port"))


def _opened(text: str, index: int, blocks: list[_Block], asked: str | None) -> _Block | None:
    if match := _STATUS.fullmatch(text):
        return _Block(index, match["device"], int(match["port"]))
    if match := _DEVICE.fullmatch(text):
        return _Block(index, match["device"])
    if match := _PORT.fullmatch(text):
        device = blocks[-1].device if blocks else asked
        return _Block(index, device, int(match["port"])) if device else None
    return None


def _field(text: str, index: int, blocks: list[_Block], lines: Lines) -> bool:
    if _ERROR.match(text):
        failed = _FAILED.match(text)
        lines.unread(index, f"the tool failed on {failed[1]}" if failed else "the tool failed")
        lines.fits(index)
        return True
    pair = key_and_value(text)
    if pair is None or not blocks or pair[0].lower() not in _FIELDS:
        return False
    blocks[-1].fields.setdefault(pair[0].lower(), (pair[1], index))
    lines.fits(index)
    return True


def _records(lines: Lines, block: _Block) -> Iterator[Record]:
    if block.port is None:
        for key, name in _DEVICE_SETTINGS.items():
            if key in block.fields and block.fields[key][0]:
                value, index = block.fields[key]
                yield Setting(block.device, name, value, lines.capture.origin(index))
        return
    rate, width = _rate(lines, block)
    yield NetworkPort(
        device=block.device,
        origin=lines.capture.origin(block.index),
        port=block.port,
        rate=rate,
        width=width,
        state=block.value("state"),
        physical_state=block.value("physical state", "phys state"),
        link_layer=block.value("link layer", "link_layer"),
    )
    yield from _port_settings(lines, block)


def _rate(lines: Lines, block: _Block) -> tuple[Bandwidth | None, int | None]:
    text, index = block.fields.get("rate", ("", block.index))
    rate, width = kernel_rate(text)
    if rate is not None or not text:
        return rate, width
    match = _RATE.fullmatch(text)
    rate = gigabits(match[1]) if match else None
    if rate is None and text != "0":
        lines.unread(index, f"no rate of {block.device}/{block.port}")
    if match and rate and match[2] in LANE_GBPS:
        width = round(rate.gbps / LANE_GBPS[match[2]])
    return rate, width


def _port_settings(lines: Lines, block: _Block) -> Iterator[Setting]:
    subject = f"{block.device}/{block.port}"
    for key in ("base lid", "sm lid"):
        if key in block.fields:
            value, index = block.fields[key]
            number = int(value, 16) if re.fullmatch(r"0x[0-9a-fA-F]{1,8}", value) else whole(value)
            if number is not None:
                yield Setting(subject, key.replace("base ", "").replace(" ", "."), number, lines.capture.origin(index))
    if guid := block.value("port guid"):
        yield Setting(subject, "guid.port", guid, lines.capture.origin(block.fields["port guid"][1]))
