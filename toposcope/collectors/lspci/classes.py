"""The names that pciutils gives to PCI classes, where one name stands for one class code.

Source: the class list of the PCI ID database (pci.ids), which lspci prints. A name that is not here yields no code.
"""

from __future__ import annotations

_BY_CODE = {
    "0000": "Non-VGA unclassified device",
    "0001": "VGA compatible unclassified device",
    "0005": "Image coprocessor",
    "0100": "SCSI storage controller",
    "0101": "IDE interface",
    "0102": "Floppy disk controller",
    "0103": "IPI bus controller",
    "0104": "RAID bus controller",
    "0105": "ATA controller",
    "0106": "SATA controller",
    "0107": "Serial Attached SCSI controller",
    "0108": "Non-Volatile memory controller",
    "0109": "Universal Flash Storage controller",
    "0180": "Mass storage controller",
    "0200": "Ethernet controller",
    "0201": "Token ring network controller",
    "0202": "FDDI network controller",
    "0203": "ATM network controller",
    "0204": "ISDN controller",
    "0205": "WorldFip controller",
    "0206": "PICMG controller",
    "0207": "Infiniband controller",
    "0208": "Fabric controller",
    "0280": "Network controller",
    "0300": "VGA compatible controller",
    "0301": "XGA compatible controller",
    "0302": "3D controller",
    "0380": "Display controller",
    "0400": "Multimedia video controller",
    "0401": "Multimedia audio controller",
    "0402": "Computer telephony device",
    "0403": "Audio device",
    "0480": "Multimedia controller",
    "0500": "RAM memory",
    "0501": "FLASH memory",
    "0502": "CXL",
    "0580": "Memory controller",
    "0600": "Host bridge",
    "0601": "ISA bridge",
    "0602": "EISA bridge",
    "0603": "MicroChannel bridge",
    "0604": "PCI bridge",
    "0605": "PCMCIA bridge",
    "0606": "NuBus bridge",
    "0607": "CardBus bridge",
    "0608": "RACEway bridge",
    "0609": "Semi-transparent PCI-to-PCI bridge",
    "060a": "InfiniBand to PCI host bridge",
    "0680": "Bridge",
    "0700": "Serial controller",
    "0701": "Parallel controller",
    "0702": "Multiport serial controller",
    "0703": "Modem",
    "0704": "GPIB controller",
    "0705": "Smard Card controller",
    "0780": "Communication controller",
    "0800": "PIC",
    "0801": "DMA controller",
    "0802": "Timer",
    "0803": "RTC",
    "0804": "PCI Hot-plug controller",
    "0805": "SD Host controller",
    "0806": "IOMMU",
    "0880": "System peripheral",
    "0900": "Keyboard controller",
    "0980": "Input device controller",
    "0b40": "Co-processor",
    "0c00": "FireWire (IEEE 1394)",
    "0c03": "USB controller",
    "0c04": "Fibre Channel",
    "0c05": "SMBus",
    "0c06": "InfiniBand",
    "0c07": "IPMI Interface",
    "0c80": "Serial bus controller",
    "0d11": "Bluetooth",
    "0d80": "Wireless controller",
    "1000": "Network and computing encryption device",
    "1080": "Encryption controller",
    "1100": "DPIO module",
    "1101": "Performance counters",
    "1110": "Communication synchronizer",
    "1120": "Signal processing management",
    "1180": "Signal processing controller",
    "1200": "Processing accelerators",
    "1300": "Non-Essential Instrumentation",
}

# Names of older PCI ID databases for the same codes.
_OLDER = {
    "USB Controller": "0c03",
    "Serial ATA controller": "0106",
    "System Peripheral": "0880",
    "Network Controller": "0280",
    "IPMI SMIC interface": "0c07",
}

_CODES = {name: code for code, name in _BY_CODE.items()} | _OLDER

_BRIDGES = ("0604", "0609", "060a")
_SUBJECTS = (*_BRIDGES, "0680", "0b40", "0c06", "4000")
_SUBJECT_BASES = ("02", "03", "12")


def class_code(name: str) -> str | None:
    """Return the four hex digits of a class name as printed, None where the name does not settle it."""
    return _CODES.get(name)


def is_bridge(code: str | None) -> bool:
    """Tell whether a class has a bus behind it."""
    return code in _BRIDGES


def has_settings(code: str | None) -> bool:
    """Tell whether the settings of a device matter for paths: bridges, accelerators, NVSwitches, network functions.

    An unknown class counts as one of them.
    """
    return code is None or code in _SUBJECTS or code[:2] in _SUBJECT_BASES
