"""Where reference machines and figures lie: the shipped folder, and the user's.

Both have the same shape: ``machines/*.toml`` and ``catalogue/*.toml``.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs


def shipped() -> Path:
    """Return the folder that came with the program: inside the wheel, or beside the package in a checkout."""
    packed = Path(__file__).parent / "data"
    return packed if packed.is_dir() else Path(__file__).parents[2] / "profiles"


def user_folder() -> Path:
    """Return the user's own folder, by the platform's custom. It need not exist."""
    return platformdirs.user_config_path("toposcope", appauthor=False)


def files(folder: Path, part: str) -> list[Path]:
    """Return the TOML files of one part (``machines``, ``catalogue``) in name order, none where it is absent."""
    return sorted((folder / part).glob("*.toml"))
