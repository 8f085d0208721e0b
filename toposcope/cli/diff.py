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
    """Compare two machines: parts, links, and what the same questions get as answers."""
    from toposcope import app

    first, second = (load_one(each, host=None, profile=None, profiles=profiles) for each in (a, b))
    differences = app.compare(first, second)
    if as_json:
        from toposcope.render.schema import DiffDocument, DifferenceDocument, to_json

        found = tuple(DifferenceDocument(what=each.what, a=each.a, b=each.b) for each in differences)
        typer.echo(to_json(DiffDocument(a=a, b=b, differences=found)))
        return
    from toposcope.render.terminal.tables import plain, table

    made = table("", a, b, ascii_only=ascii_only)
    for each in differences:
        made.add_row(plain(each.what), plain(each.a), plain(each.b))
    out = console()
    out.print(made if differences else "no difference")
