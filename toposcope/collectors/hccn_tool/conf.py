"""``/etc/hccn.conf``: what the RoCE port of each NPU is set to at boot; and the NPUs' device files.

Grammar of the file: ``key_N=value`` a line, N the physical id (``address_0=``, ``netmask_7=``), blank lines and ``#``
comments between. It may stand there while ports are down, or name cards that are not there.

Device files: ``/dev/davinci3`` is the NPU with physical id 3. In a container only those that were handed in are seen.
Both give the ids that hccn_tool is then asked about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.ascend import MAX_LINE, typed, unread
from toposcope.collectors.records import NetworkPort, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import Record

_SETTING = re.compile(r"([A-Za-z][A-Za-z_-]{0,60})_(\d{1,6})\s*=\s*(.*)")
_PLAIN = re.compile(r"([A-Za-z][A-Za-z_-]{0,60})\s*=\s*(.*)")
_NODE = re.compile(r"(?:.*\s)?(?:/dev/)?davinci(\d{1,6})")
_NUMBER = re.compile(r"NPU(\d+)")


def parse_conf(capture: Capture) -> Reading:
    """Read hccn.conf: addresses as ports, every key as a fact ``hccn.conf.<key>`` of ``NPU<N>``."""
    records: list[Record] = []
    problems: list[Problem] = []
    for index, raw in enumerate(capture.text.split("\n")):
        line = raw[:MAX_LINE].strip()
        if not line or line.startswith("#"):
            continue
        if match := _SETTING.fullmatch(line):
            key, device, value = match[1].lower(), f"NPU{int(match[2])}", match[3].strip()
            if key == "address" and value:
                records.append(NetworkPort(device, capture.origin(index), address=value))
            records.append(typed(capture, device, f"hccn.conf.{key}", index, value))
        elif match := _PLAIN.fullmatch(line):
            records.append(typed(capture, "host", f"hccn.conf.{match[1].lower()}", index, match[2].strip()))
        else:
            problems.append(unread(capture, index, "not a setting of hccn.conf", line))
    return Reading(tuple(records), tuple(problems))


def parse_nodes(capture: Capture) -> Reading:
    """Read a list of device files, from ``find`` or ``ls``: ``/dev/davinci3`` says that NPU 3 is there."""
    records: list[Record] = []
    problems: list[Problem] = []
    for index, raw in enumerate(capture.text.split("\n")):
        line = raw[:MAX_LINE].strip()
        if match := _NODE.fullmatch(line[:1000]):
            records.append(Setting(f"NPU{int(match[1])}", "hccn.device_file", value=True, origin=capture.origin(index)))
        elif line and not line.endswith(("davinci_manager", "davinci_manager_docker")):
            problems.append(unread(capture, index, "not the device file of an NPU", line))
    return Reading(tuple(records), tuple(problems))


def npus(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the physical ids of all NPUs that hccn.conf, the device files or npu-smi named, in ascending order.

    npu-smi's card numbers are the physical ids where it prints no Phy-ID beside them.
    """
    settings = [record for record in records if isinstance(record, Setting)]
    numbers = {
        int(match[1]) for s in settings if s.name.startswith("hccn.") and (match := _NUMBER.fullmatch(s.subject))
    }
    cards = {s.value for s in settings if s.name == "npu.id" and isinstance(s.value, int)}
    chips = {s.value for s in settings if s.name == "npu.phy_id" and isinstance(s.value, int)}
    return tuple(map(str, sorted(numbers | (chips or cards))))
