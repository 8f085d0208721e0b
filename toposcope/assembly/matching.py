"""Which reference machines a host may be: same accelerators, same words between them, same NICs in the same places.

PIX and PXB count as one class: which of the two firmware makes of one switch is its own affair. What the evidence does
not show is no difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.assembly.reference import NETWORK, topology_of_machine
from toposcope.model import Kind, Reach
from toposcope.model.placement import chain, reach

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toposcope.assembly.figures import Lookup
    from toposcope.model import Topology
    from toposcope.profiles.catalogue import Device
    from toposcope.profiles.machine import Machine

_NEAR = (Reach.SAME_SWITCH, Reach.SWITCHES)
_PCIE_WORDS = frozenset({"PIX", "PXB", "PHB", "NODE", "SYS", "SOC"})
_SAYS_NOTHING = frozenset({"N/A", "NA"})


@dataclass(frozen=True)
class Match:
    """One machine, in what it differs, and which of its components stand for those of the host."""

    machine: Machine
    differences: tuple[str, ...]
    reference: Topology | None = None
    pairs: dict[str, str] = field(default_factory=dict)


def match_machines(
    topology: Topology, machines: Sequence[Machine], lookup: Lookup, devices: Mapping[str, Sequence[Device]]
) -> list[Match]:
    """Return the machines with the same accelerators and fabric, each with what else it differs in, best first.

    A single machine is one that the user names: it is paired as far as that goes even where its NICs differ.
    """
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]
    if not accelerators:
        return []
    matches = [
        _match(topology, machine, lookup, accelerators, named=len(machines) == 1)
        for machine in machines
        if (not machine.guest or len(machines) == 1 or _is_guest(topology))
        if _same_accelerators(topology, machine, accelerators, lookup, devices)
        and _same_words(topology, machine, accelerators)
    ]
    alike = (match for match in matches if match is not None)
    nics = sum(1 for _ in topology.components(Kind.NIC))
    return sorted(alike, key=lambda match: (len(match.differences), _apart(match.machine, nics)))


def _is_guest(topology: Topology) -> bool:
    """Tell whether a cloud's guest may be meant: not where the PCIe tree of a bare host was seen."""
    seen = any(switch.pci is not None for switch in topology.components(Kind.PCIE_SWITCH))
    return not seen or topology.fact("host", "hypervisor") is not None


def _same_accelerators(
    topology: Topology,
    machine: Machine,
    accelerators: Sequence[str],
    lookup: Lookup,
    devices: Mapping[str, Sequence[Device]],
) -> bool:
    parts = machine.accelerators
    if parts is None or len(parts.at) != len(accelerators):
        return False
    if any(name.startswith("GPU") is not (parts.prefix == "GPU") for name in accelerators if not name[0].isdigit()):
        return False
    model = lookup.devices(names=[parts.model])
    fits = [devices.get(name) for name in accelerators]
    if not any(fits) and not _has_words(topology, accelerators):
        return False  # a number of accelerators alone tells nothing
    return all(not fitting or any(device in fitting for device in model) for fitting in fits)


def _has_words(topology: Topology, accelerators: Sequence[str]) -> bool:
    pairs = combinations(accelerators, 2)
    return any(each.word not in _SAYS_NOTHING for a, b in pairs for each in topology.relations(a, b))


def _same_words(topology: Topology, machine: Machine, accelerators: Sequence[str]) -> bool:
    """Compare the fabric word of every pair that has a word, before a machine is built at all."""
    for (i, a), (j, b) in combinations(enumerate(accelerators), 2):
        words = [relation.word for relation in topology.relations(a, b) if relation.word not in _SAYS_NOTHING]
        if words and not topology.fact("host", "fabric.hidden") and not _fits(words, expected_word(machine, i, j)):
            return False
    return True


def _fits(words: Sequence[str], expected: str | None) -> bool:
    fabric = [word for word in words if word not in _PCIE_WORDS]
    return expected in fabric if expected is not None else not fabric


def expected_word(machine: Machine, i: int, j: int) -> str | None:
    """Return the fabric word of two accelerators of a reference machine, None where only PCIe joins them."""
    fabric = machine.fabric
    if fabric is None:
        return None
    if fabric.switches:
        return f"NV{sum(fabric.links_per_switch or (1,) * (fabric.switches // fabric.boards))}"
    links = next((count for a, b, count in fabric.pairs or () if {a, b} == {i, j}), None)
    if links is None and any(i in group and j in group for group in fabric.groups or ()):
        links = fabric.links_per_pair
    if links is None:
        return None
    return f"NV{links}" if fabric.medium == "nvlink" else fabric.medium.upper()


def _match(
    topology: Topology, machine: Machine, lookup: Lookup, accelerators: Sequence[str], *, named: bool
) -> Match | None:
    apart = _nic_count(machine, sum(1 for _ in topology.components(Kind.NIC)))
    if apart is not None and not named:
        return Match(machine, (apart,))
    reference = topology_of_machine(machine, lookup)
    theirs = [each.id for each in reference.components(Kind.ACCELERATOR)]
    pairs = dict(zip(accelerators, theirs, strict=True))
    if _between_accelerators(topology, reference, pairs) or _nvswitches(topology, reference):
        return None
    differences, nics = _nics(topology, reference, pairs) if apart is None else ([apart], {})
    pairs |= nics
    pairs |= _switches(topology, reference, pairs)
    for mine, other in list(pairs.items()):
        pairs |= {f"{mine}/p{port}": f"{other}/p{port}" for port in (1, 2)}
    return Match(machine, (*differences, *_rates(topology, reference, pairs)), reference, pairs)


def _apart(machine: Machine, nics: int) -> int:
    return abs(sum(len(group.at) for group in machine.nics) - nics)


def _rates(topology: Topology, reference: Topology, pairs: Mapping[str, str]) -> list[str]:
    """Say where a port has another rate than the one of the reference machine that stands for it."""
    wrong: Counter[tuple[float, float]] = Counter()
    for mine, other in pairs.items():
        own = topology.link(mine, NETWORK) if mine in topology and "/p" in mine else None
        theirs = reference.link(other, NETWORK) if other in reference else None
        if own is not None and theirs is not None and own.line and theirs.line and own.line != theirs.line:
            wrong[own.line.gbps, theirs.line.gbps] += 1
    return [f"{count} ports of {mine:g} Gb/s, not {other:g}" for (mine, other), count in wrong.items()]


def _nic_count(machine: Machine, count: int) -> str | None:
    """Say in how many NICs a machine differs: all of its own count, or those for accelerators."""
    every = sum(len(group.at) for group in machine.nics)
    compute = sum(len(group.at) for group in machine.nics if group.role == "compute")
    return None if count in (every, compute) else f"{count} NICs, not {compute}"


def _between_accelerators(topology: Topology, reference: Topology, pairs: Mapping[str, str]) -> bool:
    """Tell whether any pair of accelerators is joined by another word than on the reference machine."""
    for (a, first), (b, second) in combinations(pairs.items(), 2):
        mine, other = _word(topology, a, b), _word(reference, first, second)
        if mine is not None and other is not None and mine != other:
            return True
    return False


def _word(topology: Topology, a: str, b: str) -> str | None:
    relations = topology.relations(a, b)
    for relation in relations:
        if relation.reach is None and relation.word not in ("N/A", "NA"):
            return relation.word
    return _class(next((relation.reach for relation in relations), None))


def _class(distance: Reach | None) -> str | None:
    if distance is None:
        return None
    return "PIX or PXB" if distance in _NEAR else distance.word


def _nvswitches(topology: Topology, reference: Topology) -> bool:
    """Tell whether the NVSwitches that are seen are another number than on the reference machine."""
    mine = [each for each in topology.components(Kind.NVSWITCH) if each.count is not None]
    return bool(mine) and len(mine) != sum(1 for _ in reference.components(Kind.NVSWITCH))


def _nics(topology: Topology, reference: Topology, pairs: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Pair the NICs by how far they are from each accelerator."""
    mine = list(topology.components(Kind.NIC))
    every = list(reference.components(Kind.NIC))
    compute = [each for each in every if each.role not in ("storage", "management")]
    theirs = every if len(mine) == len(every) else compute
    if not mine and not theirs:
        return [], {}
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
