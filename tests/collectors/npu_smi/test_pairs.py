"""``npu-smi info -t board|usages|common|health|...``: key and value, card by card."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.npu_smi.printers import capture, pairs
from toposcope.collectors.npu_smi.pairs import parse
from toposcope.collectors.records import Accelerator, PciDevice, Setting

BLANK = ("", "")
BOARD = pairs(
    ("NPU ID", 2),
    ("Product Name", "BOARD-X"),
    ("Serial Number", "SN-000"),
    ("Software Version", "31.2"),
    ("Board ID", "0x77"),
    ("PCIe Bus Info", "0000:A1:00.0"),
    ("Slot ID", 5),
    ("Class ID", "NA"),
    ("PCI Vendor ID", "0x19E5"),
    ("PCI Device ID", "0xD8FF"),
    ("Subsystem Vendor ID", "0x0200"),
    ("Subsystem Device ID", "0x0100"),
    ("Chip Count", 1),
)


def read(kind, text, argument=None):
    return parse(capture(text, argument, f"npu-smi-info-{kind}"), kind=kind)


def of_type(reading, kind):
    return [record for record in reading.records if isinstance(record, kind)]


def facts(reading, subject):
    return {r.name: r.value for r in of_type(reading, Setting) if r.subject == subject}


def test_a_board_gives_the_pci_function_and_the_accelerator_that_it_is():
    reading = read("board", BOARD)

    (device,) = of_type(reading, PciDevice)
    (npu,) = of_type(reading, Accelerator)
    assert (device.address, device.pci_id, device.subsystem_id) == ("0000:a1:00.0", "19e5:d8ff", "0200:0100")
    assert (npu.label, npu.pci, npu.serial) == ("NPU2", "0000:a1:00.0", "SN-000")
    assert facts(reading, "NPU2")["board.slot_id"] == 5
    assert facts(reading, "NPU2")["board.product_name"] == "BOARD-X"
    assert reading.problems == ()


def test_what_is_not_available_is_absent_and_no_text():
    reading = read("board", BOARD)

    assert [(r.value, r.status) for r in of_type(reading, Setting) if r.name == "board.class_id"] == [(None, "absent")]


def test_a_slot_is_a_fact_and_groups_no_functions():
    assert of_type(read("board", BOARD), PciDevice)[0].slot is None


def test_a_chip_of_a_board_has_a_model():
    text = pairs(("NPU ID", 2), ("Chip ID", 1), ("Chip Type", "Ascend"), ("Chip Name", "910X"), ("PCIe Bus Info", "NA"))

    reading = read("board", text, "2 -c 1")

    assert [(a.label, a.model, a.pci) for a in of_type(reading, Accelerator)] == [("NPU2.1", "910X", None)]
    assert of_type(reading, PciDevice) == []


def test_boards_of_a_loop_without_blank_lines_are_told_apart():
    reading = read("board", BOARD + BOARD.replace(": 2\n", ": 4\n", 1).replace("0000:A1", "0000:B1"))

    assert [(a.label, a.pci) for a in of_type(reading, Accelerator)] == [
        ("NPU2", "0000:a1:00.0"),
        ("NPU4", "0000:b1:00.0"),
    ]
    assert reading.problems == ()


def test_a_colon_of_a_chinese_keyboard_is_a_colon():
    assert of_type(read("health", "Health Status\uff1a Alarm\n", "0"), Accelerator)[0].health == "Alarm"


def test_the_printed_card_stands_above_the_asked_one():
    assert of_type(read("board", BOARD, "7"), Accelerator)[0].label == "NPU2"


def test_usages_close_a_section_with_the_chip():
    text = pairs(
        ("NPU ID", 3), ("Chip Count", 2), BLANK,
        ("DDR Capacity(MB)", 13000), ("HBM Capacity(MB)", 32768), ("Aicore Usage Rate(%)", 40), ("Chip ID", 0), BLANK,
        ("DDR Capacity(MB)", 13000), ("HBM Capacity(MB)", 0), ("Aicore Usage Rate(%)", 50), ("Chip ID", 1),
    )  # fmt: skip

    reading = read("usages", text)

    assert [(a.label, a.memory_bytes, a.utilisation) for a in of_type(reading, Accelerator)] == [
        ("NPU3", 32768 << 20, 40),
        ("NPU3.1", 13000 << 20, 50),
    ]
    assert facts(reading, "NPU3.1")["usages.aicore_usage_rate"] == 50


def test_the_controller_is_told_from_the_chip():
    text = pairs(
        ("NPU ID", 1), ("Chip Count", 1), BLANK,
        ("Chip ID", 0), ("Temperature(C)", 46), ("NPU Real-time Power(W)", "93.4"), BLANK,
        ("Chip Name", "mcu"), ("Temperature(C)", 38),
    )  # fmt: skip

    found = facts(read("common", text), "NPU1")

    assert (found["common.temperature_c"], found["common.mcu.temperature_c"]) == (46, 38)


def test_health_takes_its_card_from_the_command_and_joins_what_goes_on():
    text = (
        pairs(("Health Status", "Alarm"), ("Error Code", "A1 B2"), ("Error Information", "first"))
        + "\n\t                               : second\n\n\t                               : third\n"
    )

    reading = read("health", text, "4 -c 0")

    assert [(a.label, a.health) for a in of_type(reading, Accelerator)] == [("NPU4", "Alarm")]
    assert facts(reading, "NPU4")["health.error_information"] == "first; second; third"
    assert reading.problems == ()


def test_without_a_card_nothing_is_kept_and_that_is_said():
    reading = read("health", pairs(("Health Status", "OK")))

    assert reading.records == ()
    assert "not known" in reading.problems[0].message


@pytest.mark.parametrize(
    ("sentence", "status", "problems"),
    [
        ("This device does not support querying spod-info.", "unsupported", 0),
        ("This device dose not support querying spod-info.", "unsupported", 0),
        ("This command cannot be executed on a VM.", "unsupported", 0),
        ('Failed to query "spod-info" info.', "unreadable", 1),
        ("Invalid card id.\nError parameter of -i\nUsage: npu-smi info <watch|proc|-t type> ", "unreadable", 2),
    ],
)  # fmt: skip
def test_a_refusal_gives_the_question_its_status(sentence, status, problems):
    reading = read("spod-info", sentence + "\n", "6")

    assert [(r.subject, r.name, r.value, r.status) for r in reading.records] == [
        ("NPU6", "npu-smi.spod-info", None, status)
    ]
    assert len(reading.problems) == problems


def test_a_failed_health_check_is_a_value_and_no_refusal():
    assert read("health", pairs(("Health Status", "Check failed")), "0").records[0].health == "Check failed"


def test_a_line_without_a_colon_inside_is_reported_and_prose_behind_is_not():
    reading = read("board", BOARD.replace("\tBoard ID", "\tgarbage\n\tBoard ID") + "\nso much for that board\n")

    assert [problem.text for problem in reading.problems] == ["garbage"]


KEYS = st.from_regex(r"[A-Z][a-z]{1,9}( [A-Z][a-z]{1,9})?(\([%A-Z]\))?", fullmatch=True)


@given(st.integers(0, 999), st.dictionaries(KEYS, st.integers(0, 10**9), min_size=1, max_size=9), st.integers(20, 41))
def test_printed_pairs_are_read_back(npu, values, width):
    reading = read("memory", pairs(("NPU ID", npu), *values.items(), width=width))

    assert sorted(facts(reading, f"NPU{npu}").values()) == sorted(values.values())
    assert reading.problems == ()


@given(st.text() | st.text(alphabet="NPU ID:0123\tChip\n-"), st.sampled_from(["board", "usages", "health"]))
def test_no_text_makes_it_raise(text, kind):
    reading = read(kind, text, "1")

    assert reading.records or reading.problems
