r"""Bytes to text, so that a line's number is what an editor shows and every parser splits lines alike.

UTF-8 with or without a mark, UTF-16 as PowerShell's ``>`` writes it; what is no valid UTF-8 is replaced. Escape
sequences of the terminal and overstriking are dropped. ``\r\n`` and the ``\r\r\n`` of ``script`` become one line
end, other characters that ``str.splitlines`` takes for one become blanks.
"""

from __future__ import annotations

import codecs
import re

from toposcope.base.clean import without_ansi

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ODD_ENDS = dict.fromkeys(map(ord, "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), " ")
_HAS_ODD_END = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CARRIAGES = re.compile("(?<!\r)\r+\n")
_OVERSTRUCK = re.compile("[^\n\b]\b")
_SNIFF = 8192


def decode(data: bytes) -> str | None:
    """Return the text, or None where the bytes are no text."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), None) or _unmarked(data)
    if encoding is None:
        return None
    return _tidy(data.decode(encoding, errors="replace"))


def _unmarked(data: bytes) -> str | None:
    head = data[:_SNIFF]
    if b"\0" not in head:
        return "utf-8"
    pairs = len(head) // 2
    if pairs and head[1::2].count(0) > pairs * 0.9 and head[::2].count(0) == 0:
        return "utf-16-le"
    # A log may hold a few stray NULs (a crash, a serial line); a program or a picture holds many.
    return "utf-8" if head.count(0) * 200 < len(head) and _mostly_text(head) else None


def _mostly_text(head: bytes) -> bool:
    control = sum(1 for byte in head if byte < 9 or 13 < byte < 27)  # noqa: PLR2004 - C0 without blanks and ESC
    return control * 50 < len(head)


def _tidy(text: str) -> str:
    if "\r" in text:
        text = _CARRIAGES.sub("\n", text)
        text = text.replace("\r", " " if "\n" in text else "\n")
    text = without_ansi(text)
    if "\b" in text:
        text = _OVERSTRUCK.sub("", text)
    if _HAS_ODD_END.search(text):
        text = text.translate(_ODD_ENDS)
    return text
