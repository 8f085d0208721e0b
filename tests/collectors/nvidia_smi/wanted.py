"""What a parser must find in what the printers printed."""

from __future__ import annotations

from toposcope.base import pci_address
from toposcope.collectors.records import Accelerator, FabricLink, Setting

MIB = 2**20


def cards(reading):
    """Return the GPUs by label, or by address where a report does not tell the label."""
    found = [record for record in reading.records if isinstance(record, Accelerator)]
    return {card.label or card.pci: card for card in found}


def settings(reading, subject):
    return {
        record.name: record.value
        for record in reading.records
        if isinstance(record, Setting) and record.subject == subject
    }


def links(reading, gpu):
    return {
        record.link: record
        for record in reading.records
        if isinstance(record, FabricLink) and record.accelerator == gpu
    }


def check_card(card, gpu):
    """Compare what every output prints of a GPU."""
    assert card.pci == pci_address(gpu.address)
    assert card.memory_bytes == gpu.mib * MIB
    assert card.performance_state == f"P{gpu.state}"
    assert card.utilisation == gpu.utilisation
    assert card.mig_enabled == {"Enabled": True, "Disabled": False, "N/A": None}[gpu.mig]
