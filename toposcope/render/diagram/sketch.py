"""What is drawn, before anything has a place: the machine's graph with its small print folded away.

A node of the sketch covers one or more components, a wire one or more links, so that whatever was folded can still be
found and marked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from toposcope.model import Grade, Kind, Medium

if TYPE_CHECKING:
    from toposcope.model import Component, Link

Pair = tuple[str, str]


class Role(StrEnum):
    """What a box stands for, as far as drawing is concerned."""

    SOCKET = "socket"
    NUMA = "numa"
    ROOT_COMPLEX = "root-complex"
    SWITCH = "switch"
    BRIDGE = "bridge"
    ACCELERATOR = "accelerator"
    NIC = "nic"
    STORAGE = "storage"
    PORT = "port"
    MEMORY = "memory"
    FABRIC = "fabric"
    OUTER_FABRIC = "outer-fabric"
    MESH = "mesh"
    PEERS = "peers"
    NETWORK = "network"
    UNSEEN = "unseen"


ROLES = {
    Kind.SOCKET: Role.SOCKET,
    Kind.NUMA: Role.NUMA,
    Kind.ROOT_COMPLEX: Role.ROOT_COMPLEX,
    Kind.PCIE_SWITCH: Role.SWITCH,
    Kind.PCIE_BRIDGE: Role.BRIDGE,
    Kind.OTHER: Role.BRIDGE,
    Kind.ACCELERATOR: Role.ACCELERATOR,
    Kind.NIC: Role.NIC,
    Kind.STORAGE: Role.STORAGE,
    Kind.NIC_PORT: Role.PORT,
    Kind.MEMORY: Role.MEMORY,
    Kind.NVSWITCH: Role.FABRIC,
    Kind.FABRIC_SWITCH: Role.OUTER_FABRIC,
    Kind.NETWORK: Role.NETWORK,
}
LEAVES = frozenset({Role.ACCELERATOR, Role.NIC, Role.STORAGE})


_FABRICS = (Role.FABRIC, Role.OUTER_FABRIC)
NO_STACK = (Role.MESH, Role.PEERS, Role.PORT, Role.NETWORK)
_MOST_PLATES = 6


class Bundle(StrEnum):
    """How the links of a wire add up."""

    CHAIN = "chain"
    """One behind the other: the least counts."""
    SUM = "sum"
    """Beside each other: they add up."""
    EACH = "each"
    """Several alike, one for each of the things in a box."""


@dataclass(slots=True)
class Node:
    """A box to be: its components (the first one names it) and what it covers besides."""

    id: str
    role: Role
    members: tuple[Component, ...]
    count: int | None = 1
    parent: str | None = None
    covers: set[str] = field(default_factory=set)
    links: set[Pair] = field(default_factory=set)
    title: str = ""

    @property
    def grade(self) -> Grade:
        """The grade of the weakest member."""
        return min((member.grade for member in self.members), default=Grade.UNKNOWN)


def plates_of(node: Node) -> int:
    """Return how many plates show behind a box that stands for several: of switches as many as there are, up to six."""
    if node.role in NO_STACK or node.count == 1:
        return 0
    most = _MOST_PLATES if node.role in _FABRICS else _MOST_PLATES // 2
    return (most // 2 if node.count is None else min(node.count, most)) - 1


@dataclass(slots=True)
class Wire:
    """An edge to be, between two nodes of the sketch. ``units`` is how many things alike it serves."""

    a: str
    b: str
    medium: Medium
    links: tuple[Link, ...]
    bundle: Bundle = Bundle.CHAIN
    passes: frozenset[str] = frozenset()
    hops: int = 0
    units: int = 1

    @property
    def covers(self) -> frozenset[Pair]:
        """The links that were folded into this wire, as pairs of ids in order."""
        return frozenset(pair(link.source, link.target) for link in self.links)


@dataclass(slots=True)
class Sketch:
    """Nodes in drawing order by id, the tree's wires, and all others by what they are.

    ``pairs`` are siblings side by side: an accelerator and the NIC that it uses.
    """

    nodes: dict[str, Node] = field(default_factory=dict)
    up: dict[str, Wire] = field(default_factory=dict)
    children: dict[str | None, list[str]] = field(default_factory=dict)
    fabric: list[Wire] = field(default_factory=list)
    mesh: list[Wire] = field(default_factory=list)
    trunks: list[Wire] = field(default_factory=list)
    peers: list[Wire] = field(default_factory=list)
    peer_bar: list[Wire] = field(default_factory=list)
    memory: list[Wire] = field(default_factory=list)
    extra: list[Wire] = field(default_factory=list)
    side: list[Wire] = field(default_factory=list)
    port: list[Wire] = field(default_factory=list)
    network: list[Wire] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    owner: dict[str, str] = field(default_factory=dict)
    pairs: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, node: Node) -> None:
        """Put a node in, and remember which components it covers."""
        node.covers.update(member.id for member in node.members)
        self.nodes[node.id] = node
        self.owner.update(dict.fromkeys(node.covers, node.id))

    def wires(self) -> list[Wire]:
        """Return all wires, the tree's first."""
        rest = [self.fabric, self.mesh, self.trunks, self.peers, self.peer_bar]
        rest += [self.memory, self.extra, self.side, self.port, self.network]
        return [*self.up.values(), *(wire for wires in rest for wire in wires)]


def pair(a: str, b: str) -> Pair:
    """Return two ids in order, as links are looked up."""
    return (a, b) if a <= b else (b, a)
