"""The matrix of all pairs: the words of the tools, with the bandwidth of the default route beside each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.model import Kind
from toposcope.render.terminal.tables import table
from toposcope.render.wording import gbs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from toposcope.analysis import Analysis, Pair

_CELL = 11
"""The width of a cell with its padding: ``NV18 450`` and the like."""


def matrix_tables(analysis: Analysis, *, width: int, ascii_only: bool) -> Iterator[Table]:
    """Yield the matrix, folded into as many tables as the width needs: never wrapped."""
    topology = analysis.topology
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR)]
    columns = [*accelerators, *(each.id for each in topology.components(Kind.NIC))]
    cells = {(pair.source, pair.target): pair for pair in analysis.pairs}
    fitting = max(1, (width - _CELL) // _CELL)
    for start in range(0, len(columns), fitting):
        yield _part(accelerators, columns[start : start + fitting], cells, ascii_only=ascii_only)


def _part(
    rows: Sequence[str], columns: Sequence[str], cells: dict[tuple[str, str], Pair], *, ascii_only: bool
) -> Table:
    made = table("", *columns, ascii_only=ascii_only)
    for column in made.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    for row in rows:
        made.add_row(Text(row, style="bold"), *(_cell(row, column, cells) for column in columns))
    return made


def _cell(row: str, column: str, cells: dict[tuple[str, str], Pair]) -> Text:
    if row == column:
        return Text("X", style="dim")
    pair = cells.get((row, column)) or cells.get((column, row))
    if pair is None or pair.route is None:
        return Text(pair.relation if pair and pair.relation else "-")
    limit = pair.route.limit
    figure = f"{'<' if limit.at_most and limit.line else ''}{gbs(limit.line)}"
    word = Text(f"{pair.relation} " if pair.relation else "", style="dim")
    return word.append(figure, style="not dim")
