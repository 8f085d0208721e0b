"""Pasted text made plain: escape codes, quote marks and the rules of tables, which copies add, are taken off."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.base.clean import without_ansi

if TYPE_CHECKING:
    from toposcope.base import Capture

LONGEST = 1 << 16
# Escape codes that lost their first byte, or had it spelled out, when they were copied.
CODE = r"(?:\^\[|\\x1[bB]|\\e|\\033|\\u001[bB]|\u241b)?\[\d{1,3}(?:;\d{1,3})*m"
_CODE = re.compile(CODE)
_BLANKS = str.maketrans(dict.fromkeys("\xa0\u2002\u2003\u2009\u202f\u3000", " ") | dict.fromkeys("\u200b\ufeff"))
_QUOTE = re.compile(r"\s*(?:>\s?)+")
_RULE = re.compile(r"[\s\-=+|:*~`_#\u2500-\u257f]*")
# What a log or a launcher puts before each line: a time, ``0: `` (srun -l, grep -n), ``[1,0]<stdout>:`` (mpirun).
STAMP = (
    r"(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?:?\s(?:stdout F |stderr F )?"
    r"|\d{1,6}:[ \t]?|\[\d+,\d+\]<stdout>:[ \t]?)"
)
_STAMP = re.compile(r"\s*" + STAMP)


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its index in the capture, and its text with tabs kept. ``fields`` are the columns of a piped table."""

    index: int
    text: str
    fields: tuple[str, ...] | None = None


def lines_of(capture: Capture) -> tuple[list[Line], list[Problem]]:
    """Return the lines that say anything; rules of tables and code fences are left out, blank lines are not."""
    lines: list[Line] = []
    problems: list[Problem] = []
    for index, raw in enumerate(capture.text.split("\n")):
        if len(raw) > LONGEST:
            problem = Problem(ProblemKind.UNREAD, capture.origin(index), "a line too long to be of a matrix", raw[:80])
            problems.append(problem)
            continue
        for part in raw.rstrip("\r").split("\r"):
            text = plain(part)
            if not _RULE.fullmatch(text) or not text.strip():
                lines.append(Line(index, text, _fields(text)))
    return lines, problems


def plain(text: str) -> str:
    """Return the line without escape codes, odd blanks, quote marks and a log's time stamp."""
    if not text.isascii():
        text = text.translate(_BLANKS).replace("\u2502", "|").replace("\u2503", "|")
    text = without_ansi(text)
    if "[" in text:
        text = _CODE.sub("", text)
    head = text.lstrip()[:1]
    if head == ">":
        text = _QUOTE.sub("", text, count=1)
    elif head == "[" or (head.isdigit() and (stamp := _STAMP.match(text)) is not None):
        stamp = _STAMP.match(text)
        text = text[stamp.end() :] if stamp else text
    return text


def _fields(text: str) -> tuple[str, ...] | None:
    if text.count("|") < 2:  # noqa: PLR2004 - one bar is no table
        return None
    inner = text.strip().removeprefix("|").removesuffix("|")
    return tuple(field.strip(" \t*`") for field in inner.split("|"))
