"""Plain ``nvidia-smi``."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.nvidia_smi import printers
from tests.collectors.nvidia_smi.printers import BOXES, Gpu, capture, gpus, table
from tests.collectors.nvidia_smi.wanted import MIB, cards, check_card, settings
from toposcope.base import ProblemKind
from toposcope.collectors.nvidia_smi.table import parse

FOUR = tuple(Gpu(index, address=f"00000000:{0x10 + index:02X}:00.0") for index in range(4))


def read(text, **options):
    return parse(capture(text, **options))


@pytest.mark.parametrize("era", BOXES)
@given(machine=gpus())
def test_what_is_printed_is_read(era, machine):
    box = BOXES[era]
    reading = read(table(machine, box))

    assert not reading.problems
    found = cards(reading)
    for gpu in machine:
        card = found[f"GPU{gpu.index}"]
        assert card.model == printers.short_name(gpu.name, box)
        if box.third_row:
            check_card(card, gpu)
        else:
            assert (card.mig_enabled, card.performance_state) == (None, f"P{gpu.state}")
        for number, mib in enumerate(gpu.migs):
            assert found[f"GPU{gpu.index}/{number}"].memory_bytes == mib * MIB
    assert len(found) == len(machine) + sum(len(gpu.migs) for gpu in machine)
    assert settings(reading, "host") == {"driver.nvidia": "550.1.2"} | ({"driver.cuda": "12.4"} if box.cuda else {})


def test_a_row_of_a_mig_device_tells_its_instances():
    reading = read(table([Gpu(0, migs=(100, 200))]))

    assert settings(reading, "GPU0/1") == {"mig.gpu_instance": 2, "mig.compute_instance": 0}


def test_records_name_the_line_of_their_first_row():
    text = table(FOUR)
    line = next(n for n, text_line in enumerate(text.split("\n"), 7) if text_line.startswith("|   2 "))

    assert cards(read(text, first_line=7))["GPU2"].origin.line == line


@pytest.mark.parametrize(
    "mangle",
    [
        lambda text: textwrap.indent(text, "    > "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("|", "\u2502"),
        lambda text: "\n".join(" ".join(line.split()) for line in text.split("\n")),
        lambda text: "\n".join(line.rstrip("| ") for line in text.split("\n")),
        lambda text: "user@host:~$ nvidia-smi\n" + text + "\nuser@host:~$ exit\n",
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "\n".join(line for line in text.split("\n") if not line.startswith(("+", "|-", "|="))),
    ],
    ids=["quoted", "crlf", "drawn", "squeezed", "open", "in a session", "double spaced", "without rules"],
)
def test_a_copy_that_lost_nothing_but_looks_is_read_whole(mangle):
    reading = read(mangle(table(FOUR)))

    assert not reading.problems
    for gpu in FOUR:
        check_card(cards(reading)[f"GPU{gpu.index}"], gpu)


@pytest.mark.parametrize("width", [50, 66, 72, 80, 88, 90])
def test_a_wrapped_table_is_joined_again_and_says_so(width):
    lines = [line[at : at + width] for line in table(FOUR).split("\n") for at in range(0, len(line) or 1, width)]

    for text in ("\n".join(lines), "\n".join(map(str.rstrip, lines))):
        reading = read(text)

        assert {problem.kind for problem in reading.problems} <= {ProblemKind.REPAIRED}
        assert any(problem.kind is ProblemKind.REPAIRED for problem in reading.problems) == (width < 89)
        for gpu in FOUR:
            check_card(cards(reading)[f"GPU{gpu.index}"], gpu)


def test_a_gpu_that_answers_badly_has_no_values_and_says_why():
    rows = [
        "|   3  ERR!                           On  |   00000000:13:00.0 Off |                 ERR! |",
        "|ERR!  ERR! ERR!             ERR! / ERR!  |       0MiB /  81000MiB |    ERR!      Default |",
        "|                                         |                        |                 ERR! |",
    ]
    lines = table(FOUR[:3], processes=False).rstrip("\n").split("\n")
    card = cards(read("\n".join([*lines, *rows, lines[-1]])))["GPU3"]

    assert (card.model, card.health, card.performance_state, card.utilisation) == (None, "ERR!", None, None)
    assert card.pci == "0000:13:00.0"


def test_a_board_that_shares_the_hosts_memory_has_none_of_its_own():
    rows = [
        "|   0  NVIDIA W10                     On  |   0000000F:01:00.0 Off |                  N/A |",
        "| N/A   40C    P8              4W /  N/A  | Not Supported          |      7%      Default |",
        "|                                         |                        |                  N/A |",
    ]
    lines = table((), processes=False).rstrip("\n").split("\n")
    reading = read("\n".join([*lines, *rows, printers.NEW.rule()]))
    card = cards(reading)["GPU0"]

    assert not reading.problems
    assert (card.memory_bytes, card.performance_state, card.utilisation) == (None, "P8", 7)


def test_a_row_that_cannot_be_read_is_reported_and_gives_its_values_to_nobody():
    text = table(FOUR).replace("00000000:12:00.0", "0000#000:12:0")
    reading = read(text)

    assert "GPU2" not in cards(reading)
    assert any("0000#000" in problem.text for problem in reading.problems)
    assert cards(reading)["GPU1"].mig_enabled is False


def test_a_table_cut_behind_a_first_row_is_reported():
    text = table(FOUR)
    cut = text[: text.index("\n", text.index("|   3 "))]

    assert [problem.message for problem in read(cut).problems] == ["the second row of this GPU is missing"]


def test_a_second_table_is_reported_and_not_mixed_in():
    reading = read(table(FOUR, processes=False) + table([Gpu(0, mib=5)], processes=False))

    assert cards(reading)["GPU0"].memory_bytes == FOUR[0].mib * MIB
    assert any("second table" in problem.message for problem in reading.problems)


def test_left_out_lines_are_reported():
    lines = table(FOUR).split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("|   1 "))
    reading = read("\n".join([*lines[:at], "...", *lines[at + 8 :]]))

    assert set(cards(reading)) == {"GPU0", "GPU3"}
    assert [problem.message.split(" before")[0] for problem in reading.problems] == [
        "lines were cut here",
        "GPU1 to GPU2 missing",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        "Failed to initialize NVML: Driver/library version mismatch",
        "No devices were found",
        "bash: nvidia-smi: command not found",
    ],
)
def test_a_sentence_in_place_of_the_table_is_a_problem_and_an_unreadable_driver(sentence):
    reading = read(sentence + "\n")

    assert [(r.name, r.status) for r in reading.records] == [("driver.nvidia", "unreadable")]
    assert sentence in reading.problems[0].text


def test_a_lost_gpu_is_kept_with_the_reason():
    reading = read("Unable to determine the device handle for GPU3: 0000:5F:00.0: Unknown Error\n" + table(FOUR[:3]))
    card = cards(reading)["GPU3"]

    assert (card.pci, card.health) == ("0000:5f:00.0", "Unknown Error")
    assert len(reading.problems) == 1


def test_text_without_a_table_is_reported():
    assert len(read("hello\nworld\n").problems) == 1


def test_an_endless_line_is_passed_over_and_reported():
    reading = read(table(FOUR).replace("|   1 ", "|" + "x" * 70000 + "   1 "))

    assert any("64 KiB" in problem.message for problem in reading.problems)
    assert {"GPU0", "GPU2", "GPU3"} <= set(cards(reading))


@given(st.text())
def test_no_text_makes_it_raise(text):
    read(text)
