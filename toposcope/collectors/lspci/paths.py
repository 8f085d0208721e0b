"""The way from the root that ``-P`` and ``-PP`` print before each device.

``-PP`` prints the bus of each hop. ``-P`` leaves it out: the bus of a hop is then the secondary bus of the bridge
above, known where ``-v`` was given as well; without it the device's address is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base.pci import domain_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toposcope.collectors.lspci.header import Header


def follow(header: Header, buses: Mapping[str, int]) -> tuple[str | None, str | None]:
    """Return address and parent of a header's device; ``buses`` holds the secondary bus of each bridge read before.

    The address is None where a bus is not known. The parent is None for a device without hops.
    """
    domain = domain_of(header.address)
    address, parent = header.address, None
    for hop in header.hops:
        parent = address
        if ":" in hop:
            address = f"{domain}:{hop}"
        elif parent in buses:
            address = f"{domain}:{buses[parent]:02x}:{hop}"
        else:
            return None, None
    return address, parent
