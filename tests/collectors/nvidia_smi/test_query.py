"""``nvidia-smi --query-gpu``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.nvidia_smi.printers import QUERY_FIELDS, Gpu, capture, gpus, query
from tests.collectors.nvidia_smi.wanted import MIB, cards, check_card, settings
from toposcope.collectors.nvidia_smi.query import parse
from toposcope.collectors.records import Setting

TWO = (Gpu(0), Gpu(1, address="00000001:5E:00.0", uuid="GPU-1111"))


def read(text, **options):
    return parse(capture(text, **options))


@given(machine=gpus(), units=st.booleans(), header=st.booleans())
def test_what_is_printed_is_read(machine, units, header):
    reading = read(query(machine, units=units, header=header), argument=QUERY_FIELDS)

    assert not reading.problems
    for gpu in machine:
        card = cards(reading)[f"GPU{gpu.index}"]
        check_card(card, gpu)
        assert (card.model, card.uuid, card.pcie_generation) == (gpu.name, gpu.uuid, gpu.generation[0])
    assert settings(reading, "host") == {"driver.nvidia": "550.1.2"}


def test_the_fields_of_a_file_name_may_have_lost_their_underscores():
    name = "nvidia-smi_--query-gpu=index,pci.bus_id,driver_version_--format=csv,noheader"
    reading = read("0, 00000000:3B:00.0, 550.1.2\n", file=name)
    blanks = read("0, 00000000:3B:00.0, 550.1.2\n", argument="index,pci.bus id,driver version")

    for told in (reading, blanks):
        assert cards(told)["GPU0"].pci == "0000:3b:00.0"
        assert settings(told, "host") == {"driver.nvidia": "550.1.2"}


def test_without_header_or_command_columns_are_told_by_their_values_and_the_rest_is_reported():
    reading = read("0, NVIDIA Y10, 00000000:3B:00.0, GPU-1, P8, 17\n1, NVIDIA Y10, 00000000:5E:00.0, GPU-2, P0, 13\n")
    card = cards(reading)["GPU1"]

    assert (card.model, card.pci, card.uuid, card.performance_state) == ("NVIDIA Y10", "0000:5e:00.0", "GPU-2", "P0")
    assert [problem.message for problem in reading.problems] == [
        "1 columns without a header: what they hold is not known"
    ]


def test_any_other_field_is_kept_under_its_own_name():
    reading = read("index, power.limit [W], fabric.state, vbios_version\n0, 700.00 W, Completed, 90.00.1.02\n")

    assert settings(reading, "GPU0") == {
        "power.limit": "700.00 W",
        "fabric.state": "Completed",
        "vbios_version": "90.00.1.02",
    }


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("[N/A]", "unsupported"),
        ("[Not Supported]", "unsupported"),
        ("N/A", "unsupported"),
        ("[Unknown Error]", "unreadable"),
        ("[GPU is lost]", "unreadable"),
        ("[Insufficient Permissions]", "unreadable"),
    ],
)
def test_an_answer_that_is_none_keeps_its_reason(word, status):
    reading = read(f"index, pcie.link.gen.current, power.limit [W]\n0, {word}, {word}\n")

    kept = [record for record in reading.records if isinstance(record, Setting)]
    assert [(s.name, s.value, s.status) for s in kept] == [
        ("pcie_generation", None, status),
        ("power.limit", None, status),
    ]


def test_the_mask_of_clocks_is_read_as_its_reasons():
    lines = (
        "index, clocks_throttle_reasons.active\n0, 0x000000000000000C\n1, 0x0000000000000000\n2, 0x0000000000000401\n"
    )
    reading = read(lines)

    assert settings(reading, "GPU0")["clocks.active_reasons"] == "sw_power_cap,hw_slowdown"
    assert settings(reading, "GPU1")["clocks.active_reasons"] == "none"
    assert settings(reading, "GPU2")["clocks.active_reasons"] == "gpu_idle,0x400"


def test_a_row_without_index_is_named_by_its_address_and_one_without_any_by_its_place():
    assert set(cards(read("name, pci.bus_id\nNVIDIA Y10, 00000000:3B:00.0\n"))) == {"0000:3b:00.0"}
    assert set(cards(read("name, memory.total [MiB]\nNVIDIA Y10, 10 MiB\nNVIDIA Y10, 10 MiB\n"))) == {"GPU0", "GPU1"}


def test_a_row_cut_short_is_read_as_far_as_it_goes_and_reported():
    text = query(TWO).rstrip("\n")
    reading = read(text[: text.index("GPU-1111") + 8])

    assert (cards(reading)["GPU1"].uuid, cards(reading)["GPU1"].pci) == ("GPU-1111", None)
    assert [problem.message for problem in reading.problems] == ["a row of this query was cut short"]


def test_a_line_between_rows_is_reported_and_one_behind_them_is_not():
    rows = query(TWO).split("\n")
    inside = read("\n".join([*rows[:2], "something else", *rows[2:]]))
    behind = read("\n".join([*rows, "user@host:~$ exit"]))

    assert [problem.text for problem in inside.problems] == ["something else"]
    assert not behind.problems
    assert set(cards(inside)) == set(cards(behind)) == {"GPU0", "GPU1"}


def test_a_header_that_comes_again_in_a_loop_is_no_row():
    assert not read(query(TWO) + query(TWO)).problems


def test_columns_aligned_with_blanks_are_read():
    reading = read("index  name             memory.total [MiB]\n0      NVIDIA Y10 A10  80 MiB\n")

    assert not reading.problems
    assert (cards(reading)["GPU0"].model, cards(reading)["GPU0"].memory_bytes) == ("NVIDIA Y10 A10", 80 * MIB)


def test_a_column_of_unknown_name_is_kept_and_reported():
    reading = read("index, memory.total [MiB], ower.limit [W]\n0, 10 MiB, 300.00 W\n")

    assert settings(reading, "GPU0") == {"ower.limit": "300.00 W"}
    assert [problem.message for problem in reading.problems] == ["columns of unknown meaning: ower.limit"]


def test_text_that_is_no_query_is_reported():
    assert len(read("hello, world\n").problems) == 1
