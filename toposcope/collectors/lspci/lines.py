"""The lines of a capture as the tool printed them: without colours, marks of quotation, page breaks and hard blanks."""

from __future__ import annotations

from toposcope.base.clean import printable, without_ansi

LONGEST_LINE = 65_536
_SHOWN = 200


def lines_of(text: str) -> list[str]:
    """Split a text at its line feeds, so that indices count as editors do."""
    text = without_ansi(text).replace("\f", "")
    if "\xa0" in text:
        text = text.replace("\xa0", " ")
    lines = [line.rstrip("\r") for line in text.split("\n")]
    quoted = sum(line[:1] == ">" for line in lines)
    if quoted * 2 > sum(not line.isspace() for line in lines if line):
        return [line[1:].removeprefix(" ") if line[:1] == ">" else line for line in lines]
    return lines


def shown(text: str) -> str:
    """Return the beginning of a line as a problem shows it."""
    return printable(text[:_SHOWN].strip())
