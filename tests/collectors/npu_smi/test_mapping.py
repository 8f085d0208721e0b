"""``npu-smi info -m`` and ``-l``: which chips there are, and which ids a live run asks about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.npu_smi.printers import capture, pairs
from toposcope.collectors.npu_smi.mapping import cards, parse_list, parse_map, second_chips
from toposcope.collectors.records import Accelerator, Setting

OLD = ("NPU ID", "Chip ID", "Chip Logic ID", "Chip Name")
A3 = ("NPU ID", "Chip ID", "Chip Logic ID", "Chip Phy-ID", "Chip Name")
NEWEST = ("NPU ID", "Slot ID", "Chip ID", "Chip Phy-ID", "Chip Name")


def table(columns, *rows, width=31, indent="\t"):
    lines = (columns, *(map(str, row) for row in rows))
    return "".join(indent + "".join(f"{cell:<{width}}" for cell in cells) + "\n" for cells in lines)


def labels(reading):
    return [record.label for record in reading.records if isinstance(record, Accelerator)]


def facts(reading, subject):
    return {r.name: r.value for r in reading.records if isinstance(r, Setting) and r.subject == subject}


def test_a_card_with_one_chip_is_named_by_its_npu_id():
    reading = parse_map(capture(table(OLD, (2, 0, 1, "Ascend 910X"))))

    assert labels(reading) == ["NPU2"]
    assert facts(reading, "NPU2") == {"npu.id": 2, "npu.chip": 0, "npu.logic_id": 1}
    assert reading.records[0].model == "Ascend 910X"
    assert reading.problems == ()


def test_an_a3_is_named_by_its_phy_id_and_its_controller_is_no_chip():
    reading = parse_map(
        capture(
            table(
                A3,
                (1, 0, 2, 2, "Ascend910"),
                (1, 1, 3, 3, "Ascend910"),
                (1, 2, "-", "-", "Mcu"),
                (1, 3, "-", "-", "3559"),
            )
        )
    )

    assert labels(reading) == ["Phy-ID2", "Phy-ID3"]
    assert facts(reading, "Phy-ID3") == {"npu.id": 1, "npu.chip": 1, "npu.logic_id": 3, "npu.phy_id": 3}
    assert reading.problems == ()


def test_a_950_has_a_phy_id_and_is_named_by_its_npu_id_all_the_same():
    reading = parse_map(capture(table(NEWEST, (4, 7, 0, 4, "950X"))))

    assert labels(reading) == ["NPU4"]
    assert facts(reading, "NPU4") == {"npu.id": 4, "npu.slot": 7, "npu.chip": 0, "npu.phy_id": 4}


def test_single_blanks_between_columns_are_enough():
    assert labels(parse_map(capture("NPU ID Chip ID Chip Logic ID Chip Name\n8 0 0 Ascend\n8 1 - Mcu\n"))) == ["NPU8"]


def test_a_row_that_is_none_is_reported():
    reading = parse_map(capture(table(OLD, (0, 0, 0, "Ascend 910X")) + "1\n" + table(("2", "0", "2", "Ascend"))))

    assert [problem.text for problem in reading.problems] == ["1"]


def test_a_host_without_cards_refuses():
    reading = parse_map(capture("There is no NPU card on this server.\n"))

    assert [(r.name, r.status) for r in reading.records] == [("npu-smi.map", "unreadable")]
    assert len(reading.problems) == 1


def test_the_list_counts_cards_and_chips():
    text = pairs(
        ("Total Count", 2), ("", ""), ("NPU ID", 0), ("Chip Count", 2), ("", ""), ("NPU ID", 1), ("Chip Count", 2)
    )

    reading = parse_list(capture(text))

    assert facts(reading, "host") == {"npu.count": 2}
    assert facts(reading, "NPU1") == {"npu.id": 1, "npu.chips": 2}
    assert reading.problems == ()


def test_what_else_a_list_says_of_a_card_is_a_fact_of_its_board():
    text = pairs(("Card Count", 1), ("NPU ID", 9), ("Serial Number", "SN-0"), ("Chip Count", 1))

    assert facts(parse_list(capture(text)), "NPU9") == {"npu.id": 9, "board.serial_number": "SN-0", "npu.chips": 1}


def test_a_live_run_asks_each_card_once_and_the_second_chip_where_there_is_one():
    reading = parse_map(capture(table(A3, (0, 0, 0, 0, "A"), (0, 1, 1, 1, "A"), (3, 0, 2, 2, "A"))))

    assert cards(reading.records) == ("0", "3")
    assert second_chips(reading.records) == ("0",)


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 3), st.integers(0, 99)), min_size=1, unique=True))
def test_a_printed_table_is_read_back(chips):
    reading = parse_map(capture(table(OLD, *((npu, chip, logic, "Ascend 910X") for npu, chip, logic in chips))))

    expected = [f"NPU{npu}.{chip}" if chip else f"NPU{npu}" for npu, chip, _ in chips]
    assert labels(reading) == expected
    assert reading.problems == ()


@given(st.text() | st.text(alphabet="NPU ID:0123\tChip\n-"))
def test_no_text_makes_them_raise(text):
    for parse in (parse_map, parse_list):
        reading = parse(capture(text))
        assert reading.records or reading.problems
