"""Records of several copies at once: which flows they are, over which switches, and what they leave each other."""

from __future__ import annotations

import functools
import operator
import re
from typing import TYPE_CHECKING

from tests.prediction.asking import answer
from tests.prediction.small_machines import place, start
from toposcope.analysis.contention.capacity import capacities, figure_of
from toposcope.analysis.contention.filling import fair_shares
from toposcope.analysis.contention.result import Flow
from toposcope.analysis.expected import Expected, expected_copy
from toposcope.base import Bandwidth
from toposcope.model import Medium, Topology, Usable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.prediction.records import Record
    from tests.prediction.wiring import Wiring

ALL = re.compile(r"(\d+)\.\.(\d+)>(\d+)\.\.(\d+)|all pairs of (\d+)-(\d+)|all pairs of (\d+)")


def flows(record: Record, machine: Wiring, words: tuple[str, ...]) -> Callable | str:
    if machine.pcie is None or (machine.fabric is not None and machine.fabric.medium is Medium.XGMI):
        return "flows over this fabric are not modelled"
    pairs = pairs_of(record, machine)
    if not pairs:
        return f"flows {record.flows!r} are not understood"
    topology, chips = _switches(record, machine)
    missing = {name for pair in pairs for name in pair if f"GPU{name}" not in topology}
    if missing:
        return f"no place is told for GPU{min(missing)}"
    crowd = (
        len(pairs) > 2
        and all(sum(a == x for a, _ in pairs) > 2 for x in {a for a, _ in pairs})
        and {a for a, _ in pairs} == {b for _, b in pairs}
    )
    more = (*words, "crowd") if crowd else words
    return answer(topology, more, lambda t: _together(t, chips, pairs, more))


def is_crowd(pairs: list[tuple[int, int]]) -> bool:
    """All of a set of more than two send to all others at once."""
    members = {a for a, _ in pairs}
    return len(members) > 2 and members == {b for _, b in pairs} and len(pairs) == len(members) * (len(members) - 1)


def _together(
    topology: Topology, chips: Topology, pairs: list[tuple[int, int]], words: tuple[str, ...]
) -> Expected | None:
    """Let flows share what they pass. Two accelerators of one chip meet inside it, whatever its virtual parts are."""
    chips.figures = topology.figures
    flows = []
    for a, b in pairs:
        same = chips.parent(f"GPU{a}") == chips.parent(f"GPU{b}")
        found = expected_copy(chips if same else topology, f"GPU{a}", f"GPU{b}", words)
        if found is None or found.usable is None:
            return None
        flows.append(Flow(f"GPU{a}", f"GPU{b}", found.transport, found.segments))
    shared, passed = capacities(topology, flows)
    rates, held = fair_shares(passed, [figure_of(each, "typical") for each in shared])
    lines = fair_shares(passed, [figure_of(each, "line") for each in shared])[0]
    # All copies of a crowd move the same amount, so the slowest sets the pace.
    total, line = (len(each) * min(each) if "crowd" in words else sum(each) for each in (rates, lines))
    at = held[rates.index(min(rates))]
    limits = (shared[at].segment,) if at is not None else ()
    figure = Bandwidth(round(total))
    usable = Usable(figure, figure, figure)
    classes = limits[0].classes if limits else ()
    return Expected(
        Bandwidth(round(line)), usable, limits, limits, limits[0].grade, flows[0].transport, classes=classes
    )


def pairs_of(record: Record, machine: Wiring) -> list[tuple[int, int]]:
    text = record.flows
    ranges = ALL.search(text)
    if ranges:
        a, b, c, d, e, f, n = (int(each) if each else None for each in ranges.groups())
        if a is not None:
            return [(x, y) for x in range(a, b + 1) for y in range(c, d + 1)]
        members = range(e, f + 1) if e is not None else range(n)
        return [(x, y) for x in members for y in members if x != y]
    if text.startswith("all") or re.match(r"\d+ flows$", text):
        return [(x, y) for x in range(machine.accelerators) for y in range(machine.accelerators) if x != y]
    named = re.search(r"(\d+) flows VS(\d)>VS(\d)", text)
    if named:
        count, a, b = map(int, named.groups())
        per = 2
        return [((a - 1) * per + i, (b - 1) * per + i) for i in range(count)]
    return [(int(a), int(b)) for a, b in re.findall(r"(\d+)>(\d+)", text)]


def _switches(record: Record, machine: Wiring) -> tuple[Topology, Topology]:
    """Build the switches as the CPU sees them, and as chips."""
    layout = record.topology.get("switch_layout", "")
    groups = [[int(x) for x in found.split(",")] for found in re.findall(r"VS\d=GPU([\d,]+)", layout)]
    chips: list[list[int]] = []
    chip = re.search(r"(\d+) \w+ chips x (\d+) virtual switches x (\d+)", layout)
    plain = re.search(r"(\d+) (?:independent )?[\w ]*?(?:switches)?,? ?(\d+) GPUs each", layout)
    if chip:
        n, v, per = map(int, chip.groups())
        groups = [list(range(i * per, (i + 1) * per)) for i in range(n * v)]
        joined = re.findall(r"VS(\d) and VS(\d)", layout)
        chips = [groups[int(a) - 1] + groups[int(b) - 1] for a, b in joined]
    elif groups and "internal fabric" in layout:
        half = len(groups) // 2
        chips = [functools.reduce(operator.iadd, groups[:half], []), functools.reduce(operator.iadd, groups[half:], [])]
    elif plain:
        n, per = int(plain[1]), int(plain[2])
        groups = [list(range(i * per, (i + 1) * per)) for i in range(n)]
    return _tree(machine, groups), _tree(machine, chips or groups)


def _tree(machine: Wiring, groups: list[list[int]]) -> Topology:
    builder = start(machine)
    generation, width = machine.pcie or (4, 16)
    sockets = machine.sockets
    behind = {member for group in groups for member in group}
    for index, group in enumerate(groups):
        numa = f"numa{index * sockets // len(groups)}" if sockets > 1 else "numa0"
        builder.switch(f"switch{index}", place(builder, f"s{index}", numa), generation)
        for member in group:
            builder.accelerator(f"GPU{member}", f"switch{index}", generation, width)
    loose = [index for index in range(machine.accelerators) if index not in behind]
    for turn, index in enumerate(loose):
        numa = f"numa{turn * sockets // len(loose)}" if sockets > 1 else "numa0"
        builder.accelerator(f"GPU{index}", place(builder, f"g{index}", numa), generation, width)
    return builder.topology
