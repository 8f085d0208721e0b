"""A tool that no machine has, with sources of every sort, and writers of folders and archives to read them from."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from typing import TYPE_CHECKING

from toposcope.collectors import Collector, Source
from toposcope.collectors.records import Accelerator, Cell, Matrix, Reading, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from toposcope.base import Capture


def matrix_of(capture: Capture) -> Reading:
    """Read ``ID dev0 dev1``, then a row a device."""
    lines = [line.split() for line in capture.text.splitlines()]
    head = next((i for i, words in enumerate(lines) if words[:1] == ["ID"]), None)
    if head is None:
        return Reading()
    labels = tuple(lines[head][1:])
    cells = [
        Cell(words[0], column, word, capture.origin(head + 1 + place))
        for place, words in enumerate(lines[head + 1 :])
        if words and words[0] in labels
        for column, word in zip(labels, words[1:], strict=False)
    ]
    return Reading((Matrix(labels, tuple(cells), (), (), capture.origin(head)),))


def boxes_of(capture: Capture) -> Reading:
    """Read ``box NAME`` lines."""
    lines = enumerate(capture.text.splitlines())
    found = [Accelerator(capture.origin(i), label=line.split()[1]) for i, line in lines if line.startswith("box ")]
    return Reading(tuple(found))


def labels_of(records: Sequence[Record]) -> tuple[str, ...]:
    return tuple(record.label for record in records if isinstance(record, Accelerator) and record.label)


def nothing(_capture: Capture) -> Reading:
    return Reading()


MATRIX = Source(
    "box-matrix", matrix_of, re.compile(r"boxtool topo -m"), re.compile(r"^[ \t]*ID[ \t]+dev0", re.MULTILINE),
    command=("boxtool", "topo", "-m"),
)  # fmt: skip
LIST = Source(
    "box-list", boxes_of, re.compile(r"boxtool list"), re.compile(r"^Boxes of this host:", re.MULTILINE),
    command=("boxtool", "list"),
)  # fmt: skip
PORTS = Source(
    "box-ports", nothing, re.compile(r"boxtool ports -b (?P<argument>\S+)"), re.compile(r"^Ports of ", re.MULTILINE),
    command=("boxtool", "ports", "-b", "{box}"), targets=labels_of, root=True,
)  # fmt: skip
CONF = Source("box-conf", nothing, re.compile(r"(?:cat )?/?etc[ /]box\.conf"), command=("cat", "/etc/box.conf"))
WIRE = Source(
    "wire", nothing, re.compile(r"wire_probe -a"), re.compile(r"^wire \d+:", re.MULTILINE), ("wire_probe", "-a")
)
BOX = Collector("box", (MATRIX, LIST, PORTS, CONF))
FAKES = (BOX, Collector("wire", (WIRE,)))
SOURCES = (*BOX.sources, WIRE)

MATRIX_TEXT = "ID\tdev0\tdev1\ndev0\tX\tNEAR\ndev1\tNEAR\tX\n"
FAR_TEXT = MATRIX_TEXT.replace("NEAR", "FAR")
LIST_TEXT = "Boxes of this host:\nbox one\nbox two\n"
PORTS_TEXT = "Ports of one\nport 0 up\n"
WIRE_TEXT = "wire 1: red\nwire 2: blue\n"


def folder(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def tar_bytes(files: Mapping[str, str | bytes], *, mode: str = "w:gz", extra: Sequence[tarfile.TarInfo] = ()) -> bytes:
    """Make a tar of files and of members without content."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:  # type: ignore[call-overload]
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        for member in extra:
            tar.addfile(member)
    return buffer.getvalue()


def member(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """Make a link, a fifo or a device."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_bytes(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
