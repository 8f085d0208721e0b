"""Lines of a tool's output, as every reader of ``key: value`` text wants them.

A capture may begin with the prompt that ran the command and end in another prompt or in prose: both are no part of
the output. Colour, CR and the no-break blanks of web pages are dropped, line numbers stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.base.clean import without_ansi

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.base import Capture

LONGEST_LINE = 65_536
_SHOWN = 200
_SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
_MOST_CPUS = 65_536
_PROMPT = re.compile(
    r"(?:\([\w. /-]{1,60}\) ?)?"
    r"(?:\[[^\]]{1,100}\] ?[#$%]|[\w.-]{1,64}@[\w.-]{1,64}[ :]?[^\s#$%>]{0,120} ?[#$%>]"
    r"|[\w.-]{1,64}:[~/][^\s#$%>]{0,120}[#$>]|[#$%])"
    r"(?:\s|$)"
)


def is_prompt(line: str) -> bool:
    """Tell whether a shell's prompt or a fence of a pasted block stands at the start of the line."""
    return line.startswith(("```", "~~~")) or _PROMPT.match(line) is not None


@dataclass(slots=True)
class Lines:
    """The lines of one capture, and the ones that no rule of the reader fitted.

    ``fits`` is told of each line that was read, ``strays`` of each that was not. What of the strays is a problem is
    known at the end: those inside the output are, those that follow it after an empty line are somebody's prose.
    """

    capture: Capture
    texts: list[str]
    problems: list[Problem]
    last: int = -1
    strays: list[int] = field(default_factory=list)

    def fits(self, index: int) -> None:
        """Note that this line belongs to the output."""
        self.last = index

    def stray(self, index: int) -> None:
        """Note a line that has no meaning here; empty ones have none anywhere."""
        if self.texts[index].strip():
            self.strays.append(index)

    def unread(self, index: int, message: str) -> None:
        """Report a line that belongs to the output and whose value makes no sense."""
        self.problems.append(self.problem(ProblemKind.UNREAD, index, message))

    def problem(self, kind: ProblemKind, index: int, message: str) -> Problem:
        """Make a problem at this line."""
        return Problem(kind, self.capture.origin(index), message, self.texts[index].strip()[:_SHOWN])

    def all_problems(self, message: str = "no line of this output") -> tuple[Problem, ...]:
        """Return every problem in the order of the lines."""
        end = self._end()
        strays = (self.problem(ProblemKind.UNREAD, i, message) for i in self.strays if i < end)
        return tuple(sorted((*self.problems, *strays), key=lambda problem: problem.origin.line))

    def _end(self) -> int:
        """Return the index of the first empty line after the last that fitted; nothing fitted: report all."""
        if self.last < 0:
            return len(self.texts)
        after = range(self.last + 1, len(self.texts))
        return next((index for index in after if not self.texts[index].strip()), len(self.texts))


def output_lines(capture: Capture, *, keep_prompts: bool = False) -> Lines:
    """Cut a capture into lines: no escape sequence, no CR, nothing from the second prompt on.

    A line longer than 64 KiB is reported and read as empty. ``keep_prompts`` leaves prompts where they stand, for
    outputs whose meaning hangs on the command above them.
    """
    problems: list[Problem] = []
    texts = [_clean(line) for line in capture.text.split("\n")]
    for index, text in enumerate(texts):
        if len(text) > LONGEST_LINE:
            problem = Problem(ProblemKind.UNREAD, capture.origin(index), "a line of more than 64 KiB", text[:_SHOWN])
            problems.append(problem)
            texts[index] = ""
    return Lines(capture, texts if keep_prompts else _between_prompts(texts), problems)


def _clean(line: str) -> str:
    line = without_ansi(line) if "\x1b" in line else line
    line = line.replace("\xa0", " ") if "\xa0" in line else line
    return line.rstrip("\r\n")


def _between_prompts(texts: list[str]) -> list[str]:
    """Blank the prompts before the output, drop everything from the first one after it."""
    kept: list[str] = []
    begun = False
    for text in texts:
        if is_prompt(text):
            if begun:
                break
            kept.append("")
            continue
        begun = begun or bool(text.strip())
        kept.append(text)
    return kept


def key_and_value(line: str) -> tuple[str, str] | None:
    """Split ``Key (pad): value`` at the first colon, also a full-width one; None where there is none."""
    head, colon, tail = line.partition(":")
    wide_head, wide, wide_tail = line.partition("\uff1a")
    if wide and len(wide_head) < len(head):
        head, colon, tail = wide_head, wide, wide_tail
    key = head.strip()
    return (key, tail.strip()) if colon and key else None


def whole(text: str) -> int | None:
    """Return a decimal whole number of at most 18 digits, None for anything else."""
    text = text.strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= 18 else None  # noqa: PLR2004 - int64


def cpu_list(numbers: Iterable[int]) -> str:
    """Write CPU numbers as the kernel does: ``0-31,64-95``."""
    spans: list[list[int]] = []
    for number in sorted(set(numbers)):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in spans)


def cpu_numbers(text: str) -> frozenset[int]:
    """Return the numbers of a list ``0-3,8`` or ``0 1 2``; what is no list, and more than 65536 CPUs, is empty."""
    found: set[int] = set()
    for part in text.replace(",", " ").split()[:_MOST_CPUS]:
        match = _SPAN.fullmatch(part)
        if match is None:
            return frozenset()
        first = int(match[1])
        found.update(range(first, min(int(match[2] or first), first + _MOST_CPUS) + 1))
        if len(found) > _MOST_CPUS:
            return frozenset()
    return frozenset(found)
