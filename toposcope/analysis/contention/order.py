"""In which order a good library passes data round: rings and chains over the accelerators.

Switches: one ring, in any order. Direct links: as many rings as the links allow, each in both directions, widest first
(an eight-GPU cube has two, one of them over doubled links); a full mesh needs none, every accelerator sends to every
other. Otherwise one ring: islands that direct links join stay together, then what hangs on one switch, one root, one
socket.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import TYPE_CHECKING

from toposcope.model import SCALE_UP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis.contention.ways import Ways

Order = tuple[str, ...]
Widths = dict[tuple[str, str], int]

_STEPS = 20_000
"""How many places a search for one ring tries: far more than eight or sixteen accelerators need."""


def rings(ways: Ways, among: Order) -> tuple[Order, ...]:
    """Return the rings, each in one direction; () for a full mesh over which all send to all at once."""
    widths = direct(ways, among)
    islands = _islands(ways, among, widths)
    if len(islands) > 1:
        return (tuple(name for island in islands for name in _path(island, widths)),)
    packed = list(_pack(among, widths))
    mesh = len(widths) == len(among) * (len(among) - 1)
    if mesh and 2 * sum(width for _, width in packed) <= min(widths.values()) * (len(among) - 1):
        return ()
    if packed:
        return tuple(ring for order, _ in packed for ring in ((order, order[::-1]) if len(order) > 2 else (order,)))  # noqa: PLR2004
    return (tuple(_path(islands[0], widths)),)


def chains(ways: Ways, among: Order) -> tuple[Order, ...]:
    """Return the chains along which a tree inside one host passes data up, and down again.

    A full mesh is covered by zigzag chains that share no link.
    """
    found = rings(ways, among)
    if not found:
        size = len(among)
        turns = [(index + 1) // 2 * (-1) ** (index + 1) for index in range(size)]
        return tuple(tuple(among[(start + turn) % size] for turn in turns) for start in range(max(size // 2, 1)))
    once: dict[frozenset[tuple[str, str]], Order] = {}
    for ring in found:
        once.setdefault(frozenset(tuple(sorted(hop)) for hop in hops(ring)), ring)  # type: ignore[misc]
    return tuple(once.values())


def hops(ring: Order) -> Iterator[tuple[str, str]]:
    """Yield the hops of a ring."""
    return zip(ring, (*ring[1:], ring[0]), strict=True)


def by_place(ways: Ways, among: Order) -> Order:
    """Sort accelerators so that neighbours in the tree are neighbours in the ring; first seen, first."""
    topology = ways.topology
    rank: dict[str, int] = {}
    keys: dict[str, tuple[int, ...]] = {}
    for name in among:
        keys[name] = tuple(rank.setdefault(each, len(rank)) for each in reversed(topology.chain(name)))
    return tuple(sorted(among, key=keys.__getitem__))


def direct(ways: Ways, among: Order) -> Widths:
    """Return what each pair's own link carries, in both directions; pairs joined by switches or not at all left out."""
    widths: Widths = {}
    for a, b in combinations(among, 2):
        link = ways.topology.link(a, b)
        if link is not None and link.medium in SCALE_UP:
            widths[a, b] = widths[b, a] = link.line.bytes_per_s if link.line else link.count or 1
    return widths


def _pack(among: Order, widths: Widths) -> Iterator[tuple[Order, int]]:
    """Yield rings over direct links, widest first, each with its width, as long as links are left."""
    left = dict(widths)
    while True:
        for width in sorted(set(left.values()), reverse=True):
            ring = _ring(among, {pair for pair, each in left.items() if each >= width})
            if ring is not None:
                break
        else:
            return
        yield ring, width
        for a, b in hops(ring):
            for pair in {(a, b), (b, a)}:
                left[pair] = left.get(pair, 0) - width
        left = {pair: each for pair, each in left.items() if each > 0}


def _ring(among: Order, pairs: set[tuple[str, str]]) -> Order | None:
    """Find a ring through all by these pairs, by trial; None where there is none, or none was found in time."""
    steps = 0
    path = [among[0]]

    def extend() -> bool:
        nonlocal steps
        steps += 1
        if len(path) == len(among):
            return (path[-1], path[0]) in pairs
        for name in among:
            if name not in path and (path[-1], name) in pairs and steps < _STEPS:
                path.append(name)
                if extend():
                    return True
                path.pop()
        return False

    return tuple(path) if extend() else None


def _islands(ways: Ways, among: Order, widths: Widths) -> list[list[str]]:
    """Part the accelerators into islands that direct links join, in the order of the tree."""
    placed = by_place(ways, among)
    islands: list[list[str]] = []
    for name in placed:
        if any(name in island for island in islands):
            continue
        island = [name]
        for member in island:
            island += [other for other in placed if (member, other) in widths and other not in island]
        islands.append(island)
    return islands


def _path(island: Sequence[str], widths: Widths) -> Sequence[str]:
    """Order an island so that each follows one that it has a link to, where a few trials show such an order."""
    for _, order in zip(range(_STEPS), permutations(island), strict=False):
        if all((a, b) in widths for a, b in pairwise(order)):
            return order
    return island
