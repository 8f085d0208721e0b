"""How the files of a recording are called: an output after its command, a file that was read after its path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

NVML = "nvml"
LONGEST = 200
_UNSAFE = re.compile(r"[^\w.,=:@+~-]+")


def file_name(words: Sequence[str], longest: int = LONGEST) -> str:
    """Name an output after its command: ``nvidia-smi_topo_-m``; a file that was read keeps its path."""
    if tuple(words) == (NVML,):
        return "nvml.json"
    if words[0] == "cat" and len(words) == 2:  # noqa: PLR2004 - the tool and one path
        return "/".join(_UNSAFE.sub("_", part) for part in words[1].split("/") if part not in ("", ".", ".."))
    return _UNSAFE.sub("_", " ".join(words)).strip("_")[:longest]


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name, numbered where another file has it."""
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name}~{number}", number + 1
    return unique
