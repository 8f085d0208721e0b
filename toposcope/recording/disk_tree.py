"""The /sys of a running kernel, or of a root that was mounted or copied somewhere, as a tree to be written down."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from toposcope.recording.folder import read_regular
from toposcope.recording.limits import MAX_ATTRIBUTE, MAX_MEMBERS

if TYPE_CHECKING:
    from pathlib import Path


class DiskTree:
    """A tree on disk. Links are told, never followed: paths come resolved, so nothing outside the root is read."""

    def __init__(self, root: Path) -> None:
        self._root = str(root).rstrip("/")
        self._links: dict[str, str | None] = {}

    def names(self, path: str) -> list[str] | None:
        """Return the names in a folder, None where it is none or cannot be listed."""
        try:
            return os.listdir(f"{self._root}/{path}")[:MAX_MEMBERS]  # noqa: PTH208 - a name is wanted, not a Path
        except OSError:
            return None

    def link(self, path: str) -> str | None:
        """Return a link's target. The kernel's tree is asked for the same folders over and over."""
        if path not in self._links:
            try:
                self._links[path] = os.readlink(f"{self._root}/{path}")  # noqa: PTH115 - the target as written
            except OSError:
                self._links[path] = None
        return self._links[path]

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes. Many attributes answer with an error (a rate of a port that is down): no value."""
        try:
            return read_regular(f"{self._root}/{path}", MAX_ATTRIBUTE)[0]
        except PermissionError:
            raise
        except OSError:
            return None
