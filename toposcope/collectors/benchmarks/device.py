"""The devices that CUDA programs list above their figures: number, model, often the PCI address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.collectors.records import Accelerator

if TYPE_CHECKING:
    from toposcope.base import Origin


def device_of(origin: Origin, number: str, model: str, pci: str | None = None) -> Accelerator:
    """Make the record of a listed device; ``number`` counts in the order of the runtime, ``pci`` is canonical."""
    return Accelerator(origin, f"GPU{int(number)}", model.strip() or None, pci, by_runtime=True)
