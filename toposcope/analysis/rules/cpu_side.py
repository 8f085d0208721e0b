"""far-pairs, one-numa-node, numa-unknown and relaxed-ordering: what the CPU's side does to traffic that passes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.default import peer_reach
from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.peer import refused
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import peer_answers
from toposcope.analysis.rules.harm import apart, both_carried, default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import (
    accelerators_of,
    address_of,
    could_not_tell,
    is_guest,
    is_virtual,
    listed,
    origins,
    recorded_accelerators,
    value_of,
)
from toposcope.model import Grade, Kind, Reach
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.route import Route
    from toposcope.model import Topology

FAR, ONE_NODE, NUMA, ORDERING = "far-pairs", "one-numa-node", "numa-unknown", "relaxed-ordering"
_OVER_CPU = (Transport.HOST_STAGED, Transport.PCIE_P2P)
_NEEDS_ORDERING = "emeraldrapids"
"""The platform on which writes of NICs are known to crawl without relaxed ordering."""


def check_far(topology: Topology) -> Iterator[Finding]:
    """Yield one finding where some pairs reach each other over the socket link and others do not."""
    distances = {(a, b): reach(topology, a, b) for a, b in apart(topology, _names(topology))}
    across = [pair for pair, distance in distances.items() if distance is Reach.SOCKET]
    # One pair stands for all that are equally far apart on one socket.
    inside = {distance: pair for pair, distance in distances.items() if distance and distance < Reach.SOCKET}
    if not across or not inside or len(_sockets(topology)) < 2:  # noqa: PLR2004 - a crossing needs two
        return
    near = neighbours(topology)
    best = max(_over_cpu(topology, inside.values(), near), key=_typical, default=None)
    far = list(_over_cpu(topology, across, near))
    harms = []
    for route in far:
        before, after = both_carried(best, route) if best is not None else (None, None)
        if before is not None and after is not None and after < before:
            harms.append(Harm(route.source, route.target, before, after))
    if not harms:
        return
    yield Finding(
        FAR,
        Severity.INFO,
        f"{len(harms)} pairs of accelerators reach each other over the link between the sockets, which gives "
        f"{harms[0].after} of {harms[0].before} GB/s",
        remedy=(
            "# keep groups that talk on one socket; look that the socket links run at full width and rate (BIOS):\n"
            "sudo dmidecode -t processor; lscpu | grep -iE 'socket|numa'"
        ),
        components=tuple(dict.fromkeys(end for harm in harms for end in (harm.source, harm.target))),
        harms=tuple(harms),
        evidence=tuple(
            dict.fromkeys(said.origin for harm in harms for said in topology.relations(harm.source, harm.target)[:1])
        )
        or tuple(dict.fromkeys(topology.component(name).origin for name in _sockets(topology))),
        grade=Grade.DERIVED,
    )


def check_one_node(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for AMD servers with one NUMA node a socket whose accelerators copy through host memory."""
    model = topology.fact("host", "cpu.model")
    sockets = _sockets(topology)
    nodes = list(topology.components(Kind.NUMA))
    if model is None or "EPYC" not in str(model.value) or is_guest(topology) or not sockets:
        return
    if len(nodes) != len(sockets):
        return
    staged = list(_staged(topology))
    if staged and recorded_accelerators(topology):
        yield Finding(
            ONE_NODE,
            Severity.INFO,
            "accelerators copy through host memory, and each EPYC socket is one NUMA node (NPS1): buffers then lie "
            "anywhere on the socket; NPS4 keeps them beside the accelerator",
            remedy="# BIOS: NUMA nodes per socket = NPS4, then measure again\nnumactl -H",
            components=tuple(dict.fromkeys(end for pair in staged for end in pair)),
            harms=tuple(Harm(*pair) for pair in staged),
            evidence=(model.origin, *(node.origin for node in nodes[:1])),
            grade=Grade.DERIVED,
        )


def check_numa(topology: Topology) -> Iterator[Finding]:
    """Yield a finding where accelerators or their NICs have no NUMA node (-1) on a host with several."""
    accelerators = [each.id for each in recorded_accelerators(topology)]
    nics = list(dict.fromkeys(nic for own in neighbours(topology).values() for nic in own.near))
    facts = [topology.fact(name, "numa_node") for name in (*accelerators, *nics)]
    lost = [fact for fact in facts if fact is not None and fact.value == -1]
    nodes = sum(1 for _ in topology.components(Kind.NUMA))
    if not lost or nodes == 1:
        return
    names = [fact.component for fact in lost]
    if not nodes:
        message = f"{listed(names)} have no NUMA node (-1); whether the host has several is not known"
        yield could_not_tell(NUMA, message, "lscpu | grep -i numa\nnumactl -H", names, origins(lost))
        return
    where = "the virtual machine's XML: <numa> cells and a pxb-pcie bus with a node" if is_guest(topology) else "BIOS"
    yield Finding(
        NUMA,
        Severity.WARNING,
        f"{listed(names)} have no NUMA node (-1) though the host has {nodes}: processes and buffers cannot be placed "
        f"beside them ({where})",
        remedy=(
            "\n".join(f"cat /sys/bus/pci/devices/{address_of(topology, name)}/numa_node" for name in names[:2])
            + (
                "\n# give the passed-through devices a pxb-pcie controller with <node>, and vCPU cells that follow "
                "SMT siblings"
                if is_guest(topology)
                else "\n# update the BIOS, switch on its NUMA (SRAT) tables; until then bind by hand with numactl"
            )
        ),
        components=tuple(names),
        evidence=origins(lost),
        grade=Grade.OBSERVED,
    )


def check_ordering(topology: Topology) -> Iterator[Finding]:
    """Yield a finding where a NIC near accelerators lacks relaxed ordering on a platform that needs it."""
    accelerators = [each.id for each in recorded_accelerators(topology)]
    guest = is_guest(topology)
    if not accelerators or (topology.figures.platform != _NEEDS_ORDERING and not guest):
        return
    near = neighbours(topology)
    nics = list(dict.fromkeys(nic for own in near.values() for nic in own.near))
    nics = [nic for nic in nics if not is_virtual(topology, nic)]
    off = [nic for nic in nics if value_of(topology, nic, "relaxed_ordering") is False]
    unknown = [nic for nic in nics if value_of(topology, nic, "relaxed_ordering") is None]
    why = "in a virtual machine with ACS and ATS" if guest else f"on {value_of(topology, 'host', 'cpu.model')}"
    if off:
        yield Finding(
            ORDERING,
            Severity.WARNING,
            f"PCIe relaxed ordering is off on {listed(off)}, and {why} writes then wait for each other",
            remedy="\n".join(
                [
                    *(f"sudo setpci -s {address_of(topology, nic)} CAP_EXP+8.w=0010:0010" for nic in off),
                    "# for good: sudo mlxconfig -d ADDRESS set PCI_WR_ORDERING=1",
                    "export NCCL_IB_PCI_RELAXED_ORDERING=1 UCX_IB_PCI_RELAXED_ORDERING=on",
                ]
            ),
            components=tuple(off),
            harms=tuple(Harm(name, own.own) for name, own in near.items() if own.own in off),
            evidence=origins(topology.fact(nic, "relaxed_ordering") for nic in off),
            grade=Grade.DERIVED,
        )
    elif unknown and not guest:
        look = "\n".join(f"sudo lspci -s {address_of(topology, nic)} -vvv | grep RlxdOrd" for nic in unknown[:4])
        message = f"whether {listed(unknown)} use PCIe relaxed ordering, which matters {why}, was not read"
        yield could_not_tell(ORDERING, message, look, unknown)


def _names(topology: Topology) -> list[str]:
    return [each.id for each in accelerators_of(topology)]


def _over_cpu(topology: Topology, pairs: Iterable[tuple[str, str]], near: dict[str, Neighbours]) -> Iterator[Route]:
    """Yield the default routes of those pairs that pass the CPU's side and have a figure."""
    for a, b in pairs:
        route = default_of(peer_answers(topology, a, b, near))
        if route is not None and route.transport in _OVER_CPU and route.limit.line is not None:
            yield route


def _staged(topology: Topology) -> Iterator[tuple[str, str]]:
    """Yield the pairs that copy through host memory: too far apart for the library's peer-to-peer, or refused it."""
    library = topology.figures.library
    if library is None:
        return
    farthest = peer_reach(topology, library)
    for a, b in apart(topology, _names(topology)):
        distance = reach(topology, a, b)
        if distance is not None and (distance > farthest or refused(topology, a, b) is not None):
            yield a, b


def _sockets(topology: Topology) -> list[str]:
    return [each.id for each in topology.components(Kind.SOCKET)]


def _typical(route: Route) -> float:
    figure = route.limit.usable.typical if route.limit.usable is not None else route.limit.line
    return float(figure.bytes_per_s) if figure is not None else 0.0


FAR_RULE = Rule(
    FAR,
    "Pairs of accelerators that the socket link joins",
    check_far,
    reasoning=(
        "Without a fabric, what two accelerators on different sockets send passes UPI or xGMI, which gives less than "
        "the PCIe links at its ends (a model of NCCL: 6 to 40 GB/s by generation on Intel, 16 to 42 on AMD)."
    ),
    remedy="Keep communicating groups on one socket; check width and rate of the socket links in the BIOS.",
    sources=("NCCL sources, graph/topo.h", "NVIDIA/nccl#2036", "NVIDIA/nccl#2113", "NVIDIA/nccl-tests#74"),
)

ONE_NODE_RULE = Rule(
    ONE_NODE,
    "EPYC with one NUMA node a socket, and copies through host memory",
    check_one_node,
    reasoning=(
        "With NPS1 memory is interleaved over all channels of a socket: a staged copy crosses the socket's fabric "
        "twice. Where accelerators have neither a fabric nor peer-to-peer, NPS4 was found to solve it."
    ),
    remedy="Set NPS4 in the BIOS and measure again.",
    sources=("NVIDIA/nccl#1285", "NVIDIA/nccl-tests#115", "NVIDIA/nccl-tests#74"),
)

NUMA_RULE = Rule(
    NUMA,
    "Devices without a NUMA node on a host with several",
    check_numa,
    reasoning=(
        "The kernel prints node -1 where firmware, or the description of a virtual machine, does not say where a "
        "device is. Libraries then treat it as near to all, and processes are bound to the wrong socket."
    ),
    remedy="BIOS update or SRAT on bare metal; pxb-pcie with a node and cells along SMT siblings in a virtual machine.",
    sources=("open-mpi/hwloc#712", "NVIDIA/nccl#1674", "NVIDIA/nccl-tests#256"),
)

ORDERING_RULE = Rule(
    ORDERING,
    "Relaxed ordering is off where it is needed",
    check_ordering,
    reasoning=(
        "With strict ordering a write waits for those before it. Most platforms hide that; Emerald Rapids and virtual "
        "machines with ACS and ATS do not (16 instead of more than 40 GB/s were seen)."
    ),
    remedy="Allow relaxed ordering on the NIC (DevCtl RlxdOrd+, PCI_WR_ORDERING=1) and in the library.",
    sources=("openucx/ucx#10955", "NVIDIA/nccl#1205"),
)
