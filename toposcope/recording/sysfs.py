"""A /sys tree, copied or live, as text sources: one line an attribute, ``path<TAB>attribute<TAB>value``.

What is written, and under which path, is the collector's table (``collectors/sysfs/attributes.py``). Here is how a
tree is walked: links are followed by name inside the tree only, so the copy of a hostile archive leads nowhere.
A copy without ``bus/pci/devices`` gets its links from the devices' own folders.
"""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol

from toposcope.collectors.sysfs.attributes import SYSFS_ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toposcope.collectors.sysfs.attributes import SysfsPart

_ROOT = re.compile(r"(?:^|[/!])(?=sys/|proc/sys/)")
_PCI = re.compile(r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_FILES = frozenset(name.rpartition("/")[2] for part in SYSFS_ATTRIBUTES for name in (*part.files, *part.binary))
_PCI_BUS = "sys/bus/pci/devices"
_MAX_LINKS = 16


class Tree(Protocol):
    """A tree of files. Paths begin below its root, without a slash (``sys/bus/pci``); no path holds a link's name."""

    def names(self, path: str) -> Iterable[str] | None:
        """Return the names in a folder, None where it is none."""

    def link(self, path: str) -> str | None:
        """Return a link's target as written, None where the path is no link."""

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, None where there is none. PermissionError where it may not be read."""


def split(path: str) -> tuple[str, str]:
    """Split a path into the folder that the tree was copied to and the path in the tree: ``box/``, ``sys/bus/pci``."""
    match = _ROOT.search(path)
    return (path[: match.end()], path[match.end() :]) if match else ("", path)


def wanted(path: str) -> bool:
    """Tell whether a file of a tree may be one that the table asks for; its folder may still be another's."""
    return path.rpartition("/")[2] in _FILES


def texts(tree: Tree) -> dict[str, str]:
    """Write the text of each source that the tree gives."""
    lines: dict[str, list[str]] = {}
    for part in SYSFS_ATTRIBUTES:
        for folder in _folders(tree, part):
            lines.setdefault(part.source, []).extend(_lines(tree, part, folder))
    return {source: "\n".join(found) + "\n" for source, found in lines.items() if found}


class CopiedTree:
    """A tree whose files are in memory."""

    def __init__(self, files: dict[str, bytes], links: dict[str, str]) -> None:
        self._files = files
        self._links = links
        self._folders: dict[str, set[str]] = {}
        for path in (*files, *links):
            self._enter(path)
        if _PCI_BUS not in self._folders:
            self._make_bus()

    def names(self, path: str) -> Iterable[str] | None:
        """Return the names in a folder."""
        return self._folders.get(path)

    def link(self, path: str) -> str | None:
        """Return a link's target."""
        return self._links.get(path)

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes."""
        return self._files.get(path)

    def _enter(self, path: str) -> None:
        while path:
            folder, _, name = path.rpartition("/")
            known = self._folders.setdefault(folder, set())
            if name in known:
                return
            known.add(name)
            path = folder

    def _make_bus(self) -> None:
        found = [path for path in self._folders if path.startswith("sys/devices/") and _PCI.fullmatch(_last(path))]
        for path in found:
            link = f"{_PCI_BUS}/{_last(path)}"
            self._links[link] = "../../../" + path.removeprefix("sys/")
            self._enter(link)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def resolved(tree: Tree, path: str) -> str | None:
    """Return the path with all links in it followed by name; None where they lead out or in a circle."""
    done = ""
    pending = [part for part in reversed(path.split("/")) if part]
    for _ in range(_MAX_LINKS * 32):
        if not pending:
            return done
        part = pending.pop()
        if part == "..":
            if not done:
                return None
            done = posixpath.dirname(done)
            continue
        step = f"{done}/{part}" if done else part
        target = tree.link(step)
        if target is None:
            done = step
            continue
        if target.startswith("/"):
            done = ""
        pending += [piece for piece in reversed(target.split("/")) if piece not in ("", ".")]
    return None


def _folders(tree: Tree, part: SysfsPart) -> Iterator[str]:
    yield from _matching(tree, "", part.folders.split("/"))


def _matching(tree: Tree, folder: str, pattern: list[str]) -> Iterator[str]:
    if not pattern:
        yield folder
        return
    head, rest = pattern[0], pattern[1:]
    if "*" not in head:
        yield from _matching(tree, f"{folder}/{head}" if folder else head, rest)
        return
    real = resolved(tree, folder)
    for name in sorted((tree.names(real) if real is not None else None) or ()):
        if fnmatchcase(name, head):
            yield from _matching(tree, f"{folder}/{name}", rest)


def _lines(tree: Tree, part: SysfsPart, folder: str) -> Iterator[str]:
    real = resolved(tree, folder)
    if real is None:
        return
    if "*" in part.links and tree.names(real) == []:
        yield f"/{folder}\t!\tempty"
    for name in part.links:
        for path, target in _links(tree, folder, real, name):
            yield f"/{path}\t->\t{_flat(target)}"
    for name in (*part.files, *part.binary):
        yield from _values(tree, folder, real, name, binary=name in part.binary)


def _links(tree: Tree, folder: str, real: str, name: str) -> Iterator[tuple[str, str]]:
    if name == ".":
        parent = resolved(tree, posixpath.dirname(folder))
        target = tree.link(f"{parent}/{_last(folder)}")
        if target is not None:
            yield folder, target
        return
    names = sorted(tree.names(real) or ()) if "*" in name else (name,)
    for each in names:
        if fnmatchcase(each, name) and (target := tree.link(f"{real}/{each}")) is not None:
            yield f"{folder}/{each}", target


def _values(tree: Tree, folder: str, real: str, name: str, *, binary: bool) -> Iterator[str]:
    try:
        data = tree.read(f"{real}/{name}")
    except PermissionError:
        yield f"/{folder}/{name}\t!\tdenied"
        return
    if data is None:
        return
    if binary:
        yield f"/{folder}\t{name}\t{data.hex()}"
        return
    values = data.decode("utf-8", "replace").rstrip("\n\0 ").split("\n")
    for value in values:
        yield f"/{folder}\t{name}\t{_flat(value)}"


def _flat(value: str) -> str:
    return " ".join(value.split())
