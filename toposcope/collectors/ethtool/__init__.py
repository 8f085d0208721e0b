"""Reads ``ethtool`` of each netdev: speed and link, driver and PCI address, module, counters.

``{netdev}`` is filled from the interfaces that ``ethtool`` is asked about: none is known to this collector itself, so
a live run names them.
Settings of a netdev: ``duplex``, ``auto_negotiation``, ``connector``, ``fec.*``, ``driver``, ``firmware.version``,
``module.*``, ``counter.*``.
"""

from __future__ import annotations

import re

from toposcope.collectors.ethtool import details, settings
from toposcope.collectors.source import Collector, Source

_M = re.MULTILINE

COLLECTOR = Collector(
    "ethtool",
    (
        Source(
            "ethtool-i",
            details.parse_driver,
            named=re.compile(r"ethtool (?:-i|--driver) (?P<argument>\S+)"),
            begins=re.compile(r"^driver: \S[^\n]*\n(?:version|firmware-version): ", _M),
            command=("ethtool", "-i", "{netdev}"),
            gives="the PCI address of a netdev",
        ),
        Source(
            "ethtool-m",
            details.parse_module,
            named=re.compile(r"ethtool (?:-m|--dump-module-eeprom|--module-info) (?P<argument>\S+)"),
            begins=re.compile(r"^\s*Identifier\s+: 0x[0-9a-f]{2} \(", _M),
            command=("ethtool", "-m", "{netdev}"),
            root=True,
            gives="the module or cable of a port",
        ),
        Source(
            "ethtool-s-stats",
            details.parse_statistics,
            named=re.compile(r"ethtool (?:-S|--statistics) (?P<argument>\S+)"),
            begins=re.compile(r"^NIC statistics:", _M),
            command=("ethtool", "-S", "{netdev}"),
            gives="error, drop and pause counters of a netdev",
        ),
        Source(
            "ethtool",
            settings.parse,
            named=re.compile(r"ethtool(?: (?P<argument>[^-\s]\S*))?"),
            begins=re.compile(r"^Settings for [^\s:]+:", _M),
            command=("ethtool", "{netdev}"),
            gives="speed and link of a netdev",
        ),
    ),
)
