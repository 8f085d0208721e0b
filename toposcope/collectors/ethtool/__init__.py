"""Reads ``ethtool`` of each netdev: speed and link, driver and PCI address, module, counters.

``{netdev}`` is filled from the netdevs with a PCI function behind them, whichever source showed them; where none did,
from all interfaces that are neither a loop nor a bond.
Settings of a netdev: ``duplex``, ``auto_negotiation``, ``connector``, ``fec.*``, ``driver``, ``firmware.version``,
``module.*``, ``counter.*``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.records import NetworkPort, NicName
from toposcope.collectors.source import Collector, Parsers, Source

details = Parsers(f"{__name__}.details")
settings = Parsers(f"{__name__}.settings")

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.records import Record

_M = re.MULTILINE


def netdevs(records: Sequence[Record]) -> tuple[str, ...]:
    """Name the netdevs to ask about, each once, in the order in which they were seen."""
    named = [record.netdev for record in records if isinstance(record, NicName) and record.netdev and record.pci]
    ports = (record for record in records if isinstance(record, NetworkPort))
    plain = [port.device for port in ports if port.mtu and port.members is None and port.link_layer in _HARDWARE]
    return tuple(dict.fromkeys(named or plain))


_HARDWARE = ("Ethernet", "InfiniBand")

COLLECTOR = Collector(
    "ethtool",
    (
        Source(
            "ethtool-i",
            details.parse_driver,
            named=re.compile(r"ethtool (?:-i|--driver) (?P<argument>\S+)"),
            begins=re.compile(r"^driver: \S[^\n]*\n(?:version|firmware-version): ", _M),
            command=("ethtool", "-i", "{netdev}"),
            targets=netdevs,
            gives="the PCI address of a netdev",
        ),
        Source(
            "ethtool-m",
            details.parse_module,
            named=re.compile(r"ethtool (?:-m|--dump-module-eeprom|--module-info) (?P<argument>\S+)"),
            begins=re.compile(r"^[ \t]{0,16}Identifier\s+: 0x[0-9a-f]{2} \(", _M),
            command=("ethtool", "-m", "{netdev}"),
            targets=netdevs,
            root=True,
            gives="the module or cable of a port",
        ),
        Source(
            "ethtool-s-stats",
            details.parse_statistics,
            named=re.compile(r"ethtool (?:-S|--statistics) (?P<argument>\S+)"),
            begins=re.compile(r"^NIC statistics:", _M),
            command=("ethtool", "-S", "{netdev}"),
            targets=netdevs,
            gives="error, drop and pause counters of a netdev",
        ),
        Source(
            "ethtool",
            settings.parse,
            named=re.compile(r"ethtool(?! -)(?: (?P<argument>[^-\s]\S*))?"),
            begins=re.compile(r"^Settings for [^\s:]+:", _M),
            command=("ethtool", "{netdev}"),
            targets=netdevs,
            gives="speed and link of a netdev",
        ),
    ),
)
