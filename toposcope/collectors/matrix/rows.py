"""The rows of a matrix: a label, its cells in printed order, and the affinity values behind them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toposcope.collectors.matrix.spans import is_list
from toposcope.collectors.matrix.words import SELF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.matrix.header import Header
    from toposcope.collectors.matrix.text import Line
    from toposcope.collectors.matrix.words import Lexicon

_TAIL = re.compile(r"[\d,-]+|N/A")
# The affinity column was written over the end of the last cell, or its tab was lost: PH0-115.
_OVERWRITTEN = re.compile(r"([A-Za-z_]+)([\d][\d,-]*)")
_GLUED_TAIL = re.compile(r"([\d,-]*\d)(N/A)")
_GLUED_LABEL = re.compile(r"(.*?\d)([A-Z][A-Za-z_\d]*)")


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it was cut up. ``items`` are its cells: words, or what stands where a word should.

    ``tail`` are the values behind the cells, ``tail_text`` their text with its blanks; ``named`` are values whose
    column a piped table or an edited header tells. ``doubtful``: the first value of the tail may begin with digits of
    an NVLink word on which it was written.
    """

    line: Line
    label: str
    items: tuple[str, ...]
    tail: tuple[str, ...] = ()
    tail_text: str = ""
    named: dict[str, str] = field(default_factory=dict)
    piped: bool = False
    doubtful: bool = False

    @property
    def me(self) -> int | None:
        """Where the row's own mark stands among its items, None where it has none or several."""
        return self.items.index(SELF) if self.items.count(SELF) == 1 else None


def row_of(line: Line, header: Header | None, labels: frozenset[str], lexicon: Lexicon) -> Row | None:
    """Return the row that this line is, or None. ``labels`` are those of the header; without one, any device."""
    if line.fields is not None and header is not None and header.kinds is not None:
        return _piped(line, header, labels, lexicon)
    text = line.text if line.fields is None else line.text.replace("|", " ")
    tokens = text.split()
    skip = len(header.before) if header is not None else 0
    for at in range(min(skip + 1, len(tokens))):
        start = _label(tokens[at], labels, lexicon)
        if start is not None:
            label, rest = start
            row = _cut(line, label, ([rest] if rest else []) + tokens[at + 1 :], lexicon)
            if not row.items and row.tail and not _TAIL.fullmatch(row.tail[0]):
                return None  # a sentence that begins with a device
            named: dict[str, str] = dict(zip(header.before, tokens[:at], strict=False)) if header is not None else {}
            return replace(row, named=named) if named else row
    return None


def nameless(line: Line, width: int, lexicon: Lexicon) -> Row | None:
    """Return the row that this line is but for its label, damaged or gone: as wide as the matrix, with an X."""
    tokens = line.text.replace("|", " ").split()
    for label, rest in (("", tokens), (tokens[0] if tokens else "", tokens[1:])):
        row = _cut(line, label, rest, lexicon)
        if len(row.items) == width and row.me is not None and width > 1:
            return row
    return None


def _label(token: str, labels: frozenset[str], lexicon: Lexicon) -> tuple[str, str] | None:
    """Return the label and what is glued behind it."""
    if token in labels:
        return token, ""
    glued = _GLUED_LABEL.fullmatch(token) if len(token) < 64 else None  # noqa: PLR2004 - no label is longer
    if glued is not None and glued[1] in labels and lexicon.split(glued[2]):
        return glued[1], glued[2]
    found = lexicon.labels(token)
    if len(found) == 1 and not lexicon.split(token):
        return (token, "") if not labels or _kin(token, labels, lexicon) else None
    return None


def _kin(token: str, labels: frozenset[str], lexicon: Lexicon) -> bool:
    """Whether this is of a kind that the header names: its column may have been lost there."""
    if lexicon.accelerator.fullmatch(token):
        return True
    stem = token.rstrip("0123456789")
    return any(label.startswith(stem) for label in labels)


def _cut(line: Line, label: str, tokens: Sequence[str], lexicon: Lexicon) -> Row:
    split = lexicon.split
    words = [split(token) for token in tokens]
    end = max((at + 1 for at, found in enumerate(words) if found), default=0)
    items: list[str] = []
    for token, found in zip(tokens[:end], words[:end], strict=True):
        items.extend(found or (token,))
    tail = list(tokens[end:])
    while tail and tail[0].isalpha() and tail[0].isupper() and tail[0] != "NUMA":
        items.append(tail.pop(0))
    torn = _OVERWRITTEN.fullmatch(tail[0]) if tail else None
    if torn is not None:
        items.append(torn[1])
        tail[0] = torn[2]
    tail = [part for value in tail for part in _parted(value)]
    doubtful = torn is not None and torn[1].endswith("NV")
    return Row(line, label, tuple(items), tuple(tail), _tail_text(line.text, tail), doubtful=doubtful)


def _parted(value: str) -> tuple[str, ...]:
    glued = _GLUED_TAIL.fullmatch(value)
    return (value,) if glued is None else (glued[1], glued[2])


def _tail_text(text: str, tail: Sequence[str]) -> str:
    """Return the end of the line from where the last cell ends, blanks included."""
    if not tail:
        return text[len(text.rstrip()) :]
    rest = text
    for value in reversed(tail):
        rest = rest[: rest.rfind(value)] if value in rest else rest
    return text[len(rest.rstrip()) :]


def continued(row: Row, line: Line, titles: int, lexicon: Lexicon) -> Row | None:
    """Return the row with the line on which it goes on, or None if the line is no continuation."""
    tokens = line.text.split()
    if not tokens or line.fields is not None or row.piped:
        return None
    good = sum(1 for token in tokens if lexicon.split(token) or _TAIL.fullmatch(token))
    if good * 2 < len(tokens) and good + 1 < len(tokens):
        return None
    best: tuple[int, Row] | None = None
    for glue in (" ", ""):
        text = row.line.text + glue + line.text
        whole = replace(row.line, text=text)
        first = text.split()
        start = first.index(row.label) if row.label in first else 0
        longer = _cut(whole, row.label, first[start + 1 :], lexicon)
        odd = sum(1 for item in longer.items if not lexicon.split(item)) + _misplaced(longer, titles)
        if best is None or odd < best[0]:
            best = odd, longer
    return replace(best[1], named=row.named) if best else None


def _misplaced(row: Row, titles: int) -> int:
    return sum(1 for value in row.tail if value != "N/A" and not is_list(value)) + max(0, len(row.tail) - titles)


def _piped(line: Line, header: Header, labels: frozenset[str], lexicon: Lexicon) -> Row | None:
    kinds, fields = header.kinds or (), line.fields or ()
    corner = kinds.index(None) if None in kinds else None
    if corner is None and len(fields) == len(kinds) + 1:
        kinds, corner = (None, *kinds), 0
    if corner is None or corner >= len(fields) or not _label(fields[corner], labels, lexicon):
        return None
    fields = _narrowed(kinds, fields)
    items: list[str] = []
    named: dict[str, str] = {}
    for kind, value in zip(kinds, fields, strict=False):
        if kind is None or kind == "\x00?":
            continue
        if kind.startswith("\x00"):
            named[kind[1:]] = value
        else:
            items.append(value)
    extra = tuple(fields[len(kinds) :])
    return Row(line, fields[corner], tuple(items), extra, "", named, piped=True)


def _narrowed(kinds: Sequence[str | None], fields: Sequence[str]) -> tuple[str, ...]:
    """Leave out blank fields beyond the header's width: tabs doubled by the tool, made columns by an editor."""
    kept = list(fields)
    first = next((at for at, kind in enumerate(kinds) if kind and kind.startswith("\x00")), len(kinds))
    while len(kept) > len(kinds) and "" in kept[first:]:
        kept.pop(len(kept) - 1 - kept[::-1].index(""))
    return tuple(kept)
