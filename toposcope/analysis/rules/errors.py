"""device-lost, link-errors and hccs-unhealthy: hardware that says itself, or whose log says, that it is not well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import address_of, could_not_tell, is_guest, listed, origins
from toposcope.analysis.rules.ways import ways_of
from toposcope.model import FactStatus, Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Fact, Topology

LOST, ERRORS, HCCS = "device-lost", "link-errors", "hccs-unhealthy"
_FALLEN = "kernel.xid.79"
_HARMLESS = ("UnsupReq", "SDES", "ACSViol", "UnxCmplt")
"""Uncorrectable errors that enumeration and hot-plug ports leave behind on healthy links."""


def check_lost(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for each accelerator or NIC that answers no more."""
    for each in topology.components(Kind.ACCELERATOR, Kind.NIC):
        facts = [topology.fact(each.id, name) for name in ("alive", "kernel.fallen_off_bus", _FALLEN)]
        said = [fact for fact in facts if fact is not None and (fact.name != "alive" or fact.value is False)]
        said += _refused(topology, each.id)
        if not said:
            continue
        back = topology.fact(each.id, "uuid") is not None and topology.fact(each.id, "alive") is None
        yield Finding(
            LOST,
            Severity.WARNING if back else Severity.CRITICAL,
            f"{each.id} fell off the bus "
            + ("since the host was started, and is back" if back else "and answers no more: its routes carry nothing"),
            remedy=(
                f"sudo lspci -s {each.pci or each.id} -vvv\n"
                "sudo dmesg | grep -iE 'NVRM|Xid|fallen off the bus|AER|pciehp'\n"
                "# cold restart; if it comes back and falls again: seat it anew, power, cooling, then replace it"
            ),
            components=(each.id,),
            harms=tuple(Harm(each.id, other.id) for other in topology.components(each.kind) if other.id != each.id),
            evidence=origins(said),
            grade=Grade.OBSERVED,
        )


def _refused(topology: Topology, name: str) -> list[Fact]:
    """Return what tells an NPU in alarm that its tool does not find any more."""
    board, health = topology.fact(name, "npu-smi.board"), topology.fact(name, "health")
    if board is None or board.status is not FactStatus.UNREADABLE or health is None or health.value in (None, "OK"):
        return []
    error = topology.fact(name, "health.error_information")
    return [board, health, *([error] if error is not None else [])]


def check_errors(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for the links on the ways of accelerators that had errors, by how bad they were."""
    if is_guest(topology):
        return
    bad: dict[str, Fact] = {}
    mild: dict[str, Fact] = {}
    for name in _on_ways(topology):
        for fact in topology.facts(name):
            if _is_bad(fact):
                bad.setdefault(name, fact)
            elif _is_mild(fact):
                mild.setdefault(name, fact)
    if bad:
        yield Finding(
            ERRORS,
            Severity.WARNING,
            f"errors that were not corrected, or links that had to be trained anew, at {_told(bad)}",
            remedy=_look(topology, bad),
            components=tuple(bad),
            harms=_harms(topology, bad),
            evidence=origins(bad.values()),
            grade=Grade.OBSERVED,
        )
    elif mild:
        message = f"there were errors at {_told(mild)} at some time; whether they go on takes two recordings to tell"
        yield could_not_tell(ERRORS, message, _look(topology, mild), tuple(mild), origins(mild.values()))


def check_hccs(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for NPUs whose HCCS is not healthy, or whose links run on fewer lanes."""
    sick: dict[str, list[Fact]] = {}
    for fact in topology.facts():
        health = fact.name == "hccs.health" and fact.value not in (None, "OK")
        lanes = fact.name.startswith("hccs.") and fact.name.endswith(".lanes")
        if health or (lanes and _is_reduced(str(fact.value))):
            sick.setdefault(fact.component, []).append(fact)
    for name, facts in sick.items():
        said = ", ".join(f"{fact.name.removeprefix('hccs.')} {fact.value}" for fact in facts)
        yield Finding(
            HCCS,
            Severity.WARNING,
            f"HCCS of {name} is not well: {said}; what passes a link with fewer lanes gets less in proportion",
            remedy=(
                "npu-smi info -t hccs -i NPU -c CHIP\nnpu-smi info -t health -i NPU\n"
                "# errors that grow, or lanes that stay down after a cold restart: replace the module (BMC 0x28000049)"
            ),
            components=(name,) if name in topology else ("host",),
            harms=_peers(topology, name),
            evidence=origins(facts),
            grade=Grade.OBSERVED,
        )


def _on_ways(topology: Topology) -> list[str]:
    """Return both ends of the links on the ways of accelerators and their NICs."""
    names: dict[str, None] = {}
    for way in ways_of(topology):
        names |= {way.link.source: None, way.link.target: None}
    for each in topology.components(Kind.ACCELERATOR):
        names.setdefault(each.id)
    return list(names)


def _is_bad(fact: Fact) -> bool:
    worst = fact.name in ("counter.pcie.replay_rollovers", "kernel.aer.uncorrected")
    return worst and isinstance(fact.value, int) and fact.value > 0


def _is_mild(fact: Fact) -> bool:
    """Tell repeated packets, and errors at some time since boot, which a reset leaves behind as well.

    The bits that training leaves behind (RxErr, BadTLP) are on most healthy links.
    """
    if fact.name == "aer.uncorrectable" and isinstance(fact.value, str):
        return any(bit not in _HARMLESS for bit in fact.value.split())
    if fact.name in ("counter.pcie.replays", "kernel.aer.corrected"):
        return isinstance(fact.value, int) and fact.value > 0
    return fact.name == "aer.correctable" and isinstance(fact.value, str) and "Rollover" in fact.value.split()


def _is_reduced(lanes: str) -> bool:
    return set(lanes) == {"0", "1"}


def _told(facts: dict[str, Fact]) -> str:
    return listed(f"{name} ({fact.name} {fact.value})" for name, fact in facts.items())


def _look(topology: Topology, facts: dict[str, Fact]) -> str:
    commands = [
        f"sudo lspci -s {address_of(topology, name)} -vvv | grep -E 'LnkSta:|UESta:|CESta:'"
        for name in list(facts)[:4]
        if topology.component(name).pci is not None
    ]
    return "\n".join(
        [
            *commands,
            "nvidia-smi -q | grep -A1 -i replay",
            "sudo dmesg | grep -iE 'PCIe Bus Error|AER'",
            "# record again under load and compare; growing: seat card, riser and cable anew",
        ]
    )


def _harms(topology: Topology, names: dict[str, Fact]) -> tuple[Harm, ...]:
    near = neighbours(topology)
    harmed = [name for name in names if name in near]
    return tuple(Harm(name, own) for name in harmed if (own := near[name].own) is not None)


def _peers(topology: Topology, name: str) -> tuple[Harm, ...]:
    if name not in topology:
        return ()
    return tuple(Harm(name, link.other(name)) for link in topology.links_of(name) if link.medium == "hccs")


LOST_RULE = Rule(
    LOST,
    "A device fell off the bus",
    check_lost,
    reasoning=(
        "lspci reads only ones from the device (rev ff, header type 7f), or the driver's log says so (Xid 79). "
        "Nothing reaches it until a restart."
    ),
    remedy="Cold restart; then seat, power and cooling; then replacement.",
    sources=("NVIDIA Xid errors: 79", "lspci documentation: rev ff"),
)

ERRORS_RULE = Rule(
    ERRORS,
    "A PCIe link on the way had errors",
    check_errors,
    reasoning=(
        "A corrected error costs a retransmission: latency first, bandwidth if there are many. One that grows between "
        "two recordings tells a bad contact. Replay rollovers train the link anew, and uncorrected errors lose data. "
        "Single corrected bits since boot come from training and are on most healthy links."
    ),
    remedy="Record twice under load and compare; seat card, riser and cable anew where counts grow.",
    sources=("gpu-pcie-path-validator", "Linux kernel documentation: pcieaer-howto"),
)

HCCS_RULE = Rule(
    HCCS,
    "HCCS of an NPU is not healthy",
    check_hccs,
    reasoning=(
        "npu-smi prints the health of an NPU's HCCS, and which of the four lanes of each link are up. NOK, or a lane "
        "that is down, means less for the pair at that link, while the matrix may still print HCCS."
    ),
    remedy="npu-smi info -t hccs; cold restart; replace the module if it stays.",
    sources=("Ascend mind-cluster, fault codes of HCCS", "vllm-project/vllm-ascend#12318"),
)
