"""The services that a scale-up fabric needs: ``systemctl status`` of the fabric manager and IMEX, ``nvidia-imex-ctl``.

Grammar::

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
            "systemctl-status",
            parse_status,
            named=re.compile(r"systemctl\b.*?\bstatus\b"),
            begins=re.compile(r"^[\u25cf\u25cb\u00d7\u21bb*] nvidia-[\w-]{1,40}\.service\b", _M),
            command=("systemctl", "status", "--no-pager", "--lines=0", "nvidia-fabricmanager", "nvidia-imex"),
            gives="whether the services run that set up a scale-up fabric",
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
