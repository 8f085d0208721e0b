"""What every answer of hccn_tool shares: which NPU it speaks of, and the sentences with which the tool refuses.

The NPU is, in this order: the one that a line itself names (``[devid 3]``, or what a script puts before an answer:
``NPU 3:``, ``Device 3: link status: UP``, ``==== 3 ====``), the ``-i 3`` of the command (``-i 0 -u 0 -p 4`` on a 950,
where one port of a die is asked), or a name in the text that holds its number (``eth3``, ``device 3 PING``,
``dev_id:3``). Where none tells, what was said is dropped and reported.

A shell's loop prints the answers of many NPUs one behind the other: ``for i in {0..7}; do hccn_tool -i $i -link -g;
done``. They are told apart where a key comes again; each goes to its NPU only if there are as many answers as NPUs.

Results go to stdout and most refusals to stderr, so an output may be empty. Whether that says ``there is none`` or
nothing at all depends on the question. The sentences are from the tool's source: github hicann/driver, hccn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.collectors.ascend import Line, body, reading, refusal, typed, unread
from toposcope.collectors.records import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from toposcope.base import Capture, Origin
    from toposcope.collectors.records import FactStatus, Reading, Record

# One NPU with die and port, or the list that a shell's loop runs through.
ARGUMENT = (
    r"\d{1,4}(?:[ ,]\d{1,4})+|\{\d{1,4}\.\.\d{1,4}\}|[$`]\(?seq\s+\d{1,4}\s+\d{1,4}"
    r"|\d{1,9}(?:\s+-u\s+\d{1,9})?(?:\s+-p\s+\d{1,9})?"
)
_ONE = re.compile(r"(\d{1,9})(?:\s+-u\s+(\d{1,9}))?(?:\s+-p\s+(\d{1,9}))?")
_RANGE = re.compile(r"(?:\{|[$`]\(?seq\s+)(\d{1,4})(?:\.\.|\s+)(\d{1,4})[})`]*")
_PREFIX = re.compile(
    r"(?:\[dev(?:id|ice)\s+(\d{1,9})\]|(?:device|npu|card|phy-?id)[ _-]?(?:id)?[ _-]?(\d{1,4})\s*:)\s*(.*)",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"[-=#*<\[\s]*(?:device|npu|card|phy-?id)[ _-]?(?:id)?[ _:-]{0,2}(\d{1,4})[-=#*>\]\s:]*", re.IGNORECASE
)
# The same as a line of its own before an answer, for texts that are known by their first line.
MARK_LINE = r"[-=#*<\[ \t]{0,40}(?:[Dd]evice|DEVICE|[Nn]pu|NPU|[Cc]ard)[ _-]?\d{1,4}[-=#*>\] \t:]{0,40}\r?\n"
DEVID = r"\[dev(?:id|ice)\s+\d{1,9}\]\s*"
_BARE_MARK = re.compile(r"(?:[-=#*]+\s*(\d{1,4})\s*[-=#*]*|(\d{1,4}):?)")
_IN_TEXT = re.compile(
    r".{0,40}Settings for eth(\d{1,9})|device (\d{1,9}) PING|dev_id:\s?(\d{1,9})|.{0,100}Iface:\s?eth(\d{1,9})"
    r"|\S{1,60}(?:\s+\S{1,60}){6}\s+eth(\d{1,9})$"
)
_MOST_NPUS = 1024

_SENTENCES: tuple[tuple[str, FactStatus], ...] = (
    (r"Get .{1,40} failed, because no .{1,40} (?:was|were) preset", "absent"),
    (r"Optical module is not present|No optical module", "absent"),
    (r"The command is not supported|The VM does not support|[^:]{0,60}does not support", "unsupported"),
    (r"(?:Cmd|Command|Execute) (?:execute )?failed|The cmd line execute timeout", "unreadable"),
    (r"The device is not exist|Get invalid|hccn_tool is busy|permission denied", "unreadable"),
    (r"Control link unreachable|The system is in optical module initializing", "unreadable"),
    (r"The \S+ (?:file )?can't access|.{0,60}(?:command not found|No such file)", "unreadable"),
    (r"[^:]{0,80}\b(?:failed|unreachable)[,.!]?(?:\s|$)", "unreadable"),
)
_REFUSALS = tuple((re.compile(pattern, re.IGNORECASE), status) for pattern, status in _SENTENCES)
ANY_QUESTION = "hccn.answer"


@dataclass(slots=True)
class Answer:
    """What one NPU answered, on its way to records."""

    capture: Capture
    question: str
    npu: int | None = None
    die: int | None = None
    port: int | None = None
    lines: list[Line] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def device(self) -> str:
        """The label of the NPU; ``NPU?`` while nothing names it."""
        return "NPU?" if self.npu is None else f"NPU{self.npu}"

    @property
    def subject(self) -> str:
        """Whom facts are about: the NPU, or one port of it."""
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


@dataclass(frozen=True, slots=True)
class Manner:
    """How the answers to one question look.

    ``absent_if_empty``: no output says that there is none. ``title``: how the first line of each answer begins. Without
    one every key stands once in an answer, so that a key that comes again begins the next one; a bare number between
    them is then the mark of an NPU. ``first``: only such lines begin an answer. ``alone``: lines may repeat within an
    answer, loops are not told apart.
    """

    absent_if_empty: bool = False
    title: str = ""
    first: re.Pattern[str] | None = None
    alone: bool = False


def port_subject(device: str, die: int | None, port: int) -> str:
    """Name one port of an NPU for facts: ``NPU0/4``, with the die before it where that is not 0: ``NPU0/1.4``."""
    return f"{device}/{die}.{port}" if die else f"{device}/{port}"


def reader(question: str, read: Callable[[Answer], None], manner: Manner) -> Callable[[Capture], Reading]:
    """Make a parser of a function that reads the lines of one answer.

    ``question`` names the fact that was asked: it is what gets a status where the tool refused or printed nothing.
    """

    def parse(capture: Capture) -> Reading:
        found = body(capture)
        problems = list(found.problems)
        answers = _answers(capture, question, found.lines, manner, problems)
        for answer in answers:
            if not answer.lines:
                _silent(answer, absent=manner.absent_if_empty)
            elif not _refused(answer):
                read(answer)
        records = [record for answer in answers for record in _known(answer)]
        problems += (problem for answer in answers for problem in answer.problems)
        return reading(capture, found, records, problems)

    return parse


def _answers(
    capture: Capture, question: str, lines: Sequence[Line], manner: Manner, problems: list[Problem]
) -> list[Answer]:
    """Part an output into the answers of its NPUs."""
    asked, die, port = _asked(capture.argument)
    parts = _parts(lines, manner, loop=len(asked) != 1 and not manner.alone)
    unmarked = [part for part in parts if part[0] is None]
    if len(parts) == 1 and len(asked) == 1:
        _clash(capture, parts[0], asked[0], problems)
    as_many = len(asked) == len(unmarked)
    names: Iterator[int | None] = iter(asked if as_many else [_named_in(rows) for _, rows in unmarked])
    marked = [(part[0] if part[0] is not None else next(names), part[1]) for part in parts]
    return [Answer(capture, question, npu, die, port, list(rows)) for npu, rows in marked]


def _asked(argument: str | None) -> tuple[list[int], int | None, int | None]:
    """Return the NPUs that the command asked, and the die and port of a 950."""
    text = (argument or "").strip()
    if match := _ONE.fullmatch(text):
        die, port = (None if part is None else int(part) for part in match.groups()[1:])
        return [int(match[1])], die, port
    if match := _RANGE.fullmatch(text):
        first, last = int(match[1]), int(match[2])
        return list(range(first, min(last, first + _MOST_NPUS) + 1)), None, None
    words = text.replace(",", " ").split()
    return [int(word) for word in words if word.isascii() and word.isdecimal()], None, None


def _parts(lines: Sequence[Line], manner: Manner, *, loop: bool) -> list[tuple[int | None, list[Line]]]:
    """Cut the lines where another NPU is named, and where a loop's next answer begins."""
    parts: list[tuple[int | None, list[Line]]] = []
    keys: set[str] = set()
    title = manner.title if any(line.text.startswith(manner.title) for line in lines) else ""
    for line in lines:
        npu, rest = _mark(line, bare=not title and manner.first is None)
        if npu is not None and (not parts or parts[-1][0] != npu):
            parts.append((npu, []))
            keys = set()
        if not rest.text:
            continue
        unmarked = loop and npu is None and bool(parts) and parts[-1][0] is None
        if not parts or (unmarked and _begins(rest, parts[-1][1], keys, title, manner.first)):
            parts.append((None, []))
            keys = set()
        keys.add(_key(rest))
        parts[-1][1].append(rest)
    if len(parts) > 1 and not parts[-1][1]:
        del parts[-1]  # a mark at the end is that of an answer which is not here
    return parts or [(None, [])]


def _begins(line: Line, before: list[Line], keys: set[str], title: str, first: re.Pattern[str] | None) -> bool:
    """Tell whether the next answer of a loop begins here: after other lines, and never within a table.

    Two different refusals on end are one answer, the same one again is the next NPU's.
    """
    if not before or line.text[0] in "+|":
        return False
    refused = refusal(line, _REFUSALS) is not None
    turned = refused != (refusal(before[-1], _REFUSALS) is not None)
    if title and not turned:
        return line.text.startswith(title)
    if first is not None and not refused and not first.match(line.text):
        return False
    return turned or _key(line) in keys


def _key(line: Line) -> str:
    return line.text.partition(":")[0].lower()


def _mark(line: Line, *, bare: bool) -> tuple[int | None, Line]:
    """Return the NPU that a line names as the one it is of, and the line without that."""
    if match := _PREFIX.match(line.text):
        return int(match[1] or match[2]), Line(line.index, match[3].strip())
    match = _MARK.fullmatch(line.text[:200]) or (_BARE_MARK.fullmatch(line.text[:200]) if bare else None)
    if match is None:
        return None, line
    return int(next(filter(None, match.groups()))), Line(line.index, "")


def _named_in(lines: list[Line]) -> int | None:
    match = next(filter(None, (_IN_TEXT.match(line.text) for line in lines)), None)
    return int(next(filter(None, match.groups()))) if match else None


def _clash(capture: Capture, part: tuple[int | None, list[Line]], asked: int, problems: list[Problem]) -> None:
    """Report an answer that names another NPU than was asked; what it says goes to the one it names."""
    npu, lines = part
    if npu is not None and npu != asked and lines:
        message = f"NPU {npu} answered, NPU {asked} was asked"
        problems.append(Problem(ProblemKind.CLASH, capture.origin(lines[0].index), message, lines[0].text[:200]))


def _silent(answer: Answer, *, absent: bool) -> None:
    """Nothing was printed: there is none, or the refusal went to stderr."""
    origin = answer.capture.origin(0)
    answer.records.append(Setting(answer.subject, answer.question, None, origin, "absent" if absent else "unreadable"))
    if not absent:
        answer.problems.append(unread(answer.capture, 0, "hccn_tool printed nothing; errors go to stderr"))


def _refused(answer: Answer) -> bool:
    """Read an answer that begins with a refusal. What follows it is reported unless it is one more."""
    first = answer.lines[0]
    status = refusal(first, _REFUSALS)
    if status is None:
        return False
    answer.records.append(Setting(answer.subject, answer.question, None, answer.origin(first), status))
    for line in answer.lines:
        meant = refusal(line, _REFUSALS)
        if meant == "unreadable":
            answer.unread(line, "hccn_tool refused")
        elif meant is None:
            answer.unread(line, "not understood behind a refusal")
    return True


def _known(answer: Answer) -> list[Record]:
    """Return the records whose NPU is known; report the answer where some are not."""
    kept = [record for record in answer.records if not _of_nobody(record)]
    if len(kept) < len(answer.records):
        first = answer.lines[0] if answer.lines else Line(0, "")
        answer.problems.insert(0, unread(answer.capture, first.index, "which NPU answered is not known", first.text))
    return kept


def _of_nobody(record: Record) -> bool:
    name = getattr(record, "device", None) or getattr(record, "subject", None) or getattr(record, "accelerator", None)
    return str(name).startswith("NPU?")
