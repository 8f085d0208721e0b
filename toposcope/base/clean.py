"""Text from a stranger's file, made harmless for a terminal: no control character, no escape sequence."""

from __future__ import annotations

import re

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# C0 and C1 controls, and the Unicode characters that reorder or hide what follows them.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def without_ansi(text: str) -> str:
    """Drop ANSI escape sequences (colour, underline, titles), keep the rest as it is."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def printable(text: str) -> str:
    """Return one line of text that is safe to print: escapes dropped, control characters shown as ``?``."""
    return _CONTROL.sub("?", without_ansi(text).replace("\t", " ").replace("\n", " "))
