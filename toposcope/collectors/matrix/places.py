"""Where the columns stand on the screen: the only guide where cells were erased from a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.collectors.matrix.words import SELF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.matrix.header import Header
    from toposcope.collectors.matrix.rows import Row

_TOKEN = re.compile(r"\S+")
_OFF = 1  # the X is printed with a blank before it


@dataclass(frozen=True, slots=True)
class Places:
    """The screen column at which each label of the header starts, and the first title behind them."""

    starts: dict[str, int]
    end: int | None


def places_of(header: Header | None) -> Places:
    """Return where the labels of a header stand; nothing where it is missing, wrapped or piped."""
    if header is None or header.lines > 1 or header.kinds is not None:
        return Places({}, None)
    found = [(match.start(), match[0]) for match in _TOKEN.finditer(header.line.text.expandtabs(8))]
    starts = {token: start for start, token in found if token in header.labels}
    last = max(starts.values(), default=0)
    behind = [start for start, _ in found if start > last]
    return Places(starts, min(behind, default=None))


def aligned(
    places: Places, row: Row, label: str, columns: Sequence[str | None], items: Sequence[str]
) -> dict[str, str] | None:
    """Return the items by the columns under which they stand, or None if the row as a whole does not keep to them.

    A row that lost a cell with its blanks is shifted, and then its last cell is not under the last label.
    """
    tokens = [(match.start(), match[0]) for match in _TOKEN.finditer(row.line.text.expandtabs(8))]
    inner, tail = tokens[1 : 1 + len(row.items)], tokens[1 + len(row.items) :]
    if not places.starts or [token for _, token in inner] != list(row.items) or len(tail) != len(row.tail):
        return None
    under: dict[str, str] = {}
    for start, item in inner:
        column = next((name for name, at in places.starts.items() if abs(at - start) <= _OFF), None)
        if column is None or column in under or (column == label) != (item == SELF):
            return None
        under[column] = item
    kept = (tail[0][0] >= (places.end or 0) - _OFF) if tail else list(places.starts)[-1] in under
    own = {column for column in columns if column}
    found = {column: token for column, token in under.items() if column in own}
    return found if kept and len(found) == len(items) else None
