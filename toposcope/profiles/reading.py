"""TOML files to tables, and tables to the forms of ``machine.py`` and ``catalogue.py``.

Nothing here raises on a bad file: each fault becomes a problem that names the file and the key, so that several
faults are told at once.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import msgspec

from toposcope.base import InputError, Origin, Problem, ProblemKind
from toposcope.profiles.catalogue import Catalogue
from toposcope.profiles.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Form = TypeVar("Form", Machine, Catalogue)

_LINE = re.compile(r"\(at line (\d+)")
_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")


@dataclass(frozen=True, slots=True)
class Table:
    """The content of one file, not yet held against a form."""

    path: Path
    content: dict[str, Any]


def read(paths: Iterable[Path]) -> tuple[list[Table], list[Problem]]:
    """Read TOML files. A file that cannot be read or parsed is a problem, with its line where the parser tells it."""
    tables: list[Table] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            tables.append(Table(path, tomllib.loads(path.read_text(encoding="utf-8"))))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            line = _LINE.search(str(error))
            problems.append(fault(path, f"is no readable TOML: {error}", int(line[1]) if line else 0))
    return tables, problems


def fault(path: Path, message: str, line: int = 0) -> Problem:
    """Return the problem that a file of profiles has."""
    return Problem(ProblemKind.UNREAD, Origin("profile", str(path), line), message)


def refuse(problems: list[Problem]) -> None:
    """Raise an input error that lists all problems, one a line; do nothing where there is none."""
    if problems:
        lines = (f"{problem.origin.file}: {problem.message}" for problem in problems)
        advice = "mend the file, or move it out of the folder"
        raise InputError("\n".join(("profiles that cannot be used:", *lines, advice)), tuple(problems))


def convert(table: Table, form: type[Form]) -> tuple[Form | None, list[Problem]]:
    """Hold a table against a form. None, and a problem for each key that does not fit, where it fails."""
    try:
        return msgspec.convert(table.content, form), []
    except msgspec.ValidationError as error:
        found = list(_misfits(table.content, form)) or [_told(error, "")]
        return None, [fault(table.path, message) for message in found]


def _misfits(content: dict[str, Any], form: type[Form]) -> Iterator[str]:
    """Yield what is wrong key by key, and in a list entry by entry: a conversion stops at its first fault."""
    known = {field.name: field for field in msgspec.structs.fields(form)}
    for name, field in known.items():
        if field.required and name not in content:
            yield f"{name} is missing"
    for name, value in content.items():
        if name not in known:
            yield f"{name} is no known key{_near(name, known)}"
            continue
        arguments = get_args(known[name].type)
        several = isinstance(value, list) and len(arguments) > 1 and arguments[1] is Ellipsis
        pieces = [(f"{name}[{i}]", item, arguments[0]) for i, item in enumerate(value)] if several else []
        for place, piece, kind in pieces or [(name, value, known[name].type)]:
            try:
                msgspec.convert(piece, kind)
            except msgspec.ValidationError as error:
                yield _told(error, _named(place, piece))


def _named(place: str, piece: object) -> str:
    name = piece.get("name") if isinstance(piece, dict) else None
    return f"{place} ({name})" if isinstance(name, str) else place


def _told(error: msgspec.ValidationError, where: str) -> str:
    """Return msgspec's message with the key first, and near names for a key it does not know."""
    text = str(error)
    place = _PLACE.search(text)
    inner = place[1] if place else ""
    key = where + ("." if where and inner and inner[0] != "[" else "") + inner
    message = text[: place.start()] if place else text
    unknown = _UNKNOWN.search(message)
    hint = _near(unknown[1], _all_keys()) if unknown else ""
    return f"{key}: {message}{hint}" if key else message + hint


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f", did you mean {near[0]}?" if near else ""


def _all_keys() -> set[str]:
    """Return every key of every form: good enough for a hint."""
    names: set[str] = set()
    waiting: list[Any] = [Machine, Catalogue]
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            fields = msgspec.structs.fields(kind)
            names |= {field.name for field in fields}
            waiting += [field.type for field in fields]
    return names
