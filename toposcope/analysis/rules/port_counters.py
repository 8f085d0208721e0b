"""port-flapping and roce-loss: what ports counted, and what a library's log says of them.

One recording shows totals since the start, not growth: a port is named where it counted much more than a start causes
and more than its siblings did, or where a log tells of an event while a job ran.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.rules.network_ports import used_nics
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, listed, number_of, origins
from toposcope.analysis.rules.traffic import is_ethernet, rdma_nics, shown_name, ways_out
from toposcope.model import Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.model import Fact, Topology

FLAPPING, LOSS = "port-flapping", "roce-loss"
_LOSSES_OF_LINK = {
    "counter.link_downed": 5,
    "counter.LinkDownedCounter": 5,
    "counter.link_down": 5,
    "counter.link_error_recovery": 5,
    "counter.LinkErrorRecoveryCounter": 5,
    "counter.carrier_changes": 20,
    "counter.link_failures": 5,
    "counter.symbol_error": 1000,
    "counter.symbol_errors": 1000,
    "counter.SymbolErrorCounter": 1000,
}
"""Counters of a link's trouble, and how much of each a server's start and service may cause."""

_LOSSES_OF_DATA = {
    "counter.packet_seq_err": 1000,
    "counter.local_ack_timeout_err": 1000,
    "counter.roce_adp_retrans": 1000,
    "counter.implied_nak_seq_err": 1000,
}
"""Counters of data that RoCE had to send again, and how much single losses of a link may cause.

Packets out of order are no loss: adaptive routing makes them.
"""

_MUCH = 100
"""So many times more cannot be the work of a few losses of a link."""

_OUTLIER = 10


def check_flapping(topology: Topology) -> Iterator[Finding]:
    """Find ports whose link came and went, and those of which a log tells an event."""
    subjects = _subjects(topology)
    told = [fact for names in subjects.values() for name in names if (fact := topology.fact(name, "nccl.async_event"))]
    told += [fact for fact in (topology.fact("host", "nccl.async_event"),) if fact is not None]
    counted = _outliers(topology, subjects, _LOSSES_OF_LINK)
    if not told and not counted:
        return
    owners = {name: port for port, names in subjects.items() for name in names}
    ports = list(dict.fromkeys([owners[fact.component] for fact in (*told, *counted) if fact.component in owners]))
    words = [*(_event(topology, fact, owners) for fact in told), *(_count(topology, fact, owners) for fact in counted)]
    yield Finding(
        FLAPPING,
        Severity.WARNING,
        f"links that come and go: {listed(words)}",
        remedy=_look(topology, ports, "link_downed link_error_recovery symbol_error", "counters"),
        components=tuple(ports) or ("host",),
        harms=tuple(_harms(topology, ports)),
        evidence=origins((*told, *counted)),
        grade=Grade.OBSERVED,
    )


def check_loss(topology: Topology) -> Iterator[Finding]:
    """Find RoCE ports that sent much data again: the network between them drops packets."""
    nics = rdma_nics(topology)
    subjects = _subjects(topology)
    roce = [port.id for _, port in ways_out(topology, nics) if is_ethernet(topology, port.id)]
    chosen = {port: names for port, names in subjects.items() if port in roce}
    counted = _outliers(topology, chosen, _LOSSES_OF_DATA, beside_siblings=False)
    if counted:
        owners = {name: port for port, names in chosen.items() for name in names}
        ports = list(dict.fromkeys(owners[fact.component] for fact in counted))
        words = listed(_count(topology, fact, owners) for fact in counted)
        much = any((number_of(topology, f.component, f.name) or 0) > _LOSSES_OF_DATA[f.name] * _MUCH for f in counted)
        yield Finding(
            LOSS,
            Severity.WARNING if much else Severity.INFO,
            f"RoCE data was lost and sent again: {words}",
            remedy=(
                _look(topology, ports, " ".join(name.partition(".")[2] for name in _LOSSES_OF_DATA), "hw_counters")
                + "\n# what grows under load is lost: PFC or ECN on every hop, and the same traffic class at both ends "
                "(mlnx_qos -i NETDEV; cma_roce_tos; NCCL_IB_TC)"
            ),
            components=tuple(ports),
            harms=tuple(_harms(topology, ports)),
            evidence=origins(counted),
            grade=Grade.OBSERVED,
        )
        return
    used = used_nics(topology)
    silent = [port for port in roce if not any(_known(topology, name) for name in subjects[port])]
    mine = [port for port in silent if _owner(topology, port) in used]
    if mine:
        message = f"whether the network of {listed(mine)} (RoCE) loses data is not known"
        yield could_not_tell(
            LOSS, message, _look(topology, mine, "packet_seq_err local_ack_timeout_err", "hw_counters"), mine
        )


def _subjects(topology: Topology) -> dict[str, list[str]]:
    """Return each port with the names under which its counters may stand: its own, its LID, its NIC's."""
    nics = list(topology.components(Kind.NIC))
    ports = list(ways_out(topology, nics))
    alone = {nic.id for nic, _ in ports if sum(other.id == nic.id for other, _ in ports) == 1}
    found = {port.id: [port.id, *([nic.id] if nic.id in alone else [])] for nic, port in ports}
    for name, names in found.items():
        lid = number_of(topology, name, "lid")
        if lid:
            names.append(f"lid {lid:.0f}")
    return found


def _outliers(
    topology: Topology, subjects: dict[str, list[str]], limits: dict[str, int], *, beside_siblings: bool = True
) -> list[Fact]:
    found: list[Fact] = []
    for counter, limit in limits.items():
        values = {name: number_of(topology, name, counter) for names in subjects.values() for name in names}
        known = {name: value for name, value in values.items() if value is not None}
        over = [
            name
            for name, value in known.items()
            if value > max(limit, _usual(known, name) * _OUTLIER if beside_siblings else 0)
        ]
        facts = (topology.fact(name, counter) for name in over)
        found += [fact for fact in facts if fact is not None]
    return found


def _usual(values: dict[str, float], name: str) -> float:
    """Return what the others counted."""
    others = [value for each, value in values.items() if each != name]
    return median(others) if others else 0


def _known(topology: Topology, name: str) -> bool:
    return any(topology.fact(name, counter) is not None for counter in _LOSSES_OF_DATA)


def _owner(topology: Topology, port: str) -> str:
    return next((link.other(port) for link in topology.links_of(port) if link.internal), port)


def _event(topology: Topology, fact: Fact, owners: dict[str, str]) -> str:
    if fact.component == "host":
        return f"the library's log tells of {fact.value}"
    return f"{_shown(topology, owners[fact.component])} had {fact.value} while a job ran"


def _count(topology: Topology, fact: Fact, owners: dict[str, str]) -> str:
    return f"{_shown(topology, owners[fact.component])} {fact.name.partition('.')[2]} {fact.value}"


def _shown(topology: Topology, name: str) -> str:
    owner = _owner(topology, name) if name in topology and topology.component(name).kind is Kind.NIC_PORT else name
    return shown_name(topology, owner) if owner in topology else owner


def _look(topology: Topology, ports: Sequence[str], counters: str, folder: str) -> str:
    names = counters.split()
    wanted = f"{{{','.join(names)}}}" if len(names) > 1 else counters
    lines = [f"grep . /sys/class/infiniband/{_shown(topology, port)}/ports/1/{folder}/{wanted}" for port in ports[:4]]
    return "\n".join([*(lines or [f"grep . /sys/class/infiniband/*/ports/1/{folder}/{wanted}"]), "# twice, under load"])


def _harms(topology: Topology, ports: Sequence[str]) -> Iterator[Harm]:
    used = used_nics(topology)
    for port in ports:
        for name in used.get(_owner(topology, port), ()):
            yield Harm(name, "remote")


RULE_FLAPPING = Rule(
    FLAPPING,
    "A network link comes and goes",
    check_flapping,
    reasoning=(
        "Each loss of a link stops the collective until the library times out or tries again. Symbol errors and "
        "recoveries come from a bad cable, a dirty or hot module; one port that counts ten times what its siblings do "
        "is the one to change."
    ),
    remedy="Read the counters twice under load; then change cable or module, look at the switch port's counters.",
    sources=("NVIDIA/nccl#905", "NCCL documentation, networking troubleshooting", "NVIDIA/NVSentinel#752"),
)
RULE_LOSS = Rule(
    LOSS,
    "A RoCE network loses data",
    check_loss,
    reasoning=(
        "RoCE sends everything after a lost packet again. Without priority flow control, or with ECN missing on one "
        "hop, large messages collapse to a tenth of the rate or less while small ones look well."
    ),
    remedy="PFC or ECN for the traffic class on NICs and every switch; NCCL_IB_TC for the same class in the library.",
    sources=("NVIDIA/nccl#378", "NVIDIA/nccl#306", "NVIDIA/nccl#394", "NVIDIA/nccl-tests#19"),
)
