"""From paths to entries: each path opened by what it is, archives inside archives opened too."""

from __future__ import annotations

import io
import os
import stat
from typing import TYPE_CHECKING

from toposcope.base import InputError
from toposcope.recording.archive import MissingZstandardError, is_packed, members
from toposcope.recording.entries import Entry
from toposcope.recording.folder import walk
from toposcope.recording.limits import MAX_MEMBER, MAX_NESTING, MIB, Budget, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toposcope.recording.recognise import Recogniser

_HEAD = 512


def entries_of_path(path: Path, name: str, budget: Budget, recogniser: Recogniser) -> list[Entry]:
    """Read what stands at a path. InputError where there is nothing, or nothing that can be opened."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise InputError(
            f"{path}: {_reason(error)}. Give a folder, an archive or a file with recorded output."
        ) from error
    if stat.S_ISDIR(mode):
        found = _bounded(walk(path, f"{name}/", budget, recogniser), name, budget)
    elif stat.S_ISREG(mode):
        found = _file(path, name, budget, recogniser)
    else:
        raise InputError(f"{path}: not a folder or a regular file. Pipe the text in and give '-' instead.")
    return _opened(found, budget, recogniser, 1)


def entries_of_bytes(data: bytes, name: str, budget: Budget, recogniser: Recogniser) -> list[Entry]:
    """Read standard input: an archive or text."""
    if not is_packed(data[:_HEAD]):
        budget.spend(len(data), stray=True)
        return [Entry(name, name, data)]
    found = _bounded(members(io.BytesIO(data), name, f"{name}/", budget, recogniser), name, budget)
    return _opened(found, budget, recogniser, 1)


def _file(path: Path, name: str, budget: Budget, recogniser: Recogniser) -> list[Entry]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{path}: {_reason(error)}") from error
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        if is_packed(file.peek(_HEAD)[:_HEAD]):
            return _bounded(members(file, name, f"{name}/", budget, recogniser), name, budget)
        data = file.read(MAX_MEMBER + 1)
    if len(data) > MAX_MEMBER:
        raise InputError(f"{path}: more than {MAX_MEMBER // MIB} MiB. Cut out the part with the commands' output.")
    budget.spend(len(data), stray=True)
    return [Entry(name, name, data)]


def _bounded(entries: Iterator[Entry], name: str, budget: Budget) -> list[Entry]:
    """Take all entries up to the first limit; what was read before it counts."""
    found: list[Entry] = []
    try:
        for entry in entries:
            found.append(entry)  # noqa: PERF402 - what came before the limit stays
    except LimitError as error:
        budget.unread(name, str(error))
    except MissingZstandardError as error:
        raise InputError(f"{name}: {error}") from error
    return found


def _opened(entries: list[Entry], budget: Budget, recogniser: Recogniser, depth: int) -> list[Entry]:
    """Open the archives among the entries, as folders of the same name."""
    found: list[Entry] = []
    for entry in entries:
        if entry.link is not None or not is_packed(entry.data[:_HEAD]):
            found.append(entry)
        elif depth >= MAX_NESTING:
            budget.unread(entry.name, f"not read: archives more than {MAX_NESTING} deep")
        else:
            inside = members(io.BytesIO(entry.data), entry.name, f"{entry.path}/", budget, recogniser)
            found += _opened(_bounded(inside, entry.name, budget), budget, recogniser, depth + 1)
    return found


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
