"""What a PCI function is: accelerator, NVSwitch, NIC, storage, bridge, or something that does not matter here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toposcope.assembly.figures import Lookup
    from toposcope.collectors.records import PciDevice

_BY_CLASS = {"0604": Kind.PCIE_BRIDGE, "0609": Kind.PCIE_BRIDGE}
_BY_BASE_CLASS = {"01": Kind.STORAGE, "02": Kind.NIC}
_MAY_ACCELERATE = ("0300", "0302", "0380", "1200", "0b40", None)
_VENDORS = {"NVIDIA": "10de", "Huawei": "19e5", "Advanced Micro Devices": "1002", "Mellanox": "15b3", "Intel": "8086"}
_BARE_ID = re.compile(r"Device (?P<id>[0-9a-f]{4})\b")
_ACCELERATOR_CLASSES = {
    # Without an entry in the catalogue: which vendors' functions of a class compute. A BMC's VGA does not.
    "0302": re.compile(r".*"),
    "0300": re.compile(r"10de|NVIDIA|Radeon (Pro|RX)|Instinct"),
    "0380": re.compile(r"10de|1002|NVIDIA|Advanced Micro|Instinct|Data Center GPU"),
    "1200": re.compile(r"10de|1002|1da3|19e5:d|NVIDIA|Advanced Micro|Habana|Huawei.*Device d[0-9a-f]{3}"),
    "0b40": re.compile(r"Xeon Phi|Vector Engine|NEC"),
}
_MANAGEMENT = re.compile(r"Switch management", re.IGNORECASE)
_NETWORK = re.compile(r"ConnectX|BlueField|Ethernet|Infiniband|Network (Adapter|Connection|Controller)", re.IGNORECASE)
"""A tree prints no class: a network device is told by its name."""

_NVSWITCH = re.compile(r"NVSwitch")
_NVIDIA_BRIDGE = re.compile(r"10de|NVIDIA")
_OTHER_BRIDGE = "0680"


def pci_id_of(device: PciDevice) -> str | None:
    """Return vendor and device id; also where only ``NVIDIA Corporation Device 2330`` is printed."""
    if device.pci_id or not device.name:
        return device.pci_id
    bare = _BARE_ID.search(device.name)
    vendor = next((number for word, number in _VENDORS.items() if device.name.startswith(word)), None)
    return f"{vendor}:{bare['id']}" if bare and vendor else None


def kind_of(device: PciDevice, lookup: Lookup, devices: Mapping[str, PciDevice]) -> Kind:
    """Tell what a PCI function is: by its class, its id in the catalogue and its vendor, else by its name."""
    code = device.class_code
    if _MANAGEMENT.search(device.name or ""):
        return Kind.OTHER
    if code in _BY_CLASS or (code is None and device.secondary is not None):
        return Kind.PCIE_BRIDGE
    known = _BY_BASE_CLASS.get(code[:2]) if code is not None else _kind_of_name(device)
    if known is not None:
        return Kind.OTHER if _is_spare_function(device, devices) else known
    if _is_nvswitch(device, lookup):
        return Kind.NVSWITCH
    if code in _MAY_ACCELERATE and not _is_spare_function(device, devices) and _accelerates(device, lookup):
        return Kind.ACCELERATOR
    return Kind.OTHER


def _kind_of_name(device: PciDevice) -> Kind | None:
    return Kind.NIC if _NETWORK.search(device.name or "") else None


def _is_nvswitch(device: PciDevice, lookup: Lookup) -> bool:
    if device.class_code not in (_OTHER_BRIDGE, None):
        return False
    switch = lookup.switch(pci_id_of(device))
    if switch is not None and switch.medium == "nvlink":
        return True
    words = _words(device)
    return device.class_code == _OTHER_BRIDGE and bool(_NVSWITCH.search(words) or _NVIDIA_BRIDGE.search(words))


def _words(device: PciDevice) -> str:
    return f"{device.pci_id or ''} {device.name or ''}"


def _accelerates(device: PciDevice, lookup: Lookup) -> bool:
    if lookup.devices(pci_id=pci_id_of(device), names=[device.name]):
        return True
    pattern = _ACCELERATOR_CLASSES.get(device.class_code or "")
    return pattern is not None and pattern.search(_words(device)) is not None


def _is_spare_function(device: PciDevice, devices: Mapping[str, PciDevice]) -> bool:
    """Tell a virtual function whose physical one is on this host too: it is no card of its own."""
    if device.physical_function is not None:
        return device.physical_function in devices
    return device.virtual and any(
        not other.virtual and other.address.rsplit(":", 1)[0] == device.address.rsplit(":", 1)[0]
        for other in devices.values()
        if other.class_code == device.class_code
    )
