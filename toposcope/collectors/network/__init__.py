"""Reads the host's network interfaces and bonds: ``ip link``, ``ip addr``, ``/proc/net/bonding``.

Settings: of a bond ``bond.mode``, ``bond.xmit_hash_policy``, ``bond.lacp_rate``; of a member ``bond.aggregated``,
``counter.link_failures``; of an interface ``altname``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.records import NetworkPort
from toposcope.collectors.source import Collector, Parsers, Source

bonding = Parsers(f"{__name__}.bonding")
ip = Parsers(f"{__name__}.ip")

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.records import Record

_M = re.MULTILINE
_OPTIONS = r"(?:-\S+ )*"


def bonds(records: Sequence[Record]) -> tuple[str, ...]:
    """Name the bonds that ``ip link`` showed."""
    ports = (record for record in records if isinstance(record, NetworkPort))
    return tuple(dict.fromkeys(port.device for port in ports if port.members is not None))


COLLECTOR = Collector(
    "network",
    (
        Source(
            "ip-addr",
            ip.parse,
            named=re.compile(rf"ip {_OPTIONS}a(?:ddr(?:ess)?)?\b"),
            begins=re.compile(r"^\d+: [^\s:]+: <[A-Z0-9_,-]*> mtu \d+ ", _M),
            command=("ip", "addr"),
            gives="interfaces with state and address",
        ),
        Source(
            "ip-link",
            ip.parse,
            named=re.compile(rf"ip {_OPTIONS}l(?:ink)?\b"),
            begins=re.compile(r"^\d+: [^\s:]+: <[A-Z0-9_,-]*> mtu \d+ ", _M),
            command=("ip", "-d", "link"),
            gives="interfaces with state, bonds and their members",
        ),
        Source(
            "proc-bonding",
            bonding.parse,
            named=re.compile(r"(?:cat )?[ /]*(?:proc[ /])?(?:net[ /])?bonding[ /]+(?P<argument>[\w.-]+)"),
            begins=re.compile(r"^Ethernet Channel Bonding Driver:", _M),
            command=("cat", "/proc/net/bonding/{bond}"),
            targets=bonds,
            gives="a bond's mode and the speed of its members",
        ),
    ),
)
