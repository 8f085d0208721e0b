"""What changed on one machine between two recordings, or differs between two machines of one kind.

Parts are matched by PCI address, else by the name a tool gives them, else by id: a NIC that is gone shifts the numbers
of those behind it. A fact counts where both recordings have it; counters and clocks do not. An idle link is no change.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.analysis.counts import count_of
from toposcope.analysis.nics import network_link, ports_of
from toposcope.model import SCALE_UP, FactStatus, Kind, Medium, State
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toposcope.analysis.analysis import Analysis
    from toposcope.base import Bandwidth
    from toposcope.model import Component, Fact, Link, Topology

_PARTS = (Kind.ACCELERATOR, Kind.NIC, Kind.PCIE_SWITCH, Kind.NVSWITCH, Kind.FABRIC_SWITCH, Kind.STORAGE)
_COUNTED = {
    Kind.SOCKET: "sockets",
    Kind.NUMA: "NUMA nodes",
    Kind.PCIE_SWITCH: "PCIe switches",
    Kind.NVSWITCH: "NVSwitches",
    Kind.NIC: "NICs",
}
_RESTLESS = ("utilisation", "performance_state", "power_state", "power.", "clocks.", "counter.", "link.status", "temp")
_MAY_MISS = 4
"""One accelerator in this many may be missing on a machine that is still the same."""

Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not the same on both machines; ``lost`` tells what is a loss from a to b."""

    what: str
    a: Value
    b: Value
    lost: bool = False


def same_kind(a: Topology, b: Topology) -> bool:
    """Tell whether two recordings speak of one machine, or of two that are built alike.

    An accelerator may be missing on one of the two, or a quarter of them.
    """
    ours, theirs = _keyed(a, b, Kind.ACCELERATOR)
    common = sum(1 for key in ours.keys() & theirs.keys() if ours[key].model == theirs[key].model)
    most = max(len(ours), len(theirs))
    return common > 0 and most - common <= max(1, most // _MAY_MISS)


def renamed(a: Topology, b: Topology) -> dict[str, str]:
    """Map the ids of the second machine to those that the same parts have on the first."""
    names: dict[str, str] = {}
    for kind in _PARTS:
        ours, theirs = _keyed(a, b, kind)
        names |= {theirs[key].id: ours[key].id for key in ours.keys() & theirs.keys()}
    for old, new in {new: old for old, new in names.items()}.items():
        names |= {
            port.id: own.id for own, port in zip(ports_of(a, old), ports_of(b, new), strict=False) if port.id != own.id
        }
    return names


def changes(a: Topology, b: Topology) -> tuple[Difference, ...]:
    """Return what is gone, then what got slower, then settings, then what is new or faster."""
    found = [*_parts(a, b), *_links(a, b), *_facts(a, b)]
    return tuple(sorted(found, key=lambda each: (not each.lost, each.a is None)))


def parts(a: Analysis, b: Analysis) -> tuple[Difference, ...]:
    """Return in how many parts, and in which models, two machines differ."""
    ours, theirs = _counts(a.topology), _counts(b.topology)
    return tuple(Difference(what, ours[what], theirs[what]) for what in ours if ours[what] != theirs[what])


def _counts(topology: Topology) -> dict[str, Value]:
    whole = [each for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]
    counts: dict[str, Value] = {"accelerators": _listed(each.model or "of unknown model" for each in whole)}
    counts["CPU"] = _models(topology, Kind.SOCKET)
    for kind, title in _COUNTED.items():
        counts[title] = count_of(topology, kind)
    nics = [each for each in topology.components(Kind.NIC) if each.role is None or each.role == "compute"]
    rates = [
        link.line
        for owner in (*nics, *whole)
        for port in ports_of(topology, owner.id)
        if (link := network_link(topology, port.id)) is not None
    ]
    counts["ports beside accelerators"] = _listed(f"{rate.gbps:.0f} Gb/s" for rate in rates if rate is not None)
    return counts


def _models(topology: Topology, kind: Kind) -> str | None:
    return _listed(each.model for each in topology.components(kind) if each.model and "/" not in each.id)


def _listed(words: Iterable[str | None]) -> str | None:
    return ", ".join(f"{count} x {word}" for word, count in Counter(words).items()) or None


def _parts(a: Topology, b: Topology) -> Iterator[Difference]:
    for kind in _PARTS:
        ours, theirs = _keyed(a, b, kind)
        for key, part in ours.items():
            if key not in theirs:
                yield Difference(f"{_called(part)}: {_described(part)}", "there", "gone", lost=True)
        for key, part in theirs.items():
            if key not in ours:
                yield Difference(f"{_called(part)}: {_described(part)}", None, "new")
    for old, new in _both(a, b):
        for name in ("model", "numa"):
            before, after = getattr(old, name), getattr(new, name)
            if before is not None and after is not None and before != after:
                yield Difference(f"{_called(old)}: {name}", before, after)


def _keyed(a: Topology, b: Topology, kind: Kind) -> tuple[dict[str, Component], dict[str, Component]]:
    """Key the parts of a kind alike on both machines: by the best name that all of them have."""
    both = [list(topology.components(kind)) for topology in (a, b)]
    for field in ("pci", "name", "id"):
        keys = [[getattr(part, field) for part in found] for found in both]
        if all(None not in each and len(set(each)) == len(each) for each in keys):
            return dict(zip(keys[0], both[0], strict=True)), dict(zip(keys[1], both[1], strict=True))
    return {}, {}


def _both(a: Topology, b: Topology) -> Iterator[tuple[Component, Component]]:
    for kind in _PARTS:
        ours, theirs = _keyed(a, b, kind)
        yield from ((ours[key], theirs[key]) for key in ours if key in theirs)


def _links(a: Topology, b: Topology) -> Iterator[Difference]:
    for old, new in _both(a, b):
        yield from _apart(f"{_called(old)}: PCIe link", _above(a, old.id), _above(b, new.id))
        ports = zip(ports_of(a, old.id), ports_of(b, new.id), strict=False)
        for one, other in ports:
            yield from _apart(f"{one.id}: port", network_link(a, one.id), network_link(b, other.id))
        if old.kind is Kind.ACCELERATOR:
            before, after = _scale_up(a, old.id), _scale_up(b, new.id)
            if before and after and before[0] != after[0]:
                lost = before[1] is not None and after[1] is not None and after[1] < before[1]
                yield Difference(f"{_called(old)}: links to its peers", before[0], after[0], lost=lost)


def _apart(what: str, old: Link | None, new: Link | None) -> Iterator[Difference]:
    if old is None or new is None or _words(old) == _words(new):
        return
    if State.IDLE in (old.state, new.state) and old.width == new.width:
        return
    down = new.state is State.DOWN and old.state is not State.DOWN
    slower = old.line is not None and new.line is not None and new.line < old.line
    yield Difference(what, _words(old), _words(new), lost=down or slower)


def _words(link: Link) -> str:
    state = f", {link.state}" if link.state in (State.DOWN, State.DEGRADED) else ""
    if link.medium is Medium.PCIE and link.generation is None and link.width is None and link.line is not None:
        return f"{link.line} GB/s{state}"
    if link.medium is Medium.PCIE:
        generation, width = link.generation or "?", link.width or "?"
        return f"Gen{generation} x{width}{state}"
    return ("rate unknown" if link.line is None else f"{link.line.gbps:.0f} Gb/s") + state


def _above(topology: Topology, name: str) -> Link | None:
    """Return the PCIe link above a device, over the inside of chips."""
    for below, above in pairwise(chain(topology, name)):
        link = topology.link(below, above)
        if link is not None and not link.internal:
            return link if link.medium is Medium.PCIE else None
    return None


def _scale_up(topology: Topology, name: str) -> tuple[str, Bandwidth | None] | None:
    """Say how many links to peers and switches an accelerator has, and what they carry together."""
    kinds = (Kind.ACCELERATOR, Kind.NVSWITCH, Kind.FABRIC_SWITCH)
    links = [
        link
        for link in topology.links_of(name)
        if link.medium in SCALE_UP and topology.component(link.other(name)).kind in kinds
    ]
    up = [link for link in links if link.state is not State.DOWN]
    if not links:
        return None
    lines = [link.line for link in up if link.line is not None]
    total = sum(lines[1:], start=lines[0]) if lines and len(lines) == len(up) else None
    counts = [link.count for link in up]
    number = "?" if None in counts else sum(count for count in counts if count is not None)
    return f"{number} x {links[0].medium}" + (f", {total} GB/s" if total is not None else ""), total


def _facts(a: Topology, b: Topology) -> Iterator[Difference]:
    """Yield the settings that both recordings have and that differ, those of many parts together."""
    pairs = [("host", "host"), *((old.id, new.id) for old, new in _both(a, b))]
    groups: dict[tuple[str, str, str], list[str]] = {}
    for old, new in pairs:
        for fact in a.facts(old):
            other = b.fact(new, fact.name)
            if other is None or fact.name.startswith(_RESTLESS) or _told(fact) == _told(other):
                continue
            if _is_absent(fact) or _is_absent(other):
                continue
            groups.setdefault((fact.name, _told(fact), _told(other)), []).append(old)
    for (name, before, after), owners in groups.items():
        who = owners[0] if len(owners) == 1 else f"{owners[0]} and {len(owners) - 1} more"
        yield Difference(f"{who}: {name}", before, after)


def _is_absent(fact: Fact) -> bool:
    return fact.status is not FactStatus.VALUE


def _told(fact: Fact) -> str:
    return str(fact.value) if fact.status is FactStatus.VALUE else fact.status.value


def _described(component: Component) -> str:
    return " ".join(word for word in (component.kind.value, component.model, component.pci) if word)


def _called(component: Component) -> str:
    return f"{component.id} ({component.name})" if component.name not in (None, component.id) else component.id
