"""The forms in which attributes of ``/sys`` are written down, all brought to entries.

Grammar, one line each (``value`` may be empty, paths may be relative to any folder of ``/sys``)::

    line    = path TAB attribute TAB value          # the recording layer's own form
            | path TAB "->" TAB target              # a link
            | path TAB "!" TAB reason               # there, and not readable (or empty)
            | path "/" attribute ":" [" "] value    # grep . FILES, grep -H, grep -r
            | "lrwxrwxrwx" words "->" target        # ls -l of a folder; the folder's name and a colon stand above
            | "==>" path "<==", value*              # head, tail -n +1
            | prompt ("cat" | "head" ...) path+, value*    # a terminal: each value answers one path in turn
            | path of a device                      # readlink -f, find -L
            | path of a member of an IOMMU group    # find /sys/kernel/iommu_groups -type l
            | path, "->" or target                  # readlink -f and realpath answer a path in the same way

An attribute that no rule knows passes; a line of no form at all is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import is_prompt, output_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture
    from toposcope.collectors.output_lines import Lines

LINK = "->"
_LONGEST = 4096
UNREADABLE = "!"
# The attribute is the first path component before a colon that has the shape of a file name of /sys. Addresses
# (0000:3b:00.0), pci0000:3b and SCSI names (11:0:7:0, port-11:0) hold colons too, but a digit or hex pair follows
# theirs and a slash comes later; an attribute's value is what is left.
_GREP = re.compile(
    r"(?P<path>(?:[\w.~+@,-]*/)?(?:[^\s/]{1,128}/){0,40}?)"
    r"(?P<attribute>[A-Za-z_][\w.+]{0,63}|\d{1,3}):(?![0-9A-Fa-f:.]{1,40}/)[ \t]?(?P<value>.*)"
)
_DENIED = re.compile(
    r"(?:grep|cat|head|tail|ls): (?:cannot open )?['\u2018]?(?P<path>[^\s'\u2019]*/[^\s'\u2019]+?)['\u2019]?"
    r"(?: for reading)?: (?P<reason>.*)"
)
_GROUP_MEMBER = re.compile(r"\S*/iommu_groups/\d+/devices/[0-9a-fA-F:]+\.[0-7]")
_DEVICE = re.compile(r"\S*/devices/pci[0-9a-fA-F:]+/\S+")
_LS_LINK = re.compile(r"l[rwxst-]{9}[.+@]?\s.*\s(?P<name>\S+) -> (?P<target>\S+)\s*")
_HEAD = re.compile(r"==> (?P<path>\S+) <==\s*")
_COMMAND = re.compile(r"(?:^|[\s#$%>;&|])(?P<tool>cat|head|tail|more|less|readlink|realpath)\s(?P<rest>.*)")
_BRACES = re.compile(r"\{(?:(?P<first>\d{1,3})\.\.(?P<last>\d{1,3})|(?P<list>[\w.:-]*(?:,[\w.:-]*)+))\}")
_MOST_BRACES, _MOST_PATHS = 4, 256
_PATTERN = re.compile(r"[*?{}$]")
_SYS_PATH = re.compile(r"(?:/[\w.+-]+)*/?(?:sys|proc)/\S+")


@dataclass(frozen=True, slots=True)
class Entry:
    """One attribute, link (``->``) or refusal (``!``) at a path, with the index of its line."""

    path: str
    attribute: str
    value: str
    index: int


def entries_of(capture: Capture) -> tuple[list[Entry], Lines]:
    """Return all entries in printed order, and the lines with those of no form noted."""
    lines = output_lines(capture, keep_prompts=True)
    reader = _Reader(lines, _asked(capture.argument))
    entries: list[Entry] = []
    for index, text in enumerate(lines.texts):
        if "\t" in text:
            parts = text.split("\t", 2)
            if len(parts) == 3 and parts[0][:1] == "/":  # noqa: PLR2004 - path, attribute, value
                entries.append(_split(parts[0], parts[1], parts[2].strip(), index))
                lines.last = index
                continue
        entries.extend(reader.read(index, text))
    return entries, lines


def _split(path: str, attribute: str, value: str, index: int) -> Entry:
    """Move the folders of ``ports/1/rate`` from the attribute to the path."""
    head, slash, tail = attribute.rpartition("/")
    return Entry(f"{path}/{head}", tail, value, index) if slash else Entry(path.rstrip("/"), attribute, value, index)


def _asked(argument: str | None) -> list[str]:
    """Return the paths that a command named. A pattern (``/sys/class/net/*/speed``) does not tell which there were."""
    named = (path for word in _SYS_PATH.findall(argument or "") for path in _expanded(word))
    return [path for path in named if not _PATTERN.search(path)]


def _expanded(path: str) -> list[str]:
    """Write out the braces of a shell: ``mlx5_{0..3}``, ``eth{0,2}``; too many stay as they are."""
    paths = [path]
    for _ in range(_MOST_BRACES):
        match = _BRACES.search(paths[0])
        if match is None:
            break
        first, last = match["first"], match["last"]
        words = match["list"].split(",") if match["list"] else [str(n) for n in range(int(first), int(last) + 1)]
        if len(words) * len(paths) > _MOST_PATHS:
            break
        paths = [_BRACES.sub(word, path, count=1) for path in paths for word in words]
    return paths


def _folder(text: str) -> str | None:
    """Return the folder that ``ls`` names above its links: ``/sys/class/net:``."""
    text = text.strip()
    return text[:-1].rstrip("/") if text.endswith(":") and "/" in text and " " not in text else None


class _Reader:
    """Reads the forms of terminals; it remembers which paths wait for a value and which folder ``ls`` lists."""

    def __init__(self, lines: Lines, asked: list[str]) -> None:
        self._lines = lines
        self._asked = asked
        self._link = False
        self._folder = ""
        self._headed: str | None = None

    def read(self, index: int, text: str) -> Iterator[Entry]:
        if not text.strip():
            return
        if len(text) > _LONGEST:
            self._lines.stray(index)
            return
        entry = self._entry(index, text)
        if entry is not None:
            self._lines.fits(index)
            yield entry
        elif not self._context(index, text):
            self._lines.stray(index)

    def _entry(self, index: int, text: str) -> Entry | None:
        if is_prompt(text):
            return None
        if text[0] == "l" and (match := _LS_LINK.fullmatch(text)):
            # Without the folder's name the target's own path tells what the link leads to.
            name, target = match["name"], match["target"]
            named = f"{self._folder}/{name}" if self._folder else target
            return Entry(name if "/" in name else named, LINK, target, index)
        if match := _DENIED.match(text):
            return Entry(match["path"], UNREADABLE, match["reason"], index)
        if "/" in text:
            if (match := _GREP.fullmatch(text)) and match["path"]:
                self._folder = self._folder if match["value"] else text.rstrip(" :")
                return Entry(match["path"].rstrip("/"), match["attribute"], match["value"].strip(), index)
            if _GROUP_MEMBER.fullmatch(text.strip()) or (not self._asked and _DEVICE.fullmatch(text.strip())):
                return Entry(text.strip(), LINK, text.strip(), index)
        return self._answer(index, text.strip())

    def _answer(self, index: int, value: str) -> Entry | None:
        """Give a bare value to the path that asked for it; a headed file may have several lines."""
        if self._headed is not None and not _HEAD.fullmatch(value):
            head, _, tail = self._headed.rpartition("/")
            return Entry(head, tail, value, index)
        if not self._asked or _folder(value):
            return None
        path = self._asked.pop(0)
        if self._link:
            return Entry(path, LINK, value, index)
        head, _, tail = path.rpartition("/")
        return Entry(head, tail, value, index)

    def _context(self, index: int, text: str) -> bool:
        """Take up a line that gives no entry itself but says what the next ones are."""
        if match := _HEAD.fullmatch(text.strip()):
            self._headed = match["path"]
        elif is_prompt(text) or text.lstrip("# ").startswith(("cat ", "readlink ", "realpath ")):
            self._command(text)
        elif folder := _folder(text):
            self._folder = folder
        else:
            return text.startswith(("total ", "\u603b\u7528\u91cf"))
        self._lines.fits(index)
        return True

    def _command(self, text: str) -> None:
        self._asked, self._headed = [], None
        match = _COMMAND.search(text)
        if match is not None:
            self._asked = _asked(match["rest"])
            self._link = match["tool"] in ("readlink", "realpath")
