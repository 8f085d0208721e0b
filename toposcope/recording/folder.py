"""A folder on disk: its files in sorted order. No link is followed out of it, no fifo or device is opened."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from toposcope.recording.entries import Entry, Interest, interest
from toposcope.recording.limits import MAX_ATTRIBUTE, MAX_DEPTH, Budget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toposcope.recording.recognise import Recogniser


def walk(root: Path, prefix: str, budget: Budget, recogniser: Recogniser) -> Iterator[Entry]:
    """Yield the files and links below a folder; ``prefix`` is put before each path."""
    pending = [("", 0)]
    while pending:
        inner, depth = pending.pop()
        folders = []
        for item in _listed(root / inner, inner, budget):
            budget.member()
            path = f"{inner}/{item.name}" if inner else item.name
            if item.is_symlink():
                yield Entry(path, prefix + path, link=_target(item))
            elif item.is_dir(follow_symlinks=False):
                folders.append((path, depth + 1))
            else:
                yield from _file(item, path, prefix, budget, recogniser)
        if depth >= MAX_DEPTH and folders:
            budget.unread(inner, f"not read: more than {MAX_DEPTH} folders deep")
            continue
        pending += reversed(folders)


def read_regular(path: str | Path, limit: int) -> tuple[bytes, bool]:
    """Read a regular file up to a limit without ever waiting; also tell whether it ended. OSError where it is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not a regular file")
        data = file.read(limit + 1)
    return data[:limit], len(data) <= limit


def _listed(folder: Path, inner: str, budget: Budget) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name)
    except OSError as error:
        budget.unread(inner or str(folder), f"folder cannot be read: {error.strerror}")
        return []


def _target(item: os.DirEntry[str]) -> str:
    try:
        return os.readlink(item.path)  # noqa: PTH115 - the target as written, not a Path
    except OSError:
        return ""


def _file(item: os.DirEntry[str], path: str, prefix: str, budget: Budget, recogniser: Recogniser) -> Iterator[Entry]:
    what = interest(prefix + path, recogniser)
    if what is Interest.NONE:
        return
    if not item.is_file(follow_symlinks=False):
        budget.unread(path, "not read: not a regular file")
        return
    stray = what is Interest.STRAY
    try:
        room = MAX_ATTRIBUTE if what is Interest.ATTRIBUTE else budget.room(stray=stray)
        data, ended = read_regular(item.path, room)
    except OSError as error:
        if what is not Interest.ATTRIBUTE:
            budget.unread(path, f"cannot be read: {error.strerror or error}")
        return
    if not ended and what is not Interest.ATTRIBUTE:
        budget.too_big(path, stray=stray)
        return
    budget.spend(len(data), stray=stray)
    yield Entry(path, prefix + path, data)
