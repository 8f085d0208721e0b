"""Which device each column is of: told by the header, by the X of each row, and by the numbering of the devices."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.matrix.header import Header
    from toposcope.collectors.matrix.rows import Row
    from toposcope.collectors.matrix.words import Lexicon

# NVLink boards: all their GPUs are linked, so that columns behind them without a link are not of GPUs.
_BOARDS = (2, 4, 8, 16)
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Columns:
    """The label of each column, None where nothing tells it; ``mended`` are those that the header did not give."""

    labels: tuple[str | None, ...]
    mended: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()


def columns_of(header: Header | None, rows: Sequence[Row], names: Sequence[str], lexicon: Lexicon) -> Columns:
    """Return the columns. ``names`` are the labels that the legend explains."""
    width = _width(rows)
    if header is None:
        return _without_header(width, rows, names, lexicon)
    given = _in_order(header.labels, lexicon)
    seen = Counter(label for label in given if label)
    marks = _marks(rows, width)
    given = _corrected(given, marks, {row.label for row in rows})
    lost = any(row.label not in seen for row in rows) or max(seen.values(), default=1) > 1
    if width > len(given) or (width < len(given) and lost and _contradicted(given, marks)):
        given = _spread(given, width, marks)
    else:
        for at, label in enumerate(given):
            if label and seen[label] > 1 and marks.get(at) != label:
                given[at] = None
    whole = _numbered(_placed(given, marks))
    missing = [label for label in whole if label and label not in seen]
    missing += [label for label, count in seen.items() if count > 1]
    missing = list(dict.fromkeys(missing))
    return Columns(tuple(whole), tuple(missing))


def _in_order(labels: Sequence[str | None], lexicon: Lexicon) -> list[str | None]:
    """Return the labels without those that stand among the accelerators and are none: damaged ones."""
    own = [bool(label and lexicon.accelerator.fullmatch(label)) for label in labels]
    last = max((at for at, is_own in enumerate(own) if is_own), default=-1)
    return [None if at < last and not own[at] else label for at, label in enumerate(labels)]


def _corrected(given: Sequence[str | None], marks: dict[int, str], rows: set[str]) -> list[str | None]:
    """Replace a label that no row has by that of the row whose X stands there, if its kin are in the header."""
    stems = Counter(_stem(label) for label in given if label)
    columns = list(given)
    for at, label in enumerate(given):
        told = marks.get(at)
        if label and told and label not in rows and told not in given and stems[_stem(told)] > stems[_stem(label)]:
            columns[at] = told
    return columns


def _stem(label: str) -> str:
    return label.rstrip("0123456789")


def _width(rows: Sequence[Row]) -> int:
    """Return how many cells most rows have; the greater number where two are equally frequent."""
    counts = Counter(len(row.items) for row in rows if row.me is not None)
    return max(counts, key=lambda width: (counts[width], width)) if counts else 0


def _marks(rows: Sequence[Row], width: int) -> dict[int, str]:
    """Return the labels that the X of whole rows puts at a column; nothing where two rows claim one."""
    claims = [(row.me, row.label) for row in rows if row.me is not None and len(row.items) == width]
    often = Counter(at for at, _ in claims)
    names = Counter(label for _, label in claims)
    return {at: label for at, label in claims if often[at] == 1 and names[label] == 1 and label}


def _contradicted(given: Sequence[str | None], marks: dict[int, str]) -> bool:
    return sum(1 for at, label in marks.items() if at < len(given) and given[at] != label) * 2 > len(marks)


def _placed(given: Sequence[str | None], marks: dict[int, str]) -> list[str | None]:
    taken = {label for label in given if label}
    return [label or (marks[at] if at in marks and marks[at] not in taken else None) for at, label in enumerate(given)]


def _spread(given: Sequence[str | None], width: int, marks: dict[int, str]) -> list[str | None]:
    """Lay out a header that lost or doubled a label: the rows' marks first, then what fits between two of them."""
    columns: list[str | None] = [marks.get(at) for at in range(width)]
    pending = [label for label in dict.fromkeys(given) if label]
    if not marks:
        return [*given, *[None] * (width - len(given))]
    for at in range(width):
        if columns[at] is None and _fits(pending, columns, at):
            columns[at] = _fits(pending, columns, at)
    return columns


def _fits(pending: Sequence[str], columns: Sequence[str | None], at: int) -> str | None:
    """Return the header's label that follows the column before, if it is not placed elsewhere."""
    before = columns[at - 1] if at else None
    place = pending.index(before) + 1 if before in pending else (0 if at == 0 else len(pending))
    if place < len(pending) and pending[place] not in columns:
        return pending[place]
    return None


def _numbered(given: Sequence[str | None]) -> list[str | None]:
    """Fill a gap whose neighbours are numbered in step: GPU2, ?, GPU4."""
    columns = list(given)
    for at, label in enumerate(columns):
        if label is None:
            columns[at] = _between(columns, at)
    return columns


def _between(columns: Sequence[str | None], at: int) -> str | None:
    left = next((i for i in range(at - 1, -1, -1) if columns[i]), None)
    right = next((i for i in range(at + 1, len(columns)) if columns[i]), None)
    ends = [(i, _NUMBERED.fullmatch(columns[i] or "")) for i in (left, right) if i is not None]
    offers = {f"{match[1]}{int(match[2]) + at - i}" for i, match in ends if match and int(match[2]) + at - i >= 0}
    fresh = offers - set(columns)
    if left is None and right is not None and len(fresh) == 1:
        return fresh.pop() if at == 0 or right == at + 1 else None
    return fresh.pop() if len(offers) == 1 and len(ends) > 1 and len(fresh) == 1 else None


def _without_header(width: int, rows: Sequence[Row], names: Sequence[str], lexicon: Lexicon) -> Columns:
    columns: list[str | None] = [None] * width
    for at, label in _marks(rows, width).items():
        columns[at] = label
    found = [label for label in columns if label]
    last = _last_linked(rows, width)
    _extend(columns, lexicon, last)
    rest = [at for at in range(width) if columns[at] is None]
    after = rest == list(range(width - len(rest), width))
    guessed: list[str] = []
    if rest and after and columns[0] is not None:
        fresh = [name for name in names if name not in columns]
        board = last + 1 == rest[0] and last + 1 in _BOARDS and len(rows) > 1
        if len(fresh) == len(rest) or (board and not fresh):
            guessed = fresh or _following(columns, len(rest))
            columns[rest[0] :] = guessed
    mended = tuple(label for label in columns if label and label not in found and label not in guessed)
    return Columns(tuple(columns), tuple(found) + mended, tuple(guessed))


def _last_linked(rows: Sequence[Row], width: int) -> int:
    """Return the last column with an NVLink word: it and all before it are accelerators. -1 where there is none."""
    return max(
        (at for row in rows if len(row.items) == width for at, word in enumerate(row.items) if word.startswith("NV")),
        default=-1,
    )


def _extend(columns: list[str | None], lexicon: Lexicon, last: int) -> None:
    """Count on from the labels that are there, each kind of device by itself."""
    for at, label in enumerate(list(columns)):
        match = _NUMBERED.fullmatch(label or "")
        if label is None or match is None:
            continue
        own = lexicon.accelerator.fullmatch(label) is not None
        first = at - int(match[2])
        for to in range(max(first, 0), len(columns) if not own else last + 1):
            if columns[to] is None:
                columns[to] = f"{match[1]}{to - first}"
        if not own and lexicon.stem and None in columns[:first]:
            columns[:first] = [label or f"{lexicon.stem}{to}" for to, label in enumerate(columns[:first])]


def _following(columns: Sequence[str | None], count: int) -> list[str]:
    nics = sum(1 for label in columns if label and label.startswith("NIC"))
    return [f"NIC{nics + at}" for at in range(count)]
