"""``toposcope analyze``: a recording in, the machine and its slowest segments out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from toposcope.cli.common import (
    Ascii,
    FailOn,
    Host,
    Json,
    Only,
    Paths,
    ProfileName,
    ProfilesDir,
    Skip,
    Strict,
    Verbose,
    command,
    console,
    exit_code,
    load,
)

if TYPE_CHECKING:
    from toposcope.analysis import Analysis
    from toposcope.app import Loaded

NAME = "analyze"


@command
def run(
    paths: Paths,
    *,
    as_json: Json = False,
    ascii_only: Ascii = False,
    verbose: Verbose = False,
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
    fail_on: FailOn = None,
    strict: Strict = False,
    only: Only = None,
    skip: Skip = None,
) -> None:
    """Analyze recordings: how each machine is wired, how fast, and what holds each path back."""
    from toposcope import app

    loaded = load(paths, profile=profile, profiles=profiles)
    chosen = (app.one(loaded, host),) if host else loaded
    analyses = tuple((each, app.analyze(each, only=only or (), skip=skip or ())) for each in chosen)
    show(analyses, as_json=as_json, ascii_only=ascii_only, verbose=verbose)
    findings = tuple(finding for _, analysis in analyses for finding in analysis.findings)
    raise typer.Exit(exit_code(findings, fail_on, strict=strict))


def show(analyses: tuple[tuple[Loaded, Analysis], ...], *, as_json: bool, ascii_only: bool, verbose: bool) -> None:
    """Print analyses, as JSON or for people."""
    if as_json:
        from toposcope.render.documents import analysis_document
        from toposcope.render.schema import AnalysesDocument, to_json

        documents = tuple(analysis_document(analysis, each.text_of) for each, analysis in analyses)
        typer.echo(to_json(documents[0] if len(documents) == 1 else AnalysesDocument(hosts=documents)))
        return
    from toposcope.render.terminal.report import report

    out = console()
    for each, analysis in analyses:
        for part in report(analysis, each.text_of, width=out.width, ascii_only=ascii_only, verbose=verbose):
            out.print(part)
