"""The cells of a matrix: each word put under its column, lost ones mended from their mirror, contradictions named.

The X of a row parts it in two, so that a cell lost on one side moves nothing on the other. What is not proved by a
count, by the mirror or by an X is reported and left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.base import Capture, Problem, ProblemKind
from toposcope.collectors.matrix.places import Places, aligned
from toposcope.collectors.matrix.words import SELF
from toposcope.collectors.records import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.matrix.rows import Row
    from toposcope.collectors.matrix.words import Lexicon


@dataclass(frozen=True, slots=True)
class Part:
    """One side of a row: the columns that it should have and the items that it has."""

    row: Row
    label: str
    columns: tuple[str | None, ...]
    items: tuple[str, ...]
    at_end: bool


class Sheet:
    """The cells read so far, and the problems met on the way."""

    def __init__(self, capture: Capture, lexicon: Lexicon, places: Places) -> None:
        self.capture = capture
        self.lexicon = lexicon
        self.places = places
        self.cells: dict[tuple[str, str], Cell] = {}
        self.problems: list[Problem] = []

    def put(self, part: Part, column: str, word: str) -> None:
        """Take a word as the cell of this row under this column."""
        cell = Cell(part.label, column, word, self.capture.origin(part.row.line.index))
        self.cells[part.label, column] = cell

    def report(self, kind: ProblemKind, row: Row, message: str, text: str) -> None:
        """Note a problem of a row."""
        self.problems.append(Problem(kind, self.capture.origin(row.line.index), message, text.strip()))

    def mirror(self, part: Part, column: str | None) -> str | None:
        """Return the word that the column's own row has for this row, where the tool knows one word a pair."""
        cell = self.cells.get((column, part.label)) if column and self.lexicon.symmetric else None
        return cell.word if cell else None


def fill(sheet: Sheet, rows: Sequence[tuple[str, Row]], columns: Sequence[str | None]) -> None:
    """Read all rows: first what counts prove, then what mirrors prove; report the rest."""
    doubtful: list[Part] = []
    ends_alike = len({len(row.items) for _, row in rows}) == 1
    for at, (label, row) in enumerate(rows):
        last = ends_alike or at == len(rows) - 1
        for part in _parts(sheet, label, row, columns, last=last):
            if len(part.items) == len(part.columns):
                _take(sheet, part, doubtful)
            else:
                doubtful.append(part)
    for part in doubtful:
        _settle(sheet, part)
    if sheet.lexicon.symmetric or sheet.cells:
        _compare(sheet)


def _parts(sheet: Sheet, label: str, row: Row, columns: Sequence[str | None], *, last: bool) -> list[Part]:
    own, width, items, me = columns.index(label), len(columns), row.items, row.me
    left, right = tuple(columns[:own]), tuple(columns[own + 1 :])
    end = not row.tail and (last or not row.tail_text)
    if not items:
        sheet.report(ProblemKind.UNREAD, row, f"row {label} has no cells", row.line.text)
        return []
    if me is None and len(items) >= own and own < width and items[own : own + 1] == (SELF,):
        me = own
    if me is not None:
        return [
            Part(row, label, left, items[:me], at_end=False),
            Part(row, label, right, items[me + 1 :], at_end=end),
        ]
    if len(items) <= own and end and len(items) < width - 1:
        return [Part(row, label, (*left, *right), items, at_end=True)]
    if len(items) in (width, width - 1):
        gap = len(items) - width + 1
        sheet.report(ProblemKind.UNREAD, row, f"row {label} has no X in its own column", row.line.text)
        return [
            Part(row, label, left, items[:own], at_end=False),
            Part(row, label, right, items[own + gap :], at_end=end),
        ]
    return [Part(row, label, (*left, *right), tuple(item for item in items if item != SELF), at_end=False)]


def _take(sheet: Sheet, part: Part, doubtful: list[Part]) -> None:
    """Put a part whose count is right; words that are none, or stand under no label, go on to be settled."""
    odd = False
    for column, item in zip(part.columns, part.items, strict=True):
        if column is None or item == SELF or not sheet.lexicon.split(item):
            odd = True
        else:
            sheet.put(part, column, item)
    if odd:
        doubtful.append(part)


def _settle(sheet: Sheet, part: Part) -> None:
    """Settle a part that a count did not prove: by its mirrors, by where its words stand, as a row that breaks off."""
    if len(part.items) == len(part.columns):
        for column, item in zip(part.columns, part.items, strict=True):
            if column is None or (part.label, column) not in sheet.cells:
                _mend(sheet, part, column, item)
    elif _mirrored(sheet, part) or _standing(sheet, part):
        return
    elif part.at_end and len(part.items) < len(part.columns):
        _cut_short(sheet, part)
    else:
        many = "too many" if len(part.items) > len(part.columns) else "too few"
        message = f"row {part.label} has {many} cells for {_named(part.columns)}: none of them read"
        sheet.report(ProblemKind.UNREAD, part.row, message, part.row.line.text)


def _mirrored(sheet: Sheet, part: Part) -> bool:
    """Take all cells from their mirrors, if what the row has is those with some left out."""
    mirrors = [sheet.mirror(part, column) for column in part.columns]
    words = [item for item in part.items if sheet.lexicon.split(item)]
    breaks_off = part.at_end and words == mirrors[: len(words)]
    if None in mirrors or breaks_off or not _within(words, mirrors):
        return False
    for column, word in zip(part.columns, mirrors, strict=True):
        if column and word:
            sheet.put(part, column, word)
    message = f"row {part.label} lost cells among {_named(part.columns)}: read from their own rows"
    sheet.report(ProblemKind.REPAIRED, part.row, message, " ".join(part.items) or part.row.line.text)
    return True


def _standing(sheet: Sheet, part: Part) -> bool:
    """Take the cells by the columns under which they stand on the screen; the others are erased ones."""
    stands = aligned(sheet.places, part.row, part.label, part.columns, part.items)
    if stands is None:
        return False
    for column in part.columns:
        item = stands.get(column or "", "")
        if column and sheet.lexicon.split(item):
            sheet.put(part, column, item)
        else:
            _mend(sheet, part, column, item)
    return True


def _mend(sheet: Sheet, part: Part, column: str | None, item: str) -> None:
    if column is None:
        message = f"row {part.label}: no label for the column of this cell"
        sheet.report(ProblemKind.UNREAD, part.row, message, item)
        return
    word = sheet.mirror(part, column)
    if word is not None:
        sheet.put(part, column, word)
        message = f"{part.label} to {column} is damaged: {word} read from the row of {column}"
        sheet.report(ProblemKind.REPAIRED, part.row, message, item)
    else:
        message = f"{part.label} to {column} is no word of this matrix"
        sheet.report(ProblemKind.UNREAD, part.row, message, item)


def _cut_short(sheet: Sheet, part: Part) -> None:
    """Take what a row has before it breaks off. Its last word may be the beginning of another (NV1 of NV18)."""
    count = len(part.items)
    if count and _may_go_on(sheet, part, count - 1):
        count -= 1
    for column, item in zip(part.columns[:count], part.items[:count], strict=True):
        if column is None or not sheet.lexicon.split(item) or item == SELF:
            _mend(sheet, part, column, item)
        else:
            sheet.put(part, column, item)
    message = f"row {part.label} ends early: no cells for {_named(part.columns[count:])}"
    sheet.report(ProblemKind.UNREAD, part.row, message, part.row.line.text)


def _may_go_on(sheet: Sheet, part: Part, at: int) -> bool:
    item = part.items[at]
    if part.row.line.text.endswith((" ", "\t")):
        return not sheet.lexicon.split(item)
    whole = sheet.lexicon.split(item) and not sheet.lexicon.beginnings.fullmatch(item)
    return not whole and sheet.mirror(part, part.columns[at]) != item


def _within(words: Sequence[str], mirrors: Sequence[str | None]) -> bool:
    """Whether one can be had from the other by leaving out."""
    few, many = (words, mirrors) if len(words) <= len(mirrors) else (mirrors, words)
    rest = iter(many)
    return all(any(word == other for other in rest) for word in few)


def _named(columns: Sequence[str | None]) -> str:
    return ", ".join(column or "?" for column in columns)


def _compare(sheet: Sheet) -> None:
    for (row, column), cell in list(sheet.cells.items()):
        other = sheet.cells.get((column, row))
        if other is not None and other.word != cell.word and (column, row) > (row, column):
            message = f"{row} to {column} is {cell.word}, but {column} to {row} is {other.word}"
            text = f"{cell.word} / {other.word}"
            sheet.problems.append(Problem(ProblemKind.CLASH, cell.origin, message, text, other.origin))
