r"""Read ``nvidia-smi -q``.

Grammar, by indentation (four blanks a level where nobody changed it)::

    report  = "==============NVSMI LOG==============" { value } { gpu }
    gpu     = "GPU" bus-id { section | value }
    section = name { deeper section | deeper value }
    value   = name ":" text

Names repeat (``Current`` of ``MIG Mode`` and of ``PCIe Generation``), so each value is known by its path.
``MIG Device`` sections repeat under one GPU; each begins a block of its own. The list of processes is left.

A copy may have lost all indentation. Then a value belongs to the section that was opened last, where a section of
that name has such a value, else to the one place that has a value of its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.nvidia_smi.lines import CUT, lines_of, reading, refusal, repaired, unread
from toposcope.collectors.nvidia_smi.report import CARD, SETTINGS, Answer, Block, Report, records_of

if TYPE_CHECKING:
    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import Reading, Record

_TITLE = re.compile(r"=+NVSMI LOG=+")
_GPU = re.compile(r"GPU (?P<pci>[0-9A-Fa-f]{2,8}:[0-9A-Fa-f:]{2,8}\.[0-7])")
_HEAD = frozenset(
    {"timestamp", "driver version", "kmd version", "cuda version", "cuda umd version", "attached gpus", "nvml version"}
)
_MIG = "mig device"
_LEFT = "processes"


def _known_paths() -> dict[str, str]:
    """Return the paths by their last two names, and by the last alone where that is unique and says enough."""
    paths = [text for _, text, _, _ in (*CARD, *SETTINGS)]
    ends = [path.rsplit("/", 1)[-1] for path in paths]
    alone = {end: path for end, path in zip(ends, paths, strict=True) if ends.count(end) == 1 and " " in end}
    return alone | {"/".join(path.split("/")[-2:]): path for path in paths}


_PATHS = _known_paths()
_SECTION = re.compile(r"[A-Z][\w .-]{1,48}")


@dataclass(slots=True)
class _Place:
    """Where the reader stands: the block that takes values, and the open sections with their depth."""

    block: Block | None = None
    depth: int = 0
    sections: list[tuple[int, str]] = field(default_factory=list)
    flat: bool = False

    def path(self, name: str) -> str:
        if self.flat:
            section = self.sections[-1][1] if self.sections else ""
            return _PATHS.get(f"{section}/{name}") or _PATHS.get(name) or f"{section}/{name}"
        return "/".join([*(section for _, section in self.sections), name])


def parse(capture: Capture) -> Reading:
    """Read a report of all GPUs or of one; text around it is left, text inside it that fits nowhere is a problem."""
    lines, problems = lines_of(capture)
    report, place = Report(), _Place(flat=_is_flat(lines))
    records: list[Record] = []
    doubtful: list[Problem] = []
    for index, line in enumerate(lines):
        body = line.lstrip(" \t>").rstrip()
        if not body or _TITLE.fullmatch(body):
            continue
        if CUT.fullmatch(body):
            problems.append(unread(capture.origin(index), "lines were cut here", line))
        elif _line(report, place, body, len(line) - len(line.lstrip(" \t>")), index):
            problems += doubtful
            doubtful.clear()
        elif found := refusal(body, capture.origin(index)):
            records += found[0]
            problems += found[1]
        elif report.gpus:
            doubtful.append(unread(capture.origin(index), "not a line of nvidia-smi -q", line))
    if place.flat:
        problems.append(repaired(capture.origin(0), "the indentation is lost: sections were told by their names"))
    read, said = records_of(report, capture, xml=False)
    return reading(capture, [*records, *read], [*problems, *said], "report of nvidia-smi -q")


def _is_flat(lines: list[str]) -> bool:
    """Return whether no line below the first GPU's is deeper than it."""
    depths = [(len(line) - len(body), _GPU.match(body)) for line in lines if (body := line.lstrip(" \t>"))]
    first = next((at for at, (_, gpu) in enumerate(depths) if gpu), None)
    below = depths[first + 1 : first + 100] if first is not None else []
    return len(below) > _ENOUGH and all(depth <= depths[first or 0][0] for depth, _ in below)


_ENOUGH = 8


def _line(report: Report, place: _Place, body: str, depth: int, index: int) -> bool:
    """Put one line into the report; False where it has no place in it."""
    if match := _GPU.fullmatch(body):
        place.block, place.depth = Block(index, pci_address(match["pci"])), depth
        place.sections.clear()
        report.gpus.append(place.block)
        return True
    name, colon, text = body.partition(":")
    key = " ".join(name.lower().split())
    if place.block is None:
        if known := bool(colon) and key in _HEAD:
            report.head.setdefault(key, Answer(text.strip(), index))
        return known
    if depth <= place.depth and not (place.flat and (colon or _SECTION.fullmatch(name))):
        return False
    if place.flat:
        depth = place.depth + (2 if colon else 1)
    _leave(report.gpus[-1], place, depth)
    if not colon:
        _enter(report.gpus[-1], place, depth, key, index)
    elif not (path := place.path(key)).startswith(_LEFT):
        place.block.values.setdefault(path.removeprefix(f"{_MIG}/"), Answer(text.strip(), index))
    return True


def _leave(gpu: Block, place: _Place, depth: int) -> None:
    """Close the sections that a line of this depth does not belong to."""
    while place.sections and place.sections[-1][0] >= depth:
        if place.sections.pop()[1] == _MIG:
            place.block = gpu


def _enter(gpu: Block, place: _Place, depth: int, key: str, index: int) -> None:
    """Open a section; one of a MIG device takes its values into a block of its own."""
    place.sections.append((depth, key))
    if key == _MIG:
        place.block = Block(index)
        gpu.migs.append(place.block)
