"""PCI addresses in all their spellings, brought to one: ``0000:3b:00.0``.

Spellings seen: ``3b:00.0`` (lspci), ``0000:3B:00.0`` (lspci -D, npu-smi), ``00000000:3B:00.0`` (nvidia-smi, eight
digits of domain), ``10000:81:00.0`` (Intel VMD, five digits), ``0x3b:00.0``.
"""

from __future__ import annotations

import re

_ADDRESS = re.compile(
    r"(?:0x)?(?:(?P<domain>[0-9a-f]{4,8}):)?(?P<bus>[0-9a-f]{2}):(?P<device>[0-9a-f]{2})\.(?P<function>[0-7])",
    re.IGNORECASE,
)


def pci_address(text: str) -> str | None:
    """Return the canonical address (lower case, domain of at least four digits), or None if it is none."""
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        return None
    domain = int(match["domain"] or "0", 16)
    return f"{domain:04x}:{match['bus'].lower()}:{match['device'].lower()}.{match['function']}"


def domain_of(address: str) -> str:
    """Return the domain of a canonical address: ``0000``."""
    return address.rsplit(":", 2)[0]


def bus_of(address: str) -> int:
    """Return the bus number of a canonical address."""
    return int(address.rsplit(":", 2)[1], 16)
