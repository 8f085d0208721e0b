"""What ``ibv_devinfo`` prints: devices with ports; ``-v`` adds speed, width and GIDs.

Grammar::

    output = ("hca_id:" name field* ("port:" n field*)*)*
    field  = key ":" value [" (" code ")"]  |  "GID[" i "]:" gid ["," type]

A rate is ``active_width`` (``4X (2)``) times ``active_speed``, the speed of a lane (``25.0 Gbps (32)``). Without
``-v`` there is none. Fields of no interest pass; a port's fields end at the next ``port:`` or ``hca_id:``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.rates import gigabits
from toposcope.collectors.records import NetworkPort, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture
    from toposcope.collectors.output_lines import Lines
    from toposcope.collectors.records import Record

_WIDTH = re.compile(r"(\d{1,3})X\b")
_SPEED = re.compile(r"(\d+(?:\.\d+)?) Gbps\b")
_MTU = re.compile(r"(\d{2,5})\b")
_GID = re.compile(r"\s*GID\[\s*(\d{1,4})\]:?\s+(\S.*)")
_MOST_GIDS = 16
_SHOWN = re.compile(r"[\w .-]{1,64}")
_DEVICE_SETTINGS = {"fw_ver": "firmware.version", "node_guid": "guid.node", "board_id": "board.id"}
_Fields = dict[str, tuple[str, int]]


def parse(capture: Capture) -> Reading:
    """Read the output with or without ``-v``."""
    lines = output_lines(capture)
    records: list[Record] = []
    device, port = "", None
    fields: _Fields = {}
    gids: list[Setting] = []
    for index, text in enumerate(lines.texts):
        if (match := _GID.fullmatch(text)) and device:
            if len(gids) < _MOST_GIDS:
                gids.append(Setting(f"{device}/{port}", f"gid.{match[1]}", match[2].strip(), capture.origin(index)))
            lines.fits(index)
            continue
        pair = key_and_value(text)
        if pair is None or not _SHOWN.fullmatch(pair[0]) or not (device or pair[0] == "hca_id"):
            if device and (text[:1].isspace() or text.isupper()) and text.strip():  # flags, one a line
                lines.fits(index)
            else:
                lines.stray(index)
            continue
        lines.fits(index)
        key, value = pair
        if key in ("hca_id", "port"):
            records += (*_block(lines, device, port, fields), *gids)
            fields, gids = {"": ("", index)}, []
            device, port = (value, None) if key == "hca_id" else (device, whole(value))
        else:
            fields.setdefault(key, (value, index))
    records += (*_block(lines, device, port, fields), *gids)
    return Reading(tuple(records), lines.all_problems("no line of ibv_devinfo"))


def _block(lines: Lines, device: str, port: int | None, fields: _Fields) -> Iterator[Record]:
    if not device:
        return
    if port is None:
        for key, name in _DEVICE_SETTINGS.items():
            if key in fields and fields[key][0]:
                yield Setting(device, name, fields[key][0], lines.capture.origin(fields[key][1]))
        return
    width, speed, mtu = (
        pattern.match(fields.get(key, ("", 0))[0])
        for key, pattern in (("active_width", _WIDTH), ("active_speed", _SPEED), ("active_mtu", _MTU))
    )
    lanes = int(width[1]) if width else None
    yield NetworkPort(
        device=device,
        origin=lines.capture.origin(fields[""][1]),
        port=port,
        rate=gigabits(str(float(speed[1]) * lanes)) if speed and lanes else None,
        width=lanes,
        state=fields.get("state", ("", 0))[0] or None,
        physical_state=fields.get("phys_state", ("", 0))[0] or None,
        link_layer=fields.get("link_layer", ("", 0))[0] or None,
        mtu=int(mtu[1]) if mtu else None,
    )
    lid = whole(fields.get("port_lid", ("", 0))[0])
    if lid is not None:
        yield Setting(f"{device}/{port}", "lid", lid, lines.capture.origin(fields["port_lid"][1]))
