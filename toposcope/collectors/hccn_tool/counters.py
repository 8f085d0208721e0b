"""What hccn_tool counts: ``-stat``, ``-hw_stats``, ``-link_stat``, ``-bandwidth``, ``-ping``.

Grammar::

    -stat       "packet statistics:" NL (key ":" number NL)*
    -hw_stats   ("[devid N] " key ": " number NL)*
    -link_stat  "[devid N]current time : " date, "[devid N]link up count : " n, [... "link down count : " n],
                "[devid N]link change records :" ["NA"], ("[devid N]    " date "    LINK " ("UP" | "DOWN"))*
    -ping       "device N PING " address NL ("recv seq=" ...)* n " packets transmitted, " ...

Change records come newest first. Counters are facts ``counter.<key>``; the newest change and all changes are
``hccn.link.last_event``, ``hccn.link.last_event_time`` and ``hccn.link.changes``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.ascend import integer, pair, slug
from toposcope.collectors.hccn_tool.port import pairs
from toposcope.collectors.records import Setting

if TYPE_CHECKING:
    from toposcope.collectors.ascend import Line
    from toposcope.collectors.hccn_tool.answer import Answer

_CHANGE = re.compile(r"(\w{3} \w{3}\s+\d{1,2} \d{2}:\d{2}:\d{2} \d{4})\s+LINK[ _](\w+)", re.IGNORECASE)
_PING = re.compile(r"device (\d{1,9}) PING (\S+)")
_PING_SUM = re.compile(r"(\d{1,9}) packets transmitted, (\d{1,9}) received, ([\d.]{1,9})% packet loss")
_PING_TIME = re.compile(r"recv seq=\d{1,9},\s?time=([\d.]{1,20})ms")
_TITLES = ("packet statistics:", "hw statistics:")


def read_counters(answer: Answer) -> None:
    """Read ``key:number`` lines as ``counter.<key>``."""
    for line in answer.lines:
        item = pair(line)
        if line.text.lower() in _TITLES:
            continue
        if item is None or not item.key or integer(item.value) is None:
            answer.unread(line)
        else:
            answer.fact(f"counter.{item.key.replace(' ', '_')}", line, item.value)


def read_link_stat(answer: Answer) -> None:
    """Read how often the link came and went, and its changes."""
    changes: list[tuple[str, str, Line]] = []
    for line in answer.lines:
        change = _CHANGE.match(line.text)
        item = pair(line)
        if change:
            changes.append((change[2].upper(), change[1], line))
        elif item is None or not item.key.lower().startswith(("link", "current")):
            answer.unread(line)
        elif item.key.lower() in ("link up count", "link down count"):
            answer.fact(f"counter.{slug(item.key.removesuffix('count'))}", line, item.value)
        elif item.key.lower() == "current time":
            answer.fact("hccn.link.time", line, item.value)
        elif item.key.lower() != "link change records" or item.value:
            answer.fact(f"hccn.link.{slug(item.key.lower().removeprefix('link '))}", line, item.value)
    add_changes(answer, changes)


def add_changes(answer: Answer, changes: list[tuple[str, str, Line]]) -> None:
    """Keep the changes of a link, newest first: (``UP`` or ``DOWN``, when, line)."""
    if not changes:
        return
    word, when, line = changes[0]
    answer.fact("hccn.link.last_event", line, f"LINK {word}")
    answer.fact("hccn.link.last_event_time", line, when)
    answer.fact("hccn.link.changes", line, "; ".join(f"{time} {what}" for what, time, _ in changes))


def read_ping(answer: Answer) -> None:
    """Read one RoCE ping: how many came back, and the times in milliseconds, one a packet."""
    address = "?"
    times: list[float] = []
    for line in answer.lines:
        if head := _PING.match(line.text):
            address = head[2]
        elif time := _PING_TIME.match(line.text):
            times.append(_number(time[1]))
        elif total := _PING_SUM.search(line.text[:200]):
            answer.fact(f"hccn.ping.{address}.sent", line, total[1])
            answer.fact(f"hccn.ping.{address}.received", line, total[2])
            loss = _number(total[3])
            answer.records.append(
                Setting(answer.subject, f"hccn.ping.{address}.loss_percent", loss, answer.origin(line))
            )
            if times:
                answer.fact(f"hccn.ping.{address}.rtt_ms", line, " ".join(f"{value:g}" for value in times))
        else:
            answer.unread(line)


def _number(text: str) -> float:
    whole, _, rest = text.partition(".")
    return float(f"{whole or '0'}.{rest.replace('.', '') or '0'}")


def read_bandwidth(answer: Answer) -> None:
    """``Bandwidth TX:     0.00 MB/sec``: the traffic while it was watched."""
    for item, line in pairs(answer):
        answer.fact(f"hccn.{slug(item.key)}", line, item.value)
