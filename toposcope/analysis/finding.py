"""A finding: a diagnosed fault, or that a rule could not tell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

from toposcope.model import Grade

if TYPE_CHECKING:
    from toposcope.base import Bandwidth, Origin


class Severity(IntEnum):
    """How much it matters, least first."""

    INFO = 0
    WARNING = 1
    CRITICAL = 2

    @property
    def word(self) -> str:
        """The severity as it is printed."""
        return self.name.lower()


class Verdict(StrEnum):
    """Whether the fault was found, or the evidence to tell is missing."""

    FOUND = "found"
    COULD_NOT_TELL = "could-not-tell"


@dataclass(frozen=True, slots=True)
class Harm:
    """One route that a fault slows down: what it would carry without the fault, and with it (one direction)."""

    source: str
    target: str
    before: Bandwidth | None = None
    after: Bandwidth | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule has to say. ``evidence`` are the lines that prove it; their text is looked up in the recording."""

    rule: str
    severity: Severity
    message: str
    remedy: str = ""
    verdict: Verdict = Verdict.FOUND
    components: tuple[str, ...] = ()
    harms: tuple[Harm, ...] = ()
    evidence: tuple[Origin, ...] = ()
    grade: Grade = Grade.DERIVED
