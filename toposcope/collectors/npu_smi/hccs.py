"""HCCS links of one chip: ``npu-smi info -t hccs -i N -c C``, its ``-R`` (where each port leads), and ``-t hccs-bw``.

Grammar of the first (arrays of one value a link; 310P prints the counters only)::

    TAB "hccs health status" " : " ("OK" | "NOK")
    TAB "hccs lane mode" " : " "[" number* "]"              lanes in use: 4, 2, 1 or 0
    TAB "hccs link lane list" " : " "[" bits* "]"           ``1111``: all four lanes are up
    TAB "hccs link speed" " : " "[" number* "]"             lane mode x 56, Gb/s of the LINK in one direction
    TAB "hccs (tx|rx) (packets|bytes)" | "hccs (retry|error) count" | "hccs first error lane" ...

The speed is that of the whole link: the source multiplies the lane mode by HCCS_LANE_SPEED 56 (github hicann/driver,
npu_info_print.c), so 224 is 28 GB/s one way. It is wrong to multiply it by the lanes again. Links are numbered to 7:
seven values are links 1 to 7, six are 2 to 7 (Atlas 9000 A3), eight are 0 to 7; other counts are numbered from 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.collectors.ascend import (
    Body,
    Line,
    Pair,
    body,
    integer,
    pair,
    reading,
    setting,
    slug,
    typed,
    unread,
    whole,
)
from toposcope.collectors.npu_smi.pairs import target
from toposcope.collectors.npu_smi.replies import refused
from toposcope.collectors.records import FabricLink, Reading, Setting

if TYPE_CHECKING:
    from toposcope.base import Capture, Problem

LANE_GBPS = 56
_LAST_LINK = 7
_USUAL_COUNTS = (6, 7, 8)
_PER_LINK = {"hccs retry count": "retry", "hccs error count": "error", "hccs first error lane": "first_error_lane"}
_SHAPE = ("hccs lane mode", "hccs link lane list", "hccs link speed")
_PORT = re.compile(r"M?(\d{1,3})")
_NUMBERS = 3


def parse(capture: Capture, *, chip: int | None = None) -> Reading:
    """Read the links of one chip. The output names no NPU: without the command's ``-i`` that is a problem."""
    found = body(capture)
    asked = target(capture, chip)
    if refusal := refused(capture, found, asked.name or "host", "npu-smi.hccs"):
        return Reading(tuple(refusal[0]), tuple(refusal[1]))
    pairs, problems = _pairs(capture, found)
    if not pairs:
        problems.append(unread(capture, 0, "no HCCS status", capture.text[:80]))
    if asked.name is None:
        problems.append(unread(capture, 0, "which NPU these HCCS links are of, is not known", capture.text[:80]))
        return Reading((), tuple(problems))
    links, odd = _links(capture, asked.name, pairs)
    facts = [record for item in pairs.values() for record in _facts(capture, asked.name, item, pairs)]
    return reading(capture, found, [*links, *facts], [*problems, *odd])


def parse_second(capture: Capture) -> Reading:
    """Read the links of chip 1 of a card with two chips."""
    return parse(capture, chip=1)


def _pairs(capture: Capture, found: Body) -> tuple[dict[str, Pair], list[Problem]]:
    pairs: dict[str, Pair] = {}
    problems = list(found.problems)
    for line in found.lines:
        item = pair(line)
        if item is None or not item.key:
            problems.append(unread(capture, line.index, "not a line of the HCCS status", line.text))
        elif item.key.lower() in pairs:
            problems.append(unread(capture, line.index, "a second HCCS status behind the first", line.text))
        else:
            pairs[item.key.lower()] = item
    return pairs, problems


def _array(item: Pair | None) -> list[str]:
    return item.value.strip("[] ").replace(",", " ").split() if item else []


def _number(place: int, count: int) -> int:
    return place + (_LAST_LINK + 1 - count if count in _USUAL_COUNTS else 0)


def _links(capture: Capture, subject: str, pairs: dict[str, Pair]) -> tuple[list[FabricLink], list[Problem]]:
    modes, lanes, speeds = (_array(pairs.get(key)) for key in _SHAPE)
    count = max(len(modes), len(lanes), len(speeds))
    if not count:
        return [], []
    item = next(pairs[key] for key in _SHAPE if key in pairs)
    problems = [
        unread(capture, pairs[key].index, f"{len(values)} values where another line has {count}", pairs[key].value)
        for key, values in zip(_SHAPE, (modes, lanes, speeds), strict=True)
        if key in pairs and len(values) != count
    ]
    if problems:
        return [], problems
    origin = capture.origin(item.index)
    links = []
    for place in range(count):
        mode = whole(modes[place]) if modes else None
        speed = whole(speeds[place]) if speeds else None
        speed = mode * LANE_GBPS if speed is None and mode is not None else speed
        active = _active(mode, lanes[place] if lanes else None, speed)
        rate = Bandwidth.gigabits(speed) if speed else None
        links.append(FabricLink(subject, _number(place, count), origin, active=active, rate=rate))
    return links, []


def _active(mode: int | None, lanes: str | None, speed: int | None) -> bool | None:
    """Tell whether a link has a lane that is up: the mode alone is what was negotiated."""
    if lanes is not None and set(lanes) <= {"0", "1"}:
        return "1" in lanes
    known = mode if mode is not None else speed
    return None if known is None else known > 0


def _facts(capture: Capture, subject: str, item: Pair, pairs: dict[str, Pair]) -> list[Setting]:
    key = item.key.lower()
    values = _array(item)
    if key == "hccs health status":
        return [setting(capture, subject, "hccs.health", item)]
    if key in _PER_LINK and item.value.startswith("["):
        name = _PER_LINK[key]
        prefix = "hccs" if name == "first_error_lane" else "counter.hccs"
        return [
            typed(capture, subject, f"{prefix}.{_number(place, len(values))}.{name}", item.index, value)
            for place, value in enumerate(values)
        ]
    if key == "hccs link lane list":
        return [
            Setting(subject, f"hccs.{_number(place, len(values))}.lanes", value, capture.origin(item.index))
            for place, value in enumerate(values)
        ]
    if key == "hccs link speed" or (key == "hccs lane mode" and "hccs link speed" in pairs):
        return []  # said by the links
    return [setting(capture, subject, f"hccs.{slug(key.removeprefix('hccs '))}", item)]


def parse_remote(capture: Capture) -> Reading:
    """Read ``-t hccs -R`` (A3): which switch chip and port each HCCS port of a die is wired to.

    ``NPU_PORT HCCS_REMOTE_CHIP HCCS_REMOTE_PORT`` with rows ``M1 7 M16``. The table is compiled into npu-smi: it tells
    how the board is made, not what was measured.
    """
    found = body(capture)
    asked = target(capture)
    subject = asked.name
    if refusal := refused(capture, found, subject or "host", "npu-smi.hccs_remote"):
        return Reading(tuple(refusal[0]), tuple(refusal[1]))
    links: list[FabricLink] = []
    problems = list(found.problems)
    for line in found.lines:
        words = line.text.split()
        port = _PORT.fullmatch(words[0])
        if words[0] == "NPU_PORT":
            continue
        if port is None or len(words) != _NUMBERS or integer(words[1]) is None:
            problems.append(unread(capture, line.index, "not a row of the HCCS wiring", line.text))
        elif subject:
            links.append(_wired(capture, subject, line, int(port[1])))
    if subject is None:
        problems.append(unread(capture, 0, "which NPU this HCCS wiring is of, is not known", capture.text[:80]))
    elif not links and not problems:
        problems.append(unread(capture, 0, "no HCCS wiring", capture.text[:80]))
    return reading(capture, found, links, problems)


def _wired(capture: Capture, subject: str, line: Line, link: int) -> FabricLink:
    _, chip, there = line.text.split()
    port = _PORT.fullmatch(there)
    return FabricLink(
        subject,
        link,
        capture.origin(line.index),
        peer=f"chip {chip}",
        peer_kind="HCCS_REMOTE_CHIP",
        peer_link=int(port[1]) if port else None,
    )


def parse_traffic(capture: Capture) -> Reading:
    """Read ``-t hccs-bw``: GB/s sent and received by each link while it was watched, as facts.

    Rows ``1 | 0.00 | 0.00`` and ``total | ...`` below ``hccs link | tx_bandwidth(GB/S) | rx_bandwidth(GB/S)``.
    """
    found = body(capture)
    subject = target(capture).name
    if refusal := refused(capture, found, subject or "host", "npu-smi.hccs_bw"):
        return Reading(tuple(refusal[0]), tuple(refusal[1]))
    facts: list[Setting] = []
    problems = list(found.problems)
    for line in found.lines:
        cells = line.text.strip("| ").replace("|", " ").split()
        if "tx_bandwidth" in line.text or not line.text.strip("+-=| "):
            continue
        if len(cells) != _NUMBERS or not subject:
            problems.append(unread(capture, line.index, "not a row of the HCCS traffic", line.text))
            continue
        for way, value in zip(("tx", "rx"), cells[1:], strict=True):
            facts.append(typed(capture, subject, f"hccs.{slug(cells[0])}.{way}_gbs", line.index, value))
    if not facts and not problems:
        problems.append(unread(capture, 0, "no HCCS traffic", capture.text[:80]))
    return reading(capture, found, facts, problems)
