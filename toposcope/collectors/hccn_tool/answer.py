"""What every answer of hccn_tool shares: which NPU it speaks of, and the sentences with which the tool refuses.

The NPU is, in this order: the ``[devid 3]`` that a line begins with, the ``-i 3`` of the command
(``-i 0 -u 0 -p 4`` on a 950, where the port of a die is asked too), or a name in the text that holds its number
(``eth3``, ``end3v0``, ``device 3 PING``, ``dev_id:3``). Where none tells, the facts have no subject: a problem.

Results go to stdout and most refusals to stderr, so an output may be empty. Whether that says ``there is none`` or
nothing at all depends on the question (``absent_if_empty``). From the tool's source: github hicann/driver, hccn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.collectors.ascend import Line, body, refusal, typed, unread
from toposcope.collectors.records import Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.base import Capture, Origin
    from toposcope.collectors.records import FactStatus, Record

_ARGUMENT = re.compile(r"(\d{1,9})(?:\s+-u\s+(\d{1,9}))?(?:\s+-p\s+(\d{1,9}))?")
_DEVID = re.compile(r"\[devid\s+(\d{1,9})\]\s*(.*)")
_IN_TEXT = re.compile(r"\b(?:eth|end|dev_id:\s?|device )(\d{1,9})(?:v\d)?\b")

_REFUSALS: tuple[tuple[re.Pattern[str], FactStatus], ...] = (
    (re.compile(r"Get .{1,40} failed, because no .{1,40} (?:was|were) preset", re.IGNORECASE), "absent"),
    (re.compile(r"Optical module is not present|No optical module", re.IGNORECASE), "absent"),
    (
        re.compile(r"The command is not supported|The VM does not support|.{0,60}does not support", re.IGNORECASE),
        "unsupported",
    ),
    (
        re.compile(r"(?:Cmd|Command|Execute) (?:execute )?failed|The cmd line execute timeout", re.IGNORECASE),
        "unreadable",
    ),
    (
        re.compile(r"The device is not exist|Get invalid|hccn_tool is busy|permission denied", re.IGNORECASE),
        "unreadable",
    ),
    (re.compile(r"Control link unreachable|The system is in optical module initializing", re.IGNORECASE), "unreadable"),
    (
        re.compile(r"The \S+ (?:file )?can't access|.{0,60}(?:command not found|No such file)", re.IGNORECASE),
        "unreadable",
    ),
    (re.compile(r"[^:]{0,80}\b(?:failed|unreachable)[,.!]?(?:\s|$)", re.IGNORECASE), "unreadable"),
)


@dataclass(slots=True)
class Answer:
    """One output on its way to a reading: its lines, and what was made of them."""

    capture: Capture
    question: str
    npu: int | None
    die: int | None
    port: int | None
    lines: list[Line] = field(default_factory=list)
    breaks: frozenset[int] = frozenset()
    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def device(self) -> str:
        """The label of the NPU; ``NPU?`` until something names it."""
        return "NPU?" if self.npu is None else f"NPU{self.npu}"

    @property
    def subject(self) -> str:
        """Whom facts are about: the NPU, or one port of it (``NPU0/4``, ``NPU0/1.4`` for the second die)."""
        return self.device if self.port is None else port_subject(self.device, self.die, self.port)

    def origin(self, line: Line) -> Origin:
        """Return the place of a line."""
        return self.capture.origin(line.index)

    def fact(self, name: str, line: Line, value: str, *, subject: str | None = None) -> None:
        """Keep one value, typed, as a fact of the subject."""
        self.records.append(typed(self.capture, subject or self.subject, name, line.index, value))

    def unread(self, line: Line, message: str = "not a line of this answer") -> None:
        """Report a line that was not read."""
        self.problems.append(unread(self.capture, line.index, message, line.text))


def port_subject(device: str, die: int | None, port: int) -> str:
    """Name one port of an NPU for facts: ``NPU0/4``, with the die before it where that is not 0: ``NPU0/1.4``."""
    return f"{device}/{die}.{port}" if die else f"{device}/{port}"


def reader(
    question: str, read: Callable[[Answer], None], *, absent_if_empty: bool = False
) -> Callable[[Capture], Reading]:
    """Make a parser of a function that reads the lines of one answer.

    ``question`` names the fact that was asked: it is what gets a status where the tool refused or printed nothing.
    """

    def parse(capture: Capture) -> Reading:
        answer = _answer(capture, question)
        if not answer.lines and not answer.problems:
            _silent(answer, absent=absent_if_empty)
        elif not _refused(answer):
            read(answer)
        return _finished(answer)

    return parse


def _answer(capture: Capture, question: str) -> Answer:
    found = body(capture)
    match = _ARGUMENT.fullmatch((capture.argument or "").strip())
    npu, die, port = (None if part is None else int(part) for part in (match.groups() if match else (None,) * 3))
    answer = Answer(capture, question, npu, die, port, breaks=found.breaks, problems=list(found.problems))
    lines = list(found.lines)
    if npu is None:
        answer.npu = _named_in(lines)
    answer.lines = lines
    return answer


def _named_in(lines: list[Line]) -> int | None:
    match = next(filter(None, (_DEVID.match(line.text) or _IN_TEXT.search(line.text[:200]) for line in lines)), None)
    return int(match[1]) if match else None


def _silent(answer: Answer, *, absent: bool) -> None:
    """Nothing was printed: there is none, or the refusal went to stderr."""
    origin = answer.capture.origin(0)
    answer.records.append(Setting(answer.subject, answer.question, None, origin, "absent" if absent else "unreadable"))
    if not absent:
        answer.problems.append(unread(answer.capture, 0, "hccn_tool printed nothing; errors go to stderr"))


def _refused(answer: Answer) -> bool:
    """Read an answer that begins with a refusal. What follows it is reported unless it is one more."""
    first = answer.lines[0] if answer.lines else None
    status = refusal(first, _REFUSALS) if first else None
    if first is None or status is None:
        return False
    answer.records.append(Setting(answer.subject, answer.question, None, answer.origin(first), status))
    for line in answer.lines:
        meant = refusal(line, _REFUSALS)
        if meant == "unreadable":
            answer.unread(line, "hccn_tool refused")
        elif meant is None:
            answer.unread(line, "not understood behind a refusal")
    return True


def _finished(answer: Answer) -> Reading:
    """Return the reading; records of an unknown NPU are dropped, and that is reported once."""
    if answer.npu is not None:
        return Reading(tuple(answer.records), tuple(answer.problems))
    kept = tuple(record for record in answer.records if not _of_unknown(record))
    if len(kept) < len(answer.records):
        text = answer.lines[0].text if answer.lines else ""
        answer.problems.append(unread(answer.capture, 0, "which NPU answered is not known: no -i in the command", text))
    return Reading(kept, tuple(answer.problems))


def _of_unknown(record: Record) -> bool:
    name = getattr(record, "device", None) or getattr(record, "subject", None) or getattr(record, "accelerator", None)
    return str(name).startswith("NPU?")


def devid(answer: Answer, line: Line) -> Line:
    """Return the line without its ``[devid N]``; another NPU than the command asked is a clash, and the text wins."""
    match = _DEVID.match(line.text)
    if match is None:
        return line
    npu = int(match[1])
    if npu != answer.npu:
        message = f"the answer is NPU {npu}'s, the command asked NPU {answer.npu}"
        answer.problems.append(Problem(ProblemKind.CLASH, answer.origin(line), message, line.text))
        answer.npu = npu
    return Line(line.index, match[2].strip())
