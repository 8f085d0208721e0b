"""``toposcope check``: what benchmarks measured against what the machine should give."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from toposcope.cli.common import (
    Ascii,
    Host,
    Json,
    OnePath,
    ProfileName,
    ProfilesDir,
    Verbose,
    command,
    console,
    load_one,
)

NAME = "check"

Measured = Annotated[
    list[Path] | None,
    typer.Option(
        "--measured",
        metavar="FILE",
        help="Output of a benchmark beside it, or -; may be repeated.",
    ),
]


@command
def run(
    path: OnePath,
    *,
    measured: Measured = None,
    as_json: Json = False,
    ascii_only: Ascii = False,
    verbose: Verbose = False,
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Tell whether measured bandwidths are normal for this machine, and which part is to blame where they are not."""
    from toposcope import app
    from toposcope.cli.progress import waiting

    loaded = load_one(path, host=host, profile=profile, profiles=profiles)
    named = measured or ()
    stdin = sys.stdin.buffer.read() if path != "-" and Path("-") in named else None
    with waiting("reading the measurements"):
        found = app.check(loaded, named, stdin=stdin)
    if as_json:
        from toposcope.render.measured import check_document
        from toposcope.render.schema import to_json

        typer.echo(to_json(check_document(found, loaded.topology)))
        return
    from toposcope.render.terminal.measured import check_parts

    out = console()
    for part in check_parts(found, loaded.topology, ascii_only=ascii_only, every=verbose):
        out.print(part)
