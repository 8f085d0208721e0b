"""Two machines on a terminal: what changed, what they are made of, and the same questions with ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.base.clean import printable
from toposcope.render.comparison import kindred_words
from toposcope.render.terminal.outcomes import findings_lines, outcomes_table
from toposcope.render.terminal.tables import DIM, plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from toposcope.analysis.difference import Comparison, Difference, Question
    from toposcope.model import Topology

_SHOWN = 24


def comparison_lines(
    comparison: Comparison, names: tuple[str, str], topologies: tuple[Topology, Topology], *, ascii_only: bool
) -> Iterator[RenderableType]:
    """Yield the parts of the screen: on one machine the changes first, on two their parts."""
    if comparison.equal:
        yield Text("no difference")
        return
    if comparison.alike:
        yield Text("What changed", style="bold")
        if comparison.changes:
            yield _differences(comparison.changes, names, ascii_only=ascii_only)
        else:
            yield Text("no part, link or setting that both show", style=DIM)
        if comparison.routes:
            yield Text("\nRoutes that change with it, GB/s in practice, the greatest loss first", style="bold")
            yield outcomes_table(comparison.routes, *topologies, ascii_only=ascii_only)
        yield from findings_lines("no more", comparison.gone)
        yield from findings_lines("new", comparison.new)
    elif comparison.parts:
        yield _differences(comparison.parts, names, ascii_only=ascii_only)
    yield Text(
        "\nThe same questions: GB/s in one direction at line rate (in practice), the slowest first", style="bold"
    )
    yield _questions(comparison.questions, names, ascii_only=ascii_only)


def _differences(differences: Sequence[Difference], names: tuple[str, str], *, ascii_only: bool) -> Table:
    made = table("", *map(printable, names), ascii_only=ascii_only)
    groups: dict[tuple[str, str, str], list[Difference]] = {}
    for each in differences:
        groups.setdefault((each.what.partition(": ")[2] or each.what, str(each.a), str(each.b)), []).append(each)
    for group in list(groups.values())[:_SHOWN]:
        first = group[0]
        more = f" and {len(group) - 1} more alike" if len(group) > 1 else ""
        style = "red" if first.lost else ""
        made.add_row(Text(printable(f"{first.what}{more}"), style=style), plain(first.a), plain(first.b))
    if len(groups) > _SHOWN:
        made.add_row(plain(f"and {len(groups) - _SHOWN} more (--json has all)"), plain(""), plain(""))
    return made


def _questions(questions: Sequence[Question], names: tuple[str, str], *, ascii_only: bool) -> Table:
    made = table("", *map(printable, names), "a / b", "in practice", ascii_only=ascii_only)
    for each in questions:
        cells = [Text("\n").join(plain(line) for line in kindred_words(side).split("\n")) for side in (each.a, each.b)]
        made.add_row(plain(each.what), *cells, plain(_times(each.line_ratio)), plain(_times(each.ratio)))
    return made


def _times(ratio: float | None) -> str:
    if ratio is None:
        return "?"
    return "equal" if abs(ratio - 1) < 0.005 else f"{ratio:.1f} x" if ratio >= 1 else f"1/{1 / ratio:.1f}"  # noqa: PLR2004
