"""A node of the graph: one piece of hardware, or several of unknown number that the evidence does not separate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.model.vocabulary import Grade

if TYPE_CHECKING:
    from toposcope.base import Origin
    from toposcope.model.vocabulary import Kind


@dataclass(frozen=True, slots=True)
class Component:
    """One node. ``id`` is unique in a topology and is how users name it (``GPU0``, ``NIC3``).

    ``name`` is what another tool calls it (``mlx5_0``), ``model`` the product, in the catalogue's words where it is
    known there. ``pci`` is the canonical PCI address. ``card`` joins the functions that share one slot. ``count`` is
    1, a number where the component stands for several (six NVSwitches), None where their number is not known.
    """

    id: str
    kind: Kind
    origin: Origin
    grade: Grade = Grade.OBSERVED
    name: str | None = None
    model: str | None = None
    pci: str | None = None
    pci_id: str | None = None
    numa: int | None = None
    card: str | None = None
    role: str | None = None
    count: int | None = 1
