"""What the commands share: their options, how errors become exit codes, and where output goes."""

from __future__ import annotations

import functools
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from toposcope.base import InputError, ToposcopeError
from toposcope.base.clean import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from toposcope.analysis import Finding
    from toposcope.app import Knowledge, Loaded

F = TypeVar("F", bound="Callable[..., Any]")

USAGE, UNUSABLE, FOUND = 2, 3, 1
PIPED_WIDTH = 120
"""The width of output that goes to a file or a pipe, where COLUMNS does not tell another."""

LEAST_WIDTH = 40
TOLD = 20
"""How many problems are listed where nothing could be used."""


def check_severity(text: str | None) -> str | None:
    """Refuse a severity that there is none of, before any work is done."""
    if text is not None and text not in ("info", "warning", "critical"):
        raise typer.BadParameter(f"takes info, warning or critical, not {text!r}")
    return text


def asks_ascii(asked: bool) -> bool:  # noqa: FBT001 - a callback's form
    """Draw with ASCII where the output knows nothing else, and let it put ``?`` for letters that it has not."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if encoding.lower().replace("-", "").startswith("utf"):
        return asked
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return True


Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...", help="A folder, archive or file, - for standard input, or profile:NAME[,option=value]."
    ),
]
OnePath = Annotated[str, typer.Argument(metavar="PATH", help="A recording, - for standard input, or profile:NAME.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (see `toposcope schema`).")]
Ascii = Annotated[bool, typer.Option("--ascii", callback=asks_ascii, help="Draw with ASCII only.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="List every problem.")]
ProfileName = Annotated[str | None, typer.Option("--profile", metavar="NAME", help="Take what is open from it.")]
ProfilesDir = Annotated[
    Path | None, typer.Option("--profiles", metavar="DIR", help="A folder of profiles over the shipped ones.")
]
Host = Annotated[str | None, typer.Option("--host", metavar="NAME", help="The one host, where the input has several.")]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on", metavar="SEVERITY", callback=check_severity, help="Exit 1 at info, warning or critical and above."
    ),
]
Only = Annotated[
    list[str] | None, typer.Option("--only", metavar="RULE", help="Only this rule (see `rules list`); repeatable.")
]
Skip = Annotated[list[str] | None, typer.Option("--skip", metavar="RULE", help="Not this rule; repeatable.")]
Strict = Annotated[bool, typer.Option("--strict", help='Let "could not tell" count for --fail-on.')]


def command(run: F) -> F:
    """Turn the errors that a user can mend into a message on stderr and an exit code; never a traceback."""

    @functools.wraps(run)
    def guarded(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        try:
            return run(*args, **kwargs)
        except InputError as error:
            _refuse(error, as_json=bool(kwargs.get("as_json")))
            raise typer.Exit(UNUSABLE) from error
        except ToposcopeError as error:
            typer.echo(f"toposcope: {printable(str(error))}", err=True)
            raise typer.Exit(USAGE) from error
        except OSError as error:
            # What the commands read is guarded where it is read: this is the output, on a full disk or a closed pipe.
            typer.echo(f"toposcope: the output cannot be written: {error.strerror or error}", err=True)
            raise typer.Exit(USAGE) from error

    return guarded  # type: ignore[return-value]


def _refuse(error: InputError, *, as_json: bool) -> None:
    typer.echo(f"toposcope: {printable(str(error))}", err=True)
    for problem in error.problems[:TOLD]:
        typer.echo(f"  {printable(str(problem.origin))}: {printable(problem.message)}", err=True)
    if len(error.problems) > TOLD:
        typer.echo(f"  and {len(error.problems) - TOLD} more problems, which --json lists", err=True)
    if as_json:
        from toposcope.base import Origin, Problem, ProblemKind
        from toposcope.render.documents import error_document
        from toposcope.render.schema import to_json

        told = error.problems or (Problem(ProblemKind.UNREAD, Origin("input", "input"), str(error)),)
        typer.echo(to_json(error_document(told)))


def known(profiles: Path | None) -> Knowledge:
    """Load the profiles and the catalogue."""
    from toposcope import app

    return app.knowledge(*([profiles] if profiles else []))


def load(paths: list[str], *, profile: str | None, profiles: Path | None) -> tuple[Loaded, ...]:
    """Load the inputs; ``-`` takes standard input."""
    from toposcope import app
    from toposcope.cli.progress import waiting

    stdin = sys.stdin.buffer.read() if "-" in paths else None
    with waiting("reading the recording"):
        return app.load(paths, known(profiles), profile=profile, stdin=stdin)


def load_one(path: str, *, host: str | None, profile: str | None, profiles: Path | None) -> Loaded:
    """Load an input that must be of one host."""
    from toposcope import app

    return app.one(load([path], profile=profile, profiles=profiles), host)


def console() -> Console:
    """Make the console for results: no colours and a fixed width where output is piped."""
    from rich.console import Console

    class Pipe(Console):
        def on_broken_pipe(self) -> None:
            """End quietly where the reader has had enough (``| head``)."""
            sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - the end of the process closes it
            raise SystemExit(0)

    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    width = int(os.environ["COLUMNS"]) if os.environ.get("COLUMNS", "").isdigit() else PIPED_WIDTH
    return Pipe(
        highlight=False,
        markup=False,
        emoji=False,
        color_system=None if plain else "auto",
        width=None if sys.stdout.isatty() else max(width, LEAST_WIDTH),
    )


def exit_code(findings: tuple[Finding, ...], fail_on: str | None, *, strict: bool) -> int:
    """Tell the exit code of findings: 1 where one is as grave as ``fail_on``."""
    from toposcope.analysis import Severity, Verdict

    if fail_on is None:
        return 0
    least = Severity[fail_on.upper()]
    graves = (each for each in findings if strict or each.verdict is Verdict.FOUND)
    return FOUND if any(each.severity >= least for each in graves) else 0
