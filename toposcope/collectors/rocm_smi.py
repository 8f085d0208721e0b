r"""The tables of pairs that ``rocm-smi --showtopo`` and ``amd-smi topology`` print for AMD's accelerators.

Grammar; empty lines, warnings and lines of errors stand between::

    output = table* numa*
    table  = title labels row+
    title  = "=" + name " between two GPUs " "=" +  |  name " TABLE:"         (a lost title is told by its cells)
    row    = label cell+
    label  = "GPU" n  |  PCI address                                           (amd-smi counts the addresses from 0)
    numa   = "GPU[" n "]" ": (Topology) Numa Node: " node                     ("GPU n" in old releases)

Each pair becomes one word: the type of its link, with the hops behind it as TransferBench writes them (``PCIE-2``).
Weights repeat the hops; figures of ``NUMA BW`` are the driver's own and pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind, pci_address
from toposcope.collectors.output_lines import output_lines
from toposcope.collectors.records import Accelerator, Cell, Matrix, MatrixRow, PeerStatus, Reading
from toposcope.collectors.source import Collector, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin

_TITLE = re.compile(
    r"\s*(?:={3,80} (?P<pair>[A-Z][\w -]{2,40}) between two GPUs ={3,80}|(?P<table>[A-Z][A-Z -]{1,30}) TABLE:)\s*"
)
_NUMA_TITLE = re.compile(r"\s*={3,80} Numa Nodes ={3,80}\s*")
_LABEL = r"(?:GPU\d{1,4}|[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])"
_LABELS = re.compile(rf"\s*{_LABEL}(?:\s+{_LABEL})*\s*")
_ROW = re.compile(rf"\s*(?P<label>{_LABEL})\s+(?P<cells>\S.*?)\s*")
_NUMA = re.compile(
    r"\s*GPU(?:\[| )(?P<gpu>\d{1,4})\]?\s*: \(Topology\) Numa (?P<what>Node|Affinity): (?P<node>-?\d{1,6})\s*"
)
_PASSED = re.compile(
    r"\s*(?:=*|={3,80} (?:ROCm System Management Interface|End of ROCm SMI Log) ={3,80}"
    r"|WARNING.*|Legend:|[^=:]{1,40} = .*|<BW .*>)\s*"
)
_REFUSED = re.compile(r"\s*(?:ERROR:.*|\S+, Not supported.*)\s*")
_TABLES = {
    "LINK TYPE": "type",
    "HOPS": "hops",
    "ACCESS": "access",
    "LINK ACCESSIBILITY": "access",
    "WEIGHT": "weight",
}
_TYPES = frozenset({"XGMI", "PCIE"})
_CELL = re.compile(r"[\w/.,-]{1,24}", re.ASCII)
_GRANTED = {"ENABLED": "OK", "TRUE": "OK", "DISABLED": "NS", "FALSE": "NS"}
_MOST = 1024
_NAMED = 8


@dataclass(slots=True)
class _Tables:
    """The cells of each table by pair of labels, with their lines; labels in printed order. ``kind`` is under way.

    ``torn``: labels of rows that lack cells, which are told where they stand.
    """

    labels: dict[str, Origin] = field(default_factory=dict)
    cells: dict[str, dict[tuple[str, str], tuple[str, Origin]]] = field(default_factory=dict)
    numa: dict[str, tuple[str, Origin]] = field(default_factory=dict)
    kind: str = ""
    columns: list[str] = field(default_factory=list)
    torn: set[str] = field(default_factory=set)

    def take(self, text: str, origin: Origin) -> str | None:
        """Read one line: "" where it is of the tables, a complaint where it is a broken one, None where it is not."""
        if title := _TITLE.fullmatch(text):
            self.kind, self.columns = _TABLES.get((title["pair"] or title["table"]).upper(), "other"), []
        elif _NUMA_TITLE.fullmatch(text):
            self.columns = []
        elif numa := _NUMA.fullmatch(text):
            if numa["what"] == "Node":
                self.numa.setdefault(f"GPU{int(numa['gpu'])}", (numa["node"], origin))
        elif _LABELS.fullmatch(text) and len(text.split()) <= _MOST:
            self.columns = text.split()
        elif self.columns and (row := _ROW.fullmatch(text)):
            return self._row(row["label"], row["cells"].split(), origin)
        elif _REFUSED.fullmatch(text):
            return "the tool could not read this"
        else:
            return "" if _PASSED.fullmatch(text) else None
        return ""

    def _row(self, label: str, cells: list[str], origin: Origin) -> str:
        if len(cells) != len(self.columns):
            self.torn.add(label)
            return f"a row with {len(cells)} cells below {len(self.columns)} labels"
        kind = "type" if _TYPES & set(cells) else self.kind  # a title may be lost, and another stand in its place
        self.labels.setdefault(label, origin)
        told = self.cells.setdefault(kind, {})
        for column, cell in zip(self.columns, cells, strict=True):
            if _CELL.fullmatch(cell):
                told.setdefault((label, column), (cell, origin))
        return "" if all(map(_CELL.fullmatch, cells)) else "a row with a cell that is no word of this table"

    def cut(self) -> tuple[str, Origin] | None:
        """Return what a table lacks at its end and where it ends: an output that was cut."""
        for cells in self.cells.values():
            columns = dict.fromkeys(column for _, column in cells)
            rows = self.torn.union(row for row, _ in cells)
            lost = [column for column in columns if column not in rows]
            if lost:
                return f"a table without rows of {', '.join(lost[:_NAMED])}", list(cells.values())[-1][1]
        return None


def parse(capture: Capture) -> Reading:
    """Read every table; of a torn one the rows that have all their cells."""
    lines = output_lines(capture)
    found = _Tables()
    for index, text in enumerate(lines.texts):
        said = found.take(text, capture.origin(index))
        if said is None:
            lines.stray(index)
        elif said:
            lines.unread(index, said)
        else:
            lines.fits(index)
    problems = lines.all_problems("no line of a table of pairs")
    if (cut := found.cut()) is not None:
        message, origin = cut
        problems = (*problems, Problem(ProblemKind.UNREAD, origin, message))
    return Reading(tuple(_records(found)), problems)


def _records(found: _Tables) -> Iterator[Accelerator | Matrix | PeerStatus]:
    names = {label: label if label.startswith("GPU") else f"GPU{number}" for number, label in enumerate(found.labels)}
    for label, origin in found.labels.items():
        name = names[label]
        numa = found.numa.get(name)
        address = None if label.startswith("GPU") else pci_address(label)
        yield Accelerator(origin, name, pci=address, numa=int(numa[0]) if numa else None)
    hops = found.cells.get("hops", {})
    cells = tuple(
        Cell(names[row], names[column], _word(word, hops.get((row, column))), origin)
        for (row, column), (word, origin) in found.cells.get("type", {}).items()
        if row in names and column in names
    )
    if cells:
        rows = tuple(
            MatrixRow(name, None, found.numa[name][0] if name in found.numa else None, None, found.labels[label])
            for label, name in names.items()
        )
        yield Matrix(tuple(names.values()), cells, rows, (), cells[0].origin)
    for (row, column), (word, origin) in found.cells.get("access", {}).items():
        if row != column and word.upper() in _GRANTED and row in names and column in names:
            yield PeerStatus(names[row], names[column], "a", _GRANTED[word.upper()], origin)


def _word(printed: str, hops: tuple[str, Origin] | None) -> str:
    if printed in ("0", "SELF"):
        return "X"
    return f"{printed}-{hops[0]}" if printed == "PCIE" and hops is not None and hops[0].isdecimal() else printed


COLLECTOR = Collector(
    "rocm-smi",
    (
        Source(
            "rocm-smi-showtopo",
            parse,
            named=re.compile(r"rocm[ -]smi\b(?=.*\bshowtopo)"),
            begins=re.compile(
                r"^(?:={3,80} ROCm System Management Interface ={3,80}\s{1,9}(?:WARNING[^\n]{0,200}\s{1,9})?)?"
                r"={3,80} (?:Weight|Hops|Link Type|Link accessibility) between two GPUs ={3,80}",
                re.MULTILINE,
            ),
            command=("rocm-smi", "--showtopo"),
            continuous=True,
            gives="how the accelerators are joined: xGMI, or PCIe and over how many NUMA nodes",
        ),
        Source(
            "amd-smi-topology",
            parse,
            named=re.compile(r"amd[ -]smi topology\b"),
            begins=re.compile(r"^(?:ACCESS|WEIGHT|HOPS|LINK TYPE) TABLE:[ \t\r]*$", re.MULTILINE),
            command=("amd-smi", "topology"),
            continuous=True,
            gives="how the accelerators are joined, with their PCI addresses",
        ),
    ),
)
