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

_PADDING = 3
"""What stands between two columns."""


def matrix_tables(analysis: Analysis, *, width: int, ascii_only: bool) -> Iterator[Table]:
    """Yield the matrix, folded into as many tables as the width needs: never wrapped."""
    topology = analysis.topology
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR)]
    columns = [*accelerators, *(each.id for each in topology.components(Kind.NIC))]
    pairs = {(pair.source, pair.target): pair for pair in analysis.pairs}
    cells = {(row, column): _cell(row, column, pairs) for row in accelerators for column in columns}
    widest = max(map(len, cells.values()), default=0)
    cell = max(widest, max(map(len, columns), default=0)) + _PADDING
    fitting = max(1, (width - max(map(len, accelerators), default=0)) // cell)
    for start in range(0, len(columns), fitting):
        yield _part(accelerators, columns[start : start + fitting], cells, ascii_only=ascii_only)


def _part(
    rows: Sequence[str], columns: Sequence[str], cells: dict[tuple[str, str], Text], *, ascii_only: bool
) -> Table:
    made = table("", *columns, ascii_only=ascii_only)
    for index, column in enumerate(made.columns):
        column.justify = "right" if index else "left"
        column.no_wrap = True
    for row in rows:
        made.add_row(Text(row, style="bold"), *(cells[row, column] for column in columns))
    return made


def _cell(row: str, column: str, pairs: dict[tuple[str, str], Pair]) -> Text:
    if row == column:
        return Text("X", style="dim")
    pair = pairs.get((row, column)) or pairs.get((column, row))
    if pair is None or pair.route is None:
        return Text(pair.relation if pair and pair.relation else "-")
    limit = pair.route.limit
    figure = f"{'<' if limit.at_most and limit.line else ''}{gbs(limit.line)}"
    word = Text(f"{pair.relation} " if pair.relation else "", style="dim")
    return word.append(figure, style="not dim")
