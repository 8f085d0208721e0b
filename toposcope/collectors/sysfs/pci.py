"""PCI functions from ``/sys``: the device's own folder, its real path, its config space.

The real path is the chain of bridges, so the parent is certain. A device whose real path was not recorded has none:
the bus numbers of the bridges then tell it. ``numa_node`` -1 (no node: a guest, or one node only) leaves ``numa``
empty and is kept as the setting ``numa_node``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import ProblemKind, pci_address
from toposcope.base.problem import Problem
from toposcope.collectors.lspci.classes import has_settings, is_bridge
from toposcope.collectors.output_lines import whole
from toposcope.collectors.records import PciDevice, PciLink, Setting
from toposcope.collectors.sysfs.config_space import (
    ACS_BITS,
    ACS_PRESENT,
    EXPRESS_NAMES,
    ConfigSpace,
    parse_config,
    parse_hex,
)
from toposcope.collectors.sysfs.lines import UNREADABLE
from toposcope.collectors.sysfs.places import chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin
    from toposcope.collectors.records import FactStatus, Record
    from toposcope.collectors.sysfs.places import Place, Places

_GTS = re.compile(r"(\d+(?:\.\d+)?) ?GT/s")
_NO_WIDTH = 255
_DEAD_WIDTH = 63
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{1,8})")
_NAMES = {"sriov_numvfs": "iov.num_vfs", "sriov_totalvfs": "iov.total_vfs", "power_state": "power_state"}
_REGION = re.compile(r"0x([0-9a-fA-F]{16}) 0x([0-9a-fA-F]{16}) 0x([0-9a-fA-F]{16})")
_REGIONS = 6
_PREFETCHABLE = 0x2000
_UNKNOWN = ConfigSpace()


def pci_records(capture: Capture, places: Places) -> Iterator[Record]:
    """Yield every PCI function with its settings, and add what made no sense to the problems of ``places``."""
    slots = _slots(places)
    for place in places.all("pci"):
        origin = capture.origin(place.index)
        config, has_config = _config(capture, place, places)
        device = _device(place, origin, config, slots)
        yield device
        yield from _settings(place, device, config, origin, has_config=has_config)
        yield from _group_type(place, places, origin)


def parent_of(real: str | None, address: str) -> tuple[str | None, bool]:
    """Return the bridge above a device, and whether the path shows it directly on a root bus."""
    if real is None:
        return None, False
    steps = chain(real)
    if address not in steps:
        return None, False
    above = steps[: steps.index(address)][-1:]
    return (above[0] or None, not above[0]) if above else (None, False)


def _device(place: Place, origin: Origin, config: ConfigSpace, slots: dict[str, str]) -> PciDevice:
    parent, at_root = parent_of(place.real, place.name)
    class_code = _hex(place.value("class"), 6)
    numa = whole(place.value("numa_node") or "")
    group = whole(place.target("iommu_group") or "")
    function = pci_address(place.target("physfn") or "")
    vendor, device = _hex(place.value("vendor"), 4), _hex(place.value("device"), 4)
    sub = _hex(place.value("subsystem_vendor"), 4), _hex(place.value("subsystem_device"), 4)
    status = _link(place, "current") or config.status
    return PciDevice(
        address=place.name,
        origin=origin,
        parent=parent,
        at_root=at_root,
        class_code=class_code[:4] if class_code else None,
        pci_id=f"{vendor}:{device}" if vendor and device else None,
        subsystem_id=f"{sub[0]}:{sub[1]}" if sub[0] and sub[1] and sub[0] != "0000" else config.subsystem_id,
        revision=_hex(place.value("revision"), 2),
        secondary=_or(whole(place.value("secondary_bus_number") or ""), config.secondary),
        subordinate=_or(whole(place.value("subordinate_bus_number") or ""), config.subordinate),
        port_type=config.port_type,
        capability=_link(place, "max") or config.capability,
        status=status,
        numa=numa if numa is not None and numa >= 0 else None,
        cpus=place.value("local_cpulist"),
        driver=place.target("driver"),
        iommu_group=group,
        slot=place.value("label") or slots.get(place.name[:-2]) or config.slot,
        physical_function=function,
        virtual=function is not None,
        alive=config.alive and not (status is not None and status.width == _DEAD_WIDTH),
        denied=not config.readable,
    )


def _or(first: int | None, second: int | None) -> int | None:
    return second if first is None else first


def _hex(text: str | None, digits: int) -> str | None:
    match = _HEX.fullmatch(text.strip()) if text else None
    return match[1].lower().zfill(digits) if match else None


def _link(place: Place, which: str) -> PciLink | None:
    """Join speed and width. ``Unknown`` is None; a width of 255 is the kernel's word for unknown."""
    speed, width = place.value(f"{which}_link_speed"), whole(place.value(f"{which}_link_width") or "")
    match = _GTS.match(speed) if speed else None
    width = None if width == _NO_WIDTH else width
    return PciLink(float(match[1]) if match else None, width) if match or width is not None else None


def _slots(places: Places) -> dict[str, str]:
    """Map ``0000:3b:00`` to the name of the physical slot."""
    named = ((place.value("address"), place.name) for place in places.all("slot"))
    return {address.lower(): name for address, name in named if address}


def _config(capture: Capture, place: Place, places: Places) -> tuple[ConfigSpace, bool]:
    entry = place.entry("config")
    if entry is None:
        return (ConfigSpace(readable=False), True) if place.entry(f"{UNREADABLE}config") else (_UNKNOWN, False)
    data = parse_hex(entry.value)
    if data is None:
        message = f"config of {place.name} is no hex of at least 64 bytes"
        problem = Problem(ProblemKind.UNREAD, capture.origin(entry.index), message, entry.value[:200])
        places.problems.append(problem)
        return _UNKNOWN, False
    return parse_config(data), True


def _settings(
    place: Place, device: PciDevice, config: ConfigSpace, origin: Origin, *, has_config: bool
) -> Iterator[Setting]:
    address = device.address
    if (entry := place.entry("numa_node")) and entry.value.startswith("-"):
        yield Setting(address, "numa_node", whole(entry.value), origin)
    known = {name for name, _ in config.settings}
    for attribute, name in _NAMES.items():
        if (value := place.value(attribute)) and name not in known:
            number = whole(value)
            yield Setting(address, name, value if number is None else number, origin)
    if not has_settings(device.class_code):
        return
    if largest := _largest_region(place):
        yield Setting(address, "bar.largest_bytes", largest, origin)
    if not has_config:
        return
    yield from (Setting(address, name, value, origin) for name, value in config.settings)
    for name in _expected(device, config):
        if name not in known:
            yield Setting(address, name, None, origin, _missing(name, config))


def _expected(device: PciDevice, config: ConfigSpace) -> tuple[str, ...]:
    """Root and downstream ports should have ACS, endpoints may have ATS; where nothing is readable, name it all."""
    if not config.alive or (config.readable and not config.express):
        return ()
    names = () if config.readable else EXPRESS_NAMES
    if not is_bridge(device.class_code):
        return (*names, "ats.enabled")
    return names if device.port_type == "Upstream Port" else (*names, ACS_PRESENT, *ACS_BITS)


def _missing(name: str, config: ConfigSpace) -> FactStatus:
    """Without root nothing is known; without extended space neither ACS nor ATS is; else the device lacks it."""
    if not config.readable:
        return "unreadable"
    if name in EXPRESS_NAMES or config.extended or not config.express:
        return "absent"
    return "unreadable"


def _largest_region(place: Place) -> int:
    """Return the bytes of the largest prefetchable region: start, end and flags of the first six lines."""
    matches = (_REGION.fullmatch(entry.value) for entry in place.attributes.get("resource", [])[:_REGIONS])
    regions = ((int(match[1], 16), int(match[2], 16), int(match[3], 16)) for match in matches if match)
    return max((end - start + 1 for start, end, flags in regions if flags & _PREFETCHABLE and end > start), default=0)


def _group_type(place: Place, places: Places, origin: Origin) -> Iterator[Setting]:
    """``DMA`` and ``DMA-FQ`` translate, ``identity`` passes addresses through."""
    group = places.get("group", place.target("iommu_group") or "")
    if group is not None and (kind := group.value("type")):
        yield Setting(place.name, "iommu.type", kind, origin)
