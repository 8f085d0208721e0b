"""The shared reader of relation matrices: what tools print, what copies do to it, and what nobody can read."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.collectors.matrix_printer import Machine, as_named, cells_of, host, nvidia, unreported, wrong
from toposcope.base import Capture, ProblemKind
from toposcope.collectors.nvidia_smi.topo import SOURCES, relations
from toposcope.collectors.records import Matrix, MatrixRow, Reading

RELATIONS = next(source for source in SOURCES if source.key == "nvidia-smi-topo-m")

machines = st.builds(
    host,
    gpus=st.integers(1, 16),
    nics=st.sampled_from((0, 1, 2, 3, 8, 10, 18, 36)),
    titles=st.integers(0, 3),
    seed=st.integers(0, 9999),
    plain=st.booleans(),
    stem=st.sampled_from(("NIC", "mlx5_", "rocep4s0f")),
)
sized = st.builds(
    host, gpus=st.integers(2, 9), nics=st.integers(0, 6), titles=st.integers(0, 3), seed=st.integers(0, 999)
)


def read(text: str) -> Reading:
    return relations(Capture("nvidia-smi-topo-m", "topo.txt", text))


def matrix_of(reading: Reading) -> Matrix:
    (matrix,) = (record for record in reading.records if isinstance(record, Matrix))
    return matrix


def rows_of(reading: Reading) -> dict[str, MatrixRow]:
    return {row.label: row for row in matrix_of(reading).rows}


def lines_with(text: str, label: str) -> int:
    return next(at for at, line in enumerate(text.split("\n")) if line.startswith(label) and at)


def told(reading: Reading, kind: ProblemKind) -> list[str]:
    return [problem.message for problem in reading.problems if problem.kind is kind]


def check_whole(machine: Machine, reading: Reading) -> None:
    matrix = matrix_of(reading)
    assert matrix.labels == machine.labels
    assert wrong(machine, reading) == []
    assert len(cells_of(reading)) == len(machine.labels) ** 2 - len(machine.labels)
    rows = rows_of(reading)
    for label, (*values,) in machine.tails.items():
        row = rows[label]
        assert [value for value in (row.cpus, row.numa, row.gpu_numa) if value is not None] == list(values)


@given(machine=machines, ansi=st.booleans(), tabs=st.booleans(), legend=st.booleans(), strip=st.booleans())
def test_what_the_driver_prints_reads_back_whole(
    machine: Machine, *, ansi: bool, tabs: bool, legend: bool, strip: bool
) -> None:
    reading = read(nvidia(machine, ansi=ansi, tabs=tabs, legend=legend, strip=strip))

    check_whole(machine, reading)
    if legend or not machine.names:
        assert reading.problems == ()
        assert matrix_of(reading).names == tuple(zip(machine.nics, machine.names, strict=False))


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def indented(text: str) -> str:
    return "\n".join(f"      {line}" for line in text.split("\n"))


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def stamped(text: str) -> str:
    return "\n".join(f"2031-02-03T04:05:06.789Z {line}" for line in text.split("\n"))


def ranked(text: str) -> str:
    return "\n".join(f"17: {line}" for line in text.split("\n"))


def spaced(text: str) -> str:
    return "\n".join(re.sub(r"[ \t]+", " ", line).rstrip() for line in text.split("\n"))


def stripped(text: str) -> str:
    return text.strip()


def dense(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


def prompted(text: str) -> str:
    return f"root@box:~# nvidia-smi topo -m\n{text}root@box:~# \nThe second pair is slow, why?\n"


def piped(text: str) -> str:
    made = []
    for at, line in enumerate(text.split("\n")):
        fields = [field.strip() for field in line.replace("\t\t", "\t").split("\t")] if "\t" in line else []
        made.append("| " + " | ".join(fields) + " |" if fields else line)
        if at == 0:
            made.append("|" + "---|" * len(fields))
    return "\n".join(made)


@pytest.mark.parametrize("damage", [crlf, indented, quoted, stamped, ranked, spaced, stripped, dense, prompted])
@given(machine=machines, tabs=st.booleans())
@settings(max_examples=40)
def test_harmless_changes_of_a_copy_lose_nothing(damage: object, machine: Machine, *, tabs: bool) -> None:
    assert callable(damage)
    reading = read(damage(nvidia(machine, tabs=tabs)))

    check_whole(machine, reading)
    assert reading.problems == ()


@given(machine=sized.filter(lambda machine: machine.titles < 3))
def test_a_markdown_table_reads_by_its_fields(machine: Machine) -> None:
    check_whole(machine, read(piped(nvidia(machine))))


@given(machines, st.integers(0, 10_000))
def test_tabs_and_blanks_may_be_mixed(machine: Machine, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - any mixture will do
    text = "".join(draw.choice(("\t", "        ", " \t")) if char == "\t" else char for char in nvidia(machine))

    check_whole(machine, read(text))


@given(
    machine=machines.filter(lambda machine: len(machine.labels) > 2),
    width=st.sampled_from((80, 100, 120, 160)),
    strip=st.booleans(),
)
def test_lines_wrapped_by_a_terminal_are_joined(machine: Machine, width: int, *, strip: bool) -> None:
    text = nvidia(machine, tabs=False, legend=False)
    pieces = [line[at : at + width] for line in text.split("\n") for at in range(0, len(line) or 1, width)]

    reading = read("\n".join(piece.rstrip() if strip else piece for piece in pieces))

    assert wrong(machine, reading) == []
    assert len(cells_of(reading)) == len(machine.labels) ** 2 - len(machine.labels)


@given(machines, st.sampled_from((80, 100, 120, 160)))
@example(host(9, 1, 0, stem="rocep4s0f"), 80)
def test_cells_glued_at_a_terminals_edge_are_parted(machine: Machine, width: int) -> None:
    lines = nvidia(machine, tabs=False, legend=False).split("\n")
    glued = [line[:width].rstrip() + line[width:].lstrip() if len(line) > width else line for line in lines]

    reading = read("\n".join(glued))

    assert wrong(machine, reading) == []
    assert len(cells_of(reading)) == len(machine.labels) ** 2 - len(machine.labels)


@given(sized)
def test_a_missing_header_follows_from_the_rows_and_is_reported(machine: Machine) -> None:
    reading = read(nvidia(machine).split("\n", 1)[1])

    check_whole(machine, reading)
    assert any("no header" in message for message in told(reading, ProblemKind.REPAIRED))


def test_columns_that_nothing_names_are_reported() -> None:
    machine = host(4, 2, 1, seed=3)
    rows = [line for line in nvidia(machine, legend=False).split("\n") if line.startswith(("GPU0", "GPU1"))]

    reading = read("\n".join(rows))

    assert wrong(machine, reading) == []
    assert any("no label for column" in message for message in told(reading, ProblemKind.UNREAD))


def test_a_device_without_a_row_is_reported() -> None:
    machine = host(3, 1, 1, seed=1)
    text = nvidia(machine).split("\n")
    del text[2]

    reading = read("\n".join(text))

    assert matrix_of(reading).labels == machine.labels
    assert "no row for GPU1" in told(reading, ProblemKind.UNREAD)


def test_a_row_without_cells_is_reported() -> None:
    reading = read("\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\n")

    assert told(reading, ProblemKind.UNREAD) == ["row GPU1 has no cells"]
    assert cells_of(reading) == {("GPU0", "GPU1"): "PIX"}


def test_a_row_cut_short_is_reported_with_the_cells_that_it_lost() -> None:
    reading = read("\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\t X \tPIX\tNV1")

    assert cells_of(reading) == {("GPU0", "GPU1"): "PIX"}, "NV1 may be the beginning of NV18"
    assert "row GPU0 ends early: no cells for GPU2, GPU3" in told(reading, ProblemKind.UNREAD)


def test_a_header_without_any_row_is_no_matrix() -> None:
    reading = read("\tGPU0\tGPU1\tCPU Affinity\n\nLegend:\n")

    assert reading.records == ()
    assert told(reading, ProblemKind.UNREAD) == ["a header of devices without any row"]


def test_a_text_without_a_matrix_is_reported() -> None:
    assert told(read("No devices were found\n"), ProblemKind.UNREAD) == ["no matrix in this text"]


def test_a_cell_written_over_is_read_from_its_mirror() -> None:
    machine = host(2, 1, 2, seed=2)
    text = nvidia(machine)
    word = machine.word("GPU0", "NIC0")
    assert f"{word}\t0-31" in text

    reading = read(text.replace(f"{word}\t0-31", f"{word[:2]}0-31", 1))

    check_whole(machine, reading)
    (problem,) = (p for p in reading.problems if p.kind is ProblemKind.REPAIRED)
    assert problem.text == word[:2]


def test_a_damaged_cell_without_a_mirror_is_left_out_and_reported() -> None:
    reading = read("\tGPU0\tGPU1\nGPU0\t X \tPIQ\n")

    assert cells_of(reading) == {}
    assert ("GPU0 to GPU1 is no word of this matrix", "PIQ") in [(p.message, p.text) for p in reading.problems]


def test_two_words_for_one_pair_clash_and_both_lines_are_named() -> None:
    reading = read("\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tPHB\t X \n")

    (clash,) = reading.problems
    assert clash.kind is ProblemKind.CLASH
    assert clash.other is not None
    assert {clash.origin.line, clash.other.line} == {2, 3}


@given(sized.filter(lambda machine: len(machine.labels) > 2), st.data())
def test_a_lost_word_leaves_each_cell_right_or_reported(machine: Machine, data: st.DataObject) -> None:
    lines = nvidia(machine, legend=False).split("\n")
    at = data.draw(st.integers(1, len(machine.labels)))
    fields = lines[at].split("\t")
    del fields[data.draw(st.integers(1, len(machine.labels)))]
    lines[at] = "\t".join(fields)

    reading = read("\n".join(lines))

    assert wrong(machine, reading) == []
    assert unreported(machine, reading) == []
    assert reading.problems


def test_an_erased_column_is_filled_from_mirrors_where_the_words_stand_in_place() -> None:
    machine = host(8, 2, 2, seed=8)
    lines = nvidia(machine, tabs=False, legend=False).split("\n")
    lines = [line[:24] + " " * 8 + line[32:] if at and line else line for at, line in enumerate(lines)]

    reading = read("\n".join(lines))

    assert wrong(machine, reading) == []
    assert unreported(machine, reading) == []
    missing = {pair for pair in ((a, b) for a in machine.labels for b in machine.labels) if pair[0] != pair[1]}
    assert missing == set(cells_of(reading)), "the row of the erased column still holds its words"


def test_a_damaged_row_label_is_told_by_the_x() -> None:
    machine = host(4, 0, 2, seed=4)

    reading = read(nvidia(machine).replace("\nGPU2\t", "\nGU2\t"))

    check_whole(machine, reading)
    assert told(reading, ProblemKind.REPAIRED) == ["this row is of GPU2: its X says so"]


@pytest.mark.parametrize("label", ["GU2", "GPU", "PU2", ""])
def test_a_damaged_header_label_is_told_by_its_row(label: str) -> None:
    machine = host(4, 2, 2, seed=4)

    reading = read(nvidia(machine).replace("\tGPU2", f"\t{label}", 1))

    check_whole(machine, reading)
    assert any("GPU2" in message for message in told(reading, ProblemKind.REPAIRED))


def test_lines_between_rows_are_reported_and_lines_behind_them_are_not() -> None:
    reading = read("\tGPU0\tGPU1\nGPU0\t X \tPIX\n# the old card\nGPU1\tPIX\t X \n\nthat is all\n")

    (problem,) = reading.problems
    assert (problem.origin.line, problem.text) == (3, "# the old card")


def test_a_repeated_row_is_read_once() -> None:
    text = "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU0\t X \tPHB\nGPU1\tPIX\t X \n"

    reading = read(text)

    assert cells_of(reading) == {("GPU0", "GPU1"): "PIX", ("GPU1", "GPU0"): "PIX"}
    assert told(reading, ProblemKind.CLASH) == ["another row of GPU0: not read"]


def test_two_matrices_in_one_text_are_two_records() -> None:
    text = nvidia(host(2, 0, 1, seed=1)) + nvidia(host(4, 2, 3, seed=2))

    assert [len(record.labels) for record in read(text).records if isinstance(record, Matrix)] == [2, 6]


def test_words_that_only_the_legend_explains_are_read() -> None:
    text = "\tGPU0\tGPU1\nGPU0\t X \tQQ4\nGPU1\tQQ4\t X \n\nLegend:\n\n  X    = Self\n  QQ#  = a link of tomorrow\n"

    assert cells_of(read(text)) == {("GPU0", "GPU1"): "QQ4", ("GPU1", "GPU0"): "QQ4"}


# Affinities


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("0-3\t0\t\tN/A", ("0-3", "0", "N/A")),
        ("\t\t\tN/A", (None, None, "N/A")),
        ("\t0\t\tN/A", (None, "0", "N/A")),
        ("0-3\t\t\tN/A", ("0-3", None, "N/A")),
        ("0-3\t0-1\t\t4", ("0-3", "0-1", "4")),
        ("\t\t\t", (None, None, None)),
    ],
)
@pytest.mark.parametrize("tabs", [True, False])
def test_blank_affinities_are_told_by_where_the_others_stand(
    values: str, expected: tuple[str | None, ...], *, tabs: bool
) -> None:
    head = "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"
    text = f"{head}\nGPU0\t X \t{values}\n"

    reading = read(text if tabs else text.expandtabs(8))

    row = rows_of(reading)["GPU0"]
    assert (row.cpus, row.numa, row.gpu_numa) == expected
    assert reading.problems == ()


def test_a_lost_tab_before_the_numa_column_is_put_back_where_other_rows_prove_it() -> None:
    text = nvidia(host(4, 0, 3, seed=1)).replace("0-31,64-95\t0", "0-31,64-950")

    reading = read(text)

    row = rows_of(reading)["GPU0"]
    assert (row.cpus, row.numa, row.gpu_numa) == ("0-31,64-95", "0", "N/A")
    assert {p.text for p in reading.problems if p.kind is ProblemKind.REPAIRED} == {"0-31,64-950 N/A"}


def test_a_lost_tab_that_nothing_proves_is_reported() -> None:
    reading = read("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t0-470\t\tN/A\n")

    row = rows_of(reading)["GPU0"]
    assert (row.cpus, row.numa) == (None, None)
    assert [p.text for p in reading.problems] == ["0-470 N/A"]


def test_a_cpu_list_that_lost_its_beginning_is_read_from_a_row_of_the_same_node() -> None:
    machine = host(4, 0, 3, seed=1)

    reading = read(nvidia(machine).replace("0-31,64-95", "-31,64-95", 1))

    check_whole(machine, reading)
    assert told(reading, ProblemKind.REPAIRED) == ["row GPU0: CPUs read from a row of the same NUMA node"]


def test_cpus_that_two_nodes_claim_clash() -> None:
    text = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t0-31\t0\nGPU1\tSYS\t X \t16-63\t1\n"

    assert [p.kind for p in read(text).problems] == [ProblemKind.CLASH]


# Any text


def mutated(text: str, draw: random.Random) -> str:
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    kind = draw.randrange(6)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    elif kind == 2:
        lines[at] = lines[at][: draw.randrange(len(lines[at]) + 1)]
    elif kind == 3:
        lines[at] = lines[at][draw.randrange(len(lines[at]) + 1) :]
    else:
        for _ in range(draw.randrange(1, 4)):
            place = draw.randrange(len(text))
            text = text[:place] + text[place + 1 :]
        return text
    return "\n".join(lines)


@given(machine=machines, seed=st.integers(0, 10_000), tabs=st.booleans(), strip=st.booleans())
@settings(max_examples=400)
@example(machine=host(1, 2, 1, stem="mlx5_"), seed=5123, tabs=True, strip=False)
def test_no_mutation_changes_a_cell_in_silence(machine: Machine, seed: int, *, tabs: bool, strip: bool) -> None:
    text = mutated(nvidia(machine, tabs=tabs, strip=strip), random.Random(seed))  # noqa: S311 - any damage will do

    reading = read(text)

    assert reading.problems or wrong(as_named(machine, text), reading) == []
    expected = len(machine.labels) ** 2 - len(machine.labels)
    assert reading.problems or len(cells_of(reading)) == expected


@given(st.text())
def test_no_text_raises(text: str) -> None:
    read(text)


@given(
    st.lists(
        st.sampled_from(
            (
                "GPU0",
                "GPU1",
                "NIC0",
                "X",
                "NV18",
                "PIX",
                "0-3",
                "N/A",
                "|",
                "\t",
                " ",
                "\n",
                "Legend:",
                "NIC0: a",
                "CPU Affinity",
            )
        )
    )
)
def test_no_heap_of_words_raises(words: list[str]) -> None:
    read(" ".join(words))
    read("".join(words))


def test_a_line_too_long_to_be_of_a_matrix_is_reported() -> None:
    assert "a line too long to be of a matrix" in told(read("GPU0 " * 20_000), ProblemKind.UNREAD)


# Recognition


@given(
    machine=machines,
    ansi=st.booleans(),
    tabs=st.booleans(),
    damage=st.sampled_from((str, crlf, indented, quoted, stamped, ranked)),
)
def test_the_header_is_found_once_inside_a_longer_text(
    machine: Machine, damage: object, *, ansi: bool, tabs: bool
) -> None:
    assert RELATIONS.begins is not None
    assert callable(damage)
    text = "Hello, my host is slow.\n" + damage(nvidia(machine, ansi=ansi, tabs=tabs))

    found = [text.count("\n", 0, match.start()) for match in RELATIONS.begins.finditer(text)]

    assert found == [1] or (len(machine.labels) == 1 and machine.titles == 0)


@pytest.mark.parametrize(
    "text",
    [
        "GPU0 and GPU1 are slower than GPU2",
        "GPU0 GPU1 are both in slot 3",
        "GPU0: NVIDIA Something (UUID: GPU-0)",
        "for g in GPU0 GPU1; do",
        "GPU0",
        "NV18 between GPU0 GPU1",
        "\tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n",
    ],
)
def test_other_lines_are_no_header(text: str) -> None:
    assert RELATIONS.begins is not None
    assert RELATIONS.begins.search(text) is None
