"""The command ``toposcope``: its sub-commands, and what is common to all of them.

Nothing heavy is imported here: each command imports what it needs when it runs.
"""

from __future__ import annotations

import gc
from typing import Annotated

import typer

from toposcope.base.version import __version__
from toposcope.cli import (
    affinity,
    analyze,
    check,
    collect_script,
    contend,
    diff,
    doctor,
    export,
    inspect,
    path,
    profiles,
    record,
    render,
    rules,
    schema,
    show,
    whatif,
)

EXIT_CODES = """\
Exit codes: 0 done; 1 findings at or above --fail-on; 2 wrong usage; 3 input that cannot be used."""

app = typer.Typer(
    name="toposcope",
    help="How a GPU or NPU server is wired, how fast each segment is, and which segment is slow.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"toposcope {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=lambda asked: _version(asked=asked), is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Tell how a GPU or NPU server is wired, how fast each segment is, and which segment is slow."""
    del version
    gc.set_threshold(100_000)  # a short run leaves few cycles; looking for them meanwhile takes a tenth of it


for command in (
    inspect,
    analyze,
    path,
    show,
    check,
    contend,
    whatif,
    affinity,
    render,
    record,
    doctor,
    collect_script,
    diff,
    export,
    schema,
):
    app.command(command.NAME, epilog=EXIT_CODES)(command.run)
app.add_typer(profiles.app, name="profiles")
app.add_typer(rules.app, name="rules")
