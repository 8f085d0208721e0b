"""Lists of CPUs as the kernel prints them: ``0-31,64-95``, in ascending order."""

from __future__ import annotations

import re
from itertools import pairwise

_LIST = re.compile(r"\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*")


MOST = 8192  # CPUs: the most that a Linux kernel is built for


def is_list(text: str) -> bool:
    """Whether this is a list of CPUs in ascending order."""
    if not _LIST.fullmatch(text):
        return False
    spans = _spans(text)
    rising = all(low <= high for low, high in spans) and all(one[1] < other[0] for one, other in pairwise(spans))
    return rising and spans[-1][1] < MOST


def overlap(one: str, other: str) -> bool:
    """Whether two lists share a CPU. Words that are no list share none."""
    if not (_LIST.fullmatch(one) and _LIST.fullmatch(other)):
        return False
    return any(a[0] <= b[1] and b[0] <= a[1] for a in _spans(one) for b in _spans(other))


def _spans(text: str) -> list[tuple[int, int]]:
    ends = [[int(end) for end in piece.split("-")] for piece in text.split(",")]
    return [(piece[0], piece[-1]) for piece in ends]
