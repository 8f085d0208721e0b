"""``toposcope profiles``: the reference machines."""

from __future__ import annotations

from typing import Annotated

import typer

from toposcope.cli.analyze import show as show_analyses
from toposcope.cli.common import Ascii, Json, ProfilesDir, command, console, known

app = typer.Typer(help="The reference machines that toposcope knows.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A profile, with options: a100-2-2-4-6-8-8,nic=400.")]


@app.command("list")
@command
def list_profiles(*, as_json: Json = False, ascii_only: Ascii = False, profiles: ProfilesDir = None) -> None:
    """List the reference machines."""
    machines = known(profiles).machines.values()
    if as_json:
        from toposcope.render.schema import ProfileDocument, to_json

        typer.echo(to_json(tuple(ProfileDocument(name=each.name, title=each.title) for each in machines)))
        return
    from toposcope.render.terminal.tables import plain, table

    made = table("name", "machine", "options", ascii_only=ascii_only)
    for each in machines:
        options = (f"{name}={'|'.join(f'{value:g}' for value in it.values)}" for name, it in each.options.items())
        made.add_row(plain(each.name), plain(each.title), plain(" ".join(options)))
    console().print(made)


@app.command("show")
@command
def show_profile(name: Name, *, as_json: Json = False, ascii_only: Ascii = False, profiles: ProfilesDir = None) -> None:
    """Show one reference machine as an analysis, with its sources and notes."""
    from toposcope import app as use_cases

    knowledge = known(profiles)
    loaded = use_cases.load([f"profile:{name.removeprefix('profile:')}"], knowledge)[0]
    show_analyses(((loaded, use_cases.analyze(loaded)),), as_json=as_json, ascii_only=ascii_only, verbose=False)
    if not as_json:
        machine = knowledge.machines[loaded.topology.profile or name]
        out = console()
        for word, lines in (("source", machine.sources), ("note", machine.notes)):
            for line in lines:
                out.print(f"{word}: {line}")
