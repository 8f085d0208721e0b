"""What benchmarks measured, laid on the components that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind, pci_address
from toposcope.collectors.records import Measurement as Record
from toposcope.model import Grade, Kind, Measurement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.collectors.records import Reading
    from toposcope.model import Component, Topology

_ADDRESS = "0123456789abcdef"
_ANYWHERE = ("host", "remote")
ELSEWHERE = "which this machine has not"
"""How the problem of a measurement ends that is of another machine's device."""
_NAMED = 8
"""So many NICs are named where one is not known."""


def add_measurements(topology: Topology, reading: Reading) -> None:
    """Note every measurement of a reading; one of a component that the machine does not have becomes a problem."""
    names = _names(topology)
    for record in reading.records:
        if isinstance(record, Record):
            made = _resolved(record, names, topology)
            if isinstance(made, Problem):
                topology.problems.append(made)
            else:
                topology.measurements.append(made)


def _names(topology: Topology) -> dict[str, str]:
    """Return the ids of accelerators and NICs by all that a tool may call them, in lower case."""
    names: dict[str, str] = {}
    for component in topology.components(Kind.ACCELERATOR, Kind.NIC):
        for name in (component.id, component.pci, component.name):
            if name:
                names.setdefault(name.lower(), component.id)
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]
    for number, name in enumerate(accelerators):
        for prefix in ("gpu", "npu"):
            names.setdefault(f"{prefix}{number}", name)
    return names


def _resolved(record: Record, names: dict[str, str], topology: Topology) -> Measurement | Problem:
    ends = [None if end is None else _find(end, names, topology) for end in (record.src, record.dst)]
    asked = [end for end in (record.src, record.dst) if end is not None]
    if len(asked) > sum(end is not None for end in ends):
        missing = next(end for end, found in zip((record.src, record.dst), ends, strict=True) if end and not found)
        return Problem(ProblemKind.UNREAD, record.origin, f"{record.tool} measured {_first(missing)}, {ELSEWHERE}")
    rdma = record.metric == "rdma"
    if rdma and record.members and _nic(record.members, names, topology) is None:
        named = ", ".join(map(_first, record.members))
        message = f"{record.tool} used {named}, which no NIC here is called ({_nics(topology)})"
        return Problem(ProblemKind.UNREAD, record.origin, message)
    members = tuple(found for each in record.members if (found := _find(each, names, topology)))
    listed = not rdma and len(members) < len(record.members) and all(each[0] in _ADDRESS for each in record.members)
    if listed and all(_has_address(each) for each in topology.components(Kind.ACCELERATOR)):
        missing = next(each for each in record.members if not _find(each, names, topology))
        message = f"{record.tool} ran on {_first(missing)} at {missing.partition('|')[0]}, {ELSEWHERE}"
        return Problem(ProblemKind.UNREAD, record.origin, message)
    return Measurement(
        record.tool,
        record.metric,
        record.value,
        record.origin,
        ends[0],
        ends[1],
        test=record.test,
        collective=record.collective,
        words=_words(record, ends),
        size=record.size,
        flows=record.flows,
        peer_access=record.peer_access,
        members=() if rdma else members if len(members) == len(record.members) else (),
        ranks=record.ranks,
        hosts=record.hosts,
        nic=_nic(record.members, names, topology) if rdma else None,
        algorithm=record.algorithm,
    )


def _find(name: str, names: dict[str, str], topology: Topology) -> str | None:
    for each in name.split("|"):
        if each.partition(":")[0] in _ANYWHERE:
            return each
        found = names.get((pci_address(each) or each).lower())
        if found is not None:
            return None if _elsewhere(found, name, topology) else found
    return None


def _elsewhere(found: str, name: str, topology: Topology) -> bool:
    """Tell a component whose known address is another than the one that the test printed beside its number."""
    printed, known = pci_address(name.partition("|")[0]), topology.component(found)
    return printed is not None and _has_address(known) and printed != known.pci


def _has_address(component: Component) -> bool:
    """Tell a component whose address a tool printed; a reference machine has those of its example."""
    return component.pci is not None and component.grade is not Grade.ASSUMED


def _nics(topology: Topology) -> str:
    names = [each.name or each.id for each in topology.components(Kind.NIC)]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"there are {', '.join(names[:_NAMED])}{more}" if names else "it shows none"


def _first(name: str) -> str:
    return name.rpartition("|")[2]


def _nic(members: Iterable[str], names: dict[str, str], topology: Topology) -> str | None:
    found = next((named for each in members if (named := _find(each, names, topology))), None)
    return found if found is not None and topology.component(found).kind is Kind.NIC else None


def _words(record: Record, ends: Sequence[str | None]) -> tuple[str, ...]:
    """Say the manner of copying in the words that efficiency classes end in."""
    host = [(end or "").startswith("host") for end in ends]
    words = [
        ("both", record.both is True),
        ("either", record.both is None),
        ("kernel", record.engine == "kernel"),
        ("cpu", record.engine == "cpu"),
        ("read", record.access == "read"),
        ("write", record.access == "write"),
        ("from-host", host[0] and record.metric == "memcpy"),
        ("to-host", host[1] and record.metric == "memcpy"),
    ]
    return tuple(word for word, holds in words if holds)
