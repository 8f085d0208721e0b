"""nic-far: an accelerator's nearest NIC hangs elsewhere, while other accelerators have one beside them.

GPUDirect RDMA then crosses the root complexes or the sockets, or is not used at all. Where no accelerator has a NIC
beside it the board is built so, and that is information. NICs below 100 Gb/s or without RDMA do not count; neither do
accelerators with a port inside them, and in a virtual machine the tree tells nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.fabric import fabric_links
from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours, ports_of
from toposcope.analysis.routes import remote_answers
from toposcope.analysis.rules.harm import default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, is_guest, listed, recorded_accelerators
from toposcope.analysis.rules.traffic import FAR, nearest, rdma_nics
from toposcope.model import Grade, Kind, Reach
from toposcope.model.placement import host_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.analysis.nics import Neighbours
    from toposcope.base import Bandwidth, Origin
    from toposcope.model import Component, Topology

NAME = "nic-far"
_MATRIX = "nvidia-smi topo -m  # and: sudo lspci -D -nn -vvv"


def check(topology: Topology) -> Iterator[Finding]:
    """Compare how near each accelerator's nearest NIC is."""
    nics = rdma_nics(topology)
    names = [each.id for each in recorded_accelerators(topology) if not ports_of(topology, each.id)]
    if not names or not nics or is_guest(topology) or _is_flat(topology, names, nics):
        return
    places = {name: nearest(topology, name, nics) for name in names}
    known = {name: place for name, place in places.items() if place[0] is not None}
    far = [name for name, (distance, _) in known.items() if distance in FAR]
    near = [name for name in known if name not in far]
    if not known:
        message = f"the distance between {listed(names)} and {listed(nic.id for nic in nics)} is not known"
        yield could_not_tell(NAME, message, _MATRIX, names)
    elif far and near:
        yield _some(topology, far, near, known)
    elif far and all(known[name][0] is Reach.SOCKET for name in far):
        yield _all(topology, far, known)


def _is_flat(topology: Topology, names: list[str], nics: list[Component]) -> bool:
    """Tell a tree that hides what is between: accelerators and NICs straight on root buses of their own."""
    tops = [topology.parent(name) for name in (*names, *(nic.id for nic in nics))]
    placed = [top for top in tops if top is not None]
    return bool(placed) and all(
        topology.component(top).grade is Grade.OBSERVED and topology.component(top).kind is Kind.ROOT_COMPLEX
        for top in placed
    )


def _some(
    topology: Topology, far: list[str], near: list[str], places: dict[str, tuple[Reach | None, list[str]]]
) -> Finding:
    crossing = [name for name in far if places[name][0] is Reach.SOCKET]
    most = len(near) > len(far) or any(_crosses_sockets(topology, name, places[name][1][0]) for name in crossing)
    few = len(near) < len(far)
    worst = crossing or far
    words = {distance.word for name in far if (distance := places[name][0]) is not None}
    message = (
        f"the nearest NIC of {listed(far)} is only at {' or '.join(sorted(words))}, that of {listed(near)} "
        f"at {_nearest_word(places, near)}"
    )
    return Finding(
        NAME,
        Severity.WARNING if crossing and most and not few else Severity.INFO,
        message,
        remedy=_remedy(topology, worst, places),
        components=tuple(far),
        harms=tuple(_harms(topology, far, near, places)),
        evidence=_evidence(topology, far, places),
        grade=Grade.DERIVED,
    )


def _crosses_sockets(topology: Topology, name: str, nic: str) -> bool:
    """Tell sockets from NUMA nodes of one socket, which a matrix calls SYS too."""
    ends = {host_end(topology, name), host_end(topology, nic)}
    return len(ends) > 1 and all(topology.component(end).kind is Kind.SOCKET for end in ends)


def _all(topology: Topology, far: list[str], places: dict[str, tuple[Reach | None, list[str]]]) -> Finding:
    return Finding(
        NAME,
        Severity.INFO,
        f"no accelerator has a NIC nearer than SYS: {listed(far)} reach the network across NUMA nodes",
        remedy=_remedy(topology, far, places),
        components=tuple(far),
        evidence=_evidence(topology, far, places),
        grade=Grade.DERIVED,
    )


def _nearest_word(places: dict[str, tuple[Reach | None, list[str]]], near: list[str]) -> str:
    return min(distance for name in near if (distance := places[name][0]) is not None).word


def _evidence(
    topology: Topology, far: list[str], places: dict[str, tuple[Reach | None, list[str]]]
) -> tuple[Origin, ...]:
    found: list[Origin] = []
    for name in far:
        relations = topology.relations(name, places[name][1][0])
        found.append(relations[0].origin if relations else topology.component(name).origin)
    return tuple(dict.fromkeys(found))


def _remedy(topology: Topology, far: list[str], places: dict[str, tuple[Reach | None, list[str]]]) -> str:
    name = far[0]
    address = topology.component(name).pci
    lines = [f"# move a NIC into a slot beside {name}{f' ({address})' if address else ''}"]
    if fabric_links(topology, name):
        lines.append("unset NCCL_PXN_DISABLE  # data then goes over the fabric to the accelerator beside the NIC")
    lines.append(f"toposcope affinity PATH --format env  # meanwhile: {listed(far)} with {listed(places[name][1])}")
    return "\n".join(lines)


def _harms(
    topology: Topology, far: list[str], near: list[str], places: dict[str, tuple[Reach | None, list[str]]]
) -> Iterator[Harm]:
    """Put what a way out carries from afar beside what the same NIC carries for an accelerator beside it."""
    known = neighbours(topology)
    for name in far:
        nic = places[name][1][0]
        beside = next((each for each in near if nic in places[each][1]), None)
        after = _carried(topology, name, known)
        before = None if beside is None else _carried(topology, beside, known)
        if before is not None and after is not None and after < before:
            yield Harm(name, "remote", before, after)
        else:
            yield Harm(name, "remote")


def _carried(topology: Topology, accelerator: str, known: dict[str, Neighbours]) -> Bandwidth | None:
    """Return the typical usable figure of the default way out, one direction."""
    route = default_of(remote_answers(topology, accelerator, known))
    return None if route is None or route.limit.usable is None else route.limit.usable.typical


RULE = Rule(
    NAME,
    "An accelerator is far from every NIC",
    check,
    reasoning=(
        "A NIC below the same PCIe switch takes data straight from the accelerator. Across root complexes or sockets "
        "the same NIC gives about half, and the library may refuse GPUDirect RDMA there. Where most accelerators have "
        "a NIC beside them, those that have none hold back every collective."
    ),
    remedy=(
        "Move a NIC to a slot below the accelerator's switch or socket; else leave PXN on, so that data goes over the "
        "fabric to the accelerator beside the NIC, and bind ranks by `toposcope affinity`."
    ),
    sources=("Azure/AKS#5697", "linux-rdma/perftest#241", "openucx/ucx#11121", "NVIDIA/nccl#595"),
)
