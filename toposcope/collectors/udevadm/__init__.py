"""Reads ``udevadm info``: PCI functions and the names of NICs. Module: ``properties`` (grammar, both forms)."""

from __future__ import annotations

import re

from toposcope.collectors.source import Collector, Parsers, Source

properties = Parsers(f"{__name__}.properties")

COLLECTOR = Collector(
    "udevadm",
    (
        Source(
            "udevadm",
            properties.parse,
            named=re.compile(r"udevadm info\b"),
            begins=re.compile(r"^P: /devices/", re.MULTILINE),
            command=("udevadm", "info", "--export-db"),
            gives="PCI functions with their bridges, and the names of NICs",
        ),
    ),
)
