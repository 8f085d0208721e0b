"""``nvidia-smi topo``: the matrices ``-m`` (relations), ``-mp`` (PCIe only) and ``-p2p r|w|n|p|a|rw`` (permissions).

The grammar is that of :mod:`toposcope.collectors.matrix`. By content ``-m`` cannot be told from ``-mp``, nor one
``-p2p`` matrix from another: only the command or the file name tells those.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from toposcope.collectors.matrix import Vocabulary, read
from toposcope.collectors.matrix.pattern import begins
from toposcope.collectors.records import PeerStatus, Reading, Setting
from toposcope.collectors.source import Source

if TYPE_CHECKING:
    from toposcope.base import Capture

_FAILED = "Failed to run topology matrix"
_RELATIONS = Vocabulary(r"GPU\d+", ("X", "SYS", "SOC", "NODE", "PHB", "PXB", "PIX", r"NV\d{1,2}"), stem="GPU")
_PERMISSIONS = Vocabulary(r"GPU\d+", ("X", "OK", "CNS", "GNS", "TNS", "NS", "DR", "U"), symmetric=False, stem="GPU")


def relations(capture: Capture) -> Reading:
    """Read ``topo -m``: one :class:`Matrix` for each table in the text."""
    if failure := _failed(capture):
        return failure
    matrices, problems = read(capture, _RELATIONS)
    return Reading(tuple(matrices), tuple(problems))


def _failed(capture: Capture) -> Reading | None:
    """Read the answer of a tool that gave up (exit code 255): ``nvidia-smi.topo`` of the host is unreadable."""
    if _FAILED not in capture.text:
        return None
    index = next(index for index, line in enumerate(capture.text.split("\n")) if _FAILED in line)
    return Reading((Setting("host", "nvidia-smi.topo", None, capture.origin(index), "unreadable"),))


def pcie_relations(capture: Capture) -> Reading:
    """Read ``topo -mp``, in which no NVLink is shown."""
    matrices, problems = read(capture, _RELATIONS)
    return Reading(tuple(replace(matrix, pcie_only=True) for matrix in matrices), tuple(problems))


def permissions(capture: Capture, *, capability: str) -> Reading:
    """Read ``topo -p2p``: one :class:`PeerStatus` for each ordered pair of GPUs."""
    matrices, problems = read(capture, _PERMISSIONS)
    cells = (cell for matrix in matrices for cell in matrix.cells)
    records = (PeerStatus(cell.row, cell.column, capability, cell.word, cell.origin) for cell in cells)
    return Reading(tuple(records), tuple(problems))


def _permission_source(capability: str) -> Source:
    return Source(
        key=f"nvidia-smi-topo-p2p-{capability}",
        parse=partial(permissions, capability=capability),
        named=re.compile(rf"nvidia-smi\b.*?\btopo\b.*?(?:-p2p|--p2p[ _]?status)[ =]+{capability}(?![A-Za-z])"),
        command=("nvidia-smi", "topo", "-p2p", capability),
        gives="whether each pair of GPUs may reach each other's memory",
    )


SOURCES: tuple[Source, ...] = (
    Source(
        key="nvidia-smi-topo-mp",
        parse=pcie_relations,
        named=re.compile(r"nvidia-smi\b.*?\btopo\b.*?(?:\s-mp|--matrix[ _]pci)(?![A-Za-z])"),
        command=("nvidia-smi", "topo", "-mp"),
        gives="relations of GPUs and NICs over PCIe alone",
    ),
    Source(
        key="nvidia-smi-topo-m",
        parse=relations,
        named=re.compile(r"nvidia-smi\b.*?\btopo\b.*?(?:\s-m|--matrix)(?![ _]?pci|[A-Za-z])"),
        begins=begins("GPU", unlike=("OK", "CNS", "GNS", "TNS", "NS", "DR", "U")),
        command=("nvidia-smi", "topo", "-m"),
        gives="relations of GPUs and NICs, CPU and NUMA affinity",
    ),
    *map(_permission_source, ("rw", "r", "w", "n", "p", "a")),
)
