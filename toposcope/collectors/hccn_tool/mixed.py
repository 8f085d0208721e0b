"""Answers of hccn_tool whose question is not known: each line is read by what it says.

A script that checks a host asks every NPU several questions and puts a mark before each NPU (``===== NPU 3 =====``);
a report quotes answers without their commands. An answer is known by its first line, and holds until another begins;
answers of one line (``link status: UP``) may follow each other in any order.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.collectors.hccn_tool.answer import DEVID, MARK_LINE, Answer, Manner
from toposcope.collectors.records import Setting
from toposcope.collectors.source import Parsers

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = "toposcope.collectors.hccn_tool"
counters = Parsers(f"{_HERE}.counters")
port = Parsers(f"{_HERE}.port")
ub = Parsers(f"{_HERE}.ub")

_PLAIN = (
    r"ipaddr:|link status:|net health status:|Speed: (?:\d+ Mb/s|Unknown!)|default gateway:|netdetect addr|fec mode:"
    r"|mac addr:"
)
_LLDP = r"Chassis ID TLV"
_STARTS: tuple[tuple[str, Callable[[Answer], None]], ...] = (
    (_PLAIN, port.read_plain),
    (r"optical info:", port.read_optical),
    (r"packet statistics:|pd_alloc:", counters.read_counters),
    (r"current time\s*:|link up count\s*:", ub.read_link_stats),
    (r"Netdev status:", port.read_status),
    (r"Routing table:", port.read_route),
    (r"dev_id:\s?\d+, tls switch", port.read_tls),
    (r"device \d+ PING ", counters.read_ping),
    (r"Bandwidth TX:", counters.read_bandwidth),
    (_LLDP, port.read_lldp),
)
_READERS = tuple((re.compile(pattern), read) for pattern, read in _STARTS)
_ANY_START = "|".join(pattern for pattern, _ in _STARTS)
# lldptool prints the neighbours of a host's ports alike: only a mark says that they are an NPU's.
_UNMARKED = "|".join(pattern for pattern, _ in _STARTS if pattern != _LLDP)
_NOT_PRESET = re.compile(r"Get (\w{1,20}) failed, because no \w{1,20} was preset")
_ASKED = {"ipconf": "hccn.ip"}

MANNER = Manner(first=re.compile(_ANY_START))
BEGINS = re.compile(
    rf"^[ \t]*(?:{MARK_LINE}[ \t]*(?:{DEVID})?(?:{_ANY_START})|(?:{DEVID})?(?:{_UNMARKED}))", re.MULTILINE
)


def read(answer: Answer) -> None:
    """Read the answers of one NPU one by one, and the sentences that say that something is not set."""
    current: Callable[[Answer], None] = port.read_plain
    part = replace(answer, lines=[])
    for line in answer.lines:
        if match := _NOT_PRESET.match(line.text):
            name = _ASKED.get(match[1], f"hccn.{match[1]}")
            answer.records.append(Setting(answer.subject, name, None, answer.origin(line), "absent"))
            continue
        starts = next((reads for pattern, reads in _READERS if pattern.match(line.text)), None)
        if starts is not None and starts is not current:
            _read_part(part, current)
            current = starts
        part.lines.append(line)
    _read_part(part, current)


def _read_part(part: Answer, read_lines: Callable[[Answer], None]) -> None:
    """Read the lines gathered so far; records and problems go to the answer that the part shares them with."""
    if part.lines:
        read_lines(part)
        part.lines.clear()
