"""``toposcope render``: the machine as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toposcope.cli.common import Host, OnePath, ProfileName, ProfilesDir, command, load_one

NAME = "render"

Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="FILE.svg, .png, .pdf or .html.")]
Ends = Annotated[
    tuple[str, str] | None, typer.Option("--path", metavar="SRC DST", help="Mark the default route between two ends.")
]
Theme = Annotated[str, typer.Option("--theme", help="light or dark.")]
Layer = Annotated[
    str, typer.Option("--layer", metavar="MEDIA", help="Draw the lines of these alone: pcie,nvlink and the like.")
]
View = Annotated[str, typer.Option("--view", help="diagram, matrix (all pairs) or path (one route's segments).")]


@command
def run(
    path: OnePath,
    *,
    output: Output,
    ends: Ends = None,
    theme: Theme = "light",
    view: View = "diagram",
    layer: Layer = "",
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Draw the machine to FILE: CPUs, switches, accelerators, NICs, fabric, each link with its bandwidth."""
    from toposcope import app

    loaded = load_one(path, host=host, profile=profile, profiles=profiles)
    layers = [each.strip() for each in layer.split(",") if each.strip()]
    app.render(loaded, output, view=view, ends=ends, theme=theme, layers=layers)
    typer.echo(f"{output}", err=True)
