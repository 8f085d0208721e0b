"""Which captures are of one host, so that two machines are never mixed in silence.

Three signs, tried in this order: folders that hold outputs of the same commands; prompts that name
different hosts and ran the same commands; two full matrices that disagree. Folders and names whose outputs do not
overlap are parts of one machine. What belongs to none of several hosts is a recording of its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.collectors.records import Matrix
from toposcope.recording.limits import unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.base import Capture, Problem
    from toposcope.recording.recognise import Recogniser

_BUNDLE_MARKS = frozenset({"sos_commands", "sys", "proc", "manifest.json"})
_PACKED = re.compile(r"(?:\.(?:tar|tgz|tbz2?|txz|zip|gz|bz2|xz|zst))+$", re.IGNORECASE)
_FIRST_TOKEN = re.compile(r"[^_.]+")


@dataclass(frozen=True, slots=True)
class Found:
    """A capture with what tells its host: the folders above it, the host that its prompt names."""

    capture: Capture
    path: str
    host: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Captures of one host. ``name`` is the host's, or what tells this group from the others."""

    found: tuple[Found, ...]
    name: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _Folder:
    direct: list[Found] = field(default_factory=list)
    inner: dict[str, _Folder] = field(default_factory=dict)

    def all(self) -> list[Found]:
        return self.direct + [found for folder in self.inner.values() for found in folder.all()]


def by_host(found: Sequence[Found], recogniser: Recogniser) -> list[Group]:
    """Split captures into groups of one host each."""
    root = _Folder()
    for each in found:
        *folders, _ = each.path.split("/")
        place = root
        for folder in folders:
            place = place.inner.setdefault(folder, _Folder())
        place.direct.append(each)
    groups = [named for group in _without_common(_by_folder(root)) for named in _by_prompt(group)]
    return [split for group in groups for split in _by_matrix(group, recogniser)]


def _by_folder(folder: _Folder) -> list[Group]:
    if not _BUNDLE_MARKS.isdisjoint(folder.inner):
        return [Group(tuple(folder.all()))]
    groups = [
        replace(group, name="/".join(filter(None, (_PACKED.sub("", name), group.name))))
        for name, inner in folder.inner.items()
        for group in _by_folder(inner)
    ]
    if folder.direct:
        groups.insert(0, Group(tuple(folder.direct)))
    if len(groups) == 1:
        return [replace(groups[0], name=None)]
    if any(_overlap(a.found, b.found) for a, b in combinations(groups, 2)):
        return groups
    return [Group(tuple(found for group in groups for found in group.found))] if groups else []


def _without_common(groups: list[Group]) -> list[Group]:
    """Drop the folders that all names begin with: they tell nothing apart."""
    names = [group.name.split("/") for group in groups if group.name]
    common = 0
    while names and all(len(name) > common + 1 and name[common] == names[0][common] for name in names):
        common += 1
    return [replace(g, name="/".join(g.name.split("/")[common:])) if g.name else g for g in groups]


def _overlap(some: Iterable[Found], others: Iterable[Found]) -> bool:
    """Tell whether both hold an output of the same command. Equal texts do as well: nodes of a cluster are alike."""
    there = {(each.capture.source, each.capture.argument) for each in some}
    return any((each.capture.source, each.capture.argument) in there for each in others)


def _by_prompt(group: Group) -> list[Group]:
    hosts: dict[str | None, list[Found]] = defaultdict(list)
    for each in _with_file_host(group.found):
        hosts[each.host].append(each)
    names = [name for name in hosts if name is not None]
    if len(names) <= 1:
        return [replace(group, name=names[0] if names and group.name is None else group.name)]
    if any(_overlap(hosts[a], hosts[b]) for a, b in combinations(names, 2)):
        return [Group(tuple(found), name or group.name, group.problems) for name, found in hosts.items()]
    message = f"prompts name {', '.join(names)}: read as one host, since no output appears twice"
    problem = unread(hosts[names[1]][0].capture.file, message, line=hosts[names[1]][0].capture.first_line)
    return [replace(group, name=group.name or names[0], problems=(*group.problems, problem))]


def _with_file_host(found: Iterable[Found]) -> list[Found]:
    """Give what stands before a file's first prompt to the host of that prompt."""
    first: dict[str, str] = {}
    found = tuple(found)
    for each in found:
        if each.host is not None:
            first.setdefault(each.capture.file, each.host)
    return [each if each.host else replace(each, host=first.get(each.capture.file)) for each in found]


@dataclass(slots=True)
class _Machine:
    """The matrices that agree with each other."""

    found: Found
    cells: dict[tuple[str, str], str]
    labels: frozenset[str]
    whole: bool
    members: list[Found]

    def agrees(self, other: _Machine) -> bool:
        if any(other.cells.get(pair, word) != word for pair, word in self.cells.items()):
            return False
        return self.labels == other.labels or not (self.whole and other.whole)


def _by_matrix(group: Group, recogniser: Recogniser) -> list[Group]:
    machines = _machines(group.found, recogniser)
    if len(machines) <= 1:
        return [group]
    rest: list[Found] = []
    taken = {id(member) for machine in machines for member in machine.members}
    for each in group.found:
        if id(each) in taken:
            continue
        machine = _nearest(each, machines)
        (machine.members if machine else rest).append(each)
    files = [machine.found.capture.file for machine in machines]
    groups = [Group(_in_order(machine.members), _name(machine.found, files)) for machine in machines]
    groups[0] = replace(groups[0], problems=group.problems)
    return [*groups, Group(tuple(rest))] if rest else groups


def _machines(found: Sequence[Found], recogniser: Recogniser) -> list[_Machine]:
    """Sort the matrices of a source that appears more than once into those that agree."""
    sources = {source.key: source for source in recogniser.sources}
    by_source: dict[str, list[Found]] = defaultdict(list)
    for each in found:
        if each.capture.argument is None:
            by_source[each.capture.source].append(each)
    machines: list[_Machine] = []
    for key, several in by_source.items():
        if len(several) == 1 or key not in sources:
            continue
        for each in several:
            reading = sources[key].parse(each.capture)
            matrices = [r for r in reading.records if isinstance(r, Matrix) and not r.pcie_only]
            if not matrices:
                break
            _join(machines, _machine(each, matrices[0], whole=not reading.problems))
    return machines


def _machine(found: Found, matrix: Matrix, *, whole: bool) -> _Machine:
    cells = {(cell.row, cell.column): cell.word for cell in matrix.cells}
    return _Machine(found, cells, frozenset(matrix.labels), whole, [found])


def _join(machines: list[_Machine], new: _Machine) -> None:
    same = next((machine for machine in machines if machine.agrees(new)), None)
    if same is None:
        machines.append(new)
    else:
        same.members.append(new.found)


def _nearest(found: Found, machines: list[_Machine]) -> _Machine | None:
    """Return the machine whose matrix stands before this capture in the same file, or whose file has its prefix."""
    here = [m for m in machines if any(member.capture.file == found.capture.file for member in m.members)]
    if here:
        before = [m for m in here if m.found.capture.first_line <= found.capture.first_line]
        return max(before, key=lambda m: m.found.capture.first_line) if before else here[0]
    token = _token(found)
    alike = [machine for machine in machines if _token(machine.found) == token]
    return alike[0] if len(alike) == 1 else None


def _token(found: Found) -> str:
    match = _FIRST_TOKEN.match(found.path.rsplit("/", 1)[-1])
    return match[0] if match else ""


def _name(found: Found, files: list[str]) -> str:
    capture = found.capture
    return f"{capture.file}:{capture.first_line}" if files.count(capture.file) > 1 else capture.file


def _in_order(found: list[Found]) -> tuple[Found, ...]:
    return tuple(sorted(found, key=lambda each: (each.capture.file, each.capture.first_line)))
