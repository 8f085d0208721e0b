"""Reads what the RDMA tools print: ports with rate and state, and the names that belong together.

Settings: of a device (``mlx5_0``) ``model``, ``part``, ``firmware.version``, ``board.id``, ``guid.node``; of a port
(``mlx5_0/1``) ``lid``, ``sm.lid``, ``guid.port``, ``gid.INDEX``.
"""

from __future__ import annotations

import re

from toposcope.collectors import mlxlink
from toposcope.collectors.source import Collector, Parsers, Source

devinfo = Parsers(f"{__name__}.devinfo")
ibstat = Parsers(f"{__name__}.ibstat")
mst = Parsers(f"{__name__}.mst")
names = Parsers(f"{__name__}.names")
perfquery = Parsers(f"{__name__}.perfquery")

_M = re.MULTILINE

COLLECTOR = Collector(
    "infiniband",
    (
        Source(
            "ibstatus",
            ibstat.parse,
            named=re.compile(r"ibstatus\b"),
            begins=re.compile(r"^[ \t]{0,16}Infiniband device '[^'\n]+' port \d+ status:", _M),
            command=("ibstatus",),
            gives="RDMA ports with rate, lanes and state",
        ),
        Source(
            "ibstat",
            ibstat.parse,
            named=re.compile(r"ibstat\b(?! (?:guids|-[lp])\b)(?: (?P<argument>[A-Za-z]\S*(?: bond)?(?: \d+){1,2}))?"),
            begins=re.compile(r"^[ \t]{0,16}CA '[^'\n]+'", _M),
            command=("ibstat",),
            gives="RDMA ports with rate and state",
        ),
        Source(
            "ibv-devinfo",
            devinfo.parse,
            named=re.compile(r"ibv[_ -]devinfo\b"),
            begins=re.compile(r"^[ \t]{0,16}hca_id:\s+\S", _M),
            command=("ibv_devinfo", "-v"),
            gives="RDMA ports with state, lanes and lane speed",
        ),
        Source(
            "ibdev2netdev",
            names.parse_ibdev2netdev,
            named=re.compile(r"ibdev2netdev\b"),
            begins=re.compile(
                r"^[ \t]{0,16}(?:[0-9a-f:]{5,16}\.[0-7]\s+\S+ \([^)\n]*\)\s[^\n]*|\S+ )port \d+ (?:\([^)\n]*\) )?==> ",
                _M,
            ),
            command=("ibdev2netdev", "-v"),
            gives="netdev and PCI address of each RDMA device",
        ),
        Source(
            "rdma-link",
            names.parse_rdma_link,
            named=re.compile(r"rdma (?:-\w+ )*(?:link|dev)\b"),
            begins=re.compile(
                r"^[ \t]{0,16}(?:link )?(?:\d+/\d+: )?[A-Za-z][\w.-]*/\d+:? (?:[^\n]* )?state \w+ physical_state ", _M
            ),
            command=("rdma", "link"),
            gives="netdev and state of each RDMA port",
        ),
        Source(
            "show-gids",
            names.parse_show_gids,
            named=re.compile(r"show[_ -]gids\b"),
            begins=re.compile(r"^[ \t]{0,16}DEV\s+PORT\s+INDEX\s+GID", _M),
            command=("show_gids",),
            gives="netdev and address of each RDMA port",
        ),
        Source(
            "perfquery",
            perfquery.parse,
            named=re.compile(r"perfquery\b(?: (?P<argument>.*))?"),
            begins=re.compile(r"^# Port (?:extended )?counters: Lid \d", _M),
            command=("perfquery", "-C", "{rdma}"),
            targets=mlxlink.devices,
            root=True,
            gives="error counters of an InfiniBand port",
        ),
        Source(
            "mst-status",
            mst.parse,
            named=re.compile(r"mst status\b"),
            begins=re.compile(r"^[ \t]{0,16}DEVICE_TYPE\s+MST\s+PCI\s", _M),
            command=("mst", "status", "-v"),
            root=True,
            gives="PCI address, netdev and NUMA node of each NVIDIA device",
        ),
    ),
)
