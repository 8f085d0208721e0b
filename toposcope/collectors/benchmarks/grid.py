"""Matrices of bandwidths as benchmarks print them: a line of column labels, then one row a device.

Grammar, shared by several tools::

    grid = [corner] column+ row+
    row  = label ["->" | "<-" | "<->"] cell+
    cell = number | "N/A" | "-" | "**"

Columns and labels are numbers, or a word with a number (``GPU 00``). Empty lines between rows pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL = re.compile(r"(?:(?P<word>[A-Za-z]{3}) ?)?(?P<number>\d{1,3})")
_CORNER = re.compile(r"\s*(?:[^\s\d]{0,20}(?:[\\/>+|]|\u2192)[^\s\d]{0,20}\s+|[GC]PU\s{2,9})")
_LABELS = re.compile(r"\s*(?:(?:[A-Za-z]{3} ?)?\d{1,3}(?:\s+|$))+")
_ROW = re.compile(r"\s*(?P<label>(?:[A-Za-z]{3} ?)?\d{1,3}):?\s+(?:(?P<arrow><?->?)\s+)?(?P<cells>\S.*)")
_NUMBER = re.compile(r"\d{1,7}(?:\.\d{1,6})?")
_LONGEST_HEAD = 20_000
_NOTHING = frozenset({"N/A", "-", "--", "**", "\u2014", "X", "nan"})


@dataclass(frozen=True, slots=True)
class GridRow:
    """One row: its label, an arrow where one is printed, and the cells by column label; ``index`` of its line."""

    label: str
    arrow: str
    cells: tuple[tuple[str, float], ...]
    index: int


def read_grid(texts: Sequence[str], start: int) -> tuple[list[GridRow], int, list[int]]:
    """Read the grid whose head is one of the next lines from ``start``.

    Returns the rows, the index after the last, and the indices of rows with other than the head's number of cells or
    with cells that are none.
    """
    head = next((i for i in range(start, min(start + 4, len(texts))) if _is_head(texts[i])), None)
    if head is None:
        return [], start, []
    columns = _labels(_CORNER.sub("", texts[head], count=1))
    rows: list[GridRow] = []
    torn: list[int] = []
    end = head + 1
    for index in range(head + 1, len(texts)):
        if not texts[index].strip():
            continue
        match = _ROW.fullmatch(texts[index])
        words = [] if match is None else match["cells"].split()
        good = sum(map(_is_cell, words))
        if match is None or good * 2 < len(words):
            break
        cells = [_cell(word) for word in words]
        if len(cells) != len(columns) or good < len(words):
            torn.append(index)
        known = tuple((column, cell) for column, cell in zip(columns, cells, strict=False) if cell is not None)
        rows.append(GridRow(_tidy(match["label"]), match["arrow"] or "", known, index))
        end = index + 1
    return rows, end, torn


def _is_head(text: str) -> bool:
    labels = _CORNER.sub("", text, count=1) if len(text) < _LONGEST_HEAD else ""
    return bool(labels.strip()) and _LABELS.fullmatch(labels) is not None


def _labels(text: str) -> list[str]:
    return [_tidy(match[0]) for match in _LABEL.finditer(text)]


def _tidy(label: str) -> str:
    match = _LABEL.match(label)
    return label if match is None else f"{match['word'] or ''}{int(match['number'])}"


def _is_cell(word: str) -> bool:
    return word in _NOTHING or _NUMBER.fullmatch(word) is not None


def _cell(word: str) -> float | None:
    return float(word) if _NUMBER.fullmatch(word) else None
