"""Reads one capture of ``/sys``: its entries, the places that they belong to, and what each place says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.collectors.records import Reading
from toposcope.collectors.sysfs.host import host_records
from toposcope.collectors.sysfs.lines import entries_of
from toposcope.collectors.sysfs.nics import nic_records
from toposcope.collectors.sysfs.pci import pci_records
from toposcope.collectors.sysfs.places import places_of

if TYPE_CHECKING:
    from toposcope.base import Capture


def parse(capture: Capture) -> Reading:
    """Read one capture of ``/sys``; ``argument`` holds the paths where the command was ``cat PATH...``."""
    entries, lines = entries_of(capture)
    places = places_of(capture, entries)
    records = (*host_records(capture, places), *pci_records(capture, places), *nic_records(capture, places))
    problems = (*places.problems, *lines.all_problems("no path of /sys with a value"))
    return Reading(records, tuple(sorted(problems, key=lambda problem: problem.origin.line)))
