"""``toposcope path``: every route between two components."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.cli.common import Ascii, Host, Json, OnePath, ProfileName, ProfilesDir, command, console, load_one

NAME = "path"

Source = Annotated[str, typer.Argument(metavar="SRC", help="An accelerator: GPU0, a PCI address.")]
Target = Annotated[
    str, typer.Argument(metavar="DST", help="An accelerator, a NIC, host, host:N, remote, or remote:GPU3.")
]

Remote = Annotated[
    str | None, typer.Option("--remote", metavar="PATH", help="The host across the network, if it is not the same.")
]
Every = Annotated[bool, typer.Option("--all", help="Show the segments of every route, not of the default alone.")]


@command
def run(
    path: OnePath,
    src: Source,
    dst: Target,
    *,
    as_json: Json = False,
    ascii_only: Ascii = False,
    every: Every = False,
    remote: Remote = None,
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Show every route from SRC to DST with its segments, what holds it back, and which is the default."""
    from toposcope import app

    loaded = load_one(path, host=host, profile=profile, profiles=profiles)
    far = load_one(remote, host=None, profile=None, profiles=profiles) if remote else None
    routes = app.routes(loaded, src, dst, far=far)
    if as_json:
        from toposcope.render.documents import path_document
        from toposcope.render.schema import to_json

        typer.echo(to_json(path_document(loaded.topology, src, dst, routes)))
        return
    from toposcope.render.terminal.paths import route_lines, segments_table

    out = console()
    if not routes:
        out.print(f"nothing here shows a route from {src} to {dst}")
    for route in routes:
        out.print(route_lines(route, loaded.topology))
        if route.default or every:
            out.print(segments_table(route, loaded.topology, ascii_only=ascii_only))
    if len(routes) > 1 and not every:
        out.print("--all shows the segments of every route", style="dim")
