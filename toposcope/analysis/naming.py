"""What a user may call a component: its id, a PCI address in any spelling, the name another tool gives it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from toposcope.base import UsageError, pci_address
from toposcope.model import Kind

if TYPE_CHECKING:
    from toposcope.model import Component, Topology


_NAMED = 24
"""So many names are listed where one is unknown."""


def find(topology: Topology, text: str) -> Component:
    """Return the component that a user means. UsageError lists near names where nothing fits."""
    name, address = text.strip(), pci_address(text)
    for component in topology.components():
        if component.id.lower() == name.lower() or (address is not None and component.pci == address):
            return component
    for component in topology.components():
        if component.name is not None and component.name.lower() == name.lower():
            return component
    raise UsageError(_unknown(topology, text))


def _unknown(topology: Topology, text: str) -> str:
    named = [
        name
        for component in topology.components(Kind.ACCELERATOR, Kind.NIC)
        for name in (component.id, component.name)
        if name
    ]
    near = difflib.get_close_matches(text, named, n=2, cutoff=0.75)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    there = f"; there are {_listed(named)}" if named else "; this machine shows no accelerator and no NIC"
    return f"no component is called {text!r}{meant}{there}"


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
