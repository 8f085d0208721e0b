"""The small words of nvidia-smi: sizes, counts, addresses, and the many ways in which it says that there is no answer.

The words are the same in the table, in ``-q``, in ``-q -x`` and in ``--query-gpu``; brackets stand only in the last
(``[N/A]``, ``[Not Supported]``), ``ERR!`` only in the table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.collectors.records import FactStatus

# NVML's error words (nvmlErrorString) that come in place of a value; every other one is text of the value itself.
_NO_ANSWER: dict[str, FactStatus] = {
    "n/a": "unsupported",
    "not supported": "unsupported",
    "not available in wsl": "unsupported",
    "requested functionality has been deprecated": "unsupported",
    "not found": "unreadable",
    "unknown error": "unreadable",
    "err!": "unreadable",
    "gpu is lost": "unreadable",
    "gpu requires reset": "unreadable",
    "gpu requires restart": "unreadable",
    "insufficient permissions": "unreadable",
    "no permission": "unreadable",
    "gpu access blocked by the operating system": "unreadable",
    "operating system call failed": "unreadable",
    "timeout": "unreadable",
    "reset required": "unreadable",
    "driver not loaded": "unreadable",
}
_COUNT = re.compile(r"\s*(\d{1,18})(?=\D|$)")
_SIZE = re.compile(r"\s*(\d{1,12})(?:\.\d{1,6})?\s*([KMGT]i?B)?\s*", re.IGNORECASE)
# Drivers before 331 print MB where they mean MiB.
_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_UUID = re.compile(r"(?:GPU|MIG)-[0-9A-Za-z/-]{1,90}")
_STATE = re.compile(r"P\d{1,2}")
_SWITCH = {"enabled": True, "disabled": False, "enabled*": True, "disabled*": False}


def no_answer(text: str) -> FactStatus | None:
    """Return why there is no value, None where ``text`` is one. An empty text was not readable."""
    word = text.strip().strip("[]").strip().lower().rstrip(".")
    return _NO_ANSWER.get(word) if word else "unreadable"


def count(text: str) -> int | None:
    """Return the whole number with which a value begins: ``16x``, ``0 %``, ``5``."""
    match = _COUNT.match(text)
    return int(match[1]) if match else None


def size(text: str) -> int | None:
    """Return a memory size in bytes: ``81559 MiB``, ``81559MiB``, ``81559`` (nounits: MiB)."""
    match = _SIZE.fullmatch(text)
    return int(match[1]) * _UNITS[(match[2] or "m")[0].lower()] if match else None


def sized(text: str) -> int | None:
    """Return a memory size in bytes where its unit stands behind it; without one it was cut."""
    return size(text) if text.rstrip().endswith(("B", "b")) else None


def per_cent(text: str) -> int | None:
    """Return the number before a per cent sign."""
    return count(text) if text.rstrip().endswith("%") else None


def lanes(text: str) -> int | None:
    """Return the number of lanes of ``16x``."""
    return count(text) if text.rstrip().endswith("x") else None


def uuid(text: str) -> str | None:
    """Return a GPU's or MIG device's UUID as printed, None for what a poster put in its place (``...``)."""
    word = text.strip()
    return word if _UUID.fullmatch(word) else None


def performance_state(text: str) -> str | None:
    """Return ``P0`` to ``P15``."""
    word = text.strip()
    return word if _STATE.fullmatch(word) else None


def switched_on(text: str) -> bool | None:
    """Return whether a mode is on now; a star says that another one waits for a reset."""
    return _SWITCH.get(text.strip().strip("[]").lower())


def words(text: str) -> str | None:
    """Return a value that is plain text, None where nothing was printed."""
    return text.strip() or None


def number(text: str) -> str | int | float:
    """Return the narrowest type that holds the whole text: ``0``, ``1.5``, ``15e-255``; else the text itself."""
    word = text.strip()
    if len(word) <= 18 and word.isascii() and word.isdecimal():  # noqa: PLR2004 - a 64-bit counter's digits
        return int(word)
    return float(word) if _FLOAT.fullmatch(word) else word


_FLOAT = re.compile(r"\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?")
