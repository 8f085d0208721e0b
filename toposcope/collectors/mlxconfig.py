r"""Reads ``mlxconfig -d DEVICE query``: what the firmware of an NVIDIA NIC is configured to do.

Grammar; ``-e`` adds columns before the last one, ``*`` marks a value that differs from the one in force::

    output = ("Device #" n ":" rule? (key ":" value)* "Configurations:" titles parameter*)*
    parameter = ["*"] NAME value+               # "Default" ["Current"] "Next Boot"

Settings of the device (a PCI address, or the argument of the command): ``mlxconfig.NAME`` for the parameters that touch
bandwidth. With a column ``Current`` that one is taken, else the only one. ``False(0)`` becomes False, ``44`` a number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors import mlxlink
from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.records import Reading, Setting
from toposcope.collectors.source import Collector, Source

if TYPE_CHECKING:
    from toposcope.base import Capture
    from toposcope.collectors.output_lines import Lines

_PARAMETER = re.compile(r"\s*\*?\s+(?P<name>[A-Z][A-Z0-9_]{2,60}(?:\[[\d.]{1,9}\])?)\s+(?P<values>\S.*)")
_TITLES = re.compile(r"\s*Configurations:\s*(?P<titles>.*)")
_DEVICE = re.compile(r"\s*Device #\d{1,3}:?\s*")
_RULE = re.compile(r"\s*-{3,}\s*|\s*The '\*' shows.*|\s*")
_CHOICE = re.compile(r"(?P<word>[\w.-]{1,60})\((?P<number>\d{1,9})\)")
_WANTED = re.compile(
    r"ATS_ENABLED|MAX_ACC_OUT_READ|PCI_WR_ORDERING|LINK_TYPE_P\d|PCI_ATOMIC_MODE|SRIOV_EN|NUM_OF_VFS|ADVANCED_PCI_SETTINGS"
    r"|ROCE_ADAPTIVE_ROUTING_EN|ROCE_CC_PRIO_MASK_P\d|CNP_DSCP_P\d|NUM_OF_PF|EXP_ROM_UEFI_x86_ENABLE|KEEP_ETH_LINK_UP_P\d"
    r"|LAG_RESOURCE_ALLOCATION|PCI_SWITCH_EMULATION_ENABLE|INTERNAL_CPU_MODEL|INTERNAL_CPU_OFFLOAD_ENGINE"
)


def parse(capture: Capture) -> Reading:
    """Read the parameters of one or more devices."""
    lines = output_lines(capture)
    device, _ = mlxlink.asked_port(capture.argument)
    settings: list[Setting] = []
    columns: list[str] = []
    for index, text in enumerate(lines.texts):
        if match := _TITLES.fullmatch(text):
            columns = re.findall(r"Default|Current|Next Boot", match["titles"])
        elif columns and (match := _PARAMETER.fullmatch(text)):
            if _WANTED.fullmatch(match["name"]):
                settings += _setting(lines, device, match, columns, index)
        elif (pair := key_and_value(text)) is not None and not _DEVICE.fullmatch(text):
            if pair[0] == "Device":
                device = _name(pair[1])
        elif not (_DEVICE.fullmatch(text) or _RULE.fullmatch(text)):
            lines.stray(index)
            continue
        lines.fits(index)
    return Reading(tuple(settings), lines.all_problems("no line of mlxconfig"))


def _name(text: str) -> str:
    return pci_address(text) or text.strip()


def _setting(lines: Lines, device: str | None, match: re.Match[str], columns: list[str], index: int) -> list[Setting]:
    values = match["values"].split()
    place = columns.index("Current") if "Current" in columns and len(values) == len(columns) else -1
    if device is None:
        lines.unread(index, "which device this is of is not said")
        return []
    return [Setting(device, f"mlxconfig.{match['name']}", _value(values[place]), lines.capture.origin(index))]


def _value(text: str) -> str | int | bool:
    choice = _CHOICE.fullmatch(text)
    word = choice["word"] if choice else text
    if word in ("True", "False"):
        return word == "True"
    number = whole(word)
    return word if number is None else number


COLLECTOR = Collector(
    "mlxconfig",
    (
        Source(
            "mlxconfig",
            parse,
            named=re.compile(r"mlxconfig(?: (?P<argument>.*))?"),
            begins=re.compile(r"^Device #\d+:\s*\n-{3,}\s*\n+Device type:", re.MULTILINE),
            command=("mlxconfig", "-d", "{rdma}", "query"),
            targets=mlxlink.devices,
            root=True,
            gives="what a NIC's firmware is configured to do: ATS, outstanding reads, link type",
        ),
    ),
)
