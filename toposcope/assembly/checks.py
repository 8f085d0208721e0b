"""Where two sources disagree about a pair: what the tree shows against the word that a matrix prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.model import Kind, Reach
from toposcope.model.placement import meeting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Topology

_NEAR = (Reach.SAME_SWITCH, Reach.SWITCHES)


def matrix_against_tree(topology: Topology) -> Iterator[Problem]:
    """Yield a clash for each pair that the PCIe tree puts elsewhere than the matrix does; the tree prevails.

    PIX and PXB count as one, since firmware numbers its bridges freely. A pair on one NUMA node that the matrix calls
    PHB and the tree NODE is one too: which host bridges are one is the kernel's choice.
    """
    for relation in topology.all_relations():
        if relation.reach is None or not _on_tree(topology, relation.a) or not _on_tree(topology, relation.b):
            continue
        place = meeting(topology, relation.a, relation.b)
        if place.at is None or place.reach is None or _class(place.reach) == _class(relation.reach):
            continue
        where = topology.component(place.at)
        yield Problem(
            ProblemKind.CLASH,
            relation.origin,
            f"{relation.a} to {relation.b} is printed as {relation.word}, but they meet at {where.pci or where.id} "
            f"({place.reach.word}); the tree is followed",
            relation.word,
            topology.component(relation.a).origin,
        )


def _on_tree(topology: Topology, name: str) -> bool:
    """Tell a component whose place comes from PCI devices, not from the words themselves."""
    component, parent = topology.component(name), topology.parent(name)
    return (
        component.pci is not None
        and parent is not None
        and (topology.component(parent).pci is not None or topology.component(parent).kind is Kind.ROOT_COMPLEX)
        and component.origin.source != relation_source(topology)
    )


def relation_source(topology: Topology) -> str:
    """Return the source of the matrix, whose own devices prove nothing against it."""
    return topology.matrix.origin.source if topology.matrix else ""


def _class(reach: Reach) -> Reach:
    if reach in _NEAR:
        return Reach.SWITCHES
    return Reach.NUMA if reach is Reach.ROOT_COMPLEX else reach
