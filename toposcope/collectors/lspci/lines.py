"""The lines of a capture as the tool printed them: without colours, marks of quotation, page breaks and hard blanks."""

from __future__ import annotations

import re

from toposcope.base.clean import printable, without_ansi
from toposcope.collectors.lspci.prefixes import without_prefixes

LONGEST_LINE = 65_536
_SHOWN = 200
_QUOTE = re.compile(r"(?:> ?)+")
# Where mails, forums and terminals break lines: at 72 columns or further right.
_NARROWEST = 68
_TERMINAL = 80
# What pciutils says on standard error, which a redirection may put among the lines.
NOISE = re.compile(r"\s*(?:pcilib|lspci): ")
CUT = re.compile(r"[\s|]*[\[(<]?\s*(?:\.{3,}|…|snip|cut|truncated|skipp?ed|omitted)", re.IGNORECASE)


def lines_of(text: str) -> list[str]:
    """Split a text at its line feeds, so that indices count as editors do."""
    text = without_ansi(text).replace("\f", "")
    if "\xa0" in text:
        text = text.replace("\xa0", " ")
    lines = without_prefixes(text.replace("\r\n", "\n").rstrip("\r").split("\n"))
    if ">" not in text[:1] and "\n>" not in text and "\n >" not in text:
        return lines
    first = next((line for line in lines if line and not line.isspace()), "")
    if first.lstrip()[:1] != ">" and sum(line[:1] == ">" for line in lines) * 2 <= len(lines):
        return lines
    return [_QUOTE.sub("", line, count=1) if line.lstrip()[:1] == ">" else line for line in lines]


def shown(text: str) -> str:
    """Return the beginning of a line as a problem shows it."""
    return printable(text[:_SHOWN].strip())


def broken_between(above: str, line: str) -> bool:
    """Tell whether a line may have been broken before this one: its first word had no room on the line above."""
    return _width(above.rstrip()) + 1 + len(line.split(None, 1)[0]) > _NARROWEST


def joined(above: str, line: str) -> str:
    """Join a broken line. A mail breaks between words, a terminal anywhere; it is 80 columns wide or wider."""
    if _width(above.rstrip()) < _TERMINAL:
        return f"{above.rstrip()} {line.strip()}"
    return above + line


def _width(line: str) -> int:
    return len(line.expandtabs())
