"""What rules speak of and how they name it: recorded accelerators, addresses for commands, lists for messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Severity, Verdict
from toposcope.model import Grade, Kind
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toposcope.base import Origin
    from toposcope.model import Component, Fact, FactValue, Topology

_NO_EVIDENCE = ("profile", "catalogue")
_MOST_NAMED = 4


def accelerators_of(topology: Topology) -> list[Component]:
    """Return the accelerators, slices of them left out."""
    return [each for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]


def is_recorded(component: Component) -> bool:
    """Tell what a tool showed from what a reference machine assumes: of the latter nobody can be asked."""
    return component.origin.source not in _NO_EVIDENCE


def recorded_accelerators(topology: Topology) -> list[Component]:
    """Return the accelerators that a tool showed."""
    return [each for each in accelerators_of(topology) if is_recorded(each)]


def is_guest(topology: Topology) -> bool:
    """Tell a virtual machine: its bridges are its hypervisor's invention."""
    fact = topology.fact("host", "hypervisor")
    return fact is not None and fact.value is not None


def is_virtual(topology: Topology, nic: str) -> bool:
    """Tell a virtual function: its settings are those of the physical one, whatever its own bits read."""
    return "virtual function" in (topology.component(nic).model or "").lower()


def value_of(topology: Topology, component: str, name: str) -> FactValue:
    """Return the value of a fact, None where there is none."""
    fact = topology.fact(component, name)
    return None if fact is None else fact.value


def number_of(topology: Topology, component: str, name: str) -> float | None:
    """Return the number that a fact holds, None where it holds none."""
    value = value_of(topology, component, name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def address_of(topology: Topology, name: str) -> str:
    """Return what ``lspci -s`` takes for a component: its PCI address, else a name for it in capitals to be replaced.

    Bridges and devices that no tool names are called by their address.
    """
    address = topology.component(name).pci or name
    return address if ":" in address else f"ADDRESS_OF_{name}"


def below(topology: Topology, top: str, names: Iterable[str]) -> list[str]:
    """Return those of the components that hang below (or are) ``top``."""
    return [name for name in names if top in chain(topology, name)]


def listed(names: Iterable[str]) -> str:
    """Write names as a message does: the first few, and how many more."""
    once = list(dict.fromkeys(names))
    if len(once) <= _MOST_NAMED:
        return ", ".join(once)
    return f"{', '.join(once[: _MOST_NAMED - 1])} and {len(once) - _MOST_NAMED + 1} more"


def origins(facts: Iterable[Fact | None]) -> tuple[Origin, ...]:
    """Return the places of facts, each once."""
    return tuple(dict.fromkeys(fact.origin for fact in facts if fact is not None))


def could_not_tell(
    rule: str, message: str, remedy: str, components: Sequence[str] = (), evidence: Iterable[Origin] = ()
) -> Finding:
    """Make the answer of a rule that lacks evidence: ``remedy`` is the command that would tell."""
    return Finding(
        rule,
        Severity.INFO,
        message,
        remedy=remedy,
        verdict=Verdict.COULD_NOT_TELL,
        components=tuple(components),
        evidence=tuple(evidence),
        grade=Grade.UNKNOWN,
    )
