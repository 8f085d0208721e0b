"""How a matrix is found inside a longer text: the line with which it begins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.matrix.text import CODE

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = rf"(?:[ \t|>*`\u2502\xa0]|\x1b\[[\d;]*[A-Za-z]|{CODE})"
_TITLE = r"(?:CPU\s+Affinity|NUMA\s+Affinity|GPU\s+NUMA\s+ID)"
_OTHER = r"[A-Za-z][A-Za-z0-9.@-]*+(?:_[A-Za-z0-9]++)*+(?<=\d)"


def begins(device: str, unlike: Sequence[str] = (), also: str = "") -> re.Pattern[str]:
    r"""Return the pattern of a header: devices and titles only, at least two, then the end of the line.

    ``device`` is the stem of the labels (``GPU``). A header wrapped over several lines is matched as one.
    ``unlike`` are cell words of another matrix with the same header. ``also`` is another beginning. At the start of
    the text a row will do, since a copy may lack its header.
    """
    one = rf"(?:{device})\d+"
    item = rf"{_GAP}*+(?:{_TITLE}|{one}|NIC\d+|mlx\d+_(?:bond_)?\d+|{_OTHER})"
    header = rf"{_GAP}*+(?:{_TITLE}{_GAP}*+)*+{one}(?:{item})++{_GAP}*+\r?$"
    after = rf"(?:\n{_GAP}*+(?:{_TITLE}|{one}|NIC\d+|mlx\d+_\d+)(?:{item})*+{_GAP}*+\r?$)*+"
    other = rf"(?!\r?\n{_GAP}*+{one}{_GAP}++X{_GAP}++(?:{'|'.join(unlike)})\b)" if unlike else ""
    row = rf"\A\s*+{one}{_GAP}++(?:[A-Z][A-Za-z_0-9]*+{_GAP}++)*?X{_GAP}++[A-Z0-9]"
    return re.compile(rf"^{header}{after}{other}|{row}{'|' + also if also else ''}", re.MULTILINE)
