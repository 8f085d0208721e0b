"""What stands before each line where something else wrote it down: a log's time, ``grep -n``, ``srun -l``, ``mpirun``.

A prefix is taken away only where an output of lspci begins behind it. Numbers must be all the same (one rank) or rise
(``grep -n``): the lines of several ranks are several machines, which nobody can tell apart here.
"""

from __future__ import annotations

import re
from itertools import pairwise

# A number of four digits or more before the first line would be a domain.
PREFIX = (
    r"(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[: ] ?"
    r"|\[\d{1,5},\d{1,5}\]<std\w{2,3}>: ?|\d{1,3}(?:: |[:-]))"
)
_PREFIX = re.compile(PREFIX.replace("{1,3}(", "{1,7}("))
_BEGINS = re.compile(
    rf"(?P<prefix>{PREFIX})[ \t]*(?:(?:[0-9a-f]{{4,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7][ \t/]"
    r"|[-+\\`]*\[[0-9a-f]{4,8}:[0-9a-f]{2}\]-|Slot:)"
)
_SHOWS_ITSELF_WITHIN = 8


def without_prefixes(lines: list[str]) -> list[str]:
    """Take the prefixes away, if there are any."""
    if not any(map(_BEGINS.match, lines[:_SHOWS_ITSELF_WITHIN])):
        return lines
    matches = [_PREFIX.match(line) for line in lines]
    if 2 * sum(map(bool, matches)) < sum(1 for line in lines if line.strip()):
        return lines  # what writes a prefix writes one before every line: a few are damage, and domains look alike
    numbers = [int(match[0].rstrip(":- ")) for match in matches if match and match[0].rstrip(":- ").isdecimal()]
    rising = all(one < other for one, other in pairwise(numbers))
    if not rising and len(set(numbers)) > 1:
        return lines
    return [line[match.end() :] if match else line for line, match in zip(lines, matches, strict=True)]
