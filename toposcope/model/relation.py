"""The word that a tool printed for a pair of components, kept as printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.base import Origin
    from toposcope.model.vocabulary import Reach


@dataclass(frozen=True, slots=True)
class Relation:
    """What one tool says of one pair. ``reach`` is set where the word speaks of PCIe (``PXB``), None for ``NV12``."""

    a: str
    b: str
    word: str
    origin: Origin
    reach: Reach | None = None


@dataclass(frozen=True, slots=True)
class PrintedMatrix:
    """A relation matrix as it stood: labels in printed order, words by row and column, repaired cells included."""

    labels: tuple[str, ...]
    cells: dict[str, dict[str, str]]
    origin: Origin
