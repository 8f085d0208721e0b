"""The text of one source as it stands in a recording: what a parser is given."""

from __future__ import annotations

from dataclasses import dataclass

from toposcope.base.origin import Origin


@dataclass(frozen=True, slots=True)
class Capture:
    """One output of one command, or one file.

    ``first_line`` is where ``text`` begins in ``file``: a pasted file holds several captures.
    ``argument`` is what stood for the command's placeholder (NPU ``3`` of ``hccn_tool -i 3 -ip -g``, a netdev of
    ``ethtool eth0``), None where the command has none or the recording does not tell.
    """

    source: str
    file: str
    text: str
    first_line: int = 1
    argument: str | None = None

    def origin(self, index: int) -> Origin:
        """Return the place of the line with this index (0 is the first line of ``text``)."""
        return Origin(self.source, self.file, self.first_line + index)
