"""``toposcope export``: the graph for other programs."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.cli.common import Host, OnePath, ProfileName, ProfilesDir, command, load_one

NAME = "export"

Form = Annotated[str, typer.Option("--to", metavar="FORM", help="json, graphml, dot or mermaid.")]


@command
def run(
    path: OnePath,
    *,
    form: Form = "json",
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Write the graph to standard output."""
    from toposcope import app

    loaded = load_one(path, host=host, profile=profile, profiles=profiles)
    typer.echo(app.export(loaded, form))
