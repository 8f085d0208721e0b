"""``toposcope diff``: two machines, or one machine at two times, on the same questions."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.cli.common import Ascii, Json, ProfilesDir, command, console, load_one

NAME = "diff"

A = Annotated[str, typer.Argument(metavar="A", help="A recording or profile:NAME.")]
B = Annotated[str, typer.Argument(metavar="B", help="A recording or profile:NAME.")]


@command
def run(a: A, b: B, *, as_json: Json = False, ascii_only: Ascii = False, profiles: ProfilesDir = None) -> None:
    """Compare two machines by the same questions, with ratios; of one machine at two times, what changed first."""
    from toposcope import app

    first, second = (load_one(each, host=None, profile=None, profiles=profiles) for each in (a, b))
    comparison = app.compare(first, second)
    topologies = (first.topology, second.topology)
    if as_json:
        from toposcope.render.comparison import diff_document
        from toposcope.render.schema import to_json

        typer.echo(to_json(diff_document(comparison, (a, b), topologies)))
        return
    from toposcope.render.terminal.comparison import comparison_lines

    out = console()
    for part in comparison_lines(comparison, (a, b), topologies, ascii_only=ascii_only):
        out.print(part)
