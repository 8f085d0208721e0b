"""A recording: the captures of one host at one moment, with what was not read and how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.base import Capture, Problem


class Outcome(StrEnum):
    """What became of a command in a live run."""

    DONE = "done"
    EMPTY = "empty"
    ABSENT = "absent"
    REFUSED = "refused"
    TIMED_OUT = "timed-out"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a live run: what was run and what became of it.

    ``file`` is the name of its output in the recording, None where there is none. ``exit_code`` is None where it did
    not end by itself. ``error`` is the first line of what it wrote to standard error.
    """

    source: str
    words: tuple[str, ...]
    outcome: Outcome
    exit_code: int | None = None
    duration_s: float = 0.0
    file: str | None = None
    argument: str | None = None
    error: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Recording:
    """All captures of one host. ``host`` is its name where something tells it, or what tells several apart.

    ``made_by`` (``toposcope 0.3``), ``time`` (ISO 8601) and ``commands`` are the manifest's, empty for other input;
    ``as_root`` tells whether the commands ran as root, None where nothing tells.
    """

    host: str | None
    captures: tuple[Capture, ...]
    problems: tuple[Problem, ...] = ()
    made_by: str | None = None
    time: str | None = None
    commands: tuple[Command, ...] = ()
    as_root: bool | None = None
