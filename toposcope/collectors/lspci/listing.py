r"""The lists of ``lspci``: a line for each device, with ``-v`` and ``-k`` its fields below, with ``-P`` its way.

Grammar::

    list   = (header line*)*
    header = see header.py, in the first column
    line   = blanks field ":" value                 see fields.py
           | hex dump line of -x | empty line

A copy may have lost the blanks before the fields, gained empty lines or quotation marks, or broken long lines. Lines
between two devices that are none of these are reported; after the last device they are somebody else's text.
Where lines were filtered (``lspci -s 01:00.0 -vvv | grep Lnk``) the capture's argument names the device.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind, pci_address
from toposcope.collectors.lspci.classes import has_settings
from toposcope.collectors.lspci.draft import Draft
from toposcope.collectors.lspci.fields import OF_EACH, WITH_SETTINGS
from toposcope.collectors.lspci.header import Header, glued, read_header
from toposcope.collectors.lspci.lines import CUT, LONGEST_LINE, NOISE, broken_between, joined, lines_of, shown
from toposcope.collectors.lspci.paths import follow
from toposcope.collectors.records import Reading

if TYPE_CHECKING:
    from toposcope.base import Capture
    from toposcope.collectors.lspci.fields import Reader

_REVISION = re.compile(r"\(rev [0-9a-f]{2}\)")
_SHORT_SLOT = re.compile(r"(?:([0-9a-f]{1,8})[: ])?([0-9a-f]{1,2})[: ]([0-9a-f]{1,2}\.[0-7])")
_HEX = re.compile(r"[0-9a-f]{2,3}:(?: [0-9a-f]{2})+\s*$")
_PROMPT = re.compile(
    r"(?:\([\w.-]{1,40}\) ?)?(?:\[[^\]\n]{1,80}\]|[\w.-]{1,64}@[\w.-]{1,64}[^$#>\n]{0,80}|bash-[\d.]{1,9}|~)?"
    r" ?[$#%>](?: |$)"
    r"|(?:sudo )?(?:/\S{1,40}/)?lspci\b(?!:)"
)
_SILENT = re.compile(r"(?:--More--.*|\(END\)|:|`{3}\w*|[-=_*~]{2,})\s*$")


# Words with which a field begins that ends any broken header.
_FIRST_WORDS = frozenset((*WITH_SETTINGS, "Control:", "Status:", "Latency:", "Interrupt:", "DeviceName:", "I/O"))


def parse(capture: Capture) -> Reading:
    """Read any list of ``lspci``. Odd text becomes problems; a text without any device is one problem."""
    return _Walk(capture).read()


class _Walk:
    """The state of one reading: the device whose lines are being read, and the lines that no device owns."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.lines = lines_of(capture.text)
        self.drafts: list[Draft] = []
        self.buses: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.aliens: list[int] = []
        self.draft: Draft | None = None
        self.readers: dict[str, Reader] = {}
        self.wrapped: Draft | None = None
        self.joined: set[int] = set()
        self.messages: set[str] = set()
        self.bare = False
        self.hops = False

    def read(self) -> Reading:
        """Walk over the lines: fields by their first word, all others by what they look like."""
        self._leave_out_overlong()
        self._begin_by_argument()
        for index, line in enumerate(self.lines):
            words = line.split(None, 1)
            if not words:
                continue
            reader = self.readers.get(words[0])
            if reader is not None and self.draft is not None:
                reader(self.draft, self.capture, self.lines, index)
                self.bare = self.bare or line[0] not in "\t "
            elif words[0][-2:-1] == "." and self._header(index, line):
                continue
            elif line[0] not in "\t " or self.draft is None:
                self._other(index, line)
        return self._reading()

    def _leave_out_overlong(self) -> None:
        if max(map(len, self.lines)) <= LONGEST_LINE:
            return
        for index, line in enumerate(self.lines):
            if len(line) > LONGEST_LINE:
                self._report(index, f"a line of {len(line)} characters was left out")
                self.lines[index] = ""

    def _begin_by_argument(self) -> None:
        """Take the device of ``-s``, which stays unless a header names one: lines may have been filtered."""
        match = _SHORT_SLOT.fullmatch(self.capture.argument or "")
        if match is None or any(map(read_header, self.lines)):
            return
        domain, bus, device = match.groups(default="0")
        address = pci_address(f"{domain:0>4}:{bus:0>2}:{device:0>4}")
        if address is not None:
            self._open(Draft(address, self.capture.origin(0), {}))

    def _header(self, index: int, line: str) -> bool:
        first, *others = glued(self._unbroken(index, line))
        header = read_header(first)
        if header is None:
            return False
        self._device(index, header)
        if others:
            self._report(index, "the line feeds between these devices are lost", ProblemKind.REPAIRED)
        for other in map(read_header, others):
            if other is not None:
                self._device(index, other)
        return True

    def _device(self, index: int, header: Header) -> None:
        self._remember_bus()
        self._report_aliens()
        address, parent = follow(header, self.buses)
        self.hops = self.hops or bool(header.hops)
        if address is None:
            self._close()
            self._report(index, "the bus of this device is not printed (-P without -v)")
        else:
            self._open(_draft(self.capture, index, header, address, parent))

    def _unbroken(self, index: int, line: str) -> str:
        """Return a header with its rest from the next line, where it was broken."""
        below, further = self._line(index + 1), self._line(index + 2)
        if below[:1] in ("", "\t", " ") or not broken_between(line, below) or self._stands_alone(below):
            return line
        whole = joined(line, below)
        closes = _balance(line) > 0 and _balance(whole) == 0
        ends = _REVISION.search(below) is not None and _REVISION.search(line) is None
        if not (closes or ends or self._stands_alone(further)):
            return line
        self.joined.add(index + 1)
        return whole

    def _line(self, index: int) -> str:
        return self.lines[index] if index < len(self.lines) else ""

    @staticmethod
    def _stands_alone(line: str) -> bool:
        """Tell a line that goes on with no other: a header or a field."""
        words = line.split(None, 1)
        return bool(words) and (words[0] in _FIRST_WORDS or read_header(line) is not None)

    def _open(self, draft: Draft) -> None:
        self.draft, self.bare = draft, False
        self.readers = WITH_SETTINGS if has_settings(draft.values.get("class_code")) else OF_EACH
        self.drafts.append(draft)

    def _close(self) -> None:
        self._remember_bus()
        self.draft, self.readers = None, {}

    def _remember_bus(self) -> None:
        if self.draft is not None and self.draft.values.get("secondary"):
            self.buses[self.draft.address] = self.draft.values["secondary"]

    def _other(self, index: int, line: str) -> None:
        if _HEX.match(line) or _SILENT.match(line):
            return
        if self.draft is not None and line.split(None, 1)[0] in _FIRST_WORDS:
            self.bare = True  # a field, only without its blanks
        elif _PROMPT.match(line):
            self._close()
        elif NOISE.match(line):
            self._noise(index, line.strip())
        elif self.draft is not None and self._goes_on(index, line):
            self._broken(index)
        elif CUT.match(line):
            self._report(index, "lines were cut out here")
        elif self.draft is not None and self._field_below(index):
            self._report(index, "not a line of lspci")
        else:
            self._close()
            self.aliens.append(index)

    def _goes_on(self, index: int, line: str) -> bool:
        """Tell whether a line in the first column is the rest of a broken one, or of a list that lost its blanks."""
        above = self.lines[index - 1] if index else ""
        if index in self.joined:
            return True
        if not above.strip() or read_header(above) is not None:
            return False
        return self.bare or broken_between(above, line)

    def _field_below(self, index: int) -> bool:
        """Tell whether the next line goes on with the device: another program's message stands between."""
        below = self._line(index + 1)
        words = below.split(None, 1)
        return bool(words) and below[0] in "\t " and words[0] in self.readers

    def _noise(self, index: int, message: str) -> None:
        if message not in self.messages:
            self.messages.add(message)
            self._report(index, "a message of lspci")

    def _broken(self, index: int) -> None:
        if self.wrapped is not self.draft and not (self.bare and index not in self.joined):
            self.wrapped = self.draft
            self._report(index, "a broken line was read with the one above", ProblemKind.REPAIRED)

    def _report_aliens(self) -> None:
        """Report the lines between two devices; before the first one they are not part of the output."""
        if self.aliens and self.drafts:
            count = f", and {len(self.aliens) - 1} more" if len(self.aliens) > 1 else ""
            self._report(self.aliens[0], f"not a line of lspci{count}")
        self.aliens.clear()

    def _report(self, index: int, message: str, kind: ProblemKind = ProblemKind.UNREAD) -> None:
        self.problems.append(Problem(kind, self.capture.origin(index), message, shown(self.lines[index])))

    def _reading(self) -> Reading:
        self._remember_bus()
        for draft in self.drafts:
            if draft.exhausted is not None:
                self._report(draft.exhausted, f"not of {draft.address}: a header is missing")
        if self.hops:
            for draft in self.drafts:
                draft.values["at_root"] = draft.values.get("parent") is None
        if not self.drafts and not self.problems and self.aliens:
            self._report(self.aliens[0], "no device of lspci in this text")
        records = tuple(record for draft in self.drafts for record in draft.records())
        return Reading(records, tuple(sorted(self.problems, key=lambda problem: problem.origin.line)))


def _balance(text: str) -> int:
    return text.count("(") + text.count("[") - text.count(")") - text.count("]")


def _draft(capture: Capture, index: int, header: Header, address: str, parent: str | None) -> Draft:
    values: dict[str, object] = {
        "class_code": header.class_code,
        "class_name": header.class_name,
        "name": header.name,
        "pci_id": header.pci_id,
        "revision": header.revision,
        "parent": parent,
        "virtual": "Virtual Function" in (header.name or ""),
        "alive": header.revision != "ff",
    }
    return Draft(address, capture.origin(index), values)
