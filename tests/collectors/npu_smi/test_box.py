"""``npu-smi info``: boxes of every product, whole, cut and pasted."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.npu_smi.printers import Chip, Style, box, capture, rows, rule
from toposcope.base import ProblemKind
from toposcope.collectors.npu_smi.box import parse
from toposcope.collectors.records import Accelerator, Reading, Setting

ONE = Chip(3, 0, 3, "910B9", "OK", "0000:AB:00.0", 65536, 12)
DUO = Style(first=31, second="Device", hbm=False)
A3 = Style(second="Phy-ID", last=70)


def accelerators(reading: Reading) -> list[Accelerator]:
    return [record for record in reading.records if isinstance(record, Accelerator)]


def facts(reading: Reading, name: str) -> dict[str, object]:
    return {r.subject: r.value for r in reading.records if isinstance(r, Setting) and r.name == name}


def test_a_910b_is_read_with_all_that_its_two_rows_say():
    reading = parse(capture(box([ONE], Style()), first_line=10))

    (found,) = accelerators(reading)
    assert (found.label, found.model, found.pci, found.health) == ("NPU3", "910B9", "0000:ab:00.0", "OK")
    assert (found.memory_bytes, found.utilisation) == (64 << 30, 12)
    assert found.origin.line == 16
    assert reading.problems == ()


def test_the_versions_of_tool_and_driver_are_facts_of_the_host():
    reading = parse(capture(box([ONE], Style(), version="31.2.rc9")))

    assert facts(reading, "npu-smi.version") == {"host": "31.2.rc9"}
    assert facts(reading, "driver.ascend") == {"host": "31.2.rc9"}


def test_the_dies_of_an_a3_are_named_by_their_phy_id():
    dies = [Chip(4, die, 8 + die, "Ascend910", "OK", f"0000:9{die}:00.0", 65536, 0) for die in (0, 1)]

    reading = parse(capture(box(dies, A3)))

    assert [found.label for found in accelerators(reading)] == ["Phy-ID8", "Phy-ID9"]
    assert facts(reading, "npu.id") == {"Phy-ID8": 4, "Phy-ID9": 4}
    assert facts(reading, "npu.chip") == {"Phy-ID8": 0, "Phy-ID9": 1}


def test_the_second_chip_of_a_card_without_phy_ids_is_told_from_the_first():
    chips = [Chip(5, place, place, "310P9", "OK", "0000:07:00.0", 44280, 0) for place in (0, 1)]

    reading = parse(capture(box(chips, DUO)))

    assert [(found.label, found.pci) for found in accelerators(reading)] == [
        ("NPU5", "0000:07:00.0"),
        ("NPU5.1", "0000:07:00.0"),
    ]
    assert facts(reading, "npu.logic_id") == {"NPU5": 0, "NPU5.1": 1}


def test_a_chip_without_hbm_shows_its_other_memory():
    reading = parse(capture(box([Chip(0, 0, 0, "310P9", "OK", "0000:07:00.0", 1000, 0)], DUO)))

    assert accelerators(reading)[0].memory_bytes == 1000 << 20


def test_the_950_has_its_name_in_a_cell_of_its_own_and_no_chip():
    text = (
        "| npu-smi 40.1        Version: 40.1 |\n"
        "| NPU ID | Name | Health | Power(W) Temp(C) Hugepages-Usage(page) |\n"
        "|        |      | Bus-Id | NPU Util(%) Memory-Usage(MB) HBM-Usage(MB) |\n"
        "+========+======+========+=====+\n"
        "| 6      | 950X | Alarm  | 200.1 55 0 / 0 |\n"
        "|        |      | 0000:E1:00.0 | 7 0 / 0 4439 / 86016 |\n"
    )

    reading = parse(capture(text))

    (found,) = accelerators(reading)
    assert (found.label, found.model, found.health, found.pci) == ("NPU6", "950X", "Alarm", "0000:e1:00.0")
    assert (found.utilisation, found.memory_bytes) == (7, 86016 << 20)
    assert reading.problems == ()


def test_processes_are_no_accelerators():
    reading = parse(capture(box([ONE], Style(), processes=True)))

    assert len(accelerators(reading)) == 1
    assert reading.problems == ()


def test_a_blank_bus_id_leaves_the_address_unknown():
    reading = parse(capture(box([Chip(1, 0, 0, "310P9", "OK", "NA", 1000, 0)], DUO)))

    assert [(found.label, found.pci) for found in accelerators(reading)] == [("NPU1", None)]


def test_a_row_cut_short_keeps_its_address_and_is_reported():
    text = box([ONE], Style())
    _, second = rows(ONE, Style())
    cut = text[: text.index(second) + second.index("65536") + 3]

    reading = parse(capture(cut))

    (found,) = accelerators(reading)
    assert (found.label, found.pci, found.memory_bytes) == ("NPU3", "0000:ab:00.0", None)
    assert [problem.message for problem in reading.problems] == ["the row ends early"]


def test_an_npu_without_its_second_row_keeps_the_first_and_is_reported():
    first, _ = rows(ONE, Style())
    text = box([], Style()) + first + "\n" + rule(Style())

    reading = parse(capture(text))

    assert [(found.label, found.health, found.pci) for found in accelerators(reading)] == [("NPU3", "OK", None)]
    assert [problem.message for problem in reading.problems] == ["NPU 3 has no second row"]


def test_an_a3_without_its_second_row_has_no_name_and_no_record():
    first, _ = rows(ONE, A3)

    reading = parse(capture(box([], A3) + first + "\n"))

    assert accelerators(reading) == []
    assert len(reading.problems) == 1


def test_a_second_row_alone_belongs_to_nobody():
    _, second = rows(ONE, Style())

    reading = parse(capture(box([], Style()) + second + "\n"))

    assert accelerators(reading) == []
    assert "without its first" in reading.problems[0].message


@pytest.mark.parametrize("mark", ["...", "......", "…"])
def test_lines_that_an_author_left_out_are_reported(mark):
    text = (
        box([ONE], Style()) + mark + "\n" + "\n".join(rows(Chip(7, 0, 7, "910B9", "OK", "0000:42:00.0", 1, 0), Style()))
    )

    reading = parse(capture(text))

    assert [found.label for found in accelerators(reading)] == ["NPU3", "NPU7"]
    assert [problem.message for problem in reading.problems] == ["lines were left out here"]


def test_a_prompt_or_prose_behind_the_box_is_not_its_problem():
    reading = parse(capture(box([ONE], Style()) + "\nAs one sees, all is well.\n[me@there ~]# exit\n"))

    assert len(accelerators(reading)) == 1
    assert reading.problems == ()


def test_words_inside_the_box_are_reported():
    first, second = rows(ONE, Style())
    text = box([], Style()) + first + "\nnpu driver hiccup\n" + second + "\n"

    reading = parse(capture(text))

    assert [problem.text for problem in reading.problems] == ["npu driver hiccup"]
    assert len(accelerators(reading)) == 1


@pytest.mark.parametrize(
    "sentence",
    ["dcmi module initialize failed. ret is -8005", "bash: npu-smi: command not found", "Failed to get card number."],
)
def test_a_refusal_makes_the_fact_unreadable_and_is_reported(sentence):
    reading = parse(capture(sentence + "\n"))

    assert [(r.subject, r.name, r.status) for r in reading.records if isinstance(r, Setting)] == [
        ("host", "npu-smi.info", "unreadable")
    ]
    assert [problem.text for problem in reading.problems] == [sentence]


def test_a_driver_that_is_not_whole_is_a_fact():
    warning = "[WARNING]The driver package may not be completely installed, which may cause trouble."

    reading = parse(capture(box([ONE], Style()) + warning + "\n"))

    assert facts(reading, "driver.ascend_complete") == {"host": False}
    assert reading.problems == ()


def test_an_empty_text_has_no_table():
    assert [problem.message for problem in parse(capture("")).problems] == ["no table of npu-smi"]


def test_a_monstrous_line_is_passed_over_with_a_problem():
    reading = parse(capture(box([ONE], Style()) + "|" * 70_000 + "\n"))

    assert len(accelerators(reading)) == 1
    assert [problem.kind for problem in reading.problems] == [ProblemKind.UNREAD]


CHIPS = st.builds(
    Chip,
    npu=st.integers(0, 4095),
    chip=st.just(0),
    physical=st.integers(0, 63),
    model=st.from_regex(r"[0-9]{3}[A-Z][0-9]?|Ascend910", fullmatch=True),
    health=st.sampled_from(["OK", "Warning", "Alarm", "Critical", "UNKNOWN"]),
    bus=st.from_regex(r"[0-9A-F]{4}:[0-9A-F]{2}:[01][0-9A-F]\.[0-7]", fullmatch=True),
    memory_mb=st.integers(1, 200_000),
    busy=st.integers(0, 100),
)
STYLES = st.builds(
    Style,
    first=st.integers(20, 40),
    last=st.integers(45, 90),
    second=st.sampled_from(["", "Phy-ID", "Device"]),
    hbm=st.booleans(),
)


@given(st.lists(CHIPS, min_size=1, max_size=16, unique_by=lambda chip: chip.npu), STYLES, st.booleans(), st.booleans())
def test_what_is_printed_is_read_back(chips, style, processes, windows):
    text = box(chips, style, processes=processes)

    reading = parse(capture(text.replace("\n", "\r\n") if windows else text))

    read = [(a.model, a.health, a.memory_bytes, a.utilisation) for a in accelerators(reading)]
    assert read == [(c.model, c.health, c.memory_mb << 20, c.busy) for c in chips]
    assert [a.pci for a in accelerators(reading)] == [c.bus.lower() for c in chips]
    named = "Phy-ID{0.physical}" if style.second == "Phy-ID" else "NPU{0.npu}"
    assert [a.label for a in accelerators(reading)] == [named.format(c) for c in chips]
    assert reading.problems == ()


@given(st.text() | st.text(alphabet="|+-= \n0:.NPUBus-Id/") | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_no_text_makes_it_raise(text):
    reading = parse(capture(text))

    assert reading.records or reading.problems


@given(st.integers(0, 10_000), st.lists(CHIPS, min_size=1, max_size=8, unique_by=lambda chip: chip.npu), STYLES)
def test_no_damage_makes_it_raise_or_invents_an_npu(seed, chips, style):
    chance = random.Random(seed)  # noqa: S311 - damage, no secret
    lines = box(chips, style).splitlines()
    for _ in range(4):
        place = chance.randrange(len(lines))
        damage = chance.choice(["drop", "twice", "cut", "swap"])
        if damage == "drop":
            del lines[place]
        elif damage == "twice":
            lines.insert(place, lines[place])
        elif damage == "cut":
            lines[place] = lines[place][: chance.randrange(len(lines[place]) + 1)]
        else:
            chance.shuffle(lines[place : place + 2])
        if not lines:
            break

    reading = parse(capture("\n".join(lines)))

    npus = {f"NPU{chip.npu}" for chip in chips} | {f"Phy-ID{chip.physical}" for chip in chips}
    assert {found.label for found in accelerators(reading)} <= npus
