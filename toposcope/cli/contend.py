"""``toposcope contend``: what flows that run at once leave each other."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.cli.common import Ascii, Host, Json, OnePath, ProfileName, ProfilesDir, command, console, load_one

NAME = "contend"

Pattern = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="NAME",
        help="pairs, rail, ring or tree (all-reduce), nvls, all-to-all, h2d, d2h, storage or incast.",
    ),
]
Among = Annotated[
    list[str] | None, typer.Option("--among", metavar="GPU0,GPU1", help="Who takes part; by default all accelerators.")
]
Flows = Annotated[list[str] | None, typer.Option("--flow", metavar="SRC:DST", help="One more flow; may be repeated.")]


@command
def run(
    path: OnePath,
    *,
    pattern: Pattern = None,
    among: Among = None,
    flow: Flows = None,
    as_json: Json = False,
    ascii_only: Ascii = False,
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Share the links between flows that run at once: each one's rate, each link's load, and the slowest."""
    from toposcope import app

    loaded = load_one(path, host=host, profile=profile, profiles=profiles)
    members = [name.strip() for each in among or () for name in each.split(",") if name.strip()]
    contention = app.contend(loaded, pattern, among=members, flows=flow or ())
    if as_json:
        from toposcope.render.contention import contention_document
        from toposcope.render.schema import to_json

        typer.echo(to_json(contention_document(contention, loaded.topology)))
        return
    from toposcope.render.terminal.contention import contention_lines

    out = console()
    for part in contention_lines(contention, loaded.topology, ascii_only=ascii_only):
        out.print(part)
