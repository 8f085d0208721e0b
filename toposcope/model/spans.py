"""Lists of numbers as kernels and tools print them: ``0-31,64-95``, ``0 1 2``, ``0,2``."""

from __future__ import annotations

import re

_SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
_MOST = 65_536


def spans(text: str) -> frozenset[int]:
    """Return the numbers of a list; what is no list, and more than 65536 numbers, is empty."""
    found: set[int] = set()
    for word in text.replace(",", " ").split():
        match = _SPAN.fullmatch(word)
        if match is None:
            return frozenset()
        first, last = int(match[1]), int(match[2] or match[1])
        if last - first + len(found) >= _MOST:
            return frozenset()
        found.update(range(first, last + 1))
    return frozenset(found)


def written(numbers: frozenset[int] | set[int]) -> str:
    """Write numbers as the kernel does: ``0-31,64-95``."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in parts)
