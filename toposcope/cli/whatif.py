"""``toposcope whatif``: a machine with other links, before and after."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.base import UsageError
from toposcope.cli.common import Ascii, Host, Json, OnePath, ProfileName, ProfilesDir, command, console, load_one

NAME = "whatif"

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME.KEY=VALUE", help="mlx5_0.rate=400G, GPU3.width=16, GPU3.generation=5."),
]
Moves = Annotated[
    list[str] | None, typer.Option("--move", metavar="DEVICE:BESIDE", help="Put a card into a slot beside another one.")
]
Acs = Annotated[str | None, typer.Option("--acs", metavar="off", help="Let no port redirect (ACS).")]


@command
def run(
    path: OnePath,
    *,
    settings: Settings = None,
    moves: Moves = None,
    acs: Acs = None,
    as_json: Json = False,
    ascii_only: Ascii = False,
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Change links, places of cards or ACS, and show which routes change, the greatest loss first."""
    from toposcope import app

    if acs not in (None, "off"):
        raise UsageError(f"--acs takes off, not {acs!r}")
    loaded = load_one(path, host=host, profile=profile, profiles=profiles)
    found = app.what_if(loaded, settings=settings or (), moves=moves or (), acs_off=acs is not None)
    if as_json:
        from toposcope.render.schema import to_json
        from toposcope.render.whatif import whatif_document

        typer.echo(to_json(whatif_document(found.before, found.after, found.changes)))
        return
    from toposcope.render.terminal.outcomes import consequence_lines

    out = console()
    for part in consequence_lines(found.before, found.after, found.changes, ascii_only=ascii_only):
        out.print(part)
