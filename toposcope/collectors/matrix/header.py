"""The header of a matrix: labels of the columns, and the titles of the affinity columns beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.matrix.text import Line
    from toposcope.collectors.matrix.words import Lexicon

Title = Literal["cpus", "numa", "gpu_numa"]

_WHOLE: tuple[tuple[re.Pattern[str], Title], ...] = (
    (re.compile(r"GPU\s*NUMA\s*ID"), "gpu_numa"),
    (re.compile(r"NUMA\s*Affinity"), "numa"),
    (re.compile(r"CPU\s*Affinity"), "cpus"),
)
# Titles may be cut short where the line ends, and may have lost a letter.
_TITLES: tuple[tuple[re.Pattern[str], Title], ...] = (
    (re.compile(r"(?<![A-Za-z])[GPU]{2,3}\s*[NUMA]{3,4}(?:\s*I?D\b|\s*I?$)"), "gpu_numa"),
    (re.compile(r"(?<![A-Za-z])[NUMA]{3,4}(?:\s*A[finty]{3,7}|(?:\s*A[finty]{0,2})?$)"), "numa"),
    (re.compile(r"(?<![A-Za-z])[CPU]{2,3}(?:\s*A[finty]{3,7}|(?:\s*A[finty]{0,2})?$)"), "cpus"),
)
_MARKS: dict[str, Title] = {f"\x00{name}": name for _, name in _TITLES}
_FULL = re.compile(r"CPU\s+Affinity|NUMA\s+Affinity|GPU\s+NUMA\s+ID")


@dataclass(frozen=True, slots=True)
class Header:
    """What a header line names. A label that cannot be read is None; ``odd`` holds the texts of such.

    ``before`` are titles that stand left of the devices (an edited table). ``kinds`` are the columns of a piped
    table: a label, a title, or None for the column of the row labels.
    """

    line: Line
    labels: tuple[str | None, ...]
    titles: tuple[Title, ...]
    before: tuple[Title, ...] = ()
    odd: tuple[str, ...] = ()
    kinds: tuple[str | None, ...] | None = None
    lines: int = 1


def header_of(line: Line, lexicon: Lexicon) -> Header | None:
    """Return the header that this line is, or None. A line with a relation word in it is none."""
    if line.fields is not None:
        return _piped(line, lexicon)
    tokens = _marked(line.text).split()
    if not tokens or len(tokens) > 512:  # noqa: PLR2004 - far beyond any host
        return None
    labels: list[str | None] = []
    titles: list[Title] = []
    before: list[Title] = []
    odd: list[str] = []
    for token in tokens:
        if token in _MARKS:
            (titles if labels else before).append(_MARKS[token])
        elif lexicon.split(token):
            return None
        elif found := lexicon.labels(token):
            labels.extend(found)
        else:
            labels.append(None)
            odd.append(token)
    if not _is_header(labels, titles or before, lexicon):
        return None
    return Header(line, tuple(labels), tuple(titles), tuple(before), tuple(odd))


def _is_header(labels: Sequence[str | None], titles: Sequence[Title], lexicon: Lexicon) -> bool:
    named = [label for label in labels if label]
    own = [label for label in named if lexicon.accelerator.fullmatch(label)]
    lost = len(labels) - len(named)
    if not own or (labels[0] not in own and len(own) < 3):  # noqa: PLR2004 - a first label may be damaged
        return False
    return lost == 0 or lost * 2 < len(named) or (lost <= len(own) and bool(titles))


def _marked(text: str) -> str:
    if "A" in text or "NUMA" in text or "CPU" in text:
        for pattern, name in _WHOLE + _TITLES:
            text = pattern.sub(f" \x00{name} ", text)
    return text


def _piped(line: Line, lexicon: Lexicon) -> Header | None:
    kinds: list[str | None] = []
    for field in line.fields or ():
        marked = _marked(field).strip()
        labels = lexicon.labels(field)
        if lexicon.split(field):
            return None
        kinds.append(marked if marked in _MARKS else labels[0] if len(labels) == 1 else "\x00?" if field else None)
    named = [kind for kind in kinds if kind and not kind.startswith("\x00")]
    if not named or not lexicon.accelerator.fullmatch(named[0]):
        return None
    if None not in kinds and "\x00?" in kinds:
        kinds[kinds.index("\x00?")] = None  # the corner has a caption
    odd = tuple(field for field, kind in zip(line.fields or (), kinds, strict=True) if kind == "\x00?")
    titles = tuple(_MARKS[kind] for kind in kinds if kind in _MARKS)
    return Header(line, tuple(named), titles, (), odd, tuple(kinds))


def joined(header: Header, lines: Sequence[Line], lexicon: Lexicon) -> Header:
    """Return the header with the lines on which it goes on, where a terminal or an editor wrapped it."""
    for line in lines:
        if not line.text.strip() or line.fields is not None or header.kinds is not None:
            break
        longer = _longer(header, line, lines, lexicon)
        if longer is None:
            break
        header = longer
    return header


def _longer(header: Header, line: Line, lines: Sequence[Line], lexicon: Lexicon) -> Header | None:
    tried = []
    for glue in (" ", ""):
        text = header.line.text + glue + line.text
        found = header_of(type(line)(header.line.index, text), lexicon)
        if found is not None and _extends(header, found):
            tried.append(found)
    if not tried:
        return None
    best = tried[0]
    if len(tried) > 1 and tried[1].labels != best.labels:
        rows = {other.text.split(None, 1)[0] for other in lines if other is not line and other.text.strip()}
        best = min(tried, key=lambda found: (len(found.odd), -len(rows.intersection(found.labels))))
    grown = best.labels != header.labels or len(best.titles) > len(header.titles)
    if not grown and len(_FULL.findall(best.line.text)) == len(_FULL.findall(header.line.text)):
        return None
    return Header(best.line, best.labels, best.titles, best.before, best.odd, None, header.lines + 1)


def _extends(header: Header, longer: Header) -> bool:
    """Whether the labels of the longer one are new; the last may be one cut short, as NIC3 of NIC30 is."""
    old = [label for label in header.labels if label]
    new = [label for label in longer.labels if label]
    if old == new:
        return len(longer.titles) > len(header.titles) or len(longer.odd) <= len(header.odd)
    if len(longer.odd) > len(header.odd) and (longer.labels[-1] is not None or len(new) <= len(old)):
        return False  # only the last label of a line may be a piece of one
    return len(set(new[:-1])) == len(new) - 1 and (new[-1] not in old or len(new) > len(old) + 1)


def devices_of(labels: Sequence[str | None], lexicon: Lexicon) -> list[str]:
    """Return the labels that are the tool's own accelerators."""
    return [label for label in labels if label and lexicon.accelerator.fullmatch(label)]
