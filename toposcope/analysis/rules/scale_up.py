"""off-fabric and fabric-links-fewer: an accelerator that lost its scale-up links, or some of them.

By design, and no fault: PCIe cards without a bridge, the links of a card that its bridges do not use, equally many
inactive links on all accelerators of a model (H100 PCIe: 12 of 18 in use), pairs of a partial mesh, MIG.
NPUs are another rule's business: their words tell links from boards in a way of their own.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.fabric import fabric_links
from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.routes import peer_answers
from toposcope.analysis.rules.harm import both_carried, default_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import (
    could_not_tell,
    is_guest,
    listed,
    number_of,
    origins,
    recorded_accelerators,
    value_of,
)
from toposcope.model import Grade, Kind, Medium

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis.route import Route
    from toposcope.base import Origin
    from toposcope.model import Topology

OFF, FEWER = "off-fabric", "fabric-links-fewer"
_MEDIA = (Medium.NVLINK, Medium.XGMI)
_SWITCHES = (Kind.NVSWITCH, Kind.FABRIC_SWITCH)
_A_MESH = 3
_LOOK = "nvidia-smi nvlink -s\nnvidia-smi -q | grep -A4 -i fabric\nsudo dmesg | grep -iE 'NVRM|Xid|nvlink'"


def check_off(topology: Topology) -> Iterator[Finding]:
    """Yield one finding for the accelerators that the fabric does not join while it joins others like them."""
    accelerators = [each.id for each in recorded_accelerators(topology)]
    joined = [name for name in accelerators if _links(topology, name)]
    apart = [name for name in accelerators if name not in joined and not _may_be_apart(topology, name)]
    lost = [name for name in apart if _says_inactive(topology, name) and (len(accelerators) > 1 or name != "GPU0")]
    unsure: list[str] = []
    switched = _is_switched(topology, joined)
    if switched or _is_full_mesh(topology, joined):
        models = {topology.component(name).model for name in joined}
        like = [name for name in apart if name not in lost and topology.component(name).model in models]
        like = [name for name in like if _words(topology, name, joined)]
        lost += [name for name in like if switched or topology.component(name).model is not None]
        unsure = [name for name in like if name not in lost]
    if lost:
        yield _off(topology, lost, joined)
    elif unsure:
        message = (
            f"{listed(unsure)} {'is' if len(unsure) == 1 else 'are'} not in the mesh of {listed(joined)}: a display "
            "card is none the worse for it, one of the same model has lost its links; the models were not recorded"
        )
        lines = dict.fromkeys(line for name in unsure for line in _words(topology, name, joined))
        yield could_not_tell(OFF, message, "nvidia-smi -L\nnvidia-smi nvlink -s", unsure, lines)


def check_fewer(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for accelerators with fewer working links than their like, and one for odd bridges."""
    counts = {each.id: _working(topology, each.id) for each in recorded_accelerators(topology)}
    models: dict[tuple[str | None, float | None], list[str]] = {}
    for name, count in counts.items():
        if count:
            models.setdefault((topology.component(name).model, _listed_links(topology, name)), []).append(name)
    fewer: dict[str, float] = {}
    for names in models.values():
        most = max(counts[name] or 0 for name in names)
        fewer |= {name: most for name in names if (counts[name] or 0) < most}
        if len(names) == 1 and (made := _should_have(topology, names[0])) is not None:
            fewer |= {names[0]: made}
    for name, most in fewer.items():
        yield _fewer(topology, name, counts[name] or 0, most)
    if not fewer:
        yield from _bridges(topology)


def _links(topology: Topology, name: str) -> bool:
    return any(link.medium in _MEDIA and link.count != 0 for link in fabric_links(topology, name))


def _may_be_apart(topology: Topology, name: str) -> bool:
    """Tell accelerators for which no fabric is no fault: partitioned ones, and cards that need a bridge."""
    return value_of(topology, name, "mig.enabled") is True or value_of(topology, name, "form_factor") == "PCIe"


def _says_inactive(topology: Topology, name: str) -> bool:
    """Tell an accelerator whose own status lists its links as inactive, all of them."""
    if value_of(topology, name, "nvlink.state") == "inactive":
        return True
    active, down = (number_of(topology, name, f"fabric.links.{state}") for state in ("active", "inactive"))
    return active == 0 and bool(down) and value_of(topology, name, "form_factor") is not None


def _is_switched(topology: Topology, joined: Sequence[str]) -> bool:
    ends = (link.other(name) for name in joined for link in fabric_links(topology, name))
    return any(topology.component(end).kind in _SWITCHES for end in ends)


def _is_full_mesh(topology: Topology, joined: Sequence[str]) -> bool:
    """Tell a mesh that is meant to join all: three and more, each linked to each."""
    pairs = combinations(joined, 2)
    return len(joined) >= _A_MESH and all(topology.link(a, b) is not None for a, b in pairs)


def _words(topology: Topology, name: str, joined: Sequence[str]) -> list[Origin]:
    """Return the cells that show an accelerator at the others by PCIe alone."""
    said = [topology.relations(name, other)[:1] for other in joined]
    return [relation.origin for relations in said for relation in relations if relation.reach is not None]


def _off(topology: Topology, lost: Sequence[str], joined: Sequence[str]) -> Finding:
    near = neighbours(topology)
    healthy = next(
        (route for a, b in combinations(joined, 2) if (route := default_of(peer_answers(topology, a, b, near)))), None
    )
    harms = [
        _harm(healthy, default_of(peer_answers(topology, name, other, near)), name, other)
        for name in lost
        for other in joined
    ]
    facts = [topology.fact(name, fact) for name in lost for fact in ("nvlink.state", "fabric.links.inactive")]
    others = f", unlike {listed(joined)}" if joined else ""
    guest = is_guest(topology)
    return Finding(
        OFF,
        Severity.WARNING if guest else Severity.CRITICAL,
        f"{listed(lost)} {'has' if len(lost) == 1 else 'have'} no working scale-up link{others}: what they send to "
        "their peers goes over PCIe, and collectives run at its pace",
        remedy=f"{_LOOK}\n# reset the GPU (nvidia-smi -r) or restart; if it stays: drain the node, module or baseboard",
        components=tuple(lost),
        harms=tuple(harms),
        evidence=(*origins(facts), *(dict.fromkeys(line for name in lost for line in _words(topology, name, joined)))),
        grade=Grade.OBSERVED,
    )


def _harm(healthy: Route | None, now: Route | None, name: str, other: str) -> Harm:
    if healthy is None or now is None:
        return Harm(name, other)
    before, after = both_carried(healthy, now)
    return Harm(name, other, before, after)


def _working(topology: Topology, name: str) -> float | None:
    """Return the number of working links: as its status lists them, else to the switches that it hangs on.

    The words of a mesh are not summed: in a container or a guest some of its pairs are out of sight.
    """
    active = number_of(topology, name, "fabric.links.active")
    if active is not None:
        return active
    ups = [link for link in fabric_links(topology, name) if topology.component(link.other(name)).kind in _SWITCHES]
    if not ups or any(link.medium not in _MEDIA or link.count is None or link.grade is Grade.ASSUMED for link in ups):
        return None
    return float(sum(link.count or 0 for link in ups))


def _listed_links(topology: Topology, name: str) -> float | None:
    """Return how many links the status lists, up or not: a list that was cut short is not compared with a whole one."""
    down = number_of(topology, name, "fabric.links.inactive")
    return None if down is None else (number_of(topology, name, "fabric.links.active") or 0) + down


def _should_have(topology: Topology, name: str) -> float | None:
    """Return how many links an accelerator has that is shown alone, where its status lists inactive ones by fault."""
    active, down = (number_of(topology, name, f"fabric.links.{state}") for state in ("active", "inactive"))
    made = number_of(topology, name, "fabric.links.made")
    alone = value_of(topology, name, "form_factor") in (None, "PCIe") or is_guest(topology)
    return made if not alone and active and down and made == active + down else None


def _fewer(topology: Topology, name: str, count: float, most: float) -> Finding:
    near = neighbours(topology)
    harms = []
    for other in (each.id for each in recorded_accelerators(topology) if each.id != name):
        route = default_of(peer_answers(topology, name, other, near))
        if route is None or route.segments[0].medium not in _MEDIA:
            continue
        figure = route.limit.usable.typical if route.limit.usable is not None else route.limit.line
        before = figure * (most / count) if figure is not None and count else None
        harms.append(Harm(name, other, before, figure))
    facts = [topology.fact(name, f"fabric.links.{state}") for state in ("inactive", "active")]
    lines = [link.origin for link in fabric_links(topology, name)]
    return Finding(
        FEWER,
        Severity.WARNING,
        f"{name} has {count:.0f} working links of {most:.0f}",
        remedy=f"{_LOOK}\n# reset the GPU or restart; a bridge: seat it anew; if it stays: the module or baseboard",
        components=(name,),
        harms=tuple(harms),
        evidence=origins(facts) or tuple(dict.fromkeys(lines)),
        grade=Grade.OBSERVED,
    )


def _bridges(topology: Topology) -> Iterator[Finding]:
    """Judge pairs of cards that a bridge joins by an odd number of links: bridges have an even one."""
    for link in topology.links():
        ends = [topology.component(end) for end in (link.source, link.target)]
        if link.medium is not Medium.NVLINK or any(end.kind is not Kind.ACCELERATOR for end in ends):
            continue
        if not link.count or link.count == 1 or link.count % 2 == 0 or link.grade is Grade.ASSUMED:
            continue
        form, made = (
            value_of(topology, link.source, "form_factor"),
            number_of(topology, link.source, "fabric.links.made"),
        )
        if form == "PCIe" and made and link.count < made:
            yield _half_seated(link.source, link.target, link.count, made, link.origin)
        elif form is None and len(list(topology.components(Kind.ACCELERATOR))) == len(ends):
            message = (
                f"{link.source} and {link.target} are joined by {link.count} links, which no bridge of two cards has: "
                "one of four may be down, or the bridge not seated; the model was not recorded"
            )
            remedy = "nvidia-smi -L\nnvidia-smi nvlink -s"
            yield could_not_tell(FEWER, message, remedy, (link.source, link.target), (link.origin,))


def _half_seated(a: str, b: str, count: int, made: float, origin: Origin) -> Finding:
    return Finding(
        FEWER,
        Severity.WARNING,
        f"{a} and {b} are joined by {count} links, and the cards have {made:.0f}: the bridge is not seated, or a link "
        "of it is down",
        remedy=f"{_LOOK}\n# switch off, seat the bridge anew, look again",
        components=(a, b),
        harms=(Harm(a, b),),
        evidence=(origin,),
        grade=Grade.OBSERVED,
    )


OFF_RULE = Rule(
    OFF,
    "An accelerator is off the scale-up fabric",
    check_off,
    reasoning=(
        "In a fabric that joins all accelerators, one shows PCIe words (NODE, SYS) to every peer, or lists all of its "
        "links as inactive. Collectives over all then run at the pace of PCIe or fail. Cards that need a bridge, MIG "
        "and other models are no fault."
    ),
    remedy="Read nvlink -s and the kernel log, reset the GPU, restart; replace the module if it stays.",
    sources=("vllm-project/vllm#16336", "leptonai/gpud#1085", "NVIDIA/NVSentinel#1481 (by design)"),
)

FEWER_RULE = Rule(
    FEWER,
    "An accelerator has fewer working links than it should",
    check_fewer,
    reasoning=(
        "Each link carries its share of the fabric's bandwidth. Fewer than an accelerator's like on the same host, or "
        "a bridge with an odd number of links, is a link that is down or a bridge that is half seated. Equally many "
        "inactive links on all of a model are by design (H100 PCIe uses 12 of 18)."
    ),
    remedy="nvidia-smi nvlink -s; seat the bridge anew, reset, restart; replace the module if it stays.",
    sources=("Azure/azhpc-diagnostics#73", "NVIDIA/nccl#340", "NVIDIA/nccl#557", "Azure/azurehpc#162 (by design)"),
)
