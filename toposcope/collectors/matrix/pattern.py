"""How a matrix is found inside a longer text: the line with which it begins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.matrix.text import CODE, STAMP

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = rf"(?:[ \t|>*`\u2502\xa0]|\x1b\[[\d;]*+[A-Za-z]|{CODE})"
_HEAD = rf"{_GAP}*+(?:{STAMP}{_GAP}*+)?+"
_TITLE = r"(?:CPU\s*+Affinity|NUMA\s*+Affinity|GPU\s*+NUMA\s*+ID)"
_OTHER = r"[a-z][a-z0-9.@-]*+(?:_[a-z0-9]++)*+(?<=\d)"
# A label or title of which a terminal's wrap put the rest on the next line, and that rest.
_CUT = r"(?:CP?U?|NUM?A?|NI?C?|GP?U?|Phy-?I?D?|A[finty]*+|m[lx5_]*+|I)(?![A-Za-z0-9])"
_REST = r"(?:\d{1,3}|[PUICMAD]{1,3}\d{0,3}|[fintyADI]{1,8}|[lx]{0,2}\d_\d+)"

# Lines over which a header may be wrapped. Without an end, a thousand headers would each be read to the last one.
_MOST_LINES = 64


def begins(device: str, unlike: Sequence[str] = (), also: str = "") -> re.Pattern[str]:
    r"""Return the pattern of a header: devices and titles only, at least two, then the end of the line.

    ``device`` is the stem of the labels (``GPU``). A header wrapped over several lines is matched as one.
    ``unlike`` are cell words of another matrix with the same header. ``also`` is another beginning. At the start of
    the text a row will do, since a copy may lack its header.
    """
    one = rf"(?:{device})\d+"
    name = rf"(?:{_TITLE}|{one}|NIC\d+|mlx\d+_(?:bond_)?\d+|{_OTHER})"
    items = rf"(?:{_GAP}*+{name})"
    stop = rf"(?:{_GAP}++{_CUT}){{0,3}}+{_GAP}*+\r?$"
    header = rf"{_HEAD}(?:{_TITLE}{_GAP}*+)*+{one}{items}++{stop}"
    after = rf"(?:\n{_HEAD}(?:{name}|{_REST}(?={_GAP}|\r?$)){items}*+{stop}){{0,{_MOST_LINES}}}+"
    lone = rf"{_HEAD}{one}{_GAP}*+\r?$(?=\n{_HEAD}{one}{_GAP}++X{_GAP}*+\r?$)"
    # The same header stands above tables with 0 on the diagonal, which are of other tools.
    words = rf"X{_GAP}++(?:{'|'.join(unlike)})\b|" if unlike else ""
    other = rf"(?!\r?\n{_HEAD}{one}{_GAP}++(?:{words}0(?:{_GAP}|\r?$)))"
    row = rf"\A\s*+{one}{_GAP}++(?:[A-Z][A-Za-z_0-9]*+{_GAP}++)*?X{_GAP}++[A-Z0-9]"
    return re.compile(rf"^{header}{after}{other}|^{lone}|{row}{'|' + also if also else ''}", re.MULTILINE)
