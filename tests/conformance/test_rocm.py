"""The recorded tables of rocm-smi and amd-smi: every word, hop and NUMA node of the facts."""

from __future__ import annotations

import json

import pytest

from tests.shared import CORPUS, needs_shared
from toposcope.collectors.records import Accelerator, Matrix
from toposcope.recording import parse, read

pytestmark = needs_shared

FOLDER = CORPUS / "rocm"
TOOLS = ("rocm-smi --showtopo", "amd-smi topology")


def _cases():
    for path in sorted(FOLDER.glob("*/expect.json")) if FOLDER.is_dir() else []:
        facts = json.loads(path.read_text())
        if facts.get("tool") in TOOLS:
            yield pytest.param(path.parent / facts["input"], facts, id=path.parent.name)


@pytest.mark.parametrize(("path", "facts"), list(_cases()))
def test_every_fact_is_read(path, facts):
    (recording,) = read([path])
    records = parse(recording).records
    (matrix,) = (each for each in records if isinstance(each, Matrix))
    words = {(cell.row, cell.column): cell.word for cell in matrix.cells}
    hops = facts.get("hops")
    for row, types in enumerate(facts["link_type"]):
        for column, printed in enumerate(types):
            if row != column and printed is not None:
                tail = f"-{hops[row][column]}" if printed == "PCIE" and hops else ""
                assert words[(f"GPU{row}", f"GPU{column}")] == f"{printed}{tail}"
    accelerators = [each for each in records if isinstance(each, Accelerator)]
    assert [each.numa for each in accelerators] == (facts.get("numa_node") or [None] * facts["n"])
    if facts.get("pci_bus"):
        assert [each.pci for each in accelerators] == facts["pci_bus"]
