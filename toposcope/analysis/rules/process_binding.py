"""process-far: a process may run, or put its memory, only on NUMA nodes away from the accelerators that it sees.

The CPUs come from ``numactl -s``, ``taskset -cp`` or ``/proc/PID/status``; a process that may run anywhere keeps the
rule. One that is bound to a part is far only where none of its accelerators is near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.remote import host_routes
from toposcope.analysis.rules.harm import both_carried
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, listed, origins, recorded_accelerators, value_of
from toposcope.analysis.rules.traffic import text_of, visible
from toposcope.model import Kind
from toposcope.model.placement import chain, host_end
from toposcope.model.spans import spans
from toposcope.model.vocabulary import Grade

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Fact, Topology

NAME = "process-far"
_CPUS = ("process.cpus", "numactl.physcpubind")
_NODES = ("process.mems", "numactl.membind")


def check(topology: Topology) -> Iterator[Finding]:
    """Compare the CPUs and nodes of the process with those beside the accelerators that it sees."""
    names, _ = visible(topology, [each.id for each in recorded_accelerators(topology)])
    bound = _first(topology, _CPUS), _first(topology, _NODES)
    if not names or bound == (None, None):
        return
    cpus = {name: cpus_of(topology, name) for name in names}
    nodes = {name: node for name in names if (node := node_of(topology, name)) is not None}
    if not any(cpus.values()) and not nodes:
        message = f"which CPUs are beside {listed(names)} is not known; the process is bound to {_told(bound)}"
        yield could_not_tell(NAME, message, "nvidia-smi topo -m  # and: lscpu", names, origins(bound))
        return
    far = [fact for fact in (bound[0],) if fact is not None and _misses_cpus(fact, cpus)]
    far += [fact for fact in (bound[1],) if fact is not None and _misses_nodes(fact, nodes, names)]
    if far:
        yield _found(topology, far, names, cpus)


def cpus_of(topology: Topology, name: str) -> frozenset[int]:
    """Return the CPUs beside a component: as a tool printed them, else those of its NUMA node."""
    printed = spans(str(value_of(topology, name, "cpus") or ""))
    if printed:
        return printed
    node = node_of(topology, name)
    return frozenset() if node is None else spans(str(value_of(topology, node, "cpus") or ""))


def node_of(topology: Topology, name: str) -> str | None:
    """Return the NUMA node above a component, or the one whose number a tool printed for it."""
    above = next((each for each in chain(topology, name) if topology.component(each).kind is Kind.NUMA), None)
    if above is not None:
        return above
    number = topology.component(name).numa
    nodes = (each.id for each in topology.components(Kind.NUMA) if each.numa == number and number is not None)
    return next(nodes, None)


def _first(topology: Topology, names: tuple[str, ...]) -> Fact | None:
    return next((fact for name in names if (fact := topology.fact("host", name)) is not None), None)


def _misses_cpus(fact: Fact, cpus: dict[str, frozenset[int]]) -> bool:
    mask = spans(text_of(fact))
    return bool(mask) and bool(cpus) and all(known and not mask & known for known in cpus.values())


def _misses_nodes(fact: Fact, nodes: dict[str, str], names: list[str]) -> bool:
    allowed = spans(text_of(fact))
    own = {int(digits) for node in nodes.values() if (digits := "".join(filter(str.isdigit, node)))}
    return bool(allowed) and len(nodes) == len(names) and bool(own) and not allowed & own


def _told(bound: tuple[Fact | None, Fact | None]) -> str:
    return listed(f"{fact.name.rpartition('.')[2]} {fact.value}" for fact in bound if fact is not None)


def _found(topology: Topology, far: list[Fact], names: list[str], cpus: dict[str, frozenset[int]]) -> Finding:
    first = names[0]
    node = node_of(topology, first)
    number = "".join(filter(str.isdigit, node or "")) or "NODE"
    printed = value_of(topology, first, "cpus") or (value_of(topology, node, "cpus") if node else None)
    bind = f"numactl --cpunodebind={number} --membind={number}" if node else f"taskset -c {printed or 'CPUS'}"
    return Finding(
        NAME,
        Severity.WARNING,
        f"the process is bound to {listed(_said(fact) for fact in far)}, away from {listed(names)}"
        + (f" (beside CPUs {printed})" if printed and cpus[first] else ""),
        remedy=f"{bind} JOB\ntoposcope affinity PATH --format numactl",
        components=tuple(names),
        harms=tuple(_harms(topology, names, far)),
        evidence=origins(far),
        grade=Grade.OBSERVED,
    )


def _said(fact: Fact) -> str:
    what = "CPUs" if "cpu" in fact.name else "memory of nodes"
    return f"{what} {fact.value}"


def _harms(topology: Topology, names: list[str], far: list[Fact]) -> Iterator[Harm]:
    """Put the copy to host memory where the process is beside that to the accelerator's own node."""
    away = next((node for node in _nodes(topology, far)), None)
    for name in names:
        own, other = (
            None if end is None else next(iter(host_routes(topology, name, end)), None)
            for end in (host_end(topology, name), away)
        )
        if own is not None and other is not None:
            yield Harm(name, "host", *both_carried(own, other))
        else:
            yield Harm(name, "host")


def _nodes(topology: Topology, far: list[Fact]) -> Iterator[str]:
    """Yield the NUMA nodes that the process is bound to."""
    for fact in far:
        mask = spans(text_of(fact))
        for node in topology.components(Kind.NUMA):
            cpus = spans(str(value_of(topology, node.id, "cpus") or ""))
            if (fact.name in _NODES and node.numa in mask) or (fact.name in _CPUS and mask & cpus):
                yield node.id


RULE = Rule(
    NAME,
    "A process is bound away from its accelerators",
    check,
    reasoning=(
        "Copies to host memory, launches and the library's helper threads then cross the socket link: a third of the "
        "rate has been seen on x86, and 115 instead of 330 GB/s on GB200."
    ),
    remedy="numactl --cpunodebind=N --membind=N, one process an accelerator; `toposcope affinity` prints the lines.",
    sources=("gearshifft PR 82", "pytorch/torchtitan#3519", "NVIDIA/TensorRT-LLM#18117"),
)
