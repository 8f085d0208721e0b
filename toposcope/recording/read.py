"""Paths in, recordings out: each file recognised, cut into captures, given to its host."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from toposcope.base import Capture, InputError
from toposcope.base.clean import printable
from toposcope.collectors import COLLECTORS, SOURCES
from toposcope.collectors.records import Reading
from toposcope.recording.bundle import captures_of_trees, documents_and_trees
from toposcope.recording.cut import cut
from toposcope.recording.files import entries_of_bytes, entries_of_path
from toposcope.recording.hosts import Found, Group, by_host
from toposcope.recording.limits import MAX_NAMED_PROBLEMS, Budget, unread
from toposcope.recording.manifest import Manifest, manifest_of
from toposcope.recording.outcomes import problems_of
from toposcope.recording.prefix import Block, without_prefix
from toposcope.recording.recognise import Recognised, recogniser
from toposcope.recording.recording import Recording
from toposcope.recording.text import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from toposcope.base import Origin, Problem
    from toposcope.collectors import Source
    from toposcope.recording.entries import Entry
from toposcope.recording.recognise import Recogniser

STDIN = "-"
_NAMED = 5
"""How many tools a message names."""
_ANY = ("cat", "find")
ALL_SOURCES = tuple(source for collector in COLLECTORS for source in collector.sources)


def read(
    paths: Sequence[Path], *, stdin: bytes | None = None, sources: tuple[Source, ...] = ALL_SOURCES
) -> tuple[Recording, ...]:
    """Read recordings: folders, archives, files, ``-`` for ``stdin``. One recording for each host.

    Raises InputError where a path cannot be opened, and where nothing in all of them is the output of a known tool.
    """
    known = recogniser(sources)
    budget = Budget()
    entries: list[Entry] = []
    for path, name in zip(paths, _names(paths), strict=True):
        if str(path) == STDIN:
            entries += entries_of_bytes(stdin or b"", "stdin", budget, known)
        else:
            entries += entries_of_path(path, name, budget, known)
    found, problems, manifests = _captures(entries, known)
    problems = [*budget.problems, *problems]
    if not found:
        raise _nothing(paths, entries, problems, known)
    groups = by_host(found, known)
    return tuple(_recording(group, problems, manifests, known, alone=len(groups) == 1) for group in groups)


def parse(recording: Recording) -> Reading:
    """Read all captures of a recording and join what they say; the recording's own problems come first."""
    readings = [SOURCES[capture.source].parse(capture) for capture in recording.captures if capture.source in SOURCES]
    records = tuple(record for reading in readings for record in reading.records)
    problems = tuple(problem for reading in readings for problem in reading.problems)
    return Reading(records, (*recording.problems, *problems))


def text_of(recording: Recording, origin: Origin) -> str | None:
    """Return the line that an origin speaks of, None where it is not of this recording or of no single line."""
    for capture in recording.captures:
        index = origin.line - capture.first_line
        if capture.file != origin.file or index < 0:
            continue
        line = _nth_line(capture.text, index)
        if line is not None:
            return line
    return None


def _nth_line(text: str, index: int) -> str | None:
    lines = _lines(text)
    inside = index < len(lines) - (not lines[-1])
    return lines[index] if inside else None


@lru_cache(maxsize=16)
def _lines(text: str) -> list[str]:
    """Split a capture once: a page asks for hundreds of its lines."""
    return text.split("\n")


def _names(paths: Sequence[Path]) -> list[str]:
    """Name each input by the last part of its path, by the whole path where two would be equal."""
    last = [path.name or str(path) for path in paths]
    return [name if last.count(name) == 1 else str(path) for name, path in zip(last, paths, strict=True)]


def _captures(entries: Iterable[Entry], known: Recogniser) -> tuple[list[Found], list[Problem], list[Manifest]]:
    found: list[Found] = []
    problems: list[Problem] = []
    unknown: list[Problem] = []
    documents, trees, aliases = documents_and_trees(entries)
    manifests = [manifest for entry in documents if (manifest := manifest_of(entry))]
    for entry in documents:
        if any(manifest.path == entry.path for manifest in manifests):
            continue
        text = decode(entry.data)
        if text is not None and not text.strip() and (silent := _silent(entry, manifests, aliases, known)):
            found.append(silent)
            continue
        if text is None or not text.strip():
            unknown.append(unread(entry.name, "an empty file" if text is not None else "not text: a binary file"))
            continue
        if said := _said(entry, manifests, known):
            found.append(Found(Capture(said.source.key, entry.name, text, argument=said.argument), entry.path))
            continue
        captures, prose = _of_document(entry, Block(text, 1), _named(entry, aliases, known), known)
        if not captures:
            captures = [each for block in without_prefix(text) for each in _of_document(entry, block, None, known)[0]]
            prose = [] if captures else prose
        found += captures
        (problems if captures else unknown).extend(prose)
    found += captures_of_trees(trees)
    return found, problems + _counted(unknown), manifests


def _said(entry: Entry, manifests: Iterable[Manifest], known: Recogniser) -> Recognised | None:
    """Return what a manifest says of a file: a live run wrote it, and it holds that output and nothing else."""
    for manifest in manifests:
        if said := manifest.source_of(entry.path):
            source = next((source for source in known.sources if source.key == said[0]), None)
            return Recognised(source, said[1]) if source is not None else None
    return None


def _silent(
    entry: Entry, manifests: Iterable[Manifest], aliases: dict[str, list[str]], known: Recogniser
) -> Found | None:
    """Return an empty file as the output of a tool whose silence is an answer."""
    said = _said(entry, manifests, known) or _named(entry, aliases, known)
    if said is None or not said.source.silence_tells:
        return None
    return Found(Capture(said.source.key, entry.name, "", argument=said.argument), entry.path)


def _named(entry: Entry, aliases: dict[str, list[str]], known: Recogniser) -> Recognised | None:
    names = (known.of_name(path) for path in (entry.path, *aliases.get(entry.path, ())))
    return next((name for name in names if name), None)


def _of_document(
    entry: Entry, block: Block, named: Recognised | None, known: Recogniser
) -> tuple[list[Found], list[Problem]]:
    found: list[Found] = []
    prose: list[Problem] = []
    text = block.text
    line, counted = block.first_line, 0
    for piece in cut(text, named, known):
        line += text.count("\n", counted, piece.start)
        counted = piece.start
        if piece.source is None:
            shown = text[piece.start : piece.end].lstrip("`~ \t\n")
            skipped = text.count("\n", piece.start, piece.end - len(shown))
            message = "no output of a known tool"
            prose.append(unread(entry.name, message, printable(shown.partition("\n")[0][:200]).strip(), line + skipped))
        else:
            body = text[piece.start : piece.end]
            capture = Capture(piece.source.key, entry.name, body, line, piece.argument)
            found.append(Found(capture, entry.path, piece.host or block.host))
    return found, prose


def _counted(problems: list[Problem]) -> list[Problem]:
    """Name the first files that nothing reads, and count the rest."""
    rest = len(problems) - MAX_NAMED_PROBLEMS
    if rest <= 0:
        return problems
    origin = problems[MAX_NAMED_PROBLEMS].origin
    return [*problems[:MAX_NAMED_PROBLEMS], unread(origin.file, f"{rest} more files or texts of no known tool")]


def _recording(
    group: Group, problems: list[Problem], manifests: list[Manifest], known: Recogniser, *, alone: bool
) -> Recording:
    """Make the recording of one host; ``alone`` says that it is the only one, and all problems are its own."""
    place = {source.key: place for place, source in enumerate(known.sources)}
    # By their sources, so that a folder and an archive of it read alike.
    captures = sorted(
        dict.fromkeys(each.capture for each in group.found),
        key=lambda capture: (place[capture.source], capture.file, capture.first_line),
    )
    files = {capture.file for capture in captures}
    own = [problem for problem in problems if alone or problem.origin.file in files]
    manifest = next((m for m in manifests if alone or any(m.holds(each.path) for each in group.found)), None)
    recording = Recording(group.name or _own_name(captures), tuple(captures), (*own, *group.problems))
    if manifest is None:
        return recording
    return replace(
        recording,
        host=manifest.host or recording.host,
        made_by=manifest.made_by,
        time=manifest.time,
        commands=manifest.commands,
        as_root=manifest.as_root,
        problems=(*recording.problems, *problems_of(manifest.commands, known.sources, as_root=manifest.as_root)),
    )


def _own_name(captures: Sequence[Capture]) -> str | None:
    """Return the name that ``hostname`` or ``uname -a`` printed."""
    for capture in captures:
        words = capture.text.split()
        if capture.source == "hostname" and len(words) == 1:
            return words[0]
        if capture.source == "uname" and len(words) > 1 and words[0] == "Linux":
            return words[1]
    return None


def _nothing(paths: Sequence[Path], entries: list[Entry], problems: list[Problem], known: Recogniser) -> InputError:
    where = ", ".join("standard input" if str(path) == STDIN else str(path) for path in paths) or "no path"
    tools = list(dict.fromkeys(tool for source in known.sources for tool in source.command[:1] if tool not in _ANY))
    if not entries and not problems:
        message = f"{where}: nothing in it."
    elif len(problems) == 1:
        origin, text = problems[0].origin, problems[0].text
        message = f"{where}: {problems[0].message}" + (f" (line {origin.line}: {text[:80]})" if text else "") + "."
    else:
        message = f"{where}: no output of a known tool in {len(entries)} file{'s' * (len(entries) > 1)}."
    return InputError(f"{message} Give the output of {_some_of(tools)}.", tuple(problems))


def _some_of(tools: Sequence[str]) -> str:
    more = f" or {len(tools) - _NAMED} others that the README names" if len(tools) > _NAMED else ""
    return ", ".join(tools[:_NAMED]) + more or "a known tool"
