"""``toposcope schema``: the JSON Schema of a document."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from toposcope.base import UsageError
from toposcope.cli.common import command

NAME = "schema"

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="affinity, analysis, contention, diff, doctor, error, path, rules, topology, whatif ...",
    ),
]


@command
def run(name: Name) -> None:
    """Print the JSON Schema of one of the JSON outputs."""
    from toposcope.render.schema import SCHEMAS, json_schema

    bare = name.removeprefix("toposcope.").partition("/")[0]
    if bare not in SCHEMAS:
        raise UsageError(f"there is no schema {name!r}; there are {', '.join(SCHEMAS)}")
    typer.echo(json.dumps(json_schema(bare), indent=2))
