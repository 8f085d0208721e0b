"""The affinity columns behind the cells: CPUs, NUMA nodes, and the NUMA node of a GPU's own memory.

Any of them may be blank (a container hides the CPUs), so that a row with fewer values than titles is read by where
the values stand: the driver prints ``cpus TAB numa TAB TAB gpu-numa``, and each choice of blanks puts the rest at
other places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.base import Capture, Problem, ProblemKind
from toposcope.collectors.matrix.spans import is_list, overlap
from toposcope.collectors.records import MatrixRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.collectors.matrix.header import Title
    from toposcope.collectors.matrix.rows import Row

TITLES: tuple[Title, ...] = ("cpus", "numa", "gpu_numa")
_TABS = {"cpus": "\t", "numa": "\t\t", "gpu_numa": ""}
_DIGITS = 4  # more are no NUMA node


@dataclass(slots=True)
class _Tail:
    """The values of one row: those assigned, those that are no value of their column, and those of no column yet."""

    label: str
    row: Row
    got: dict[str, str] = field(default_factory=dict)
    unsound: dict[str, str] = field(default_factory=dict)
    unplaced: tuple[str, ...] = ()


class _Notes:
    """The problems met among the affinities."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.problems: list[Problem] = []

    def add(self, kind: ProblemKind, tail: _Tail, message: str, text: str, other: Row | None = None) -> None:
        """Note a problem of a row."""
        at = self.capture.origin(tail.row.line.index)
        beside = self.capture.origin(other.line.index) if other is not None else None
        self.problems.append(Problem(kind, at, f"row {tail.label}: {message}", text, beside))


def rows_of(
    capture: Capture, rows: Sequence[tuple[str, Row]], titles: tuple[Title, ...], own: frozenset[str]
) -> tuple[list[MatrixRow], list[Problem]]:
    """Return the affinities of all rows, None where blank. ``own`` are the labels that should have some."""
    notes = _Notes(capture)
    tails = [_tail(label, row, titles, notes, due=label in own) for label, row in rows]
    if "numa" in titles:
        _part_all([tail for tail in tails if tail.label in own], notes)
    sound = [tail.got for tail in tails if "cpus" in tail.got and tail.got.get("numa", "").isdecimal()]
    for tail in tails:
        _mend(tail, sound, notes)
    _compare(tails, notes)
    _blanks([tail for tail in tails if tail.label in own], titles, notes)
    made = [
        MatrixRow(
            tail.label,
            tail.got.get("cpus"),
            tail.got.get("numa"),
            tail.got.get("gpu_numa"),
            capture.origin(tail.row.line.index),
        )
        for tail in tails
    ]
    return made, notes.problems


def _tail(label: str, row: Row, titles: tuple[Title, ...], notes: _Notes, *, due: bool) -> _Tail:
    tail = _Tail(label, row)
    values = list(row.tail)
    found: dict[str, str] = {title: value for title, value in row.named.items() if value}
    if values[:1] == ["NUMA"] and len(values) > 1 and values[1].isdecimal():
        found["numa"] = values[1]  # an edited table names the value in each row
        values = values[2:]
    if row.piped or not titles:
        rest = values
    else:
        placed = _placed(titles, tuple(values), row)
        found |= placed or {}
        rest = values[len(titles) :]
        tail.unplaced = tuple(values) if placed is None else ()
    if rest:
        notes.add(ProblemKind.UNREAD, tail, "text under no title", " ".join(rest))
    if due and titles and row.items and not (row.tail or row.named or row.tail_text):
        notes.add(ProblemKind.UNREAD, tail, "no affinity, nor blanks in its place", row.line.text.strip())
    for title, value in found.items():
        sure = _sound(title, value) and not (row.doubtful and title == titles[0])
        (tail.got if sure else tail.unsound)[title] = value
    return tail


def _blanks(tails: Sequence[_Tail], titles: tuple[Title, ...], notes: _Notes) -> None:
    """Report a blank where other rows have a value: hidden from this device, or lost."""
    for title in titles:
        blank = [tail for tail in tails if title not in tail.got and not (tail.unplaced or title in tail.unsound)]
        if 0 < len(blank) < len(tails):
            for tail in blank:
                message = f"no value of {title}, which other rows have"
                notes.add(ProblemKind.UNREAD, tail, message, tail.row.line.text.strip())


def _sound(title: str, value: str) -> bool:
    if title == "gpu_numa":
        return value == "N/A" or value.isdecimal()
    return value == "N/A" or is_list(value)


def _placed(titles: tuple[Title, ...], values: tuple[str, ...], row: Row) -> dict[str, str] | None:
    """Assign the values to titles, by where they stand if they are too few; None if that does not tell."""
    if len(values) >= len(titles) or not values:
        return dict(zip(titles, values, strict=False))
    found = [chosen for chosen in combinations(titles, len(values)) if _stands(titles, chosen, values, row)]
    return dict(zip(found[0], values, strict=True)) if len(found) == 1 else None


def _stands(titles: tuple[Title, ...], chosen: tuple[Title, ...], values: tuple[str, ...], row: Row) -> bool:
    """Whether the driver would have printed the values where they stand, had they been of these columns."""
    by_title: dict[str, str] = dict(zip(chosen, values, strict=True))
    if not all(_sound(title, value) for title, value in by_title.items()):
        return False
    text = row.line.text.rstrip()
    before = text[: len(text) - len(row.tail_text.rstrip())]
    printed = "\t".join(("", *(by_title.get(title, "") + _TABS[title].removeprefix("\t") for title in titles)))
    return text.expandtabs(8) == (before + printed).expandtabs(8).rstrip()


def _mend(tail: _Tail, sound: Sequence[dict[str, str]], notes: _Notes) -> None:
    """Put right what other rows prove; report the rest."""
    if tail.unplaced:
        _part(tail, sound, notes)
    for title, value in tail.unsound.items():
        node, end = tail.got.get("numa"), value.lstrip("-,")
        same = {got["cpus"] for got in sound if got["numa"] == node}
        offers = {cpus for cpus in same if cpus.endswith(end) or (tail.row.doubtful and end.endswith(cpus))}
        if title == "cpus" and len(offers) == 1:
            tail.got[title] = offers.pop()
            notes.add(ProblemKind.REPAIRED, tail, "CPUs read from a row of the same NUMA node", value)
        else:
            notes.add(ProblemKind.UNREAD, tail, "no value of its column", value)


def _part(tail: _Tail, sound: Sequence[dict[str, str]], notes: _Notes) -> None:
    """Part a CPU list from the NUMA node glued to it, if the lists of other nodes leave one way to do it."""
    head, *rest = tail.unplaced
    ways = [(cpus, numa) for cpus, numa in _ways(head) if _agrees(cpus, numa, sound)]
    whole = is_list(head) and not any(overlap(head, got["cpus"]) for got in sound)
    if sound and len(ways) == 1 and not whole:
        tail.got["cpus"], tail.got["numa"] = ways[0]
        if rest:
            tail.got["gpu_numa"] = rest[0]
        message = "a lost blank put back between CPUs and NUMA node"
        notes.add(ProblemKind.REPAIRED, tail, message, " ".join(tail.unplaced))
    else:
        notes.add(ProblemKind.UNREAD, tail, "cannot tell which columns these are of", " ".join(tail.unplaced))


def _part_all(tails: Sequence[_Tail], notes: _Notes) -> None:
    """Part CPU lists from NUMA nodes where every row has them glued, if only one number of digits fits all rows."""
    heads = [tail.unplaced[0] if tail.unplaced else tail.got.get("cpus", "") for tail in tails]
    glued = all("numa" not in tail.got and head and not tail.unsound for tail, head in zip(tails, heads, strict=True))
    if not glued or len(set(heads)) < 2 or _fits([(head, head) for head in heads]):  # noqa: PLR2004 - two to compare
        return
    ways = [[(head[:-digits], head[-digits:]) for head in heads] for digits in range(1, _DIGITS)]
    ways = [way for way in ways if _fits(way) and all(numa.isdecimal() and str(int(numa)) == numa for _, numa in way)]
    if len(ways) != 1:
        return
    for tail, (cpus, numa), head in zip(tails, ways[0], heads, strict=True):
        rest = tail.unplaced[1:]
        tail.got |= {"cpus": cpus, "numa": numa} | ({"gpu_numa": rest[0]} if rest else {})
        tail.unplaced = ()
        notes.add(ProblemKind.REPAIRED, tail, "a lost blank put back between CPUs and NUMA node", head)


def _fits(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether these CPU lists can be those of these NUMA nodes: one list a node, no CPU in two."""
    lists = dict(zip((numa for _, numa in pairs), (cpus for cpus, _ in pairs), strict=True))
    if not all(is_list(cpus) and lists[numa] == cpus for cpus, numa in pairs):
        return False
    return not any(overlap(one, other) for one, other in combinations(lists.values(), 2))


def _ways(text: str) -> Iterator[tuple[str, str]]:
    for digits in range(1, min(_DIGITS, len(text))):
        cpus, numa = text[:-digits], text[-digits:]
        if numa.isdecimal() and (numa == "0" or numa[0] != "0") and is_list(cpus):
            yield cpus, numa


def _agrees(cpus: str, numa: str, sound: Sequence[dict[str, str]]) -> bool:
    return all((got["cpus"] == cpus) if got["numa"] == numa else not overlap(got["cpus"], cpus) for got in sound)


def _compare(tails: Sequence[_Tail], notes: _Notes) -> None:
    """Report two rows of one NUMA node with different CPUs, and CPUs that two nodes claim."""
    first: dict[str, _Tail] = {}
    for tail in tails:
        cpus, numa = tail.got.get("cpus", "N/A"), tail.got.get("numa", "")
        if cpus == "N/A" or not (numa.isdecimal() or not numa):
            continue
        key = numa or cpus
        for node, other in first.items():
            theirs = other.got["cpus"]
            if (node == key and theirs != cpus) or (node != key and overlap(cpus, theirs)):
                message = f"CPUs {cpus} do not fit {theirs} of row {other.label}"
                notes.add(ProblemKind.CLASH, tail, message, cpus, other.row)
                break
        first.setdefault(key, tail)
