"""fabric-manager: switches of a scale-up fabric that nobody has set up, so that its links join nothing."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import is_guest, is_recorded, listed, origins, recorded_accelerators
from toposcope.model import Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Origin
    from toposcope.model import Fact, Topology

NAME = "fabric-manager"
SERVICE = "service.nvidia-fabricmanager"
_WAITING = ("not started", "in progress")
_WELL = ("success", "n/a")
_UNWELL = ("unhealthy", "limited capacity")
_RUNS = ("active", "activating", "reloading")
_LOOK = (
    "sudo systemctl restart nvidia-fabricmanager\nsystemctl status nvidia-fabricmanager\n"
    "nvidia-smi -q | grep -A4 -i fabric\n# its version has to be the driver's: dpkg -l | grep -i fabricmanager"
)


def check(topology: Topology) -> Iterator[Finding]:
    """Look at the state of the fabric, the service, the words of the pairs, and the domain of a rack."""
    names = [each.id for each in recorded_accelerators(topology)]
    proof, message = _unfinished(topology, names)
    if not proof:
        proof, message = _not_running(topology)
    if proof:
        yield _found(message, names, origins(proof), Severity.CRITICAL)
    elif lines := _switches_without_links(topology, names):
        switches = [each.id for each in topology.components(Kind.NVSWITCH)]
        told = (
            f"{listed(switches)} are on the bus, but no pair of accelerators is joined by the fabric: it is not set up"
        )
        yield _found(told, names, lines, Severity.WARNING)
    yield from _health(topology, names)
    yield from _domain(topology, names)


def _unfinished(topology: Topology, names: list[str]) -> tuple[list[Fact], str]:
    states = [fact for name in names if (fact := topology.fact(name, "fabric.state")) is not None and fact.value]
    waiting = [fact for fact in states if str(fact.value).lower() in _WAITING]
    if waiting:
        of = listed(fact.component for fact in waiting)
        return waiting, f"the fabric state of {of} is {waiting[0].value}, not Completed: CUDA cannot use the fabric"
    results = [fact for name in names if (fact := topology.fact(name, "fabric.status")) is not None and fact.value]
    failed = [fact for fact in results if str(fact.value).lower() not in _WELL]
    of = listed(fact.component for fact in failed)
    return failed, f"setting up the fabric ended with {failed[0].value} on {of}" if failed else ""


def _not_running(topology: Topology) -> tuple[list[Fact], str]:
    """Tell a service that is stopped on a host that needs it: one with switches on its bus."""
    service = topology.fact("host", SERVICE)
    if service is None or service.value is None or str(service.value).split()[0] in _RUNS:
        return [], ""
    if is_guest(topology) or not any(is_recorded(each) for each in topology.components(Kind.NVSWITCH)):
        return [], ""
    return [service], f"the fabric manager is {service.value}: without it NVSwitches pass nothing"


def _switches_without_links(topology: Topology, names: list[str]) -> tuple[Origin, ...]:
    """Return the cells of all pairs where every one is a PCIe word although switches are on the bus."""
    seen = [each for each in topology.components(Kind.NVSWITCH) if is_recorded(each) and each.pci is not None]
    said = [topology.relations(a, b)[:1] for a, b in combinations(names, 2)]
    if not seen or not said or not all(relations and relations[0].reach is not None for relations in said):
        return ()
    return (seen[0].origin, *dict.fromkeys(relations[0].origin for relations in said))


def _health(topology: Topology, names: list[str]) -> Iterator[Finding]:
    facts = [fact for name in names if (fact := topology.fact(name, "fabric.health.summary")) is not None]
    unwell = [fact for fact in facts if str(fact.value).lower() in _UNWELL]
    if unwell:
        of = [fact.component for fact in unwell]
        told = f"the fabric of {listed(of)} is {str(unwell[0].value).lower()}: some of its links or routes are out"
        yield _found(told, of, origins(unwell), Severity.WARNING)


def _domain(topology: Topology, names: list[str]) -> Iterator[Finding]:
    domain = topology.fact("host", "imex.domain")
    if domain is not None and domain.value is not None and str(domain.value).upper() != "UP":
        yield Finding(
            NAME,
            Severity.WARNING,
            f"the IMEX domain is {domain.value}, not UP: accelerators of other trays cannot be reached over NVLink",
            remedy="nvidia-imex-ctl -N\nsudo systemctl restart nvidia-imex\n# all nodes of nodes_config.cfg must run",
            components=tuple(names),
            evidence=(domain.origin,),
            grade=Grade.OBSERVED,
        )


def _found(message: str, names: list[str], evidence: tuple[Origin, ...], severity: Severity) -> Finding:
    return Finding(
        NAME,
        severity,
        message,
        remedy=_LOOK,
        components=tuple(names),
        harms=tuple(Harm(a, b) for a, b in combinations(names, 2)),
        evidence=evidence,
        grade=Grade.OBSERVED if severity is Severity.CRITICAL else Grade.DERIVED,
    )


RULE = Rule(
    NAME,
    "The scale-up fabric is not set up",
    check,
    reasoning=(
        "NVSwitches join accelerators only after the fabric manager has set them up; across trays an IMEX domain has "
        "to be UP as well. Until then the fabric's state is not Completed, CUDA fails or data goes over PCIe."
    ),
    remedy="Start nvidia-fabricmanager (and nvidia-imex) in the driver's version; read its log.",
    sources=(
        "NCCL documentation, performance and tuning: fabric manager",
        "leptonai/gpud, component fabric-manager",
        "NVIDIA Fabric Manager user guide",
    ),
)
