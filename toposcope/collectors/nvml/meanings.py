"""What NVML's raw answers mean: its enumerations, bit sets and units, in the words that nvidia-smi prints for them.

Each function returns None for what has no meaning. Numbers are those of nvml.h.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth, pci_address
from toposcope.collectors.nvidia_smi.clocks import reasons_of_mask

if TYPE_CHECKING:
    from collections.abc import Callable

_RUN = re.compile("1+")
_WORDS = 256
_STATES = 16
# nvmlGpuTopologyLevel; two GPUs of one board are PIX to nvidia-smi as well.
_LEVELS = {0: "PIX", 10: "PIX", 20: "PXB", 30: "PHB", 40: "NODE", 50: "SYS"}
_LINK_ENDS = {0: "GPU", 1: "IBMNPU", 2: "NVSwitch"}


def text(raw: object) -> str | None:
    """Return a string that says something."""
    return raw.strip() or None if isinstance(raw, str) else None


def whole(raw: object) -> int | None:
    """Return a number that counts something."""
    return raw if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0 else None


def truth(raw: object) -> bool | None:
    """Return whether a feature is on: NVML has 0 and 1."""
    return bool(raw) if isinstance(raw, int) and raw in (0, 1) else None


def address(raw: object) -> str | None:
    """Return the canonical PCI address of ``00000000:3B:00.0``."""
    return pci_address(raw) if isinstance(raw, str) else None


def named(*names: str) -> Callable[[object], str | None]:
    """Return a reader of an enumeration that counts from 0; ``N/A`` is the tool's word for unsupported."""

    def read(raw: object) -> str | None:
        number = whole(raw)
        return names[number] if number is not None and number < len(names) else None

    return read


def members(raw: object) -> str | None:
    """Return the members of a bit set, lowest word first, as a list: ``0-31,64-95``; None for an empty set."""
    words = raw if isinstance(raw, list) else [raw]
    if not all(isinstance(word, int) and 0 <= word < 1 << 64 for word in words[:_WORDS]):
        return None
    bits = "".join(f"{word:064b}"[::-1] for word in words[:_WORDS])
    runs = ((match.start(), match.end() - 1) for match in _RUN.finditer(bits))
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs) or None


def only_member(raw: object) -> int | None:
    """Return the one NUMA node of a set; a guest may say that a GPU is near to several, which says nothing."""
    found = members(raw)
    return int(found) if found and found.isdecimal() else None


def performance_state(raw: object) -> str | None:
    """Return ``P8`` for NVML_PSTATE_8; NVML_PSTATE_UNKNOWN is 32."""
    number = whole(raw)
    return f"P{number}" if number is not None and number < _STATES else None


def clocks_reasons(raw: object) -> str | None:
    """Return the names of a mask of nvmlClocksEventReasons, ``none`` for 0."""
    number = whole(raw)
    return reasons_of_mask(str(number)) if number is not None else None


def cuda_version(raw: object) -> str | None:
    """Return ``12.4`` for 12040."""
    number = whole(raw)
    return f"{number // 1000}.{number % 1000 // 10}" if number else None


def return_code(raw: object) -> str | None:
    """Return ``Success`` or the number of an NVML error, as the fabric's status carries it."""
    number = whole(raw)
    return None if number is None else f"NVML error {number}" if number else "Success"


def topology_level(raw: object) -> str | None:
    """Return the relation word of a common ancestor, as ``topo -mp`` prints it."""
    number = whole(raw)
    return _LEVELS.get(number) if number is not None else None


def link_end(raw: object) -> str | None:
    """Return what an NVLink ends at; 255 is NVML's "unknown"."""
    number = whole(raw)
    return _LINK_ENDS.get(number) if number is not None else None


def megabytes_per_s(raw: object) -> Bandwidth | None:
    """Return a link's rate, one direction, of NVML's MB/s; 0 is a link without a rate."""
    number = whole(raw)
    return Bandwidth.gigabytes(number / 1000) if number else None


peer_word = named("OK", "CNS", "GNS", "TNS", "DR", "NS", "U")
link_version = named("N/A", "1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0", "6.0")
fabric_state = named("N/A", "Not Started", "In Progress", "Completed")
fabric_health = named("N/A", "Healthy", "Unhealthy", "Limited Capacity")
addressing_mode = named("None", "HMM", "ATS")
