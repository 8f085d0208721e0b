"""The files of an input, wherever they lie: what a folder, an archive or standard input hands to recognition."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from toposcope.recording import sysfs

if TYPE_CHECKING:
    from toposcope.recording.recognise import Recogniser

# What a sosreport or a copied file system holds beside the outputs: logs and settings that no collector reads, and
# outputs whose names are the commands, so that none of them need be guessed by its content.
_FOREIGN = re.compile(
    r"/(?:etc|var|usr|boot|run|proc|sos_commands|sos_logs|sos_reports|sos_strings|\.git)/(?!.*nvidia-bug-report)"
)
IN_TREE = re.compile(
    r"(?:^|/)(?:sys/(?:block|bus|class|dev|devices|firmware|fs|hypervisor|kernel|module|power)|proc/sys/kernel)/"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or link.

    ``name`` is what an origin shows (``box.tar.gz!pci/lspci``), ``path`` where it stands in the whole input (folders
    and archives alike are steps), ``data`` its bytes; ``link`` is the target as written, of a link.
    """

    name: str
    path: str
    data: bytes = b""
    link: str | None = None


class Interest(Enum):
    """What a path alone tells of a file."""

    NAMED = "its name tells a source"
    STRAY = "only its content can tell"
    ATTRIBUTE = "an attribute of a /sys tree"
    NONE = "no collector reads it"


def interest(path: str, recogniser: Recogniser) -> Interest:
    """Decide by its path whether a file is worth reading."""
    if IN_TREE.search(path):
        return Interest.ATTRIBUTE if sysfs.wanted(path) else Interest.NONE
    if recogniser.of_name(path) is not None:
        return Interest.NAMED
    return Interest.NONE if _FOREIGN.search(path) else Interest.STRAY


def normal(path: str) -> str | None:
    """Return a member's path without ``.``, ``..`` and a leading ``/``; None where it leads out of its archive."""
    clean = posixpath.normpath(path.replace("\\", "/").lstrip("/"))
    return None if clean.startswith("../") or clean in ("..", ".", "") else clean


def target_of(path: str, link: str) -> str | None:
    """Return where a link at this path leads inside the same input, by name alone; None where it leads out."""
    if link.startswith("/"):
        root = path[: match.start() + 1] if (match := re.search(r"(?:^|/)(?=sys/|proc/|sos_commands/)", path)) else ""
        return normal(root.strip("/") + link)
    return normal(posixpath.join(posixpath.dirname(path), link))
