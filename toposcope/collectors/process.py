r"""Where a process may run and put its memory: ``/proc/PID/status`` and ``taskset -p``.

Grammar::

    status  = (key ":" TAB value)*                   # Cpus_allowed_list, Mems_allowed_list among them
    taskset = "pid " n "'s " ("current" | "new") " affinity " ("list: " list | "mask: " hex digits)

Settings of the host: ``process.cpus`` and ``process.mems``, lists as ``0-31,64-95``. A live run reads the status of
its own reader, which was started where a job would be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import cpu_list, cpu_numbers, key_and_value, output_lines
from toposcope.collectors.records import Reading, Setting
from toposcope.collectors.source import Collector, Source

if TYPE_CHECKING:
    from toposcope.base import Capture

HOST = "host"
_WANTED = {"Cpus_allowed_list": "process.cpus", "Mems_allowed_list": "process.mems"}
_TASKSET = re.compile(
    r"pid \d{1,9}'s (?:current |new )?affinity (?:list: (?P<list>[\d,-]{1,4000})|mask: (?P<mask>[0-9a-f,]{1,4000}))\s*"
)
_KEY = re.compile(r"[A-Za-z_]\w{0,40}")


def parse_status(capture: Capture) -> Reading:
    """Read ``/proc/PID/status``; the other lines of it pass."""
    lines = output_lines(capture)
    settings: list[Setting] = []
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None or not _KEY.fullmatch(pair[0]):
            lines.stray(index)
            continue
        lines.fits(index)
        if pair[0] not in _WANTED:
            continue
        if cpu_numbers(pair[1]):
            settings.append(Setting(HOST, _WANTED[pair[0]], pair[1], capture.origin(index)))
        else:
            lines.unread(index, f"no list of numbers for {pair[0]}")
    return Reading(tuple(settings), lines.all_problems("no line of a process' status"))


def parse_taskset(capture: Capture) -> Reading:
    """Read ``taskset -p`` or ``-cp``: a mask in hex becomes a list."""
    lines = output_lines(capture)
    settings: list[Setting] = []
    for index, text in enumerate(lines.texts):
        match = _TASKSET.fullmatch(text)
        cpus = None if match is None else (match["list"] or _of_mask(match["mask"]))
        if not cpus:
            lines.stray(index)
            continue
        lines.fits(index)
        settings.append(Setting(HOST, "process.cpus", cpus, capture.origin(index)))
    return Reading(tuple(settings[-1:]), lines.all_problems("no line of taskset"))


def _of_mask(text: str) -> str:
    digits = text.replace(",", "")
    mask = int(digits, 16) if digits else 0
    return cpu_list(number for number in range(mask.bit_length()) if mask >> number & 1)


COLLECTOR = Collector(
    "process",
    (
        Source(
            "proc-status",
            parse_status,
            named=re.compile(r"(?:cat )?[ /]*proc[ /](?:self|\d{1,9})[ /]status\b"),
            begins=re.compile(r"^Name:\t[^\n]{1,100}\n(?:Umask:[^\n]{1,40}\n)?State:\t", re.MULTILINE),
            command=("cat", "/proc/self/status"),
            gives="the CPUs and NUMA nodes that a process may use",
        ),
        Source(
            "taskset",
            parse_taskset,
            named=re.compile(r"taskset (?:-\w+ )*(?:-[a-z]*p\b|--pid\b)"),
            begins=re.compile(r"^pid \d{1,9}'s (?:current |new )?affinity ", re.MULTILINE),
            gives="the CPUs that a process may use",
        ),
    ),
)
