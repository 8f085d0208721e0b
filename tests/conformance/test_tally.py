"""The table of facts, and the list of expectations that are not followed."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conformance.tally import KINDS, Tally, asked, exceptions
from tests.shared import CORPUS, cases, needs_shared


def test_facts_of_a_failed_test_are_marked_as_not_right() -> None:
    tally = Tally()
    tally.add("pci", "devices", 3, passed=True)
    tally.add("pci", "devices", 2, passed=False)

    head, row, total = tally.table()

    assert head.split()[-3:] == ["facts", "right", "exceptions"]
    assert row.split()[:5] == ["pci", "devices", "5", "3", "!"]
    assert total.split()[:3] == ["all", "5", "3"]


def test_without_the_corpus_there_is_no_table() -> None:
    assert Tally().table() == []


def test_each_kind_is_of_a_test_that_exists() -> None:
    files = Path(__file__).parent.glob("test_*.py")
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text()))]
    there = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}

    assert set(KINDS) <= there


@needs_shared
def test_facts_are_counted_as_the_expectation_lists_them() -> None:
    case = cases("nvidia")[0]

    assert asked("test_nvidia_cells_are_all_read", {"path": case / "nvidia-smi_topo_-m"}) is not None
    assert asked("test_every_device_is_read_once", {"file": case / "lspci"}) == ("nvidia", "devices", 1)
    assert asked("test_something_else", {"path": case}) is None
    assert asked("test_every_device_is_read_once", {"path": Path("/elsewhere")}) is None


@needs_shared
def test_each_exception_names_a_file_its_lines_and_a_kind_of_fact() -> None:
    kinds = {kind for kind, _ in KINDS.values()}
    for each in exceptions():
        file = CORPUS / each.case / each.file
        assert file.is_file(), each
        assert each.kind in kinds, each
        assert each.reason, each
        last = max(int(number) for span in each.lines.split(",") for number in span.split("-") if number)
        assert last <= len(file.read_text(errors="replace").splitlines()), each
