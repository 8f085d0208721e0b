"""The machine-readable forms of lspci."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.lspci.printers import CLASSES, class_of, functions, machines
from toposcope.base import Capture, pci_address
from toposcope.collectors.lspci.machine import parse


def _read(text):
    return parse(Capture("lspci-mm", "machine", text))


def _values(one, numbers):
    vendor, device = one.pci_id.split(":")
    code = class_of(one)
    if numbers == "n":
        return code, vendor, device
    if numbers == "nn":
        return f"{CLASSES[code]} [{code}]", f"Acme Corp. [{vendor}]", f"{one.name} [{device}]"
    return CLASSES[code], "Acme Corp.", one.name


def _words(one, numbers):
    texts = " ".join('"' + value.replace('"', '\\"') + '"' for value in _values(one, numbers))
    return f'{one.address} {texts} -ra1 -p00 "" ""\n'


def _tagged(one, numbers):
    kind, vendor, device = _values(one, numbers)
    lines = [f"Slot:\t{one.address}", f"Class:\t{kind}", f"Vendor:\t{vendor}", f"Device:\t{device}", "Rev:\ta1"]
    lines += ["Driver:\twidget", "Module:\twidget", "Module:\told", "NUMANode:\t1", "IOMMUGroup:\t33", "PhySlot:\t4-1"]
    return "\n".join(lines) + "\n\n"


@given(machines(), st.sampled_from(["", "n", "nn"]), st.sampled_from([_words, _tagged]))
def test_both_forms_are_read_back(roots, numbers, write):
    reading = _read("".join(write(one, numbers) for one in functions(roots)))

    assert reading.problems == ()
    for device, one in zip(reading.records, functions(roots), strict=True):
        assert device.address == pci_address(one.address)
        assert device.class_code == class_of(one)
        assert device.pci_id == (one.pci_id if numbers else None)
        assert device.name == (None if numbers == "n" else f"Acme Corp. {one.name}")
        assert device.revision == "a1"
        if write is _tagged:
            assert (device.driver, device.numa, device.iommu_group, device.slot) == ("widget", 1, 33, "4-1")


def test_a_device_of_many_records_keeps_its_line():
    reading = _read("Slot:\t01:00.0\nClass:\t3D controller\n\nSlot:\t02:00.0\nClass:\t3D controller\n")

    assert [(d.address, d.origin.line) for d in reading.records] == [("0000:01:00.0", 1), ("0000:02:00.0", 4)]


def test_subsystems_have_an_id_where_numbers_are_printed():
    (device,) = _read("Slot:\t01:00.0\nClass:\t0302\nSVendor:\tAcme [1abc]\nSDevice:\tBoard [0001]\n").records

    assert device.subsystem_id == "1abc:0001"


def test_old_versions_call_the_slot_device():
    (device,) = _read("Device:\t01:00.0\nClass:\t3D controller\nVendor:\tAcme\nDevice:\tWidget\n").records

    assert (device.address, device.name) == ("0000:01:00.0", "Acme Widget")


def test_quotation_marks_inside_a_name_are_kept():
    (device,) = _read('01:00.0 "3D controller" "Acme" "The \\"big\\" one" -ra1 "" ""\n').records

    assert (device.name, device.class_code, device.revision) == ('Acme The "big" one', "0302", "a1")


def test_records_without_empty_lines_between_are_kept_apart():
    reading = _read("Slot:    01:00.0\nClass:    0302\nSlot:    02:00.0\nClass:    0200\n")

    assert [device.class_code for device in reading.records] == ["0302", "0200"]


@pytest.mark.parametrize("slot", ["01:00", "nowhere", ""])
def test_a_record_without_an_address_is_reported(slot):
    reading = _read(f"Slot:\t{slot}\nClass:\t0302\n")

    assert reading.records == ()
    assert len(reading.problems) == 1


def test_other_text_is_reported_between_records_only():
    record = "Slot:\t01:00.0\nClass:\t0302\n\n"

    assert [p.origin.line for p in _read(record + "what?\n" + record.replace("01:", "02:")).problems] == [4]
    assert _read(record + "what?\n").problems == ()
    assert len(_read("what?\n").problems) == 1


@given(st.text())
def test_no_text_makes_it_raise(text):
    _read(text)


@given(st.text(alphabet='01:.0"\\ -rpSlotClas\n\t'))
def test_no_text_of_its_own_letters_makes_it_raise(text):
    _read(text)
    _read('01:00.0 "' + text)
