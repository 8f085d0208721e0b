"""Which reference machines a host may be: same accelerators, same words between them, same NICs in the same places.

PIX and PXB count as one class: which of the two firmware makes of one switch is its own affair. What the evidence does
not show is no difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.assembly.reference import topology_of_machine
from toposcope.model import Kind, Reach
from toposcope.model.placement import chain, reach

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toposcope.assembly.figures import Lookup
    from toposcope.model import Topology
    from toposcope.profiles.catalogue import Device
    from toposcope.profiles.machine import Machine

_NEAR = (Reach.SAME_SWITCH, Reach.SWITCHES)


@dataclass(frozen=True)
class Match:
    """One machine, in what it differs, and which of its components stand for those of the host."""

    machine: Machine
    differences: tuple[str, ...]
    pairs: dict[str, str] = field(default_factory=dict)


def match_machines(
    topology: Topology, machines: Sequence[Machine], lookup: Lookup, devices: Mapping[str, Sequence[Device]]
) -> list[Match]:
    """Return the machines with as many accelerators of a model that fits, each with its differences, best first."""
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]
    if not accelerators:
        return []
    matches = [
        _match(topology, machine, lookup, accelerators)
        for machine in machines
        if _same_accelerators(machine, accelerators, lookup, devices) and _same_words(topology, machine, accelerators)
    ]
    return sorted(matches, key=lambda match: len(match.differences))


def _same_accelerators(
    machine: Machine, accelerators: Sequence[str], lookup: Lookup, devices: Mapping[str, Sequence[Device]]
) -> bool:
    parts = machine.accelerators
    if parts is None or len(parts.at) != len(accelerators):
        return False
    if parts.prefix == "NPU" and all(name.startswith("GPU") for name in accelerators):
        return False
    model = lookup.devices(names=[parts.model])
    fits = [devices.get(name) for name in accelerators]
    return all(not fitting or any(device in fitting for device in model) for fitting in fits)


def _same_words(topology: Topology, machine: Machine, accelerators: Sequence[str]) -> bool:
    """Compare the number of fabric links of one accelerator, before a machine is built at all."""
    words = [
        relation.word
        for other in accelerators[1:]
        for relation in topology.relations(accelerators[0], other)
        if relation.word.startswith("NV")
    ]
    fabric = machine.fabric
    if not words:
        return True
    if fabric is None:
        return False
    if fabric.links_per_switch is not None:
        return set(words) == {f"NV{sum(fabric.links_per_switch)}"}
    return fabric.medium == "nvlink"


def _match(topology: Topology, machine: Machine, lookup: Lookup, accelerators: Sequence[str]) -> Match:
    reference = topology_of_machine(machine, lookup)
    theirs = [each.id for each in reference.components(Kind.ACCELERATOR)]
    pairs = dict(zip(accelerators, theirs, strict=True))
    differences = [*_between_accelerators(topology, reference, pairs), *_nvswitches(topology, reference)]
    wrong, nics = _nics(topology, reference, pairs)
    differences += wrong
    pairs |= nics
    pairs |= _switches(topology, reference, pairs)
    for mine, other in list(pairs.items()):
        pairs |= {f"{mine}/p{port}": f"{other}/p{port}" for port in (1, 2)}
    return Match(machine, tuple(differences), pairs)


def _between_accelerators(topology: Topology, reference: Topology, pairs: Mapping[str, str]) -> list[str]:
    wrong: Counter[tuple[str, str]] = Counter()
    for a, first in pairs.items():
        for b, second in pairs.items():
            if a < b:
                mine, other = _word(topology, a, b), _word(reference, first, second)
                if mine is not None and other is not None and mine != other:
                    wrong[mine, other] += 1
    return [f"{count} pairs of accelerators are {mine}, not {other}" for (mine, other), count in wrong.items()]


def _word(topology: Topology, a: str, b: str) -> str | None:
    relations = topology.relations(a, b)
    for relation in relations:
        if relation.reach is None and relation.word not in ("N/A", "NA"):
            return relation.word
    return _class(next((relation.reach for relation in relations), None) or None)


def _class(distance: Reach | None) -> str | None:
    if distance is None:
        return None
    return "PIX or PXB" if distance in _NEAR else distance.word


def _nvswitches(topology: Topology, reference: Topology) -> list[str]:
    mine = [each for each in topology.components(Kind.NVSWITCH) if each.count is not None]
    theirs = sum(1 for _ in reference.components(Kind.NVSWITCH))
    return [f"{len(mine)} NVSwitches, not {theirs}"] if mine and len(mine) != theirs else []


def _nics(topology: Topology, reference: Topology, pairs: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Pair the NICs by how far they are from each accelerator."""
    mine = list(topology.components(Kind.NIC))
    every = list(reference.components(Kind.NIC))
    compute = [each for each in every if each.role not in ("storage", "management")]
    theirs = every if len(mine) == len(every) else compute
    if not mine and not theirs:
        return [], {}
    if len(mine) != len(theirs):
        return [f"{len(mine)} NICs, not {len(theirs)}"], {}
    columns = {nic.id: tuple(_class(reach(topology, name, nic.id)) for name in pairs) for nic in mine}
    free = {nic.id: tuple(_class(reach(reference, name, nic.id)) for name in pairs.values()) for nic in theirs}
    found: dict[str, str] = {}
    for name, column in columns.items():
        twin = next((other for other, seen in free.items() if seen == column), None)
        if twin is None:
            return [f"{name} is placed otherwise ({_places(column)})"], {}
        found[name] = twin
        del free[twin]
    return [], found


def _places(column: tuple[str | None, ...]) -> str:
    counts = Counter(word or "unknown" for word in column)
    return ", ".join(f"{word} to {count}" for word, count in counts.items())


def _switches(topology: Topology, reference: Topology, pairs: Mapping[str, str]) -> dict[str, str]:
    """Pair the switches above the accelerators and NICs."""
    found: dict[str, str] = {}
    for mine, other in pairs.items():
        ups = [name for name in chain(topology, mine) if topology.component(name).kind is Kind.PCIE_SWITCH]
        downs = [name for name in chain(reference, other) if reference.component(name).kind is Kind.PCIE_SWITCH]
        if len(ups) == len(downs):
            found |= dict(zip(ups, downs, strict=True))
    return found
