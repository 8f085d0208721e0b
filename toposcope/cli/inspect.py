"""``toposcope inspect``: this host."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toposcope.cli.analyze import show
from toposcope.cli.common import (
    Ascii,
    FailOn,
    Json,
    Only,
    ProfilesDir,
    Skip,
    Strict,
    Verbose,
    command,
    exit_code,
    known,
)

NAME = "inspect"

SysRoot = Annotated[
    Path | None,
    typer.Option(
        "--sysroot", metavar="DIR", help="Read a copy of a host instead: its /sys and /proc alone, no commands."
    ),
]
Timeout = Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="Time limit of each command.", min=0.1)]


@command
def run(
    *,
    as_json: Json = False,
    ascii_only: Ascii = False,
    verbose: Verbose = False,
    sysroot: SysRoot = None,
    timeout: Timeout = 10.0,
    profiles: ProfilesDir = None,
    fail_on: FailOn = None,
    strict: Strict = False,
    only: Only = None,
    skip: Skip = None,
) -> None:
    """Inspect this host: make a recording of it, then read that recording. Nothing is changed or kept."""
    from toposcope import app
    from toposcope.analysis.rules import select
    from toposcope.cli.progress import progress

    select(only or (), skip or ())  # a wrong name is told before the host is asked
    with progress() as report:
        loaded = app.inspect(known(profiles), sysroot=sysroot, timeout=timeout, progress=report)
    analysis = app.analyze(loaded, only=only or (), skip=skip or ())
    show(((loaded, analysis),), as_json=as_json, ascii_only=ascii_only, verbose=verbose)
    raise typer.Exit(exit_code(analysis.findings, fail_on, strict=strict))
