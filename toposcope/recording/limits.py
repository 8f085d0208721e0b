"""How much of a stranger's input is read: every limit of the intake stands here, and is named where it is hit.

A recording of a big server is under 20 MB; a sosreport unpacks to some hundred. What lies beyond a limit is not read,
and a problem or an error says so: nothing is cut in silence.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from toposcope.base import Origin, Problem, ProblemKind

MIB = 1024 * 1024
MAX_MEMBERS = 200_000
"""Files, links and folders that are looked at in one input."""
MAX_TEXT = 256 * MIB
"""Bytes of text that are read from one input, all files together."""
MAX_STRAY_TEXT = 128 * MIB
"""Bytes of text that files may take whose name tells no source: pasted texts, and all that is none of ours."""
MAX_MEMBER = 64 * MIB
"""Bytes that are read from one file."""
MAX_OUTPUT = 8 * MIB
"""Bytes that one command may print in a live run: the longest output known is under 5 MiB."""
MAX_FLOOD = MIB // 4
"""Bytes that are kept of an output that is longer: the tool is broken, and its beginning shows how."""
MAX_UNPACKED = 1024 * MIB
"""Bytes that one archive may unpack to, members that are passed over included."""
MAX_ATTRIBUTE = 4096
"""Bytes of one attribute in a /sys tree, a page, as the kernel gives it."""
MAX_NESTING = 3
"""Archives within archives."""
MAX_DEPTH = 40
"""Folders within folders."""
MAX_NAMED_PROBLEMS = 20
"""Unrecognised files that are named one by one; the rest is counted."""


class LimitError(Exception):
    """A limit was hit: reading of this input ends here. The message names the limit."""


@dataclass(slots=True)
class Budget:
    """What has been used of the limits by one input, and the problems met on the way."""

    members: int = 0
    text: int = 0
    stray: int = 0
    problems: list[Problem] = field(default_factory=list)

    def member(self) -> None:
        """Count one member of a folder or an archive."""
        self.members += 1
        if self.members > MAX_MEMBERS:
            raise LimitError(f"more than {MAX_MEMBERS:,} members: the rest is not read")

    def room(self, *, stray: bool) -> int:
        """Return how many bytes the next file may have."""
        left = MAX_TEXT - self.text
        return max(0, min(MAX_MEMBER, left, MAX_STRAY_TEXT - self.stray if stray else left))

    def spend(self, size: int, *, stray: bool) -> None:
        """Count text that was read."""
        self.text += size
        self.stray += size if stray else 0

    def unread(self, name: str, message: str, text: str = "") -> None:
        """Note something that was not read."""
        self.problems.append(unread(name, message, text))

    def too_big(self, name: str, *, stray: bool) -> None:
        """Note a file that is longer than what may be read of it, and name the limit."""
        if self.room(stray=stray) == MAX_MEMBER:
            limit = f"longer than {MAX_MEMBER // MIB} MiB"
        elif self.text >= MAX_TEXT - MAX_MEMBER:
            limit = f"more than {MAX_TEXT // MIB} MiB of text in this input"
        else:
            limit = f"more than {MAX_STRAY_TEXT // MIB} MiB of text in files whose name tells no command"
        self.unread(name, f"not read: {limit}")


def unread(name: str, message: str, text: str = "", line: int = 0, source: str = "recording") -> Problem:
    """Make the problem for something that was passed over."""
    return Problem(ProblemKind.UNREAD, Origin(source, name, line), message, text[:200])
