"""What a rule is: a stable name, a function from a topology to findings, and what there is to say about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toposcope.analysis.finding import Finding
    from toposcope.model import Topology


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``reasoning``, ``remedy`` and ``sources`` are what ``rules show`` prints."""

    name: str
    title: str
    check: Callable[[Topology], Iterable[Finding]]
    reasoning: str = ""
    remedy: str = ""
    sources: tuple[str, ...] = ()
