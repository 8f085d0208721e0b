"""``manifest.json``, the first file of a recording that a live run made: what was run, when, and what became of it.

The form is ``{"schema": "toposcope.recording/1", "tool", "host", "time", "as_root", "commands": [{"source", "command",
"argument", "outcome", "exit_code", "duration_s", "file", "error", "truncated"}]}``. A manifest that is damaged or of
another form is no manifest; the files beside it are then recognised as any others.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from toposcope.recording.recording import Command, Outcome

if TYPE_CHECKING:
    from toposcope.recording.entries import Entry
    from toposcope.recording.recording import Recording

NAME = "manifest.json"
SCHEMA = "toposcope.recording/1"


class _Line(msgspec.Struct, frozen=True):
    source: str
    command: list[str]
    outcome: Outcome
    argument: str | None = None
    exit_code: int | None = None
    duration_s: float = 0.0
    file: str | None = None
    error: str = ""
    truncated: bool = False


class _Form(msgspec.Struct, frozen=True):
    schema: str
    tool: str | None = None
    host: str | None = None
    time: str | None = None
    as_root: bool | None = None
    commands: list[_Line] = []


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest and the path where it stands."""

    path: str
    made_by: str | None
    host: str | None
    time: str | None
    commands: tuple[Command, ...]
    as_root: bool | None = None

    def holds(self, path: str) -> bool:
        """Tell whether a path lies in the manifest's folder."""
        folder = posixpath.dirname(self.path)
        return not folder or path.startswith(f"{folder}/")

    def source_of(self, path: str) -> tuple[str, str | None] | None:
        """Return source and argument of a file of this recording."""
        folder = posixpath.dirname(self.path)
        lines = (line for line in self.commands if line.file and posixpath.join(folder, line.file) == path)
        return next(((line.source, line.argument) for line in lines), None)


def manifest_of(entry: Entry) -> Manifest | None:
    """Read a manifest; None where the entry is none."""
    if posixpath.basename(entry.path) != NAME:
        return None
    try:
        form = msgspec.json.decode(entry.data, type=_Form)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    if form.schema != SCHEMA:
        return None
    commands = tuple(
        Command(
            source=line.source,
            words=tuple(line.command),
            outcome=line.outcome,
            exit_code=line.exit_code,
            duration_s=line.duration_s,
            file=line.file,
            argument=line.argument,
            error=line.error,
            truncated=line.truncated,
        )
        for line in form.commands
    )
    return Manifest(entry.path, form.tool, form.host, form.time, commands, form.as_root)


def manifest_text(recording: Recording) -> str:
    """Write the manifest of a recording."""
    lines = [
        _Line(
            source=command.source,
            command=list(command.words),
            outcome=command.outcome,
            argument=command.argument,
            exit_code=command.exit_code,
            duration_s=round(command.duration_s, 3),
            file=command.file,
            error=command.error,
            truncated=command.truncated,
        )
        for command in recording.commands
    ]
    form = _Form(SCHEMA, recording.made_by, recording.host, recording.time, recording.as_root, lines)
    return msgspec.json.format(msgspec.json.encode(form), indent=2).decode() + "\n"
