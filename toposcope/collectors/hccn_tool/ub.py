"""Ascend 950: UB ports, asked with ``-g`` first: ``hccn_tool -g -speed -i 0 -u <die> -p <port>``.

Grammar. Tables are drawn with ``+-|``; a row whose first cells are blank belongs to the one above::

    -speed       | NPU | UDie | Port | Speed | Cap | Width | Status |
    -dev_info    | UDie ID | Port ID | Speed Ability(Gbps) | Port Type | Link Status | Media Type |
                 | Interface Name | IP Address | Netmask | Bond Mode | Slaves |
                 | Name | EID Index | EID |
    -link_stat   "link up count : 2" NL "link down count : 2" NL | NPU | UDie | Port | Link_Status | Time_Stamp |
    -ub_connect  "link status : " ("UP" | "DOWN" | "PARTIAL LINK") NL ("port 4 : " ("UP" | "DOWN" | "PARTIAL UP"))*

Each port is a NetworkPort of the NPU (``port`` its number, ``link_layer`` its type); a port of type UB is a FabricLink
too, so that the links of an accelerator can be counted. ``PARTIAL UP`` is a port with fewer lanes than it should have:
active, with the word as fact ``hccn.ub.state``. Ports of a second die are told apart by the fact's subject only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.collectors.ascend import pair, slug, whole
from toposcope.collectors.hccn_tool.answer import port_subject
from toposcope.collectors.hccn_tool.counters import add_changes, read_link_stat
from toposcope.collectors.hccn_tool.port import rate, read_plain
from toposcope.collectors.records import FabricLink, NetworkPort

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.collectors.ascend import Line
    from toposcope.collectors.hccn_tool.answer import Answer

_HEADS = ("udie", "npu", "interface", "name", "port")
_PORT = re.compile(r"port\s+(\d{1,6})", re.IGNORECASE)
_WIDTH = re.compile(r"X(\d{1,3})", re.IGNORECASE)


def is_table(answer: Answer) -> bool:
    """Tell whether the answer holds a drawn table."""
    return any(line.text.startswith("|") for line in answer.lines)


def tables(answer: Answer) -> Iterator[tuple[Line, dict[str, str]]]:
    """Yield the rows of the answer's tables by column name (``speed_ability_gbps``); odd rows are reported."""
    names: list[str] = []
    above: dict[str, str] = {}
    for line in answer.lines:
        if not line.text.startswith("|"):
            if line.text.strip("+-="):
                answer.unread(line)
            continue
        cells = [cell.strip() for cell in line.text.strip("|").split("|")]
        if slug(cells[0]).startswith(_HEADS) and not any(cell.isdigit() for cell in cells):
            names = [slug(cell) for cell in cells]
            above = {}
        elif len(cells) != len(names):
            answer.unread(line, "a row with more or fewer cells than its header")
        else:
            row = dict(zip(names, cells, strict=True))
            first = names[0]
            above = row if row[first] or not above else {**row, first: above[first]}
            yield line, above


def _place(answer: Answer, row: dict[str, str]) -> tuple[str, int | None, int | None]:
    npu = whole(row.get("npu"))
    if npu is not None and answer.npu is None:
        answer.npu = npu
    die = whole(row.get("udie") or row.get("udie_id") or row.get("udieid"))
    port = whole(row.get("port") or row.get("port_id") or row.get("portid"))
    return (answer.device if npu is None else f"NPU{npu}"), die, port


def read_speeds(answer: Answer) -> None:
    """Read ``-speed``: a table of ports, or the one line of the other products."""
    if not is_table(answer):
        read_plain(answer)
        return
    for line, row in tables(answer):
        device, die, port = _place(answer, row)
        width = _WIDTH.fullmatch(row.get("width", ""))
        answer.records.append(
            NetworkPort(
                device,
                answer.origin(line),
                port=port,
                rate=rate(row.get("speed", "")),
                width=int(width[1]) if width else None,
            )
        )
        subject = device if port is None else port_subject(device, die, port)
        for key in ("speed", "cap", "width", "status"):
            if key in row:
                answer.fact(f"hccn.port.{key}", line, row[key], subject=subject)


def read_dev_info(answer: Answer) -> None:
    """Read ``-dev_info``: ports, interfaces with their addresses, and endpoint ids."""
    for line, row in tables(answer):
        if "interface_name" in row:
            name = f"hccn.interface.{row['interface_name']}.{slug(row.get('ip_address', '')) or 'address'}"
            answer.fact(name, line, "/".join(filter(None, (row.get("ip_address"), row.get("netmask")))))
        elif "eid" in row:
            answer.fact(f"hccn.eid.{row.get('name', '')}.{row.get('eid_index', '')}", line, row["eid"])
        else:
            _port(answer, line, row)


def _port(answer: Answer, line: Line, row: dict[str, str]) -> None:
    device, die, port = _place(answer, row)
    if port is None:
        answer.unread(line, "a row without a port")
        return
    speed = row.get("speed_ability_gbps") or row.get("speed") or ""
    ability = whole(speed)
    most = Bandwidth.gigabits(ability) if ability else rate(speed)
    state, kind = row.get("link_status") or None, row.get("port_type") or row.get("porttype") or None
    origin = answer.origin(line)
    answer.records.append(NetworkPort(device, origin, port=port, max_rate=most, state=state, link_layer=kind))
    if kind == "UB":
        answer.records.append(FabricLink(device, port, origin, active=_up(state), rate=most, version=kind))
    subject = port_subject(device, die, port)
    for key in ("port_type", "media_type"):
        if key in row:
            answer.fact(f"hccn.port.{key}", line, row[key], subject=subject)


def _up(state: str | None) -> bool | None:
    word = (state or "").upper()
    return True if word.endswith("UP") else False if word == "DOWN" else None


def read_ub_connect(answer: Answer) -> None:
    """Read ``-ub_connect``: the state of the NPU's UB as a whole, and of each port."""
    for line in answer.lines:
        item = pair(line)
        port = _PORT.fullmatch(item.key) if item else None
        if item is None:
            answer.unread(line)
        elif port:
            number = int(port[1])
            origin = answer.origin(line)
            answer.records.append(FabricLink(answer.device, number, origin, active=_up(item.value), version="UB"))
            answer.fact("hccn.ub.state", line, item.value, subject=port_subject(answer.device, None, number))
        else:
            name = "state" if item.key == "link status" else slug(item.key)
            answer.fact(f"hccn.ub.{name}", line, item.value)


def read_link_stats(answer: Answer) -> None:
    """Read ``-link_stat``: with a table of changes on a 950, lines with ``[devid N]`` elsewhere."""
    if not is_table(answer):
        read_link_stat(answer)
        return
    changes: list[tuple[str, str, Line]] = []
    rows = [line for line in answer.lines if line.text[0] in "|+"]
    for line in (line for line in answer.lines if line.text[0] not in "|+"):
        item = pair(line)
        if item and item.key in ("link up count", "link down count"):
            answer.fact(f"counter.{slug(item.key.removesuffix('count'))}", line, item.value)
        else:
            answer.unread(line)
    answer.lines = rows
    for line, row in tables(answer):
        _place(answer, row)
        word = row.get("link_status", "").upper().replace("_", " ").removeprefix("LINK ")
        changes.append((word, row.get("time_stamp", ""), line))
    add_changes(answer, changes)
