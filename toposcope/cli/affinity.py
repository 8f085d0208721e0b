"""``toposcope affinity``: the settings that follow from where things hang."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.base import UsageError
from toposcope.cli.common import Ascii, Host, Json, OnePath, ProfileName, ProfilesDir, command, console, load_one

NAME = "affinity"

Format = Annotated[str, typer.Option("--format", metavar="FORM", help="table, env, numactl or slurm: ready to paste.")]


@command
def run(
    path: OnePath,
    *,
    form: Format = "table",
    as_json: Json = False,
    ascii_only: Ascii = False,
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Say where each rank belongs: accelerator, nearest NICs, CPUs, memory; as a table or as lines to paste."""
    from toposcope import app
    from toposcope.render.affinity import FORMATS, TITLES, affinity_document, lines_of, rows

    if form != "table" and form not in FORMATS:
        raise UsageError(f"--format takes table, {', '.join(FORMATS)}, not {form!r}")
    found = app.affinity(load_one(path, host=host, profile=profile, profiles=profiles))
    if as_json:
        from toposcope.render.schema import to_json

        typer.echo(to_json(affinity_document(found)))
        return
    if not found.bindings:
        raise UsageError("this machine shows no accelerator to bind anything to")
    if form != "table":
        typer.echo("\n".join(lines_of(found, form)))
        return
    from toposcope.render.terminal.tables import plain, table

    made = table(*TITLES, ascii_only=ascii_only)
    for row in rows(found):
        made.add_row(*map(plain, row))
    out = console()
    out.print(made)
    for note in found.notes:
        out.print(f"note: {note}", style="dim")
