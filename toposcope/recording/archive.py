"""Archives, read without writing a byte: tar (plain, gz, bz2, xz, zst) and zip, and a single file that is packed.

A tar is read as a stream, so an archive on standard input needs no file. Unpacked bytes are counted as they come:
a compression bomb ends at the limit. Names that lead out of the archive are refused; links stay names.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from toposcope.recording.entries import Entry, Interest, interest, normal
from toposcope.recording.limits import MAX_ATTRIBUTE, MAX_MEMBER, MAX_UNPACKED, MIB, Budget, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toposcope.recording.recognise import Recogniser

DAMAGED = (
    EOFError, OSError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, ValueError, LookupError,
    ArithmeticError, NotImplementedError, RuntimeError, struct.error,
)  # fmt: skip
"""What reading a broken archive raises. LimitError and MissingZstandardError are none of these."""
_BLOCK = 512
_XZ_MEMORY = 256 * MIB


@dataclass(frozen=True, slots=True)
class _Intake:
    """Where members come from and go to: the archive's name, what stands before each path, limits, recognition."""

    name: str
    prefix: str
    budget: Budget
    recogniser: Recogniser


class MissingZstandardError(Exception):
    """The input is packed with zstd, and the optional package is not installed."""


def _zstd(raw: BinaryIO) -> BinaryIO:
    try:
        import zstandard  # noqa: PLC0415 - optional, and only this kind of archive needs it
    except ImportError as error:
        raise MissingZstandardError("packed with zstd: pip install 'toposcope[zstd]'") from error
    reader = zstandard.ZstdDecompressor(max_window_size=_XZ_MEMORY).stream_reader(raw, read_across_frames=True)
    return cast("BinaryIO", _Mended(reader, zstandard.ZstdError))


def _gzip(raw: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=raw))


def _bz2(raw: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", bz2.BZ2File(raw))


def _xz(raw: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", lzma.LZMAFile(raw))


_PACKED: tuple[tuple[bytes, Callable[[BinaryIO], BinaryIO]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"BZh", _bz2),
    (b"\xfd7zXZ\x00", _xz),
    (b"\x28\xb5\x2f\xfd", _zstd),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")


class _Mended(io.RawIOBase):
    """A reader whose own kind of error becomes an OSError."""

    def __init__(self, inner: IO[bytes], kind: type[Exception]) -> None:
        self._inner = inner
        self._kind = kind

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # typeshed wants Buffer
        try:
            data = self._inner.read(len(buffer))
        except self._kind as error:
            raise OSError(str(error)) from error
        buffer[: len(data)] = data
        return len(data)


class _Counted(io.RawIOBase):
    """A reader that stops at a number of bytes."""

    def __init__(self, inner: IO[bytes], limit: int) -> None:
        self._inner = inner
        self._left = limit
        self._limit = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # typeshed wants Buffer
        data = self._inner.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise LimitError(f"unpacks to more than {self._limit // MIB} MiB: the rest is not read")
        buffer[: len(data)] = data
        return len(data)


def is_packed(head: bytes) -> bool:
    """Tell by its first bytes (512 at least, where there are as many) whether a file is an archive or compressed."""
    return head.startswith(_ZIP) or any(head.startswith(magic) for magic, _ in _PACKED) or _is_tar(head)


def members(raw: BinaryIO, name: str, prefix: str, budget: Budget, recogniser: Recogniser) -> Iterator[Entry]:
    """Yield the files and links of an archive, or the one file that is packed.

    What is damaged ends with a problem after all that could be read. ``name`` is the archive's, ``prefix`` stands
    before each path.
    """
    stream = cast("io.BufferedReader", raw if hasattr(raw, "peek") else io.BufferedReader(cast("io.RawIOBase", raw)))
    intake = _Intake(name, prefix, budget, recogniser)
    try:
        head = _peek(stream)
        if head.startswith(_ZIP):
            yield from _zip(stream, intake)
            return
        opener = next((opener for magic, opener in _PACKED if head.startswith(magic)), None)
        if opener is None:
            yield from _tar(stream, intake)
            return
        plain = cast("io.BufferedReader", io.BufferedReader(_Counted(opener(stream), MAX_UNPACKED)))
        if _is_tar(_peek(plain)):
            yield from _tar(plain, intake)
        else:
            yield from _single(plain, intake)
    except DAMAGED as error:
        budget.unread(name, f"damaged archive, read up to here: {str(error) or type(error).__name__}")


def _peek(stream: io.BufferedReader) -> bytes:
    return stream.peek(_BLOCK)[:_BLOCK]


def _is_tar(head: bytes) -> bool:
    if len(head) < _BLOCK or not any(head):
        return False
    try:
        tarfile.TarInfo.frombuf(head[:_BLOCK], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _single(plain: IO[bytes], intake: _Intake) -> Iterator[Entry]:
    room = intake.budget.room(stray=True)
    data = plain.read(room + 1)
    if len(data) > room:
        intake.budget.too_big(intake.name, stray=True)
        return
    intake.budget.spend(len(data), stray=True)
    yield Entry(intake.name, intake.prefix.rstrip("/"), data)


def _tar(stream: IO[bytes], intake: _Intake) -> Iterator[Entry]:
    with tarfile.open(fileobj=stream, mode="r|", errorlevel=0, encoding="utf-8", errors="surrogateescape") as tar:
        for member in tar:
            intake.budget.member()
            tar.members = []  # type: ignore[attr-defined]  # keeps the stream's memory flat: no member is asked for again
            path = normal(_shown(member.name))
            if path is None:
                if not member.isdir():
                    intake.budget.unread(
                        f"{intake.name}!{_shown(member.name)}", "refused: the name leads out of the archive"
                    )
                continue
            shown = f"{intake.name}!{path}"
            if member.issym():
                yield Entry(shown, intake.prefix + path, link=_shown(member.linkname))
            elif member.islnk():
                yield Entry(
                    shown, intake.prefix + path, link="/" + intake.prefix + _shown(member.linkname).lstrip("./")
                )
            elif member.isreg():
                yield from _member(tar.extractfile(member), member.size, path, intake)
            elif not member.isdir():
                intake.budget.unread(shown, "not read: not a regular file")


def _zip(stream: io.BufferedReader, intake: _Intake) -> Iterator[Entry]:
    data = stream.read(MAX_UNPACKED // 2 + 1)
    if len(data) > MAX_UNPACKED // 2:
        raise LimitError(f"a zip of more than {MAX_UNPACKED // 2 // MIB} MiB: not read")
    unpacked = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            intake.budget.member()
            named = _shown(member.filename)
            path = normal(named)
            shown = f"{intake.name}!{path or named}"
            if named.endswith("/"):
                continue
            if path is None:
                intake.budget.unread(shown, "refused: the name leads out of the archive")
                continue
            if member.flag_bits & 1:
                intake.budget.unread(shown, "not read: encrypted")
                continue
            unpacked += min(member.file_size, MAX_MEMBER)
            if unpacked > MAX_UNPACKED:
                raise LimitError(f"unpacks to more than {MAX_UNPACKED // MIB} MiB: the rest is not read")
            try:
                yield from _zipped(archive, member, path, intake)
            except DAMAGED as error:
                intake.budget.unread(shown, f"damaged, not read: {error}")


def _zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: str, intake: _Intake) -> Iterator[Entry]:
    shown = f"{intake.name}!{path}"
    with archive.open(member) as file:
        if (member.external_attr >> 16) & 0o170000 == 0o120000:  # noqa: PLR2004 - a Unix link
            yield Entry(shown, intake.prefix + path, link=file.read(4096).decode("utf-8", "replace"))
        else:
            yield from _member(file, member.file_size, path, intake)


def _member(file: IO[bytes] | None, size: int, path: str, intake: _Intake) -> Iterator[Entry]:
    shown = f"{intake.name}!{path}"
    what = interest(intake.prefix + path, intake.recogniser)
    if what is Interest.NONE or file is None:
        return
    if what is Interest.ATTRIBUTE:
        data = file.read(MAX_ATTRIBUTE)
    else:
        stray = what is Interest.STRAY
        room = intake.budget.room(stray=stray)
        # The size in the header is a claim: a zip's may lie, so one byte more is asked for.
        data = file.read(room + 1) if size <= room else b""
        if size > room or len(data) > room:
            intake.budget.too_big(shown, stray=stray)
            return
    intake.budget.spend(len(data), stray=what is Interest.STRAY)
    yield Entry(shown, intake.prefix + path, data)


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
