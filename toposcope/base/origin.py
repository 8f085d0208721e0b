"""Where a statement was read: source, file and line. Every record, link and fact carries one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """A place in the evidence.

    ``source`` is the key of the source (``nvidia-smi-topo-m``), or ``profile`` or ``catalogue`` for figures that
    no tool showed. ``file`` is the file's name inside the recording, ``archive!member`` for a file in an archive,
    or the name of the profile. ``line`` counts from 1; 0 speaks of the whole file.
    """

    source: str
    file: str
    line: int = 0

    def __str__(self) -> str:
        if self.source in ("profile", "catalogue"):
            return f"{self.source}:{self.file}"
        return f"{self.file}:{self.line}" if self.line else self.file
