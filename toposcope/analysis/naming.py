"""What a user may call a component: its id, a PCI address in any spelling, the name another tool gives it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from toposcope.base import UsageError, pci_address
from toposcope.model import Kind

if TYPE_CHECKING:
    from toposcope.model import Component, Topology


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
    near = difflib.get_close_matches(text, named, n=4, cutoff=0.4) or named[:12]
    hint = f"; there are {', '.join(near)}" if near else "; this machine shows no accelerator and no NIC"
    return f"no component is called {text!r}{hint}"
