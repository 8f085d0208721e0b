"""Where the shared corpus and facts lie, if they do: beside the checkout, or where TOPOSCOPE_SHARED says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TOPOSCOPE_SHARED", Path(__file__).parents[2] / "shared"))
CORPUS = SHARED / "corpus"
FACTS = SHARED / "facts"

needs_shared = pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus is not beside this checkout")


def cases(folder: str) -> list[Path]:
    """Return the case folders of one part of the corpus, empty where it is absent."""
    root = CORPUS / folder
    return sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
