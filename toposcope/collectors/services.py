"""The services that a scale-up fabric needs: ``systemctl`` of the fabric manager and IMEX, and ``nvidia-imex-ctl``.

Grammar::

    show    = ("Id=" UNIT ".service" | "LoadState=" WORD | "ActiveState=" STATE)* in blocks with an empty line between
    status  = (MARK UNIT ".service" [" - " title]  ... "Active:" STATE "(" ... ")" ...)*
            | "Unit" UNIT ".service could not be found."
    domain  = ... "Domain State:" STATE ...                       # nvidia-imex-ctl -N

Settings of the host: ``service.UNIT`` (``active``, ``inactive``, ``failed``; absent where there is no such unit) and
``imex.domain`` (``UP``, ``DOWN``, ``DEGRADED`` ...). Titles, processes and log lines below a status are not read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Reading, Setting
from toposcope.collectors.source import Collector, Source

if TYPE_CHECKING:
    from toposcope.base import Capture
    from toposcope.collectors.records import Record

HOST = "host"
_M = re.MULTILINE
_UNIT = re.compile(r"\s{0,8}\S{1,3} (?P<unit>[\w@.-]{1,64}?)\.service(?: - .*)?")
_ACTIVE = re.compile(r"\s{0,16}Active: (?P<state>[\w-]{1,32})\b.*")
_MISSING = re.compile(r".{0,40}Unit (?P<unit>[\w@.-]{1,64}?)\.service could not be found\.?")
_DOMAIN = re.compile(r"\s{0,8}Domain State: {0,8}(?P<state>\w{1,32})\s*")


def parse_status(capture: Capture) -> Reading:
    """Read ``systemctl status``: the state of each unit; a state without its unit above is a problem."""
    lines = output_lines(capture)
    records: list[Record] = []
    unit: str | None = None
    for index, text in enumerate(lines.texts):
        if match := _MISSING.fullmatch(text):
            records.append(Setting(HOST, f"service.{match['unit']}", None, capture.origin(index), "absent"))
        elif match := _UNIT.fullmatch(text):
            unit = match["unit"]
        elif match := _ACTIVE.fullmatch(text):
            if unit is None:
                lines.unread(index, "the state of a service that is not named")
            else:
                records.append(Setting(HOST, f"service.{unit}", match["state"], capture.origin(index)))
            unit = None
    if not records and not lines.problems and capture.text.strip():
        lines.unread(0, "no state of a service")
    return Reading(tuple(records), tuple(lines.problems))


def parse_show(capture: Capture) -> Reading:
    """Read ``systemctl show`` of ``Id``, ``LoadState`` and ``ActiveState``: a unit that was not found is absent."""
    lines = output_lines(capture)
    records: list[Record] = []
    block: dict[str, tuple[str, int]] = {}
    for index, text in enumerate((*lines.texts, "")):
        key, equals, value = text.strip().partition("=")
        if equals and key in ("Id", "LoadState", "ActiveState"):
            block[key] = (value, index)
        elif equals or text.strip():
            lines.stray(index)
        elif block:
            records += _shown(capture, block)
            block = {}
    if not records and capture.text.strip():
        lines.unread(0, "no state of a service")
    return Reading(tuple(records), lines.all_problems("no property that was asked for"))


def _shown(capture: Capture, block: dict[str, tuple[str, int]]) -> list[Setting]:
    name, state = block.get("Id"), block.get("ActiveState")
    if name is None or state is None or not name[0].endswith(".service"):
        return []
    key, origin = f"service.{name[0].removesuffix('.service')}", capture.origin(state[1])
    if block.get("LoadState", ("", 0))[0] == "not-found":
        return [Setting(HOST, key, None, origin, "absent")]
    return [Setting(HOST, key, state[0], origin)]


def parse_domain(capture: Capture) -> Reading:
    """Read ``nvidia-imex-ctl -N``: the state of the domain; the table of its nodes is not read."""
    lines = output_lines(capture)
    for index, text in enumerate(lines.texts):
        if match := _DOMAIN.fullmatch(text):
            setting = Setting(HOST, "imex.domain", match["state"], capture.origin(index))
            return Reading((setting,), tuple(lines.problems))
    if capture.text.strip():
        lines.unread(0, "no state of an IMEX domain")
    return Reading((), tuple(lines.problems))


COLLECTOR = Collector(
    "services",
    (
        Source(
            "systemctl-show",
            parse_show,
            named=re.compile(r"systemctl\b.*?\bshow\b"),
            begins=re.compile(r"^Id=nvidia-[\w-]{1,40}\.service$", _M),
            command=(
                *("systemctl", "show", "--property=Id,LoadState,ActiveState"),
                *("nvidia-fabricmanager.service", "nvidia-imex.service"),
            ),
            gives="whether the services run that set up a scale-up fabric",
        ),
        Source(
            "systemctl-status",
            parse_status,
            named=re.compile(r"systemctl\b.*?\bstatus\b"),
            begins=re.compile(r"^[\u25cf\u25cb\u00d7\u21bb*] nvidia-[\w-]{1,40}\.service\b", _M),
            gives="the state of services",
        ),
        Source(
            "nvidia-imex-ctl",
            parse_domain,
            named=re.compile(r"nvidia-imex-ctl\b"),
            begins=re.compile(r"^Connectivity Table Legend:", _M),
            command=("nvidia-imex-ctl", "-N"),
            gives="whether the trays of a rack share one NVLink domain",
        ),
    ),
)
