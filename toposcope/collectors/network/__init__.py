"""Reads the host's network interfaces and bonds: ``ip link``, ``ip addr``, ``/proc/net/bonding``.

Settings: of a bond ``bond.mode``, ``bond.xmit_hash_policy``, ``bond.lacp_rate``; of a member ``bond.aggregated``,
``counter.link_failures``; of an interface ``altname``.
"""

from __future__ import annotations

import re

from toposcope.collectors.network import bonding, ip
from toposcope.collectors.source import Collector, Source

_M = re.MULTILINE
_OPTIONS = r"(?:-\S+ )*"

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
            gives="a bond's mode and the speed of its members",
        ),
    ),
)
