"""What the outputs of Ascend's two tools, npu-smi and hccn_tool, have in common: lines, pairs, names, refusals.

Both print ``key : value`` lines, key padded to a width that varies by version (``ipaddr:1.2.3.4``, ``present  :
present``, ``NPU ID                         : 0``), and sentences where they refuse. A capture may come from a paste:
lines before the output, a prompt or a code fence after it, ``...`` where the author left lines out.

An accelerator is named from what the output shows of it (see ``label``), always without a look at other outputs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.base.clean import without_ansi
from toposcope.collectors.records import Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.base import Capture
    from toposcope.collectors.records import FactStatus, Record

MAX_LINE = 65536
EMPTY_WORDS = frozenset({"", "na", "n/a", "-", "--", "none", "null"})

_PROMPT = re.compile(r"\[[^\]]*\]\s*[#$>]|[\w.-]+@[^#$]*[#$]|[#$>]\s|```")
_SLUG = re.compile(r"[^0-9a-z]+")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_REMARKS = ("\u2190", "<--", "  # ", "  // ")
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds something: its index in the capture, and its text without escapes and outer blanks."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A ``key : value`` line. ``key`` has single blanks; it is empty on a continuation line (``: more``)."""

    index: int
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of an output, what was passed over on the way, and where blank lines parted them."""

    lines: tuple[Line, ...]
    problems: tuple[Problem, ...]
    breaks: frozenset[int] = frozenset()


def body(capture: Capture) -> Body:
    """Return the lines of the output: from the first that holds text to a prompt or code fence after it.

    Lines longer than 64 KiB and lines that an author replaced by ``...`` are reported, not returned.
    ``breaks`` holds the indexes of lines that stand behind a blank line.
    """
    lines: list[Line] = []
    problems: list[Problem] = []
    breaks: set[int] = set()
    blank = False
    for index, raw in enumerate(capture.text.split("\n")):
        if len(raw) > MAX_LINE:
            problems.append(unread(capture, index, "a line longer than 64 KiB was passed over", raw[:80]))
            continue
        text = _without_remark(without_ansi(raw).strip())
        if not text:
            blank = True
        elif _PROMPT.match(text):
            if lines:
                break
        elif not text.strip(".…"):
            problems.append(unread(capture, index, "lines were left out here", text))
        else:
            if blank:
                breaks.add(index)
            lines.append(Line(index, text))
            blank = False
    return Body(tuple(lines), tuple(problems), frozenset(breaks))


def _without_remark(text: str) -> str:
    """Drop what the author of a paste wrote behind a value: ``Speed: 200000Mb/s   # <-- fast``."""
    for mark in _REMARKS:
        place = text.find(mark)
        if place > 0:
            text = text[:place].rstrip(" \t#")
    return text


def pair(line: Line) -> Pair | None:
    """Split a line at its first colon, or return None where it has none or is a sentence."""
    key, colon, value = line.text.replace("\uff1a", ":").partition(":")
    return Pair(line.index, " ".join(key.split()), value.strip()) if colon else None


def slug(text: str) -> str:
    """Make a fact's name of a printed key: ``HBM Usage Rate(%)`` -> ``hbm_usage_rate``."""
    return _SLUG.sub("_", text.lower()).strip("_")


def integer(text: str) -> int | None:
    """Return the whole number that this text is, or None."""
    return int(text) if _INTEGER.fullmatch(text) else None


def whole(text: str | None) -> int | None:
    """Return a number of zero or more, or None for anything else (``-``, ``NA``, a word)."""
    number = None if text is None else integer(text)
    return number if number is not None and number >= 0 else None


def mebibytes(text: str | None) -> int | None:
    """Return bytes for a size that the tools print as MB (65536 is 64 GiB); None for 0, ``NA`` or no number."""
    number = whole(text)
    return number * _MIB if number else None


def label(npu: int, chip: int | None = None, physical: int | None = None) -> str:
    """Name a chip as npu-smi does.

    ``Phy-ID5`` where the table prints that column (A3: two dies a card, and its matrix is labelled so), else ``NPU3``
    for chip 0 of NPU 3, and ``NPU3.1`` for a further chip of that card (300I Duo), which no tool gives a name.
    """
    if physical is not None:
        return f"Phy-ID{physical}"
    return f"NPU{npu}.{chip}" if chip else f"NPU{npu}"


def setting(capture: Capture, subject: str, name: str, value: Pair) -> Setting:
    """Make a fact of a pair: a number where it is one, ``NA`` absent, ``not supported`` unsupported."""
    return typed(capture, subject, name, value.index, value.value)


def typed(capture: Capture, subject: str, name: str, index: int, text: str) -> Setting:
    """Make a fact of a printed value."""
    origin = capture.origin(index)
    lowered = text.lower().rstrip(".!")
    if lowered in EMPTY_WORDS:
        return Setting(subject, name, None, origin, "absent")
    if lowered in ("not supported", "not support", "unsupported"):
        return Setting(subject, name, None, origin, "unsupported")
    number = integer(text)
    return Setting(subject, name, text if number is None else number, origin)


def refusal(line: Line, table: Iterable[tuple[re.Pattern[str], FactStatus]]) -> FactStatus | None:
    """Return what a sentence of the tool means, or None if it is none of the known ones."""
    return next((status for pattern, status in table if pattern.match(line.text)), None)


def reading(capture: Capture, found: Body, records: Sequence[Record], problems: Iterable[Problem]) -> Reading:
    """Make the result.

    What no rule fitted behind the last record and a blank line is prose after the output, and no problem. Where nothing
    was read at all, everything is reported.
    """
    kept = sorted(problems, key=lambda problem: problem.origin.line)
    if records:
        last = max(record.origin.line for record in records) - capture.first_line
        end = min((index for index in found.breaks if index > last), default=None)
        if end is not None:
            kept = [problem for problem in kept if problem.origin.line - capture.first_line < end]
    return Reading(tuple(records), tuple(kept))


def unread(capture: Capture, index: int, message: str, text: str = "") -> Problem:
    """Report a place that was not read."""
    return Problem(ProblemKind.UNREAD, capture.origin(index), message, text[:200])
