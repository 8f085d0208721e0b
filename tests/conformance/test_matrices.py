"""Every recorded matrix of the shared corpus, against the cells, affinities and names that it is said to hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.tally import exceptions
from tests.shared import cases, needs_shared
from toposcope.base import Capture
from toposcope.collectors.npu_topo import TOPO
from toposcope.collectors.nvidia_smi.topo import SOURCES
from toposcope.collectors.records import Matrix, MatrixRow, PeerStatus, Setting

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.collectors.records import Reading
    from toposcope.collectors.source import Source

pytestmark = needs_shared

RELATIONS = next(source for source in SOURCES if source.key == "nvidia-smi-topo-m")
TAILS = (("cpu_affinity", "cpus"), ("numa_affinity", "numa"), ("gpu_numa_id", "gpu_numa"))

# What expect.json says and the file contradicts: (case, key, label) -> the value read.
EXCEPTIONS = {
    (each.case.partition("/")[2], each.key, label): each.read
    for each in exceptions()
    if each.read is not None
    for label in each.labels
}


def _files(folder: str) -> list[Any]:
    return [
        pytest.param(path, id=f"{path.parent.name[:3]}-{path.name.split('topo')[-1].strip('_-') or 'topo'}")
        for case in cases(folder)
        for path in sorted(case.glob("*topo*"))
    ]


def _expected(path: Path) -> dict[str, Any]:
    return json.loads((path.parent / "expect.json").read_text())  # type: ignore[no-any-return]


def _source(path: Path, sources: tuple[Source, ...]) -> Source:
    words = path.name.replace("_", " ")
    return next(source for source in sources if source.named.match(words))


def _read(path: Path, source: Source) -> Reading:
    return source.parse(Capture(source.key, path.name, path.read_bytes().decode()))


def _cells(reading: Reading) -> dict[tuple[str, str], str]:
    cells = {(cell.row, cell.column): cell.word for matrix in _matrices(reading) for cell in matrix.cells}
    return cells | {(r.row, r.column): r.word for r in reading.records if isinstance(r, PeerStatus)}


def _matrices(reading: Reading) -> list[Matrix]:
    return [record for record in reading.records if isinstance(record, Matrix)]


def _rows(reading: Reading) -> dict[str, MatrixRow]:
    return {row.label: row for matrix in _matrices(reading) for row in matrix.rows}


@pytest.mark.parametrize("path", _files("nvidia"))
def test_nvidia_cells_are_all_read(path: Path) -> None:
    source = _source(path, SOURCES)
    expected = _expected(path)
    cells = _cells(_read(path, source))
    pairs = expected["p2p"][source.key.rsplit("-", 1)[1]] if "p2p" in source.key else expected["matrix"]

    read = {pair: {cells.get((a, b)), cells.get((b, a))} - {None} for pair in pairs for a, b in [pair.split(",")]}

    assert read == {pair: {word} for pair, word in pairs.items()}


@pytest.mark.parametrize("path", [p for p in _files("nvidia") if "p2p" not in p.values[0].name])
def test_nvidia_affinities_and_names_are_all_read(path: Path) -> None:
    source = _source(path, SOURCES)
    expected = _expected(path)
    reading = _read(path, source)
    (matrix,) = _matrices(reading)
    rows, names = _rows(reading), dict(matrix.names)

    for key, field in TAILS:
        for label, value in expected[key].items():
            true = EXCEPTIONS.get((path.parent.name, key, label), value)
            assert (getattr(rows[label], field) or "") == true, (key, label)
    nics = [label for label in matrix.labels if not label.startswith("GPU")]
    assert [names.get(label, label) for label in nics] == expected["nics"]
    assert matrix.pcie_only is (source.key == "nvidia-smi-topo-mp")


@pytest.mark.parametrize("path", _files("nvidia"))
def test_nvidia_damage_is_reported_and_whole_copies_are_not(path: Path) -> None:
    expected = _expected(path)
    reading = _read(path, _source(path, SOURCES))

    assert expected["complete"] or reading.problems
    if expected["complete"] and path.parent.name[:3] not in {"032", "071"}:
        assert [p for p in reading.problems if "legend" not in p.message] == []


@pytest.mark.parametrize("path", [p for p in _files("nvidia") if p.values[0].name.endswith("_-m")])
def test_nvidia_matrices_are_found_by_content_once(path: Path) -> None:
    assert RELATIONS.begins is not None
    text = path.read_bytes().decode()

    assert len(list(RELATIONS.begins.finditer(text))) == 1


@pytest.mark.parametrize("path", [p for p in _files("nvidia") if "p2p" in p.values[0].name])
def test_nvidia_permissions_are_no_relations(path: Path) -> None:
    assert RELATIONS.begins is not None
    assert RELATIONS.begins.search(path.read_bytes().decode()) is None


@pytest.mark.parametrize("path", [p for p in _files("ascend") if "vm" not in p.values[0].name])
def test_ascend_matrices_are_read(path: Path) -> None:
    expected = _expected(path)
    reading = _read(path, _source(path, (TOPO,)))
    rows = _rows(reading)
    pairs = expected.get("matrix_isolated" if path.name.endswith("isolated") else "matrix") or {}

    cells = _cells(reading) | {(label, label): "X" for label in rows}

    for row, words in pairs.items():
        assert {column: cells.get((row, column)) for column in words} == words
    for label, value in (expected.get("cpu_affinity") or {}).items():
        assert rows[label].cpus == value
    for matrix in _matrices(reading):
        assert list(matrix.labels) == expected["labels"]
    assert TOPO.begins is not None
    assert len(list(TOPO.begins.finditer(path.read_bytes().decode()))) == 1


@pytest.mark.parametrize("path", [p for p in _files("ascend") if "vm" in p.values[0].name or "004" in p.id[:3]])
def test_ascend_refusals_are_settings_without_a_value(path: Path) -> None:
    reading = _read(path, TOPO)

    (setting,) = reading.records
    assert isinstance(setting, Setting)
    assert (setting.subject, setting.name, setting.status) == ("host", "npu-smi.topo", "unsupported")
    assert reading.problems == ()
