"""The notebooks run as they stand, and what they print is what was committed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def _printed(notebook: Any) -> list[str]:
    """Return what each cell prints, in one piece: how a kernel cuts its stream is chance."""
    return ["".join(output.get("text", "") for output in cell.get("outputs", ())) for cell in notebook.cells]


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {"a100_bottlenecks", "l40s_two_routes", "ascend_910b"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_was_committed(path: Path) -> None:
    committed = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)

    NotebookClient(fresh, timeout=300, kernel_name="python3").execute()

    assert _printed(fresh) == _printed(committed)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_a_picture(path: Path) -> None:
    outputs = [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", ())]

    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
