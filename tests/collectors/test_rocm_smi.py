"""The tables of pairs of rocm-smi and amd-smi: printed, read back; lost titles, torn rows, refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope import load
from toposcope.base import Capture
from toposcope.collectors.records import Accelerator, Matrix, PeerStatus
from toposcope.collectors.rocm_smi import COLLECTOR, parse
from toposcope.model import Medium


def table(labels, rows, title):
    width = 7 if len(labels[0]) < 7 else 13
    head = " " * width + "".join(f"{label:13}" for label in labels)
    body = [
        f"{label:{width}}" + "".join(f"{cell:<13}" for cell in row) for label, row in zip(labels, rows, strict=True)
    ]
    return "\n".join([title, head, *body, "", ""])


def showtopo(types, hops, numa=()):
    labels = [f"GPU{index}" for index in range(len(types))]
    text = f"{' ROCm System Management Interface ':=^80}\n"
    text += table(labels, [[int(a != b) * 40 for b in labels] for a in labels], f"{' Weight between two GPUs ':=^80}")
    text += table(labels, hops, f"{' Hops between two GPUs ':=^80}")
    text += table(labels, types, f"{' Link Type between two GPUs ':=^80}")
    text += f"{' Numa Nodes ':=^80}\n"
    for index, node in enumerate(numa):
        text += f"GPU[{index}]\t\t: (Topology) Numa Node: {node}\nGPU[{index}]\t\t: (Topology) Numa Affinity: {node}\n"
    return text + f"{' End of ROCm SMI Log ':=^80}\n"


def topology(addresses, types, hops, access="ENABLED"):
    cells = {"ACCESS": access, "WEIGHT": 40, "HOPS": None, "LINK TYPE": None, "NUMA BW": "N/A"}
    text = ""
    for name, cell in cells.items():
        rows = {"HOPS": hops, "LINK TYPE": types}.get(name, [[cell] * len(addresses)] * len(addresses))
        text += table(addresses, rows, f"{name} TABLE:").rstrip("\n") + "\n"
    return text + "\nLegend:\n  SELF = Current GPU\n  <BW from>-<BW to>\n"


def read(text):
    reading = parse(Capture("rocm-smi-showtopo", "some.txt", text))
    return reading.records, reading.problems


def words(records):
    (matrix,) = (each for each in records if isinstance(each, Matrix))
    return {(cell.row, cell.column): cell.word for cell in matrix.cells}


pairs = st.integers(1, 8).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from(["XGMI", "PCIE"]), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(pairs, st.data())
def test_the_tables_come_back_as_printed(types, data):
    count = len(types)
    hops = [[data.draw(st.integers(2, 3)) if word == "PCIE" else 1 for word in row] for row in types]
    nodes = [data.draw(st.integers(0, 7)) for _ in range(count)]
    shown = [[0 if a == b else types[a][b] for b in range(count)] for a in range(count)]
    records, problems = read(showtopo(shown, hops, nodes))
    assert problems == ()
    assert [(each.label, each.numa) for each in records if isinstance(each, Accelerator)] == [
        (f"GPU{index}", node) for index, node in enumerate(nodes)
    ]
    if count > 1:
        assert words(records) == {
            (f"GPU{a}", f"GPU{b}"): "X" if a == b else "XGMI" if shown[a][b] == "XGMI" else f"PCIE-{hops[a][b]}"
            for a in range(count)
            for b in range(count)
        }


def test_addresses_are_counted_and_kept():
    addresses = ["0000:0c:00.0", "0000:22:00.0"]
    text = topology(addresses, [["SELF", "XGMI"], ["XGMI", "SELF"]], [[0, 1], [1, 0]])
    records, problems = read(text)
    assert problems == ()
    assert [(each.label, each.pci) for each in records if isinstance(each, Accelerator)] == [
        ("GPU0", "0000:0c:00.0"),
        ("GPU1", "0000:22:00.0"),
    ]
    assert words(records)[("GPU0", "GPU1")] == "XGMI"


@pytest.mark.parametrize(("printed", "word"), [("ENABLED", "OK"), ("DISABLED", "NS")])
def test_access_tells_whether_peers_may(printed, word):
    records, _ = read(topology(["0000:0c:00.0", "0000:22:00.0"], [["SELF", "PCIE"]] * 2, [[0, 2]] * 2, printed))
    assert {each.word for each in records if isinstance(each, PeerStatus)} == {word}


def test_a_lost_title_is_told_by_the_cells():
    text = showtopo([[0, "XGMI"], ["XGMI", 0]], [[0, 1], [1, 0]])
    lost = "\n".join(line for line in text.split("\n") if "Link Type" not in line)
    assert words(read(lost)[0])[("GPU0", "GPU1")] == "XGMI"


def test_torn_rows_and_refusals_are_told():
    text = showtopo([[0, "XGMI"], ["XGMI", 0]], [[0, 1], [1, 0]])
    torn = text.replace("GPU1   XGMI         0            ", "GPU1   XGMI")
    torn = torn.replace("GPU0   0            40", "ERROR: GPU[0]   : Cannot read Link Weight\nGPU0   0            40")
    records, problems = read(torn)
    assert sorted(problem.message for problem in problems) == [
        "a row with 1 cells below 2 labels",
        "the tool could not read this",
    ]
    assert words(records) == {("GPU0", "GPU0"): "X", ("GPU0", "GPU1"): "XGMI"}


@given(st.text(max_size=300), st.integers(0, 400))
def test_any_text_within_is_read_without_an_error(noise, at):
    text = showtopo([[0, "XGMI"], ["XGMI", 0]], [[0, 1], [1, 0]], [0, 1])
    read(text[:at] + noise + text[at:])


def test_both_tools_are_recognised_by_their_tables():
    rocm, amd = COLLECTOR.sources
    text = showtopo([[0]], [[0]])
    assert rocm.begins.search(text)
    assert not amd.begins.search(text)
    assert amd.begins.search(topology(["0000:0c:00.0"], [["SELF"]], [[0]]))


def test_a_cell_that_is_no_word_costs_itself_alone():
    text = showtopo([[0, "XG\u202eMI", "PCIE"], ["XGMI", 0, "XGMI"], ["PCIE", "XGMI", 0]], [[2] * 3] * 3)
    records, problems = read(text)
    assert [problem.message for problem in problems] == ["a row with a cell that is no word of this table"]
    assert ("GPU0", "GPU1") not in words(records)
    assert words(records)[("GPU0", "GPU2")] == "PCIE-2"


@pytest.mark.parametrize("prompt", ["", "admin@node7:~$ rocm-smi --showtopo\n"])
def test_a_pasted_output_is_read_whatever_its_file_is_called(tmp_path, prompt):
    path = tmp_path / "pasted.txt"
    path.write_text(prompt + showtopo([[0, "XGMI"], ["XGMI", 0]], [[0, 1], [1, 0]]))
    assert Medium.XGMI in {each.medium for each in load(path).links()}


def test_a_table_that_is_cut_says_which_rows_it_lacks():
    text = showtopo([[0 if a == b else "XGMI" for b in range(4)] for a in range(4)], [[0, 1, 1, 1]] * 4)
    cut = text[: text.index("GPU2   XGMI", text.index("Link Type"))]
    _, problems = read(cut)
    assert [problem.message for problem in problems] == ["a table without rows of GPU2, GPU3"]
