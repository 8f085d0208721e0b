"""The sources of ``nvidia-smi topo``: which command is which, and the permissions of ``-p2p``."""

from __future__ import annotations

import pytest

from toposcope.base import Capture, ProblemKind
from toposcope.collectors.nvidia_smi.topo import SOURCES
from toposcope.collectors.records import Matrix, PeerStatus, Reading

BY_KEY = {source.key: source for source in SOURCES}


def read(key: str, text: str) -> Reading:
    return BY_KEY[key].parse(Capture(key, "topo.txt", text))


def statuses(reading: Reading) -> dict[tuple[str, str], tuple[str, str]]:
    records = [record for record in reading.records if isinstance(record, PeerStatus)]
    return {(record.row, record.column): (record.capability, record.word) for record in records}


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("nvidia-smi topo -m", "nvidia-smi-topo-m"),
        ("nvidia-smi topo --matrix", "nvidia-smi-topo-m"),
        ("nvidia-smi topo -m.txt", "nvidia-smi-topo-m"),
        ("nvidia-smi topo -mp", "nvidia-smi-topo-mp"),
        ("nvidia-smi topo --matrix pci", "nvidia-smi-topo-mp"),
        ("nvidia-smi topo --matrix_pci", "nvidia-smi-topo-mp"),
        ("nvidia-smi topo -p2p r", "nvidia-smi-topo-p2p-r"),
        ("nvidia-smi topo -p2p rw", "nvidia-smi-topo-p2p-rw"),
        ("nvidia-smi topo -p2p w", "nvidia-smi-topo-p2p-w"),
        ("nvidia-smi topo -p2p n.txt", "nvidia-smi-topo-p2p-n"),
        ("nvidia-smi topo --p2pstatus p", "nvidia-smi-topo-p2p-p"),
        ("nvidia-smi topo -p2p a", "nvidia-smi-topo-p2p-a"),
    ],
)
def test_each_command_is_one_source(words: str, key: str) -> None:
    assert [source.key for source in SOURCES if source.named.match(words)] == [key]


@pytest.mark.parametrize("words", ["nvidia-smi topo -c 3", "nvidia-smi -m topo", "nvidia-smi topo", "nvidia-smi -q"])
def test_other_commands_are_none_of_these(words: str) -> None:
    assert [source.key for source in SOURCES if source.named.match(words)] == []


def test_every_source_says_what_it_gives_and_how_it_is_asked_for() -> None:
    assert len(BY_KEY) == len(SOURCES)
    for source in SOURCES:
        assert source.gives
        assert source.named.match(" ".join(source.command))


def test_a_matrix_over_pcie_alone_says_so() -> None:
    text = "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tPIX\t X \n"

    (alone,) = read("nvidia-smi-topo-mp", text).records
    (whole,) = read("nvidia-smi-topo-m", text).records

    assert isinstance(alone, Matrix)
    assert isinstance(whole, Matrix)
    assert (alone.pcie_only, whole.pcie_only) == (True, False)


@pytest.mark.parametrize("capability", ["r", "w", "n", "p", "a", "rw"])
def test_permissions_are_read_for_each_direction(capability: str) -> None:
    text = " \tGPU0\tGPU1\t\n GPU0\tX\tGNS\t\n GPU1\tGNS\tX\t\n\nLegend:\n\n  X    = Self\n  OK   = fine\n"

    reading = read(f"nvidia-smi-topo-p2p-{capability}", text)

    assert statuses(reading) == {("GPU0", "GPU1"): (capability, "GNS"), ("GPU1", "GPU0"): (capability, "GNS")}
    assert reading.problems == ()


def test_permissions_that_differ_by_direction_are_both_kept_and_named() -> None:
    reading = read("nvidia-smi-topo-p2p-r", " \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tCNS\tX\t\n")

    assert {word for _, word in statuses(reading).values()} == {"OK", "CNS"}
    assert [p.kind for p in reading.problems] == [ProblemKind.CLASH]


def test_a_damaged_permission_is_not_taken_from_the_other_direction() -> None:
    reading = read("nvidia-smi-topo-p2p-r", " \tGPU0\tGPU1\t\n GPU0\tX\tOQ\t\n GPU1\tOK\tX\t\n")

    assert statuses(reading) == {("GPU1", "GPU0"): ("r", "OK")}
    assert [(p.kind, p.text) for p in reading.problems] == [(ProblemKind.UNREAD, "OQ")]


def test_permissions_copied_without_tabs_are_read() -> None:
    text = "        GPU0 GPU1 GPU2\n   GPU0      X    OK   NS\n   GPU1      OK   X    U\n   GPU2      NS   U    X\n"

    assert len(statuses(read("nvidia-smi-topo-p2p-w", text))) == 6
