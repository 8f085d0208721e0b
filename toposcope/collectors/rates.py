"""Rates of network ports in all their spellings, brought to one direction's bandwidth.

Spellings seen: ``200 Gb/sec (4X HDR)`` (kernel), ``400`` and ``40 (FDR10)`` (ibstat, Gb/s), ``100000Mb/s``
(ethtool), ``100G``, ``200GbE`` and ``IB-NDR`` (mlxlink), ``53.125 Gbps`` (a lane).
"""

from __future__ import annotations

import re

from toposcope.base import Bandwidth

# Gb/s of one lane after line coding, rounded as the industry does (IBTA 1.7 table 18; 4 lanes make the port's name).
LANE_GBPS = {
    "SDR": 2.5, "DDR": 5.0, "QDR": 10.0, "FDR10": 10.0, "FDR": 14.0, "EDR": 25.0, "HDR": 50.0, "NDR": 100.0,
    "XDR": 200.0, "GDR": 400.0,
}  # fmt: skip
_KERNEL = re.compile(r"(\d+(?:\.\d+)?) ?Gb/sec\b(?: ?\((\d+)X(?: (\w+))?\))?")
_MEGABITS = re.compile(r"(\d+) ?Mb(?:/s|ps)")
_GIGABITS = re.compile(r"(\d+(?:\.\d+)?) ?(?:G|Gb|GbE|Gbps|Gb/s|GBASE\S*)", re.IGNORECASE)
_INFINIBAND = re.compile(r"(?:IB-)?([SDQFEHNXG]DR(?:10)?)")
_MOST_GBPS = 100_000


def kernel_rate(text: str) -> tuple[Bandwidth | None, int | None]:
    """Read ``200 Gb/sec (4X HDR)``: the rate and the number of lanes; None where a part is not there."""
    match = _KERNEL.match(text)
    if match is None:
        return None, None
    return gigabits(match[1]), int(match[2]) if match[2] and len(match[2]) <= 3 else None  # noqa: PLR2004 - lanes


def gigabits(text: str) -> Bandwidth | None:
    """Return a number of Gb/s as a bandwidth, None for what no port can carry."""
    try:
        value = float(text)
    except ValueError:
        return None
    return Bandwidth.gigabits(value) if 0 < value < _MOST_GBPS else None


def megabits(text: str) -> Bandwidth | None:
    """Read ``100000Mb/s`` or ``100000 Mbps``; ``Unknown!`` and the kernel's 4294967295 are None."""
    match = _MEGABITS.match(text)
    return gigabits(str(int(match[1][:12]) / 1000)) if match else None


def named_rate(text: str, lanes: int | None = None) -> Bandwidth | None:
    """Read ``100G``, ``200GbE``, ``100000Mb/s``, or a lane's name (``IB-NDR``) times the number of lanes."""
    match = _INFINIBAND.fullmatch(text)
    if match:
        return Bandwidth.gigabits(LANE_GBPS[match[1]] * lanes) if lanes and match[1] in LANE_GBPS else None
    match = _GIGABITS.match(text)
    return gigabits(match[1]) if match else megabits(text)
