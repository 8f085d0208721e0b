"""The PCIe structure that a relation matrix implies, where no PCI devices were recorded.

The words form an order, and nearly always an ultrametric: what is PIX or PXB to each other forms a group below one root
port, such groups at PHB hang on one root complex, those at NODE on one NUMA node. ``NV#`` hides the word of a pair, so
GPUs are grouped through their NIC columns and affinity as well. A triple that breaks the order is a problem with its
cells. Nothing is counted from words alone: a group below one root port is "at least one switch". In a guest no tree is
derived.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.assembly.cpus import numa_id
from toposcope.assembly.words import meaning
from toposcope.base import Problem, ProblemKind
from toposcope.model import Component, Grade, Kind, Link, Medium, Reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toposcope.base import Origin
    from toposcope.collectors.records import Cell
    from toposcope.model import Topology


@dataclass(frozen=True, slots=True)
class Placed:
    """The devices of a matrix with all that places them: ids in printed order, kinds, NUMA nodes, words of pairs."""

    devices: tuple[str, ...]
    kinds: Mapping[str, Kind]
    numa: Mapping[str, int | None]
    reaches: Mapping[tuple[str, str], tuple[Reach, Cell]]


def reaches_of(cells: Iterable[Cell], ids: Mapping[str, str]) -> dict[tuple[str, str], tuple[Reach, Cell]]:
    """Return how far apart pairs are by their PCIe words, by pair of ids in ascending order; the first word counts."""
    found: dict[tuple[str, str], tuple[Reach, Cell]] = {}
    for cell in cells:
        a, b, reach = ids.get(cell.row), ids.get(cell.column), meaning(cell.origin.source, cell.word).reach
        if a and b and a != b and reach is not None:
            found.setdefault((min(a, b), max(a, b)), (reach, cell))
    return found


def add_matrix_tree(topology: Topology, placed: Placed, origin: Origin, *, guest: bool) -> None:
    """Hang the devices of a matrix below switches, root complexes and NUMA nodes, as its words imply."""
    if guest:
        _add_guest(topology, placed, origin)
        return
    ports = _groups(placed.devices, placed, Reach.SWITCHES)
    bridges = _groups(placed.devices, placed, Reach.ROOT_COMPLEX)
    nodes = _groups(placed.devices, placed, Reach.NUMA)
    for number, members in enumerate(group for group in bridges if _is_placed(group, placed)):
        node = next(group for group in nodes if members[0] in group)
        _add_root_complex(topology, f"RC{number}", node, placed, origin)
        for group in (group for group in ports if set(group) <= set(members)):
            _add_group(topology, f"RC{number}", group, placed, origin)
    topology.problems.extend(_broken(placed, ports, bridges, nodes))


GUEST_BRIDGE = "guest"
"""The id of what stands for the whole PCIe structure of a virtual machine."""


def _is_placed(members: Sequence[str], placed: Placed) -> bool:
    """Tell devices of which a word or an affinity says something; the others hang on nothing rather than on a guess."""
    return len(members) > 1 or placed.numa.get(members[0]) is not None or _has_words(members[0], placed)


def _has_words(device: str, placed: Placed) -> bool:
    return any(device in pair for pair in placed.reaches)


def _add_guest(topology: Topology, placed: Placed, origin: Origin) -> None:
    """Hang the devices of a virtual machine on one bridge that says nothing of how far apart they are."""
    if placed.devices:
        topology.add(Component(GUEST_BRIDGE, Kind.ROOT_COMPLEX, origin, Grade.UNKNOWN, count=None))
    for device in placed.devices:
        topology.connect(Link(device, GUEST_BRIDGE, Medium.PCIE, origin, Grade.UNKNOWN), upward=True)


def _add_root_complex(topology: Topology, name: str, node: Sequence[str], placed: Placed, origin: Origin) -> None:
    """Add a root complex on the NUMA node of a group of devices."""
    numas = {number for device in node if (number := placed.numa.get(device)) is not None}
    numa = numas.pop() if len(numas) == 1 else None
    topology.add(Component(name, Kind.ROOT_COMPLEX, origin, Grade.DERIVED, numa=numa, count=None))
    above = numa_id(numa) if numa is not None else f"NODE.{node[0]}"
    if above not in topology:
        topology.add(Component(above, Kind.NUMA, origin, Grade.DERIVED))
    topology.connect(Link(name, above, Medium.ROOT_COMPLEX, origin, Grade.DERIVED, internal=True), upward=True)


def _add_group(topology: Topology, root: str, group: Sequence[str], placed: Placed, origin: Origin) -> None:
    """Hang a group below one root port: through a switch, unless it is one device, or the functions of one card."""
    above = root
    if len(group) > 1 and not _is_card(group, placed):
        above = f"SW.{group[0]}"
        topology.add(Component(above, Kind.PCIE_SWITCH, origin, Grade.DERIVED, count=None))
        topology.connect(Link(above, root, Medium.PCIE, origin, Grade.UNKNOWN), upward=True)
    for device in group:
        topology.connect(Link(device, above, Medium.PCIE, origin, Grade.UNKNOWN), upward=True)


def _is_card(group: Sequence[str], placed: Placed) -> bool:
    """Tell NICs that are PIX to each other and equally far from all others: one card, not a switch."""
    if any(placed.kinds[device] is not Kind.NIC for device in group):
        return False
    pairs = [placed.reaches.get((min(a, b), max(a, b))) for a, b in combinations(group, 2)]
    return all(pair is not None and pair[0] is Reach.SAME_SWITCH for pair in pairs)


def cards_of(placed: Placed) -> dict[str, str]:
    """Name the card of each NIC that shares one: NICs that are PIX to each other and equally far from all others."""
    cards: dict[str, str] = {}
    order = {device: at for at, device in enumerate(placed.devices) if placed.kinds[device] is Kind.NIC}
    near = [
        pair for pair, (reach, _) in placed.reaches.items() if reach is Reach.SAME_SWITCH and order.keys() >= {*pair}
    ]
    pairs = (sorted(pair, key=order.__getitem__) for pair in near)
    for a, b in sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]])):
        known = cards.get(a)
        if (known is None or cards.get(b) != known) and _sees_alike(a, b, placed):
            cards.setdefault(a, a)
            cards[b] = cards[a]
    return cards


def _sees_alike(a: str, b: str, placed: Placed) -> bool:
    def word(device: str, other: str) -> Reach | None:
        found = placed.reaches.get((min(device, other), max(device, other)))
        return found[0] if found else None

    others = [device for device in placed.devices if device not in (a, b)]
    nearer = {Reach.SAME_SWITCH, Reach.SWITCHES}
    alike = all(word(a, other) == word(b, other) for other in others)
    return alike and not any(word(a, other) in nearer and placed.kinds[other] is Kind.ACCELERATOR for other in others)


def _groups(devices: Sequence[str], placed: Placed, within: Reach) -> list[list[str]]:
    """Group devices whose words say that they are no farther apart, or that share a NUMA node where that is asked."""
    group_of = {device: device for device in devices}

    def top(device: str) -> str:
        while group_of[device] != device:
            device = group_of[device]
        return device

    for (a, b), (reach, _) in placed.reaches.items():
        if reach <= within and a in group_of and b in group_of:
            group_of[top(b)] = top(a)
    if within is Reach.NUMA:
        first: dict[int, str] = {}
        for device in devices:
            number = placed.numa.get(device)
            # A flat node of a virtual machine says nothing against the words, which prevail.
            if number is not None and not _printed_apart(placed, first.setdefault(number, device), device):
                group_of[top(device)] = top(first[number])
    groups: dict[str, list[str]] = {}
    for device in devices:
        groups.setdefault(top(device), []).append(device)
    return list(groups.values())


def _printed_apart(placed: Placed, a: str, b: str) -> bool:
    found = placed.reaches.get((min(a, b), max(a, b)))
    return found is not None and found[0] > Reach.NUMA


def _broken(placed: Placed, *levels: Sequence[Sequence[str]]) -> Iterable[Problem]:
    """Yield a problem for each pair whose word says that it is farther apart than its neighbours make it."""
    reaches = (Reach.SWITCHES, Reach.ROOT_COMPLEX, Reach.NUMA)
    level_of = [{device: index for index, group in enumerate(groups) for device in group} for groups in levels]
    for (a, b), (reach, cell) in placed.reaches.items():
        nearer = next(
            (each for each, of in zip(reaches, level_of, strict=True) if of.get(a, -1) == of.get(b, -2)), None
        )
        if nearer is not None and reach > nearer:
            yield Problem(
                ProblemKind.CLASH,
                cell.origin,
                f"{cell.row} to {cell.column} is {cell.word}, but what is near to both makes them {nearer.word}",
                cell.word,
            )
