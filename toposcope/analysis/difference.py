"""In what two machines differ: their parts, and the answers that the same questions get on each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.analysis.analysis import Analysis
    from toposcope.analysis.route import Route

Value = str | int | float | None

_COUNTED = (Kind.SOCKET, Kind.NUMA, Kind.PCIE_SWITCH, Kind.NVSWITCH, Kind.ACCELERATOR, Kind.NIC)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same on both machines; bandwidths are GB/s, one direction."""

    what: str
    a: Value
    b: Value


def differences(a: Analysis, b: Analysis) -> Iterator[Difference]:
    """Yield the differences: parts first, then every pair and way out that both machines have."""
    for table in (_parts, _answers):
        mine, other = table(a), table(b)
        for what in dict.fromkeys((*mine, *other)):
            if mine.get(what) != other.get(what):
                yield Difference(what, mine.get(what), other.get(what))


def _parts(analysis: Analysis) -> dict[str, Value]:
    topology = analysis.topology
    parts: dict[str, Value] = {}
    for kind in _COUNTED:
        counts = [each.count for each in topology.components(kind)]
        parts[f"number: {kind}"] = None if None in counts else sum(count for count in counts if count is not None)
    models = Counter(each.model for each in topology.components(Kind.ACCELERATOR) if each.model)
    parts["accelerators"] = ", ".join(f"{count} x {model}" for model, count in models.items()) or None
    for fact in topology.facts("host"):
        parts[f"host: {fact.name}"] = fact.value
    return parts


def _answers(analysis: Analysis) -> dict[str, Value]:
    answers: dict[str, Value] = {}
    for pair in analysis.pairs:
        answers |= _answer(f"{pair.source} to {pair.target}", pair.route)
    for remote in analysis.remote:
        answers |= _answer(f"{remote.source} to remote", remote.route)
    return answers


def _answer(question: str, route: Route | None) -> dict[str, Value]:
    if route is None:
        return {}
    line = route.limit.line
    return {f"{question}: transport": route.transport.value, f"{question}: GB/s": None if line is None else line.gbs}
