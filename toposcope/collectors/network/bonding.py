"""What ``/proc/net/bonding/NAME`` holds: a bond's mode and members with their speed.

Grammar; the bond's own name does not stand in the text, the command or the file gives it::

    output = "Ethernet Channel Bonding Driver:" version, field*, ("Slave Interface:" name field*)*
    field  = key ":" value

``Speed`` is in Mb/s (``100000 Mbps``, ``Unknown``). With 802.3ad the ``Aggregator ID`` of a member that differs from
the active one says that the member carries nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.collectors.output_lines import key_and_value, output_lines, whole
from toposcope.collectors.rates import megabits
from toposcope.collectors.records import NetworkPort, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture
    from toposcope.collectors.records import Record

_BEGINS = "Ethernet Channel Bonding Driver"
_MEMBER = "slave interface"
_SETTINGS = {
    "bonding mode": "bond.mode",
    "transmit hash policy": "bond.xmit_hash_policy",
    "transmit hash policy (layer 3+4)": "bond.xmit_hash_policy",
    "lacp rate": "bond.lacp_rate",
    "lacp active": "bond.lacp_active",
    "primary slave": "bond.primary",
    "currently active slave": "bond.active_slave",
}
_NAME = re.compile(r"(?:.*[ /])?(?P<name>[A-Za-z][\w.-]{0,62}?)(?:\.(?:txt|log|out))?")


@dataclass(slots=True)
class _Part:
    """The bond itself (``name`` empty) or one member."""

    index: int
    name: str = ""
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)

    def value(self, key: str) -> str | None:
        return self.fields.get(key, ("",))[0] or None


def parse(capture: Capture) -> Reading:
    """Read one or more bonds; the name comes from ``argument`` or the file's name, else ``bond``."""
    lines = output_lines(capture)
    bonds: list[list[_Part]] = []
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None:
            if text.strip() != "802.3ad info":
                lines.stray(index)
            continue
        key, value = pair[0].lower(), pair[1]
        if pair[0] == _BEGINS:
            bonds.append([_Part(index)])
        elif not bonds:
            lines.stray(index)
            continue
        elif key == _MEMBER:
            bonds[-1].append(_Part(index, value))
        else:
            bonds[-1][-1].fields.setdefault(key, (value, index))
        lines.fits(index)
    records = tuple(record for bond in bonds for record in _bond(capture, bond))
    return Reading(records, lines.all_problems("no line of a bond"))


def _bond(capture: Capture, parts: list[_Part]) -> Iterator[Record]:
    head, *members = parts
    name = _name(capture)
    yield NetworkPort(
        device=name,
        origin=capture.origin(head.index),
        rate=_sum(members),
        state=head.value("mii status"),
        members=tuple(member.name for member in members),
    )
    for key, setting in _SETTINGS.items():
        if value := head.value(key):
            yield Setting(name, setting, value, capture.origin(head.fields[key][1]))
    active = head.value("aggregator id")
    for member in members:
        yield NetworkPort(
            device=member.name,
            origin=capture.origin(member.index),
            rate=megabits(member.value("speed") or ""),
            state=member.value("mii status"),
            bond=name,
        )
        yield from _member_settings(capture, member, active)


def _name(capture: Capture) -> str:
    named = _NAME.fullmatch(capture.argument or capture.file)
    return named["name"] if named else "bond"


def _sum(members: list[_Part]) -> Bandwidth | None:
    """Add what the members that are up run at; None where one of them does not say."""
    rates = [megabits(member.value("speed") or "") for member in members if member.value("mii status") == "up"]
    known = [rate for rate in rates if rate is not None]
    return Bandwidth(sum(rate.bytes_per_s for rate in known)) if known and len(known) == len(rates) else None


def _member_settings(capture: Capture, member: _Part, active: str | None) -> Iterator[Setting]:
    failures = whole(member.value("link failure count") or "")
    if failures is not None:
        index = member.fields["link failure count"][1]
        yield Setting(member.name, "counter.link_failures", failures, capture.origin(index))
    own = member.value("aggregator id")
    if own and active:
        yield Setting(member.name, "bond.aggregated", own == active, capture.origin(member.fields["aggregator id"][1]))
