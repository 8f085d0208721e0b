"""A soft error: something in the evidence that was not read, was repaired, or contradicts another line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.base.origin import Origin


class ProblemKind(StrEnum):
    """What became of the text: passed over, mended where another place proves the value, or contradicted."""

    UNREAD = "unread"
    REPAIRED = "repaired"
    CLASH = "clash"


@dataclass(frozen=True, slots=True)
class Problem:
    """One soft error with its place and the text as it stood. Never lost, never fatal.

    ``other`` is the second place of a clash.
    """

    kind: ProblemKind
    origin: Origin
    message: str
    text: str = ""
    other: Origin | None = None
