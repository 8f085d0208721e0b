"""port-down and port-slow: a network port without a link, or with less than its siblings have.

Siblings are ports of NICs of the same model and link layer: on a server they are bought to be equal. A port that is
switched off, or that most of its like lack too, and that no accelerator misses is information. Where no tool spoke of
any port nothing is asked: the ways out show that their rate is unknown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import network_link, ports_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, listed, origins, recorded_accelerators, value_of
from toposcope.analysis.rules.traffic import FAR, line_of, nearest, rdma_nics, shown_name, ways_out
from toposcope.base import Bandwidth
from toposcope.model import Grade, Kind, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Topology

DOWN, SLOW = "port-down", "port-slow"
_SWITCHED_OFF = "disabled"
_EQUAL = 0.95


def check_down(topology: Topology) -> Iterator[Finding]:
    """Find ports without a link on NICs whose siblings have one, or that an accelerator has for its nearest."""
    nics = list(topology.components(Kind.NIC))
    used = used_nics(topology)
    groups = _siblings(topology, nics)
    lost = [(nic, port) for nic, port in ways_out(topology, nics) if _state(topology, port.id) is State.DOWN]
    counted = [(nic, port) for nic, port in lost if nic.id in used or _has_working_sibling(topology, port.id, groups)]
    for matters in (True, False):
        some = [(nic, port) for nic, port in counted if _matters(topology, nic, port, used, groups) is matters]
        if some:
            yield _down(topology, some, used, matters=matters)
    states = {port.id: _state(topology, port.id) for _, port in ways_out(topology, nics)}
    open_ones = [nic for nic in used if all(states[port.id] is State.UNKNOWN for port in ports_of(topology, nic))]
    if open_ones and any(state is not State.UNKNOWN for state in states.values()):
        message = f"the state of the ports of {listed(open_ones)} was not recorded, while that of others was"
        yield could_not_tell(DOWN, message, "ibstat  # or: ibv_devinfo -v", open_ones)


def check_slow(topology: Topology) -> Iterator[Finding]:
    """Find ports whose rate is below that of most of their siblings."""
    nics = list(topology.components(Kind.NIC))
    used = used_nics(topology)
    for group in _siblings(topology, nics).values():
        rates = {port: line for port in group if (line := line_of(topology, port)) is not None}
        common = _common(list(rates.values()))
        if common is None:
            continue
        slow = {port: line for port, line in rates.items() if line.bytes_per_s < common.bytes_per_s * _EQUAL}
        if slow:
            yield _slow(topology, slow, common, used)


def used_nics(topology: Topology) -> dict[str, list[str]]:
    """Return the NICs that accelerators have beside them, with those accelerators."""
    used: dict[str, list[str]] = defaultdict(list)
    nics = rdma_nics(topology)
    for each in recorded_accelerators(topology):
        distance, near = nearest(topology, each.id, nics)
        if distance is not None and distance not in FAR:
            for name in near:
                used[name].append(each.id)
    return dict(used)


def _siblings(topology: Topology, nics: list[Component]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for nic, port in ways_out(topology, nics):
        model = value_of(topology, nic.id, "model") or nic.model or nic.pci_id
        layer = value_of(topology, port.id, "link_layer")
        if model or layer:
            groups[f"{model or ''} {layer or ''}"].append(port.id)
    return groups


def _state(topology: Topology, port: str) -> State:
    link = network_link(topology, port)
    return State.UNKNOWN if link is None else link.state


def _has_working_sibling(topology: Topology, port: str, groups: dict[str, list[str]]) -> bool:
    group = next((ports for ports in groups.values() if port in ports), [])
    return any(_state(topology, each) is State.UP for each in group)


def _matters(
    topology: Topology, nic: Component, port: Component, used: dict[str, list[str]], groups: dict[str, list[str]]
) -> bool:
    """Tell a port that accelerators lack, or that its like have, from one that nobody switched on."""
    group = next((ports for ports in groups.values() if port.id in ports), [])
    most_up = sum(_state(topology, each) is State.UP for each in group) * 2 > len(group)
    if nic.id in used:
        beside = {name: [other for other, whose in used.items() if name in whose] for name in used[nic.id]}
        return most_up or not all(any(_has_link(topology, other) for other in others) for others in beside.values())
    off = str(value_of(topology, port.id, "physical_state") or "").lower().endswith(_SWITCHED_OFF)
    return not used and not off and most_up


def _has_link(topology: Topology, nic: str) -> bool:
    return any(_state(topology, port.id) is State.UP for port in ports_of(topology, nic))


def _down(
    topology: Topology, lost: list[tuple[Component, Component]], used: dict[str, list[str]], *, matters: bool
) -> Finding:
    facts = [topology.fact(port.id, name) for _, port in lost for name in ("state", "physical_state")]
    names = listed(shown_name(topology, nic.id) for nic, _ in lost)
    words = listed(str(fact.value) for fact in facts if fact is not None)
    harmed = dict.fromkeys(name for nic, _ in lost for name in used.get(nic.id, ()))
    return Finding(
        DOWN,
        Severity.WARNING if matters else Severity.INFO,
        f"{names}: no link ({words})",
        remedy="\n".join(_commands(topology, lost)),
        components=tuple(port.id for _, port in lost),
        harms=tuple(Harm(name, "remote", None, Bandwidth(0)) for name in harmed),
        evidence=origins(facts) or (lost[0][1].origin,),
        grade=Grade.OBSERVED,
    )


def _commands(topology: Topology, lost: list[tuple[Component, Component]]) -> Iterator[str]:
    for nic, port in lost[:2]:
        name, number = shown_name(topology, nic.id), port.id.rpartition("/p")[2]
        yield f"sudo mlxlink -d {name} -p {number} -m  # cable, module, and what the firmware recommends"
    yield "# then: reseat or change the cable, check the switch port, `ip link set DEV up` where it is switched off"


def _common(rates: list[Bandwidth]) -> Bandwidth | None:
    """Return the rate that most of the siblings have, None where no rate is most of them."""
    if not rates:
        return None
    rate, count = Counter(rates).most_common(1)[0]
    return rate if count * 2 > len(rates) else None


def _slow(topology: Topology, slow: dict[str, Bandwidth], common: Bandwidth, used: dict[str, list[str]]) -> Finding:
    owners = {port: port.rpartition("/p")[0] for port in slow}
    owners = {port: nic if nic in topology else _owner(topology, port) for port, nic in owners.items()}
    told = listed(f"{shown_name(topology, owners[port])} at {line.gbps:g} Gb/s" for port, line in slow.items())
    harms = [Harm(name, "remote", common, line) for port, line in slow.items() for name in used.get(owners[port], ())]
    facts = [topology.fact(port, "rate_gbps") for port in slow]
    alone = not used and len(slow) == 1
    first = next(iter(slow))
    return Finding(
        SLOW,
        Severity.WARNING if harms or alone else Severity.INFO,
        f"{told}, while ports of the same kind run at {common.gbps:g} Gb/s",
        remedy=(
            f"sudo mlxlink -d {shown_name(topology, owners[first])} -m  # speeds enabled on both sides, cable, module\n"
            "# then: change the cable, or raise the speed of the switch port"
        ),
        components=tuple(slow),
        harms=tuple(harms),
        evidence=origins(facts) or tuple(topology.component(port).origin for port in slow),
        grade=Grade.OBSERVED,
    )


def _owner(topology: Topology, port: str) -> str:
    owners = (link.other(port) for link in topology.links_of(port) if link.internal)
    return next(owners, port)


RULE_DOWN = Rule(
    DOWN,
    "A network port has no link",
    check_down,
    reasoning=(
        "A port that is down carries nothing: its accelerator's traffic goes out by the port of another one, which "
        "then serves two, or the job does not start. `Polling` means that the far end does not answer; `Disabled` that "
        "the port is switched off."
    ),
    remedy="mlxlink -d DEVICE -m names the cable, the module and what to do; then the cable, then the switch port.",
    sources=("NCCL documentation, networking troubleshooting", "NVIDIA/nccl#489", "NVIDIA/nccl#1412"),
)
RULE_SLOW = Rule(
    SLOW,
    "A network port runs slower than its siblings",
    check_slow,
    reasoning=(
        "Equal NICs of one server get equal rates. One with less has the wrong cable or module, or a switch port that "
        "is configured lower; a ring runs at the pace of its slowest port."
    ),
    remedy="mlxlink -d DEVICE -m shows the enabled speeds of both sides; change the cable or the switch port's speed.",
    sources=("NVIDIA/nccl#307", "NCCL documentation, networking troubleshooting"),
)
