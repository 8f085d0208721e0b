"""How long it takes to parse, assemble and analyse one recording in-process; figures, no limits.

``pytest tests/test_benchmarks.py -p no:xdist`` prints them; in a run over several processes each is tried once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.printing import MACHINES, lspci_vvv, machine, topo_m
from tests.shared import CORPUS, needs_shared
from toposcope.analysis import analyze
from toposcope.assembly import Lookup, assemble
from toposcope.profiles.store import load_catalogue, undecided
from toposcope.recording import parse, read

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.analysis import Analysis


def whole(path: Path) -> Any:
    """Return the work on one recording, nothing kept between runs; reading files and figures is left out."""
    (recording,) = read([path])
    catalogue, machines = load_catalogue(), [undecided(each) for each in MACHINES.values()]

    def work() -> Analysis:
        return analyze(assemble(parse(recording), Lookup(catalogue), machines))

    return work


@pytest.mark.parametrize("name", ["dgx-h100", "a800-8"])
def test_a_printed_matrix(benchmark: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / "nvidia-smi_topo_-m"
    path.write_text(topo_m(machine(name)))

    assert benchmark(whole(path)).pairs


def test_a_printed_pcie_tree(benchmark: Any, tmp_path: Path) -> None:
    path = tmp_path / "lspci_-vvv"
    path.write_text(lspci_vvv(machine("dgx-h100"))[0])

    assert benchmark(whole(path)).pairs


@needs_shared
@pytest.mark.parametrize(
    "case", ["nvidia/001-h200x8-10nic-ansi/nvidia-smi_topo_-m", "pci/001-dell-xe9680-8xh100-pex890xx/lspci_-vvv"]
)
def test_a_real_recording(benchmark: Any, case: str) -> None:
    assert benchmark(whole(CORPUS / case)).pairs
