r"""The tree of ``lspci -t``, alone or with ``-v`` and ``-nn``.

Grammar, from ls-tree.c of pciutils (3.1 to 3.14 draw alike)::

    forest = tree+                                    one tree; since 3.10 one a domain
    tree   = "-" buses
    buses  = block                                    one bus
           | "+-" block (line "+-" block)* line "\-" block
    block  = "[" domain ":" bus "]-" devices
    devices = ""                                      an empty bus
           | "--" device                              exactly one
           | "+-" device (line "+-" device)* line "\-" device
    device = dev "." fn ["  " name [" [vvvv:dddd]"] | bridge]
    bridge = "-[" secondary ["-" subordinate] "]-" "-" (devices | buses)
           | "-" "-" (devices | buses)                secondary bus 00: not configured
    line   = newline ("|" | " ")*                     the guides; their columns tell which list goes on

Up to 3.7 roots descend and an empty root ``[0000:00]`` may be added. A bridge has no name, a device no bus: its bus is
the secondary one of the bridge above. Copies lose blanks, and people cut trees: a line is then told by the number of
its guides, one for each list on its left that goes on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind, pci_address
from toposcope.collectors.lspci.header import named
from toposcope.collectors.lspci.lines import CUT, NOISE, broken_between, joined, lines_of, shown
from toposcope.collectors.records import PciDevice, Reading

if TYPE_CHECKING:
    from toposcope.base import Capture

# The tool cuts its lines at 1024 characters.
_LONGEST_LINE = 2048
_MOST_TAILS = 16
_LONGEST_NAME = 1024
# The dash before the first block may be lost, or a mark of code stand before it.
_START = re.compile(r"[ `]*(?:-(?=(?:\+-)?\[[0-9a-f]{4,8}:[0-9a-f]{2}\]-)|(?=\[[0-9a-f]{4,8}:[0-9a-f]{2}\]-[+-]))")
_GUIDES = re.compile(r"[ |]*(?=[+\\]-)")
_BLOCK = re.compile(r"\[([0-9a-f]{4,8}):([0-9a-f]{2})\]-")
_DEVICE = re.compile(r"([0-9a-f]{2}\.[0-7])")
_BRIDGE = re.compile(r"-\[([0-9a-f]{2})(?:-([0-9a-f]{2}))?\]-|-(?=-)")
_NAME = re.compile(r"[ \t]+(.*)$")
# The first list of a forest stands in column 1 even where runs of blanks were made one.
_TELLING = 8


@dataclass(frozen=True, slots=True)
class _Bus:
    """Where devices stand: ``bus`` None is not known. ``bridge`` is the bridge above, None at a root."""

    domain: str | None
    bus: str | None
    bridge: str | None
    root: bool


@dataclass(slots=True)
class _List:
    """An open list: the column of its ``+``, the bus or bridge of its entries, and the text of the last one."""

    column: int
    bus: _Bus
    closed: bool = False
    last: str = ""


def parse(capture: Capture) -> Reading:
    """Read all trees of a text. What stands between their lines becomes a problem."""
    return _Walk(capture).read()


class _Walk:
    """The state of one reading: the lists that may go on, from left to right."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.devices: list[PciDevice] = []
        self.problems: list[Problem] = []
        self.aliens: list[Problem] = []
        self.tails: list[tuple[int, str]] = []
        self.above = ""
        self.lists: list[_List] = []
        self.domain = _domain(capture.text)
        self.started = False
        self.moved = False
        self.aligned = False

    def read(self) -> Reading:
        """Read line by line; after the last line of a tree other text is not looked at."""
        for index, raw in enumerate(lines_of(self.capture.text)):
            line = raw.rstrip().expandtabs().replace("\\\\-", "\\-")
            if len(line) > _LONGEST_LINE:
                self._problem(index, f"a line of {len(line)} characters was left out", line)
            elif line:
                self._line(index, line)
            self.above = line
        if not self.started:
            self.problems += self.aliens[:1]
        return Reading(tuple(self.devices), tuple(self.problems))

    def _line(self, index: int, line: str) -> None:
        start = _START.match(line)
        if start is not None:
            self._leave_aliens()
            self.started = True
            self.lists.clear()
            self._entries(index, line, start.end(), _Bus(None, None, None, root=True))
            return
        guides = _GUIDES.match(line)
        if guides is None:
            self._other(index, line)
            return
        self._leave_aliens()
        self.started = True
        self._continue(index, line, guides.end())

    def _other(self, index: int, line: str) -> None:
        if NOISE.match(line):
            self._problem(index, "a message of lspci", line)
        elif CUT.match(line) and self.started:
            self.aligned = not self.moved  # what does not fit from here on was cut, not moved
            self._problem(index, "lines of the tree were cut out here", line)
        elif self._may_be_a_tail(line):
            self.tails.append((index, line))
        elif not set(line) <= {" ", "|"}:
            problem = Problem(ProblemKind.UNREAD, self.capture.origin(index), "not a line of a tree", shown(line))
            self.aliens.append(problem)

    def _may_be_a_tail(self, line: str) -> bool:
        """Tell whether a line may be the rest of the name above, which is broken into a few at most."""
        name = self.devices[-1].name if self.devices and len(self.tails) < _MOST_TAILS else None
        return bool(name and self.above) and len(name or "") < _LONGEST_NAME and broken_between(self.above, line)

    def _leave_aliens(self) -> None:
        """Report other lines if a tree stands before and after them, and join the rest of a broken name."""
        for index, line in self.tails:
            name, pci_id = named(joined(self.devices[-1].name or "", line))
            self.devices[-1] = replace(self.devices[-1], name=name, pci_id=pci_id)
            self._problem(index, "a broken line was read with the one above", line, repaired=True)
        if self.started and self.aliens:
            more = f", and {len(self.aliens) - 1} more" if len(self.aliens) > 1 else ""
            self.problems.append(replace(self.aliens[0], message=f"{self.aliens[0].message}{more}"))
        self.aliens.clear()
        self.tails.clear()

    def _continue(self, index: int, line: str, column: int) -> None:
        found = self._find(index, line, column)
        if found is None:
            assumed = f"; domain {self.domain} is assumed" if self.domain else ""
            self._problem(index, f"the tree above this line is missing{assumed}", line)
            root = _BLOCK.match(line, column + 2) is not None
            found = _List(column, _Bus(self.domain, None, None, root))
            self.lists = [open_ for open_ in self.lists if open_.column < column] + [found]
        position = next(place for place, open_ in enumerate(self.lists) if open_ is found)
        del self.lists[position + 1 :]
        found.closed, found.last = line[column] == "\\", line[column + 2 : column + 6]
        self._entry(index, line, column + 2, found.bus)

    def _find(self, index: int, line: str, column: int) -> _List | None:
        """Return the list that a glyph goes on with: by its column, or by the number of guides before it.

        Columns are wrong from the second line on where a copy lost blanks; where they were right before, a column
        without a list means that lines were cut out. Devices of a bus ascend, so one that does not is of another.
        """
        going_on = [open_ for open_ in self.lists if not open_.closed]
        by_column = next((open_ for open_ in going_on if open_.column == column), None)
        guides = [place for place in range(column) if line[place] == "|"]
        if by_column is None or not {open_.column for open_ in going_on}.issuperset(guides):
            if self.aligned:
                return None
            by_column = None
        found = by_column or (going_on[len(guides)] if len(guides) < len(going_on) else None)
        block = _BLOCK.match(line, column + 2) is not None
        if found is None or (found.bus.bus is None) != block or not (block or line[column + 2 :] > found.last):
            return None
        if found is by_column:
            self.aligned = self.aligned or (column >= _TELLING and not self.moved)
        elif not self.moved:
            self.moved = True
            self._problem(index, "the columns of the tree are moved; its guides were counted", line, repaired=True)
        return found

    def _entries(self, index: int, line: str, at: int, bus: _Bus) -> None:
        """Read what hangs below a bus or a bridge: nothing, one entry, or the first of a list."""
        if line[at : at + 2] in ("+-", "\\-"):
            block = _BLOCK.match(line, at + 2) is not None
            inside = _Bus(bus.domain, None, bus.bridge, bus.root) if block else bus
            self.lists.append(_List(at, inside, line[at] == "\\", line[at + 2 : at + 6]))
            self._entry(index, line, at + 2, inside)
        elif line.startswith("--", at):
            self._entry(index, line, at + 2, bus)
        elif _BLOCK.match(line, at):
            self._entry(index, line, at, bus)
        elif line[at:].strip(" -"):
            self._problem(index, "not understood in a tree", line[at:])

    def _entry(self, index: int, line: str, at: int, bus: _Bus) -> None:
        block = _BLOCK.match(line, at)
        if block is not None:
            domain = f"{int(block[1], 16):04x}"
            self._entries(index, line, block.end(), _Bus(domain, block[2], bus.bridge, bus.root))
            return
        device = _DEVICE.match(line, at)
        if device is None:
            if line[at:].strip(" -"):
                self._problem(index, "not understood in a tree", line[at:])
            return
        address = None if bus.bus is None else pci_address(f"{bus.domain}:{bus.bus}:{device[1]}")
        bridge = _BRIDGE.match(line, device.end())
        if bridge is None:
            self._device(index, address, bus, line[device.end() :])
            return
        self._bridge(index, address, bus, bridge)
        below = _Bus(bus.domain, bridge[1] or "00", address, root=False)
        after = bridge.end() + (line[bridge.end() : bridge.end() + 1] == "-")
        self._entries(index, line, after, below)

    def _device(self, index: int, address: str | None, bus: _Bus, rest: str) -> None:
        match = _NAME.match(rest)
        if rest and match is None:
            self._problem(index, "not understood in a tree", rest)
        name, pci_id = named(match[1]) if match else ("", None)
        self._add(index, address, bus, name=name or None, pci_id=pci_id)

    def _bridge(self, index: int, address: str | None, bus: _Bus, bridge: re.Match[str]) -> None:
        secondary = int(bridge[1] or "0", 16)
        subordinate = int(bridge[2], 16) if bridge[2] else secondary
        self._add(index, address, bus, secondary=secondary, subordinate=subordinate)

    def _add(
        self,
        index: int,
        address: str | None,
        bus: _Bus,
        *,
        name: str | None = None,
        pci_id: str | None = None,
        secondary: int | None = None,
        subordinate: int | None = None,
    ) -> None:
        if address is None:  # the missing part above it is reported already
            return
        self.devices.append(
            PciDevice(
                address,
                self.capture.origin(index),
                parent=bus.bridge,
                at_root=bus.root,
                pci_id=pci_id,
                name=name,
                secondary=secondary,
                subordinate=subordinate,
                virtual="Virtual Function" in (name or ""),
            )
        )

    def _problem(self, index: int, message: str, text: str, *, repaired: bool = False) -> None:
        kind = ProblemKind.REPAIRED if repaired else ProblemKind.UNREAD
        self.problems.append(Problem(kind, self.capture.origin(index), message, shown(text)))


def _domain(text: str) -> str | None:
    """Return the domain of a part whose root is missing: 0000 if no other is printed."""
    others = any(int(domain, 16) for domain, _ in _BLOCK.findall(text))
    return None if others else "0000"
