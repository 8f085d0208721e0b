"""Writes a recording: ``manifest.json`` first, then one text a capture, into a tar (gz, xz, bz2, zst) or a folder.

The form is told by the name's end; a name without one is a folder. An existing regular file is replaced, and only as
a whole: the archive is written beside it and takes its place when it is complete. Nothing else is overwritten.
"""

from __future__ import annotations

import io
import os
import re
import tarfile
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from toposcope.base import UsageError
from toposcope.recording.manifest import NAME, manifest_text
from toposcope.recording.recording import Command, Outcome, Recording
from toposcope.recording.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODES = {".tar": "w", ".gz": "w:gz", ".tgz": "w:gz", ".bz2": "w:bz2", ".xz": "w:xz", ".zst": "w"}
_UNWRITTEN = frozenset({".zip", ".7z", ".rar", ".txz", ".tbz", ".tbz2", ".txt", ".log", ".json"})
"""What a user who names a file so does not want as a folder's name."""
_UNSAFE = re.compile(r"[^\w.,=:@+~-]+")


def write(recording: Recording, path: Path, *, redact: bool = True) -> None:
    """Write a recording to a path: ``FILE.tar.gz``, ``.tar``, ``.tar.xz``, ``.tar.bz2``, ``.tar.zst``, or a folder.

    ``redact`` replaces names, addresses and serial numbers by stand-ins. UsageError where the path is taken by
    something that must not be overwritten, or cannot be written.
    """
    if path.suffix in _UNWRITTEN:
        raise UsageError(
            f"{path}: no {path.suffix} is written; take .tar.gz, .tar, .tar.xz, .tar.bz2, .tar.zst or a folder"
        )
    safe = redacted(recording) if redact else recording
    texts = files_of(safe)
    try:
        if path.suffix in _MODES:
            _write_archive(texts, path, _seconds(safe.time))
        else:
            _write_folder(texts, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def files_of(recording: Recording) -> dict[str, str]:
    """Return the files of a recording by name, the manifest first; each capture gets a file of its own."""
    names: dict[str, str] = {}
    renamed: list[Command] = []
    known = {(command.file, command.source): command for command in recording.commands}
    for capture in recording.captures:
        name = _free(_safe(capture.file), capture.source, names)
        names[name] = capture.text
        command = known.pop((capture.file, capture.source), None)
        if command is None:
            command = Command(capture.source, (), Outcome.DONE, argument=capture.argument)
        renamed.append(replace(command, file=name))
    manifest = replace(recording, commands=(*renamed, *known.values()))
    return {NAME: manifest_text(manifest), **names}


def _safe(file: str) -> str:
    parts = (_UNSAFE.sub("_", part).strip("_")[:120] for part in re.split(r"[/!]", file))
    return "/".join(part for part in parts if part not in ("", ".", ".."))


def _free(name: str, source: str, taken: dict[str, str]) -> str:
    """Return a name that no other file has, and that is no other file's folder."""
    folders = {other.rsplit("/", n)[0] for other in taken for n in range(1, other.count("/") + 1)}
    base = name if name and name not in (*folders, NAME) and not _below_file(name, taken) else source
    unique, number = base, 2
    while unique in taken:
        unique, number = f"{base}~{number}", number + 1
    return unique


def _below_file(name: str, taken: dict[str, str]) -> bool:
    return any(name.rsplit("/", n)[0] in taken for n in range(1, name.count("/") + 1))


def _seconds(time: str | None) -> int:
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, int(datetime.fromisoformat(time or "").timestamp()))
    return 0


def _write_archive(texts: dict[str, str], path: Path, seconds: int) -> None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(f"{path}: not a regular file, not overwritten. Give another name.")
    with _replacing(path) as file, _packed(file, path) as out, _opened(out, path) as tar:
        for name, text in texts.items():
            data = text.encode("utf-8", "replace")
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(data), seconds, 0o644
            tar.addfile(member, io.BytesIO(data))


def _opened(out: IO[bytes], path: Path) -> tarfile.TarFile:
    mode = _MODES[path.suffix]
    return tarfile.open(fileobj=out, mode=mode, format=tarfile.PAX_FORMAT)  # type: ignore[call-overload, no-any-return]  # a mode out of a table


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file beside the path that takes its place at the end, or vanishes with an error."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            yield cast("IO[bytes]", file)
            file.flush()
            mask = os.umask(0)
            os.umask(mask)
            Path(file.name).chmod(0o666 & ~mask)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


@contextmanager
def _packed(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    if path.suffix != ".zst":
        yield file
        return
    try:
        import zstandard  # noqa: PLC0415 - optional, and only this kind of archive needs it
    except ImportError as error:
        message = f"{path}: zstd needs a package that is not installed: pip install 'toposcope[zstd]', or write .tar.gz"
        raise UsageError(message) from error
    with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as out:
        yield cast("IO[bytes]", out)


def _write_folder(texts: dict[str, str], path: Path) -> None:
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path}: there already. Give a new folder, or a file name that ends in .tar.gz.")
    for name, text in texts.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
