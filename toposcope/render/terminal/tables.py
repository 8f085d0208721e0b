"""The look that all tables share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from toposcope.base.clean import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

DIM = "dim"
_WIDEST = 16
"""No title asks for more columns than this: a narrow screen folds it."""
SEVERITY = {"critical": "bold red", "warning": "yellow", "info": "cyan"}


def table(*titles: str, ascii_only: bool = False, title: str | None = None) -> Table:
    """Make an empty table with these column titles."""
    made = Table(
        box=box.ASCII if ascii_only else box.SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        pad_edge=False,
        show_edge=False,
    )
    for name in titles:
        made.add_column(name, overflow="fold", min_width=min(_WIDEST, max(map(len, name.split()), default=0)))
    return made


def filled(titles: Sequence[str], rows: Sequence[Sequence[object]], *, ascii_only: bool) -> Table:
    """Make a table of rows, without the columns in which nothing stands."""
    kept = [index for index in range(len(titles)) if any(row[index] is not None for row in rows)]
    made = table(*(titles[index] for index in kept), ascii_only=ascii_only)
    for row in rows:
        made.add_row(*(plain(row[index]) for index in kept))
    return made


def plain(value: object) -> Text:
    """Make a cell of a value: safe to print, a dash where there is none, never markup."""
    return Text("-" if value is None else printable(str(value)))
