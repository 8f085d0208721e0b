"""``toposcope doctor``: which sources this host offers, and what those that are missing would add."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from toposcope.cli.common import Ascii, Json, Verbose, command, console
from toposcope.cli.inspect import SysRoot, Timeout

if TYPE_CHECKING:
    from toposcope.recording.survey import SourceState

NAME = "doctor"


@command
def run(
    *,
    as_json: Json = False,
    ascii_only: Ascii = False,
    verbose: Verbose = False,
    sysroot: SysRoot = None,
    timeout: Timeout = 10.0,
) -> None:
    """Tell which sources this host offers, which are missing, and what each of those would add."""
    from toposcope import app
    from toposcope.cli.progress import progress

    with progress() as report:
        states = app.doctor(sysroot=sysroot, timeout=timeout, progress=report)
    if as_json:
        from toposcope.render.schema import DoctorDocument, SourceDocument, to_json

        fields = SourceDocument.__struct_fields__
        sources = tuple(SourceDocument(**{name: getattr(each, name) for name in fields}) for each in states)
        typer.echo(to_json(DoctorDocument(sources=sources)))
        return
    _show(states, ascii_only=ascii_only, verbose=verbose)


def _show(states: tuple[SourceState, ...], *, ascii_only: bool, verbose: bool) -> None:
    from toposcope.render.terminal.tables import plain, table

    made = table("source", "state", "gives", "cost", ascii_only=ascii_only)
    notes: dict[str, list[str]] = {}
    for each in states:
        if verbose or each.standing == "available" or each.cost:
            made.add_row(*(plain(cell) for cell in (each.key, each.standing, each.gives, each.cost)))
        elif each.standing == "not needed":
            notes.setdefault("not needed, as this host has nothing that it speaks of", []).append(each.key)
        else:
            notes.setdefault("missing, but another source shows the same", []).append(each.key)
        if each.remedy:
            notes.setdefault(each.remedy, []).append(each.key)
    out = console()
    out.print(made)
    for text, keys in notes.items():
        out.print(plain(f"- {text}: {', '.join(keys)}"))
