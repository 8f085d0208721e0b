"""``npu-smi info -t topo``: its labels, its words, and its refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.matrix_printer import Machine, ascend, cells_of
from toposcope.base import Capture, ProblemKind
from toposcope.collectors.npu_topo import TOPO
from toposcope.collectors.records import Matrix, Reading, Setting

WORDS = ("HCCS", "HCCS_SW", "SIO", "UB", "XLink", "XLink_SW", "SYS", "PHB", "PIX", "PXB", "NA")


def read(text: str) -> Reading:
    return TOPO.parse(Capture("npu-smi-topo", "topo.txt", text))


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    stem = draw(st.sampled_from(("NPU", "Phy-ID")))
    npus = tuple(f"{stem}{i}" for i in range(draw(st.integers(1, 16))))
    nics = tuple(f"NIC{i}" for i in range(draw(st.sampled_from((0, 4)))))
    labels = npus + nics
    pairs = [frozenset((a, b)) for at, a in enumerate(labels) for b in labels[at + 1 :]]
    words = {pair: draw(st.sampled_from(WORDS)) for pair in pairs}
    titles = draw(st.integers(0, 1))
    tails = {label: (f"{8 * at}-{8 * at + 7}",)[:titles] for at, label in enumerate(npus)}
    return Machine(npus, nics, words, tails, titles)


@given(machines())
def test_what_the_tool_prints_reads_back_whole(machine: Machine) -> None:
    reading = read(ascend(machine))

    (matrix,) = (record for record in reading.records if isinstance(record, Matrix))
    assert matrix.labels == machine.labels
    assert cells_of(reading) == {(a, b): machine.word(a, b) for a in machine.labels for b in machine.labels if a != b}
    cpus = {row.label: row.cpus for row in matrix.rows if row.label in machine.tails}
    assert cpus == {label: tail[0] if tail else None for label, tail in machine.tails.items()}
    assert [p for p in reading.problems if "legend" not in p.message] == []


@given(machines().filter(lambda machine: len(machine.labels) > 1))
def test_the_header_is_found_once_inside_a_longer_text(machine: Machine) -> None:
    assert TOPO.begins is not None
    text = f"[root@box ~]# npu-smi info -t topo\n{ascend(machine)}"

    assert [text.count("\n", 0, match.start()) for match in TOPO.begins.finditer(text)] == [1]


def test_names_of_nic_slots_are_read_and_empty_slots_are_no_fault() -> None:
    text = "\t   NPU0       NIC0        NIC1\nNPU0       X          UB         NA\n"
    text += (
        "NIC0       UB         X          NA\nNIC1       NA         NA         X\n\nNIC0: ens7f0\nNIC1: \n\nLegend:\n"
    )

    (matrix,) = (record for record in read(text).records if isinstance(record, Matrix))

    assert matrix.names == (("NIC0", "ens7f0"),)
    assert read(text).problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "This device does not support querying topo.\n",
        "This command cannot be executed on a VM.\n",
        "This command cannot be executed on a VM-based container.\nThis device does not support querying topo.\n",
    ],
)
def test_a_refusal_is_an_unsupported_setting_of_the_host(text: str) -> None:
    reading = read(text)

    (setting,) = reading.records
    assert isinstance(setting, Setting)
    assert (setting.subject, setting.name, setting.value) == ("host", "npu-smi.topo", None)
    assert (setting.status, setting.origin.line) == ("unsupported", 1)
    assert reading.problems == ()


def test_a_failed_query_is_unreadable_and_reported() -> None:
    reading = read('Failed to query "topo" info.\n')

    (setting,) = reading.records
    assert isinstance(setting, Setting)
    assert setting.status == "unreadable"
    assert [p.kind for p in reading.problems] == [ProblemKind.UNREAD]


def test_a_dead_link_shows_as_another_word_and_is_kept_as_printed() -> None:
    text = "\t   NPU0       NPU1\nNPU0       X          PHB\nNPU1       PHB        X\n"

    assert cells_of(read(text)) == {("NPU0", "NPU1"): "PHB", ("NPU1", "NPU0"): "PHB"}


@pytest.mark.parametrize("words", ["npu-smi info -t topo", "npu-smi info -t topo.txt", "npu-smi info -t  topo -i 0"])
def test_the_command_is_recognised(words: str) -> None:
    assert TOPO.named.match(words)


@given(st.text())
def test_no_text_raises(text: str) -> None:
    read(text)
