"""One text, as many captures as outputs stand in it.

The text is cut at the lines that name a command (see :mod:`prompts`); what stands between two of them is that
command's output. Where no line names a command, the file's name does, and where that does not either, or names one
while the text clearly begins another's output, the content does: the first line that begins an output of some source.
The same source begun anew (a second matrix) is a second capture. Prose before, between and after is no output.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.recording.prompts import marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.collectors import Source
    from toposcope.recording.recognise import Recognised, Recogniser

_LISTED = re.compile(r"(?:[ \t]*\n|\*\*\* ls: [^\n]*\n|```\w*[ \t]*\n)+")
_SHAPE = str.maketrans("123456789abcdefABCDEF", "0" * 21)
# No output begins behind so many blanks or after so long a line; patterns of many tools need not be tried there.
_OVERLONG = re.compile(r"^(?:[ \t>]{200}[^\n]*|(?P<head>[^\n]{2000})[^\n]{2000,})", re.MULTILINE)
_FULL_LINE = re.compile(r"^(?=[ \t\f>]*[^\s>\0])", re.MULTILINE)
_JSON = re.compile(r'\{\s*["}]|\[\s*[\[{"\]]')


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text from ``start`` to ``end``: an output, or prose where ``source`` is None."""

    start: int
    end: int
    source: Source | None = None
    argument: str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What follows a mark up to the next one: what it is said to be, and on whose prompt."""

    start: int
    end: int
    said: Recognised | None
    host: str | None


def cut(text: str, named: Recognised | None, recogniser: Recogniser) -> list[Piece]:
    """Cut a text into outputs and prose, in order. ``named`` is what the file's name says."""
    text = _OVERLONG.sub(_blanked, text)
    if _is_json(text):
        return [_whole(text, named, recogniser)]
    pieces: list[Piece] = []
    for stretch in _stretches(text, named, recogniser):
        pieces += _outputs(text, stretch, recogniser)
    return [piece for piece in pieces if piece.source or text[piece.start : piece.end].strip()]


def _blanked(match: re.Match[str]) -> str:
    """Fill what need not be looked at with as many characters that no pattern knows: places stay what they are."""
    head = match["head"] or ""
    return head + "\0" * (len(match[0]) - len(head))


def _stretches(text: str, named: Recognised | None, recogniser: Recogniser) -> Iterator[_Stretch]:
    """Yield what stands before any mark, then each mark's stretch of text."""
    found = marks(text, recogniser)
    first = found[0].start if found else len(text)
    if text[:first].strip() or not found:
        yield _Stretch(0, first, named, None)
    # A prompt whose command says nothing (a script's name) leaves it to the file's name, if no other says more.
    unsaid = None if any(mark.recognised for mark in found) else named
    host: str | None = None
    ends = [*(mark.start for mark in found[1:]), len(text)] if found else []
    for mark, end in zip(found, ends, strict=True):
        host = mark.host or host  # a plain `$` in the log of a known host
        yield _Stretch(min(mark.end + 1, end), end, mark.recognised or unsaid, host)


def _outputs(text: str, stretch: _Stretch, recogniser: Recogniser) -> Iterator[Piece]:
    said = stretch.said
    if said is None or not _plausible(text, stretch, said.source, recogniser):
        yield from _by_content(text, stretch, recogniser)
        return
    skipped = _LISTED.match(text, stretch.start, stretch.end)
    begin = skipped.end() if skipped else stretch.start
    if not text[begin : stretch.end].strip():
        return
    for place, upto in _restarts(text, begin, stretch.end, said.source):
        yield Piece(place, upto, said.source, said.argument, stretch.host)


def _plausible(text: str, stretch: _Stretch, source: Source, recogniser: Recogniser) -> bool:
    """Tell whether the named source may stand: its output begins here, or no other's does."""
    if source.begins is None or source.begins.search(text, stretch.start, stretch.end):
        return True
    return next(_begins(text, stretch.start, stretch.end, recogniser), None) is None


def _by_content(text: str, stretch: _Stretch, recogniser: Recogniser) -> Iterator[Piece]:
    """Cut a stretch at the lines that begin an output; a line of the same shape as the first one goes on with it."""
    start, end, said, host = stretch.start, stretch.end, stretch.said, stretch.host
    places: list[tuple[int, Source]] = []
    shape = first = ""
    for place, source in _begins(text, start, end, recogniser):
        words = text[place : place + 160].partition("\n")[0].split()
        same = bool(places) and source is places[-1][1]
        if (same and source.continuous) or (places and (same or _shape(words) == shape) and _opening(words) != first):
            continue
        places.append((place, source))
        shape, first = _shape(words), _opening(words)
    if not places or places[0][0] > start:
        yield Piece(start, places[0][0] if places else end, host=host)
    ends = [*(place for place, _ in places[1:]), end] if places else []
    for (place, source), upto in zip(places, ends, strict=True):
        same = said is not None and said.source is source
        yield Piece(place, upto, source, said.argument if same and said else None, host)


def _is_json(text: str) -> bool:
    """Tell a JSON text, which may quote outputs line by line: it is one output as a whole, or none."""
    inner = text.strip()
    return inner[:1] + inner[-1:] in ("{}", "[]") and _JSON.match(inner) is not None


def _whole(text: str, named: Recognised | None, recogniser: Recogniser) -> Piece:
    start = len(text) - len(text.lstrip())
    begun = recogniser.begun(text, text.rfind("\n", 0, start) + 1)
    source = named.source if named and (begun is None or named.source.begins is None) else begun
    return Piece(0, len(text), source, named.argument if named and source is named.source else None)


def _restarts(text: str, start: int, end: int, source: Source) -> Iterator[tuple[int, int]]:
    """Split an output where its first line comes again after an empty line: the command was run twice."""
    if source.begins is None or source.continuous:
        yield start, end
        return
    first = ""
    places = [start]
    for match in source.begins.finditer(text, start, end):
        place = _line_start(text, match)
        opening = _opening(text[place : place + 160].partition("\n")[0].split())
        if not first:
            first = opening
        elif opening == first and text[:place].endswith("\n\n"):
            places.append(place)
    yield from zip(places, [*places[1:], end], strict=True)


def _begins(text: str, start: int, end: int, recogniser: Recogniser) -> Iterator[tuple[int, Source]]:
    """Yield the lines that begin some output, with the source."""
    for line in _FULL_LINE.finditer(text, start, end):
        source = recogniser.begun(text, line.start())
        if source is not None:
            yield line.start(), source


def _line_start(text: str, match: re.Match[str]) -> int:
    blanks = len(match[0]) - len(match[0].lstrip())
    return text.rfind("\n", 0, match.start() + blanks) + 1


def _opening(words: list[str]) -> str:
    """Return what tells that an output begins anew: its first number (``GPU0 GPU1``, ``00:00.0 Host``), or the line."""
    return " ".join(words[:2] if any(c.isdigit() for word in words[:2] for c in word) else words)


def _shape(words: list[str]) -> str:
    return words[0].translate(_SHAPE) if words else ""
