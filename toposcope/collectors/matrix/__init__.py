r"""Relation matrices as tools print them and as people paste them: the reader that all such tools share.

Grammar. Labels and cells hold no blanks and are never empty, so words are enough; the driver's tabs, a pasted copy's
blanks, CRLF, escape codes and a lost first tab all read alike::

    matrix = header row+ legend?
    header = title* label+ title*         titles: CPU Affinity, NUMA Affinity, GPU NUMA ID
    row    = value* label cell+ value*    one cell a label; X in the row's own column
    legend = "Legend:" (word "=" text)*  "NIC Legend:" ("NIC0:" name)*

What copies do to it is undone where another place proves it, and each repair is a Problem: glued words
(``NODENODE``) are parted, wrapped lines joined, a missing header told from the X of the rows and the numbering, a
damaged cell read from its mirror. A device without a row, a row cut short and a cell that nothing proves are
reported: cells read and cells reported are all cells. Cells of a device with itself are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Capture, Problem, ProblemKind
from toposcope.collectors.matrix.cells import Sheet, fill
from toposcope.collectors.matrix.columns import Columns, columns_of
from toposcope.collectors.matrix.header import Header, devices_of, header_of, joined
from toposcope.collectors.matrix.legend import NAME, TITLE, words_of
from toposcope.collectors.matrix.places import places_of
from toposcope.collectors.matrix.rows import Row, continued, nameless, row_of
from toposcope.collectors.matrix.spans import is_list
from toposcope.collectors.matrix.tail import TITLES, rows_of
from toposcope.collectors.matrix.text import Line, lines_of
from toposcope.collectors.matrix.words import SELF, Lexicon, Vocabulary, lexicon
from toposcope.collectors.records import Matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Vocabulary", "read"]


_LONGEST = 512  # lines of a matrix, each wrapped several times
_MOST = 512  # devices of a matrix: the biggest known has 44; their square is the cells


@dataclass(slots=True)
class _Block:
    """The lines of one matrix, in the making."""

    header: Header | None
    labels: frozenset[str]
    rows: list[Row] = field(default_factory=list)
    stray: list[Line] = field(default_factory=list)
    names: list[tuple[str, str, int]] = field(default_factory=list)
    last: int = -1
    closed: bool = False

    def incomplete(self) -> bool:
        """Whether the last row may go on in the next line."""
        header = self.header
        if header is None or not self.rows:
            return False
        row = self.rows[-1]
        short = len(row.items) < len(header.labels) or len(row.tail) < len(header.titles)
        return short or any(value != "N/A" and not is_list(value) for value in row.tail[-1:])


def read(capture: Capture, vocabulary: Vocabulary) -> tuple[list[Matrix], list[Problem]]:
    """Return all matrices of a capture, and all that was not read, mended or contradictory. Never raises."""
    lines, problems = lines_of(capture)
    words = lexicon(vocabulary, words_of(lines, vocabulary))
    matrices: list[Matrix] = []
    blocks = _blocks(lines, words)
    for block in blocks:
        matrix, found = _matrix(capture, block, words)
        problems.extend(found)
        if matrix is not None:
            matrices.append(matrix)
    if not blocks:
        first = next((line for line in lines if line.text.strip()), None)
        at = capture.origin(first.index if first else 0)
        text = first.text.strip()[:200] if first else ""
        problems.append(Problem(ProblemKind.UNREAD, at, "no matrix in this text", text))
    return matrices, problems


def _blocks(lines: Sequence[Line], words: Lexicon) -> list[_Block]:
    blocks: list[_Block] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        block = blocks[-1] if blocks else None
        at += 1
        if not line.text.strip():
            continue
        header = header_of(line, words) if words.accelerator.search(line.text) else None
        if header is not None and not _cellless(header, block, lines[at : at + 3], words):
            header = joined(header, lines[at : at + _LONGEST], words)
            at += header.lines - 1
            if block is None or block.closed or not _repeated(header, block):
                blocks.append(_Block(header, frozenset(label for label in header.labels if label), last=at - 1))
        elif block is not None and not block.closed:
            _add(block, line, at - 1, words)
        elif block is not None and (row := _belated(block, line, words)) is not None:
            block.rows.append(row)
        elif block is not None and (name := NAME.fullmatch(line.text)):
            block.names.append((name[1], name[2], line.index))
        elif (
            (row := row_of(line, None, frozenset(), words)) and row.me is not None and (len(row.items) > 1 or row.tail)
        ):
            blocks.append(_Block(None, frozenset(), [row], last=at - 1))
    return blocks


def _cellless(header: Header, block: _Block | None, ahead: Sequence[Line], words: Lexicon) -> bool:
    """Whether a line with one label only is no header: a row without cells, or a device named in passing."""
    if len(header.labels) > 1 or header.titles:
        return False
    if block is not None and not block.closed and header.labels[0] in block.labels:
        return True
    rows = (row_of(line, header, frozenset(), words) for line in ahead if line.text.strip())
    row = next(rows, None)
    return row is None or row.items[:1] != (SELF,) or row.label != header.labels[0]


def _repeated(header: Header, block: _Block) -> bool:
    return block.header is not None and header.labels == block.header.labels and len(block.rows) < len(header.labels)


def _belated(block: _Block, line: Line, words: Lexicon) -> Row | None:
    """Return a row that stands below the legend but fills a gap above it."""
    row = row_of(line, block.header, block.labels, words) if block.header is not None else None
    if row is None or row.label not in block.labels or len(row.items) != len(block.labels):
        return None
    return row if all(row.label != other.label for other in block.rows) else None


def _add(block: _Block, line: Line, at: int, words: Lexicon) -> None:
    if TITLE.match(line.text):
        block.closed = True
        return
    if name := NAME.fullmatch(line.text):
        block.names.append((name[1], name[2], line.index))
        return
    row = row_of(line, block.header, block.labels, words)
    if row is None and block.rows and block.last == at - 1 and (block.incomplete() or line.text[:1] in "-,0123456789"):
        longer = continued(block.rows[-1], line, len(block.header.titles) if block.header else 0, words)
        if longer is not None:
            block.rows[-1] = longer
            block.last = at
            return
    if row is None:
        width = len(block.header.labels) if block.header else len(block.rows[-1].items)
        row = nameless(line, width, words)
    if row is None:
        block.stray.append(line)
    else:
        block.rows.append(row)
        block.last = at


def _matrix(capture: Capture, block: _Block, words: Lexicon) -> tuple[Matrix | None, list[Problem]]:
    first = block.header.line if block.header else block.rows[0].line
    origin = capture.origin(first.index)
    if not block.rows:
        return None, [Problem(ProblemKind.UNREAD, origin, "a header of devices without any row", first.text.strip())]
    widest = max(len(block.header.labels) if block.header else 0, *(len(row.items) for row in block.rows))
    if widest > _MOST:
        message = f"a matrix of {widest} devices, more than {_MOST}: not read; no host has as many"
        return None, [Problem(ProblemKind.UNREAD, origin, message, first.text.strip()[:200])]
    columns = columns_of(block.header, block.rows, [name for name, _, _ in block.names], words)
    labels = tuple(label for label in columns.labels if label)
    problems = _header_problems(capture, block, columns)
    rows = _identified(capture, block, columns, problems)
    sheet = Sheet(capture, words, places_of(block.header))
    fill(sheet, rows, columns.labels)
    problems += sheet.problems
    with_row = {label for label, _ in rows}
    for label in labels:
        if label not in with_row:
            problems.append(Problem(ProblemKind.UNREAD, origin, f"no row for {label}", label))
    titles = block.header.titles if block.header else TITLES[: max(len(row.tail) for row in block.rows)]
    own = frozenset(devices_of(labels, words))
    tails, found = rows_of(capture, rows, titles, own)
    problems += found
    problems += _stray(capture, block, words)
    names = _names(capture, block, labels, problems)
    return Matrix(labels, tuple(sheet.cells.values()), tuple(tails), names, origin), problems


def _header_problems(capture: Capture, block: _Block, columns: Columns) -> list[Problem]:
    origin = capture.origin((block.header.line if block.header else block.rows[0].line).index)
    text = (block.header.line.text if block.header else "").strip()
    problems: list[Problem] = []
    if block.header is None:
        message = f"no header: columns {', '.join(columns.mended)} told by the X of the rows and the numbering"
        problems.append(Problem(ProblemKind.REPAIRED, origin, message, text))
        if columns.guessed:
            message = f"no header: columns {', '.join(columns.guessed)} named by their place, no NVLink among them"
            problems.append(Problem(ProblemKind.REPAIRED, origin, message, text))
    elif columns.mended:
        message = f"the header lost {', '.join(columns.mended)}: told by the rows and the numbering"
        problems.append(Problem(ProblemKind.REPAIRED, origin, message, text))
    elif block.header.odd:
        message = "no label of the header"
        problems += [Problem(ProblemKind.UNREAD, origin, message, odd) for odd in block.header.odd]
    unknown = [str(at + 1) for at, label in enumerate(columns.labels) if label is None]
    if unknown:
        message = f"no label for column {', '.join(unknown)}: nothing tells which devices these are"
        problems.append(Problem(ProblemKind.UNREAD, origin, message, text))
    return problems


def _identified(capture: Capture, block: _Block, columns: Columns, problems: list[Problem]) -> list[tuple[str, Row]]:
    """Return each row with the label that is its own; a wrong label is corrected where the X tells whose row it is."""
    labels = columns.labels
    printed = {row.label for row in block.rows}
    rows: dict[str, Row] = {}
    for row in block.rows:
        label: str | None = row.label
        told = labels[row.me] if row.me is not None and len(row.items) == len(labels) else None
        origin = capture.origin(row.line.index)
        if told is not None and told != label and (told not in printed or label not in labels):
            problems.append(Problem(ProblemKind.REPAIRED, origin, f"this row is of {told}: its X says so", row.label))
            label = told
        if label not in labels:
            message = f"a row of {label}, which has no column" if label else "a row without a label"
            problems.append(Problem(ProblemKind.UNREAD, origin, message, row.line.text.strip()))
        elif label in rows:
            same = rows[label].items == row.items
            kind, message = (ProblemKind.UNREAD, "repeated") if same else (ProblemKind.CLASH, "another")
            other = capture.origin(rows[label].line.index)
            problems.append(Problem(kind, origin, f"{message} row of {label}: not read", row.line.text.strip(), other))
        elif label is not None:
            rows[label] = row
    return list(rows.items())


def _stray(capture: Capture, block: _Block, words: Lexicon) -> list[Problem]:
    last = block.rows[-1].line.index
    return [
        Problem(ProblemKind.UNREAD, capture.origin(line.index), "a line among the rows that is none", line.text.strip())
        for line in block.stray
        if line.index < last or sum(1 for token in line.text.split() if words.split(token)) > 1
    ]


def _names(
    capture: Capture, block: _Block, labels: Sequence[str], problems: list[Problem]
) -> tuple[tuple[str, str], ...]:
    names: dict[str, str] = {}
    for label, name, index in block.names:
        if label not in labels or names.get(label, name) != name:
            message = f"a name for {label}, which has no column" if label not in labels else f"another name for {label}"
            problems.append(Problem(ProblemKind.UNREAD, capture.origin(index), message, f"{label}: {name}"))
        elif name:
            names.setdefault(label, name)
    told = {label for label, _, _ in block.names}
    untold = [label for label in labels if label.startswith("NIC") and label not in told]
    if untold:
        at = capture.origin((block.header.line if block.header else block.rows[0].line).index)
        message = f"no legend tells the names of {', '.join(untold)}"
        problems.append(Problem(ProblemKind.UNREAD, at, message, ", ".join(untold)))
    return tuple(names.items())
