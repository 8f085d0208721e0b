"""What stands before every line of a text and is no part of it: marks of quotation, a clock, the name of a host.

A text in which nothing is recognised is tried again without it. Line numbers stay. Where names of hosts stand there
(``pdsh``, ``clush``, ``kubectl logs --prefix``), each block of lines is that host's; lines of several hosts that are
mixed cannot be put together again, for their order among each other is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

_SHARE = 0.9
_LEAST_LINES = 2
_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        r"[ \t]{0,8}(?:>[ \t]?){1,4}",
        r"\[\d{1,5},\d{1,5}\]<(?:stdout|stderr|stddiag)>: ?",
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*(?:Z|[+-]\d\d:?\d\d)? ",
        r"\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*\] ?",
        r"\[ ?\d{1,7}\.\d{6}\] ",
        r"[ \t]{0,6}\d{1,6}(?:\t|: |\| ?)",
        r"\(\w[\w.-]{0,63} pid=\d+(?:, ip=[\d.]+)?\) ?",
        r"[\w.-]{1,64} +\| ",
    )
)
_HOST = re.compile(r"\[?(?P<host>[A-Za-z][\w.-]{0,63}(?:/[\w./-]{1,120})?)(?:: ?|\] )")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines without their prefix, as they stand from ``first_line`` on; the host that the prefix named."""

    text: str
    first_line: int
    host: str | None = None


def without_prefix(text: str) -> list[Block]:
    """Return the text without what stands before each line, in blocks of one host; empty where nothing does."""
    lines = text.split("\n")
    full = [line for line in lines if line.strip()]
    if len(full) < _LEAST_LINES:
        return []
    for pattern in _PREFIXES:
        if sum(pattern.match(line) is not None for line in full) >= _SHARE * len(full):
            return [Block("\n".join(pattern.sub("", line, count=1) for line in lines), 1)]
    return _by_host(lines, len(full))


def _by_host(lines: list[str], full: int) -> list[Block]:
    """Return a block a host, where nearly all lines name one and no host's lines are torn apart."""
    matches = [_HOST.match(line) for line in lines]
    if sum(match is not None for match in matches) < _SHARE * full:
        return []
    blocks: list[Block] = []
    line = 0
    for host, group in groupby(matches, key=lambda match: match["host"] if match else None):
        size = len(list(group))
        if host is not None:
            own = (
                text[match.end() :]
                for text, match in zip(lines[line:], matches[line : line + size], strict=False)
                if match
            )
            blocks.append(Block("\n".join(own) + "\n", line + 1, host))
        line += size
    hosts = [block.host for block in blocks]
    return blocks if len(set(hosts)) == len(hosts) else []
