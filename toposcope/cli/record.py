"""``toposcope record``: this host as a recording that can be analyzed elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toposcope.cli.common import command
from toposcope.cli.inspect import SysRoot, Timeout

NAME = "record"

Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="FILE.tar.gz, .tar, .tar.zst, or a new folder.")
]
Redact = Annotated[
    bool, typer.Option("--redact/--no-redact", help="Replace names, addresses and serial numbers by stand-ins.")
]
From = Annotated[
    Path | None, typer.Option("--from", metavar="PATH", help="Write a recording anew instead, as one of a script.")
]


@command
def run(
    *,
    output: Output,
    redact: Redact = True,
    sysroot: SysRoot = None,
    timeout: Timeout = 10.0,
    source: From = None,
) -> None:
    """Record this host: read-only commands and /sys, each with a time limit, into one file."""
    from toposcope import app
    from toposcope.cli.progress import progress

    if source is not None:
        recording = app.reread(source)
    else:
        with progress() as report:
            recording = app.record(sysroot=sysroot, timeout=timeout, progress=report)
    app.save(recording, output, redact=redact)
    typer.echo(f"{output}: {len(recording.captures)} outputs recorded", err=True)
