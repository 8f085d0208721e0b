"""The RoCE port inside an NPU: down, without light, with errors, or without a neighbour.

What hccn_tool answers are facts of an NPU, also where nothing else of the machine was recorded. ``npu-port-down`` goes
by the link's state, its newest change, and the health of the network; an address alone proves no usable port.
"""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import network_link, ports_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import listed, number_of, origins, value_of
from toposcope.base import Bandwidth
from toposcope.model import FactStatus, Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Fact, Topology

DOWN, OPTICS, ERRORS, NEIGHBOUR = "npu-port-down", "npu-optics", "npu-port-errors", "npu-no-neighbour"

_NPU = re.compile(r"(?:NPU|Phy-ID)\d{1,6}(?:\.\d{1,6})?")
_PORT = re.compile(r"((?:NPU|Phy-ID)\d{1,6}(?:\.\d{1,6})?)/p\d{1,6}")
_HEALTHY = ("success", "init", "detect ip set", "unknown", "not configured", "")
_LIGHT = ("tx_los_flag", "rx_los_flag", "tx_lol_flag", "rx_lol_flag")
_POWER = re.compile(r"(?:hccn\.optical\.)(?P<way>rx|tx)_?power_?(?P<lane>\d+)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ERRORS = ("counter.roce_rx_err_pkt_num", "counter.roce_tx_err_pkt_num", "counter.roce_verification_err_num")
_OUTLIER = 10
_FLAPS = 3
"""So many losses of a link are more than starting a server causes."""


def npus_of(topology: Topology) -> list[str]:
    """Return every NPU that a tool speaks of, in order of its number."""
    named = {each.id: None for each in topology.components(Kind.ACCELERATOR) if _NPU.fullmatch(each.id)}
    for fact in topology.facts():
        match = _PORT.fullmatch(fact.component)
        name = match[1] if match else fact.component
        if _NPU.fullmatch(name) and fact.name.startswith(("hccn.", "counter.", "state")):
            named.setdefault(name)
    return sorted(named, key=lambda name: [int(part) for part in re.findall(r"\d+", name)])


def check_down(topology: Topology) -> Iterator[Finding]:
    """Find RoCE ports whose link is down, or whose newest change was a loss, or whose network does not answer."""
    lost = {name: facts for name in npus_of(topology) if (facts := list(_lost(topology, name)))}
    if not lost:
        return
    told = "; ".join(f"{name}: {', '.join(str(fact.value) for fact in facts)}" for name, facts in lost.items())
    npus = npus_of(topology)
    unused = len(lost) == len(npus) > 1 and not any(topology.fact(f"{name}/p1", "address") for name in npus)
    yield Finding(
        DOWN,
        Severity.INFO if unused else Severity.WARNING,
        f"the RoCE port is not usable: {told}",
        remedy="\n".join(
            [
                *(f"hccn_tool -i {_number(name)} -link -g; hccn_tool -i {_number(name)} -optical -g" for name in lost),
                "# then at the switch: is the port on, and is it split? display interface brief",
            ]
        ),
        components=tuple(lost),
        harms=tuple(_harm(topology, name) for name in lost),
        evidence=origins(fact for facts in lost.values() for fact in facts),
        grade=Grade.OBSERVED,
    )


def _lost(topology: Topology, name: str) -> Iterator[Fact]:
    states = (topology.fact(f"{name}/p{number}", "state") for number in (0, 1))
    state = next((fact for fact in states if fact is not None), None)
    event, health = topology.fact(name, "hccn.link.last_event"), topology.fact(name, "hccn.net_health")
    if state is not None and str(state.value).upper() == "DOWN":
        yield state
    if state is None and event is not None and str(event.value).upper().endswith("DOWN"):
        yield event
    if health is not None and health.status is FactStatus.VALUE and str(health.value).lower() not in _HEALTHY:
        yield health


def check_optics(topology: Topology) -> Iterator[Finding]:
    """Find optical modules that are missing, dark, or out of lock."""
    dark = {name: facts for name in npus_of(topology) if (facts := list(_dark(topology, name)))}
    if not dark:
        return
    told = "; ".join(f"{name}: {', '.join(_said(fact) for fact in facts)}" for name, facts in dark.items())
    absent = all(len(facts) == 1 and facts[0].name.endswith("present") for facts in dark.values())
    unused = absent and len(dark) == len(npus_of(topology)) > 1
    yield Finding(
        OPTICS,
        Severity.INFO if unused else Severity.WARNING,
        f"no proper light at the RoCE port: {told}",
        remedy="\n".join(
            [
                *(f"hccn_tool -i {_number(name)} -optical -g" for name in dark),
                "# then: plug or change the module, clean and reseat the fibre, look at the same lanes of the far end",
            ]
        ),
        components=tuple(dark),
        harms=tuple(_harm(topology, name) for name in dark),
        evidence=origins(fact for facts in dark.values() for fact in facts),
        grade=Grade.OBSERVED,
    )


def _dark(topology: Topology, name: str) -> Iterator[Fact]:
    present = topology.fact(name, "hccn.optical.present")
    if present is not None and "not present" in str(present.value).lower():
        yield present
    for flag in _LIGHT:
        fact = topology.fact(name, f"hccn.optical.{flag}")
        if fact is not None and _flags(str(fact.value)):
            yield fact
    for fact in topology.facts(name):
        match = _POWER.fullmatch(fact.name)
        if match is None:
            continue
        least = _figure(topology.fact(name, f"hccn.optical.{match['way']}power_low_thres"))
        power = _figure(fact)
        if least is not None and power is not None and power < least:
            yield fact


def _said(fact: Fact) -> str:
    return f"{fact.name.removeprefix('hccn.optical.').replace('_', ' ')} {fact.value}"


def _flags(text: str) -> int:
    try:
        return int(text.split(maxsplit=1)[0], 16) if text.lower().startswith("0x") and len(text) < 20 else 0  # noqa: PLR2004 - a word
    except ValueError:
        return 0


def _figure(fact: Fact | None) -> float | None:
    match = None if fact is None else _NUMBER.match(str(fact.value)[:40])
    return float(match[0]) if match else None


def check_errors(topology: Topology) -> Iterator[Finding]:
    """Find RoCE ports that counted bad packets, or whose link came and went."""
    npus = npus_of(topology)
    bad = {name: facts for name in npus if (facts := list(_counted(topology, name, npus)))}
    if not bad:
        return
    told = "; ".join(f"{name}: {', '.join(_counter(fact) for fact in facts)}" for name, facts in bad.items())
    yield Finding(
        ERRORS,
        Severity.WARNING,
        f"RoCE ports with errors: {told}",
        remedy="\n".join(
            [
                *(f"hccn_tool -i {_number(name)} -stat -g; hccn_tool -i {_number(name)} -link_stat -g" for name in bad),
                "# twice, under load: what grows is the fault; then cable and module, PFC and ECN of the switch port",
            ]
        ),
        components=tuple(bad),
        harms=tuple(Harm(name, "remote") for name in bad),
        evidence=origins(fact for facts in bad.values() for fact in facts),
        grade=Grade.OBSERVED,
    )


def _counted(topology: Topology, name: str, npus: list[str]) -> Iterator[Fact]:
    """Yield counters that are well above those of the other NPUs: what all count is the network's everyday."""
    for counter in _ERRORS:
        number = number_of(topology, name, counter) or 0
        fact = topology.fact(name, counter)
        others = [value for each in npus if each != name and (value := number_of(topology, each, counter)) is not None]
        if fact is not None and number > _OUTLIER * (median(others) if others else 0):
            yield fact
    changes = topology.fact(name, "hccn.link.changes")
    downs = number_of(topology, name, "counter.link_down")
    losses = str(changes.value).upper().count("DOWN") if changes is not None else 0
    fact = topology.fact(name, "counter.link_down") or changes
    if fact is not None and max(losses, downs or 0) > _FLAPS:
        yield fact


def _counter(fact: Fact) -> str:
    if fact.name == "hccn.link.changes":
        return f"lost its link {str(fact.value).upper().count('DOWN')} times"
    return f"{fact.name.removeprefix('counter.')} {fact.value}"


def check_neighbour(topology: Topology) -> Iterator[Finding]:
    """Find RoCE ports to which no switch speaks by LLDP, while it was asked."""
    npus = npus_of(topology)
    silent = {name: fact for name in npus if (fact := topology.fact(name, "hccn.lldp")) is not None and _is_void(fact)}
    if not silent:
        return
    answered = [name for name in npus if value_of(topology, name, "hccn.lldp.port_id") is not None]
    message = f"no switch answers {listed(silent)} by LLDP"
    yield Finding(
        NEIGHBOUR,
        Severity.WARNING if answered else Severity.INFO,
        f"{message}, while one answers {listed(answered)}" if answered else message,
        remedy="\n".join(
            [
                *(f"hccn_tool -i {_number(name)} -link -g" for name in silent),
                "# at the switch, where a 400GE port serves two of 200GE:",
                "port split dimension interface 400GE SLOT split-type 2*200GE",
            ]
        ),
        components=tuple(silent),
        harms=tuple(Harm(name, "remote") for name in silent),
        evidence=origins(silent.values()),
        grade=Grade.OBSERVED,
    )


def _is_void(fact: Fact) -> bool:
    return fact.status is FactStatus.ABSENT or fact.value in (None, "")


def _harm(topology: Topology, name: str) -> Harm:
    link = None
    if name in topology and (ports := ports_of(topology, name)):
        link = network_link(topology, ports[0].id)
    return Harm(name, "remote", None if link is None else link.line, Bandwidth(0))


def _number(name: str) -> str:
    return name.removeprefix("Phy-ID").removeprefix("NPU").partition(".")[0]


RULE_DOWN = Rule(
    DOWN,
    "The RoCE port of an NPU is down",
    check_down,
    reasoning=(
        "NPUs of different servers, and those of one server that HCCS does not join, speak through the RoCE port in "
        "each of them. Where it is down, collectives hang or take another way; an address configured on the port says "
        "nothing of its link."
    ),
    remedy="hccn_tool -i N -link -g, -optical -g, -link_stat -g; then module, fibre, and the switch port (split, on).",
    sources=("vllm-project/vllm-ascend#14506", "Ascend/mind-cluster: fault analyzers of the toolkit"),
)
RULE_OPTICS = Rule(
    OPTICS,
    "The optical module of an NPU is missing or dark",
    check_optics,
    reasoning=(
        "Without a module, without light (LOS), without lock (LOL) or with one lane below its threshold the port has "
        "no link, or one that fails under load."
    ),
    remedy="hccn_tool -i N -optical -g; plug, clean or change module and fibre.",
    sources=("Ascend/mind-cluster: fault analyzers of the toolkit",),
)
RULE_ERRORS = Rule(
    ERRORS,
    "The RoCE port of an NPU counts errors or flaps",
    check_errors,
    reasoning=(
        "Bad packets are sent again, and each loss of the link stops the collective until it times out. The other NPUs "
        "of a server count none."
    ),
    remedy="hccn_tool -i N -stat -g and -link_stat -g twice under load; then cable, module, PFC and ECN.",
    sources=("Ascend/mind-cluster: fault analyzers of the toolkit",),
)
RULE_NEIGHBOUR = Rule(
    NEIGHBOUR,
    "No switch is seen at the RoCE port of an NPU",
    check_neighbour,
    reasoning=(
        "A switch port of 400GE that serves two ports of 200GE has to be split; until then the link is down at both, "
        "and LLDP shows no neighbour although both sides have it switched on."
    ),
    remedy="port split dimension interface 400GE SLOT split-type 2*200GE at the switch; LLDP on at both sides.",
    sources=("Ascend/mind-cluster: fault analyzers of the toolkit", "Huawei case note on CE9860: port not split"),
)
