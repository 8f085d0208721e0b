"""The machine's name and its slots from DMI."""

from __future__ import annotations

from toposcope.base import Capture
from toposcope.collectors.cpu.dmi import parse_dmi_file, parse_dmidecode
from toposcope.collectors.records import PciDevice, Setting

TEXT = """\
# dmidecode 3.3
Getting SMBIOS data from sysfs.
SMBIOS 3.5.0 present.

Handle 0x0001, DMI type 1, 27 bytes
System Information
	Manufacturer: Acme
	Product Name: Box 9000
	Version: To be filled by O.E.M.

Handle 0x0002, DMI type 2, 15 bytes
Base Board Information
	Manufacturer: Acme
	Product Name: Board A

Handle 0x0003, DMI type 2, 15 bytes
Base Board Information
	Product Name: Board B

Handle 0x0009, DMI type 9, 17 bytes
System Slot Information
	Designation: SLOT 3
	Type: x16 PCI Express 5 x16
	Current Usage: In Use
	Bus Address: 0000:3b:00.0

Handle 0x000A, DMI type 9, 17 bytes
System Slot Information
	Designation: SLOT 4
	Current Usage: Available
	Bus Address: 0000:00:00.0

Handle 0x000B, DMI type 41, 11 bytes
Onboard Device
	Reference Designation: LAN 1
	Bus Address: 0000:01:00.0
"""


def test_names_and_slots():
    reading = parse_dmidecode(Capture("dmidecode", "dmidecode", TEXT))
    found = {s.name: (s.value, s.status) for s in reading.records if isinstance(s, Setting)}
    assert found == {
        "product.vendor": ("Acme", "value"),
        "product.name": ("Box 9000", "value"),
        "product.version": (None, "absent"),
        "board.vendor": ("Acme", "value"),
        "board.name": ("Board A", "value"),
    }
    slots = {device.address: device.slot for device in reading.records if isinstance(device, PciDevice)}
    assert slots == {"0000:3b:00.0": "SLOT 3", "0000:01:00.0": "LAN 1"}


def test_a_single_value_is_named_by_the_command_or_the_file():
    asked = parse_dmidecode(Capture("dmidecode", "f", "Box 9000\n", argument=" -s system-product-name"))
    named = parse_dmi_file(Capture("dmi-product-name", "sys/class/dmi/id/product_name", "Box 9000\n"))
    vendor = parse_dmi_file(Capture("dmi-sys-vendor", "sys_class_dmi_id_sys_vendor", "Acme\n"))
    assert [(s.name, s.value) for r in (asked, named, vendor) for s in r.records] == [
        ("product.name", "Box 9000"),
        ("product.name", "Box 9000"),
        ("product.vendor", "Acme"),
    ]


def test_without_permission_there_is_a_problem_and_no_name():
    text = "/sys/firmware/dmi/tables/smbios_entry_point: Permission denied\n"
    reading = parse_dmidecode(Capture("dmidecode", "dmidecode", text))
    assert (reading.records, len(reading.problems)) == ((), 1)
