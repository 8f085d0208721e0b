"""What ``numactl`` prints: ``-H`` the NUMA nodes with memory and distances, ``-s`` the policy in force.

Grammar of ``-H``; sizes are in MB of 2^20 bytes. A terminal may break the long lists: a line of numbers alone goes on
with the list above it::

    hardware  = "available:" number "nodes" "(" list ")"  node*  ["node distances:" header row*]
    node      = "node" n "cpus:" number*
              | "node" n ("size:" | "free:") number "MB"
    header    = "node" n*
    row       = n ":" number*

A node may have no CPUs (memory of a device) and no memory. Node numbers may have gaps (POWER9: 0 8 252).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import cpu_list, cpu_numbers, key_and_value, output_lines
from toposcope.collectors.records import NumaNode, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture
    from toposcope.collectors.output_lines import Lines

MEBIBYTE = 1 << 20
_AVAILABLE = re.compile(r"\s*available: (\d{1,6}) nodes? \(([\d,-]*)\)\s*")
_CPUS = re.compile(r"\s*node (\d{1,6}) cpus:((?:[ ,]+\d{1,6}(?:-\d{1,6})?)*)\s*")
_SIZE = re.compile(r"\s*node (\d{1,6}) (size|free): (\d{1,12}) MB\s*")
_HEADER = re.compile(r"\s*node((?: +\d{1,6})+)\s*")
_ROW = re.compile(r"\s*(\d{1,6}):((?: +\d{1,6})*)\s*")
_NUMBERS = re.compile(r"\s*\d{1,6}(?: +\d{1,6})*\s*")
_POLICY = {"policy", "preferred node", "physcpubind", "cpubind", "nodebind", "membind", "preferred", "interleavemask"}
_LISTS = {"physcpubind", "cpubind", "nodebind", "membind"}


@dataclass(slots=True)
class _Node:
    index: int
    cpus: list[int] | None = None
    memory: int | None = None
    distances: list[int] | None = None


@dataclass(slots=True)
class _Hardware:
    nodes: dict[int, _Node] = field(default_factory=dict)
    expected: int | None = None
    columns: list[int] | None = None
    open_list: list[int] | None = None

    def node(self, number: int, index: int) -> _Node:
        return self.nodes.setdefault(number, _Node(index))

    def take(self, text: str, index: int) -> bool:
        if match := _CPUS.fullmatch(text):
            self.open_list = self.node(int(match[1]), index).cpus = sorted(cpu_numbers(match[2]))
        elif match := _SIZE.fullmatch(text):
            if match[2] == "size":
                self.node(int(match[1]), index).memory = int(match[3]) * MEBIBYTE
            self.open_list = None
        elif match := _ROW.fullmatch(text):
            self.open_list = self.node(int(match[1]), index).distances = [int(word) for word in match[2].split()]
        elif match := _HEADER.fullmatch(text):
            self.open_list = self.columns = [int(word) for word in match[1].split()]
        elif self.open_list is not None and _NUMBERS.fullmatch(text):
            self.open_list.extend(int(word) for word in text.split())
        elif match := _AVAILABLE.fullmatch(text):
            self.expected = int(match[1])
        else:
            return text.strip().startswith(("node distances:", "No distance information"))
        return True


def parse_hardware(capture: Capture) -> Reading:
    """Read ``numactl -H``: one record a node, in ascending order."""
    lines = output_lines(capture)
    hardware = _Hardware()
    for index, text in enumerate(lines.texts):
        if hardware.take(text, index):
            lines.fits(index)
        else:
            lines.stray(index)
    records = tuple(_record(lines, hardware, number) for number in sorted(hardware.nodes))
    if hardware.expected is not None and len(records) < hardware.expected:
        lines.unread(0, f"{len(records)} of {hardware.expected} nodes are listed")
    return Reading(records, lines.all_problems("no line of numactl -H"))


def _record(lines: Lines, hardware: _Hardware, number: int) -> NumaNode:
    node = hardware.nodes[number]
    distances = node.distances
    if distances is not None and hardware.columns is not None and len(distances) != len(hardware.columns):
        lines.unread(node.index, f"node {number} has {len(distances)} distances to {len(hardware.columns)} nodes")
        distances = None
    return NumaNode(
        number,
        lines.capture.origin(node.index),
        cpus=None if node.cpus is None else cpu_list(node.cpus),
        memory_bytes=node.memory,
        distances=tuple(distances) if distances else None,
    )


def parse_show(capture: Capture) -> Reading:
    """Read ``numactl -s``: settings ``numactl.policy``, ``numactl.cpubind`` ... of the host; lists as ``0-3,8``."""
    lines = output_lines(capture)
    settings: list[Setting] = []
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None or pair[0] not in _POLICY:
            lines.stray(index)
            continue
        lines.fits(index)
        settings.extend(_shown(*pair, lines, index))
    return Reading(tuple(settings), lines.all_problems("no line of numactl -s"))


def _shown(key: str, value: str, lines: Lines, index: int) -> Iterator[Setting]:
    words = value.split()
    listed = cpu_list(int(word) for word in words) if key in _LISTS and all(map(str.isdecimal, words)) else value
    if value:
        yield Setting("host", f"numactl.{key.replace(' ', '_')}", listed, lines.capture.origin(index))
