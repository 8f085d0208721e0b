"""``toposcope collect-script``: a shell script that records a host on which nothing can be installed."""

from __future__ import annotations

import typer

from toposcope.cli.common import command

NAME = "collect-script"


@command
def run() -> None:
    """Print a POSIX shell script that makes the same recording: `ssh node sh -s < collect.sh > node.tar`."""
    from toposcope import app

    typer.echo(app.collect_script(), nl=False)
