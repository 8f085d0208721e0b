"""Names of components: in the order in which people count, and several as one text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_DIGITS = re.compile(r"(\d+)")


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """Return a key that sorts ``GPU2`` before ``GPU10``."""
    parts = _DIGITS.split(text)
    return tuple((int(part[:18]), "") if part.isdecimal() else (-1, part) for part in parts)


def members_text(names: Iterable[str]) -> str:
    """Return ids as one text, runs of numbers drawn together: ``NIC0, NIC1``, ``NIC0 … NIC7, NIC9``."""
    runs: list[list[str]] = []
    for name in sorted(set(names), key=natural):
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(f"{run[0]} … {run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)  # noqa: PLR2004


def _follows(one: str, other: str) -> bool:
    """Tell whether two names differ by one in their last number alone."""
    before, after = _DIGITS.split(one), _DIGITS.split(other)
    numbers = before[-2:-1] + after[-2:-1]
    if len(before) != len(after) or len(numbers) != 2:  # noqa: PLR2004 (one of each name)
        return False
    rest = before[:-2] == after[:-2] and before[-1] == after[-1]
    return rest and int(numbers[1][:18]) == int(numbers[0][:18]) + 1
