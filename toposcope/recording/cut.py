"""One text, as many captures as outputs stand in it.

The text is cut at the lines that name a command (see :mod:`prompts`); what stands between two of them is that
command's output. Where no line names a command, the file's name does, and where that does not either, or names one
while the text clearly begins another's output, the content does: the first line that begins an output of some source.
The same source begun anew (a second matrix) is a second capture. Prose before and between is no output,
nor is what follows the end of a block in Markdown (three backquotes).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
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
_FENCE = re.compile(r"^[ \t>]{0,12}(?:```|~~~)[^\n]*\n?", re.MULTILINE)
_NUMBERED = re.compile(r"\s*(?:\S*\d\S*\s+\S+|\S+\s+\S*\d\S*)(?!\S)")
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
    return [piece for piece in pieces if piece.source or text[piece.start : piece.end].strip("`~ \t\n")]


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
    fence = _FENCE.search(text, begin, stretch.end)
    end = fence.start() if fence else stretch.end
    for place, upto in _restarts(text, begin, end, said.source):
        yield Piece(place, upto, said.source, said.argument, stretch.host)
    if fence:
        yield from _by_content(text, replace(stretch, start=fence.end(), said=None), recogniser)


def _plausible(text: str, stretch: _Stretch, source: Source, recogniser: Recogniser) -> bool:
    """Tell whether the named source may stand: its output begins here, or no other's does."""
    if source.begins is None or next(_own_begins(text, stretch.start, stretch.end, source.begins), None) is not None:
        return True
    return next(_begins(text, stretch.start, stretch.end, recogniser), None) is None


def _by_content(text: str, stretch: _Stretch, recogniser: Recogniser) -> Iterator[Piece]:
    """Cut a stretch at the lines that begin an output, wherever one stands."""
    start, end, said, host = stretch.start, stretch.end, stretch.said, stretch.host
    places = _beginnings(text, start, end, recogniser)
    if not places or places[0][0] > start:
        yield Piece(start, places[0][0] if places else end, host=host)
    ends = [*(place for place, _ in places[1:]), end] if places else []
    for (place, source), upto in zip(places, ends, strict=True):
        argument = said.argument if said is not None and said.source is source else None
        fence = _FENCE.search(text, place, upto)
        yield Piece(place, fence.start() if fence else upto, source, argument, host)
        if fence:
            yield Piece(fence.end(), upto, host=host)


def _beginnings(text: str, start: int, end: int, recogniser: Recogniser) -> list[tuple[int, Source]]:
    """Return where outputs begin; a line of the same shape as the one that began an output goes on with it."""
    places: list[tuple[int, Source]] = []
    shape = first = ""
    for place, source in _begins(text, start, end, recogniser):
        line = text[place : place + 160].partition("\n")[0]
        same = bool(places) and source is places[-1][1]
        if same and source.continuous:
            continue
        if places and (same or _shape(line) == shape) and _opening(line) != first:
            continue
        places.append((place, source))
        shape, first = _shape(line), _opening(line)
    return places


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
    places = [start, *(_again(text, start, end, source.begins) if source.begins and not source.continuous else ())]
    yield from zip(places, [*places[1:], end], strict=True)


def _again(text: str, start: int, end: int, begins: re.Pattern[str]) -> Iterator[int]:
    """Yield where the opening of the first line that begins an output stands again."""
    first = next(_own_begins(text, start, end, begins), None)
    if first is None:
        return
    line = text[first : first + 160].partition("\n")[0]
    opening = _NUMBERED.match(line)
    again = f"\n\n{opening[0]}" if opening else f"\n\n{line}\n"
    place = text.find(again, first, end)
    while place >= 0:
        if begins.match(text, place + 2, end):
            yield place + 2
        place = text.find(again, place + 2, end)


def _begins(text: str, start: int, end: int, recogniser: Recogniser) -> Iterator[tuple[int, Source]]:
    """Yield the lines that begin some output, with the source."""
    for line in _FULL_LINE.finditer(text, start, end):
        source = recogniser.begun(text, line.start())
        if source is not None:
            yield line.start(), source


def _own_begins(text: str, start: int, end: int, begins: re.Pattern[str]) -> Iterator[int]:
    """Yield the lines that begin an output of one source. A blank line is never tried: a pattern may run on from it."""
    return (line.start() for line in _FULL_LINE.finditer(text, start, end) if begins.match(text, line.start(), end))


def _opening(line: str) -> str:
    """Return what tells that an output begins anew: its first number (``GPU0 GPU1``, ``00:00.0 Host``), or the line."""
    numbered = _NUMBERED.match(line)
    return " ".join((numbered[0] if numbered else line).split())


def _shape(line: str) -> str:
    """Return the first word with all digits alike: ``00:1f.0`` and ``00:00.0`` begin lines of one output."""
    return line.split(maxsplit=1)[0].translate(_SHAPE) if line.strip() else ""
