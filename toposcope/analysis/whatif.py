"""What a machine would be with other links: a pure function from a topology to a topology.

- ``NIC0.rate=400G``: the ports of a NIC, one port (``NIC0/p2``), or the port inside an accelerator; Gb/s.
- ``GPU3.width=16``, ``GPU3.generation=5``: the PCIe link above a device or switch, and of all functions of its card.
- a move ``mlx5_1:GPU4``: the card goes into a slot beside another device, below the same switch or root complex.
- ACS off: no port redirects any more, also where its bits were not read.

What is changed is graded as assumed, and its origin says what was asked.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from toposcope.analysis.naming import find
from toposcope.analysis.nics import network_link, ports_of
from toposcope.base import Bandwidth, Origin, UsageError
from toposcope.model import SCALE_UP, Component, Fact, FactStatus, Grade, Kind, Link, Medium, State, Topology
from toposcope.model.placement import chain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

SOURCE = "what-if"

_SETTING = re.compile(r"\s*(?P<name>.+)\.(?P<key>[a-z]+)\s*=\s*(?P<value>\S(?:.*\S)?)\s*")
_RATE = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,6})?)\s*(?P<unit>[A-Za-z/]{0,6})")
_BITS = ("", "g", "gb", "gbps", "gb/s", "gbit/s", "gbe")
_BYTES = ("GB", "GB/s", "GBps")
"""Of units with a capital B bytes are meant, but for the name of a kind of Ethernet (``100GbE``)."""
_NUMBER = re.compile(r"(?:gen|x)?(?P<number>\d{1,2})", re.IGNORECASE)
_REDIRECT = "acs.request_redirect"
_REDIRECTING = (Kind.PCIE_BRIDGE, Kind.PCIE_SWITCH, Kind.ACCELERATOR, Kind.NIC, Kind.STORAGE)
_WIDTHS = (1, 2, 4, 8, 12, 16, 32)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was changed, in words; ``note`` is what speaks against it."""

    component: str
    what: str
    before: str
    after: str
    note: str = ""


def what_if(
    topology: Topology, *, settings: Sequence[str] = (), moves: Sequence[str] = (), acs_off: bool = False
) -> tuple[Topology, tuple[Change, ...]]:
    """Return the machine as it would be, and what was changed. The topology given stays as it is.

    Moves come first, then settings, in their order. Raises UsageError for what has no meaning on this machine.
    """
    changes: list[Change] = []
    _once_each("--set", (text.partition("=")[0].strip() for text in settings))
    _once_each("--move", (text.partition(":")[0].strip() for text in moves))
    for text in moves:
        topology = _move(topology, text, changes)
    for text in settings:
        topology = _set(topology, text, changes)
    _all_known(topology, settings)
    if acs_off:
        topology = _without_acs(topology, changes)
    if not changes:
        raise UsageError("nothing would change: give --set NIC0.rate=400G, --move NIC1:GPU4 or --acs off")
    return topology, tuple(changes)


def _set(topology: Topology, text: str, changes: list[Change]) -> Topology:
    match = _SETTING.fullmatch(text)
    setter = _SETTERS.get(match["key"]) if match else None
    if match is None or setter is None:
        raise UsageError(f"--set takes NAME.rate, NAME.width or NAME.generation, as in GPU3.width=16, not {text!r}")
    component = find(topology, match["name"])
    links = setter(topology, component, match["value"])
    origin = Origin(SOURCE, f"--set {text.strip()}")
    fresh = [
        replace(link, origin=origin, grade=Grade.ASSUMED, state=_mended(link.state), usable=None) for link in links
    ]
    for old, new in zip(_old(topology, fresh), fresh, strict=True):
        changes.append(Change(new.source, _kind_of(new), _words(old), _words(new), _beyond(old, new)))
    return topology.with_links(fresh)


def _mended(state: State) -> State:
    """Return the state of what is set: it works, but one that was not recorded stays so, as that of others."""
    return State.UNKNOWN if state is State.UNKNOWN else State.UP


def _rate(topology: Topology, component: Component, value: str) -> list[Link]:
    match = _RATE.fullmatch(value)
    bits = None if match is None else 8 if match["unit"] in _BYTES else 1 if match["unit"].lower() in _BITS else None
    if match is None or bits is None or float(match["number"]) <= 0:
        raise UsageError(f"a rate is given in Gb/s, as in {component.id}.rate=400G, not {value!r}")
    names = (
        [component.id] if component.kind is Kind.NIC_PORT else [each.id for each in ports_of(topology, component.id)]
    )
    links = [link for name in names if (link := network_link(topology, name)) is not None]
    if not links:
        raise UsageError(f"{component.id} has no network port that is known here")
    return [replace(link, line=Bandwidth.gigabits(float(match["number"]) * bits)) for link in links]


def _width(topology: Topology, component: Component, value: str) -> list[Link]:
    number = _number(component, "width", value)
    if number not in _WIDTHS:
        raise UsageError(f"a PCIe link has {', '.join(map(str, _WIDTHS))} lanes, not {number}")
    return [_pcie(topology, replace(link, width=number)) for link in _slot(topology, component)]


def _generation(topology: Topology, component: Component, value: str) -> list[Link]:
    number = _number(component, "generation", value)
    if topology.figures.lanes and number not in topology.figures.lanes:
        raise UsageError(f"there is no figure for PCIe generation {number}")
    return [_pcie(topology, replace(link, generation=number)) for link in _slot(topology, component)]


_SETTERS: dict[str, Callable[[Topology, Component, str], list[Link]]] = {
    "rate": _rate,
    "width": _width,
    "generation": _generation,
    "gen": _generation,
}


def _number(component: Component, key: str, value: str) -> int:
    match = _NUMBER.fullmatch(value)
    if match is None:
        raise UsageError(f"{component.id}.{key} takes a number, not {value!r}")
    return int(match["number"])


def _slot(topology: Topology, component: Component) -> list[Link]:
    """Return the PCIe links above a device: its own, and those of the other functions of its card."""
    links = [link for name in _card(topology, component) if (link := _above(topology, name)) is not None]
    links = [link for link in links if link.medium is Medium.PCIE]
    if not links:
        raise UsageError(f"no PCIe link is known above {component.id}")
    return links


def _card(topology: Topology, component: Component) -> list[str]:
    if component.card is None or component.kind is not Kind.NIC:
        return [component.id]
    parent = topology.parent(component.id)
    nics = (each for each in topology.components(Kind.NIC) if each.card == component.card)
    return [each.id for each in nics if topology.parent(each.id) == parent]


def _above(topology: Topology, name: str) -> Link | None:
    """Return the link above a device, over the inside of chips."""
    for below, above in pairwise(chain(topology, name)):
        link = topology.link(below, above)
        if link is not None and not link.internal:
            return link
    return None


def _pcie(topology: Topology, link: Link) -> Link:
    """Give a link the line figure of its generation and width; none while one of the two is not known."""
    return replace(link, line=topology.figures.pcie(link.generation, link.width))


def _all_known(topology: Topology, settings: Sequence[str]) -> None:
    """Refuse settings that leave a link without a figure: its other half is not known and was not set either."""
    for text in settings:
        match = _SETTING.fullmatch(text)
        component = find(topology, match["name"]) if match is not None else None
        link = _above(topology, component.id) if component is not None else None
        if match is None or component is None or link is None or match["key"] == "rate" or link.line is not None:
            continue
        missing = "generation" if link.generation is None else "width"
        raise UsageError(
            f"the {missing} of the link above {component.id} is not known: --set {component.id}.{missing} too"
        )


def _once_each(what: str, names: Iterable[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise UsageError(f"{name} is given by {what} {times} times: which one counts?")


def _move(topology: Topology, text: str, changes: list[Change]) -> Topology:
    component, beside = _ends(topology, text)
    names = _card(topology, component)
    own = _above(topology, component.id)
    if own is not None and own.medium in SCALE_UP:
        raise UsageError(f"{component.id} sits on its CPU by {own.medium}: there is no slot to move it to")
    target, added = _place(topology, component, beside)
    numa = beside.numa
    before = topology.parent(component.id)
    if target in names or component.id in chain(topology, target):
        raise UsageError(f"{component.id} cannot hang below itself")
    if before == target:
        raise UsageError(f"{component.id} is beside {beside.id} already, below {target}")
    changes += [Change(name, "place", f"below {before or 'nothing known'}", f"below {target}") for name in names]
    origin = Origin(SOURCE, f"--move {text.strip()}")
    moved = dict.fromkeys(names, target)
    return _rebuilt(topology, moved=moved, added=added, numa=numa, origin=origin)


def _off_card(topology: Topology, name: str) -> Iterator[str]:
    """Yield all above a device, but for a switch on its own card: nothing else can hang below that."""
    for below, above in pairwise(chain(topology, name)):
        link = topology.link(below, above)
        own = link is not None and link.internal and topology.component(above).kind is Kind.PCIE_SWITCH
        if not own:
            yield above


def _ends(topology: Topology, text: str) -> tuple[Component, Component]:
    for index in (index for index, each in enumerate(text) if each == ":"):
        try:
            return find(topology, text[:index]), find(topology, text[index + 1 :])
        except UsageError:
            continue
    first, colon, second = text.partition(":")
    if not colon:
        raise UsageError(f"--move takes a device and the one to go beside, as in mlx5_1:GPU4, not {text!r}")
    return find(topology, first), find(topology, second)


def _place(topology: Topology, component: Component, beside: Component) -> tuple[str, Component | None]:
    """Return what a device beside another hangs on: its switch, else its root complex, else a new one on its CPU."""
    if component.kind not in (Kind.NIC, Kind.ACCELERATOR, Kind.STORAGE):
        raise UsageError(f"a {component.kind} cannot be moved; an accelerator, a NIC or a disk can")
    kinds = [(name, topology.component(name).kind) for name in _off_card(topology, beside.id)]
    for wanted in (Kind.PCIE_SWITCH, Kind.ROOT_COMPLEX):
        found = next((name for name, kind in kinds if kind is wanted), None)
        if found is not None:
            return found, None
    cpu = next((name for name, kind in kinds if kind in (Kind.NUMA, Kind.SOCKET)), None)
    if cpu is None:
        raise UsageError(f"nothing tells where {beside.id} hangs, so nothing can be put beside it")
    origin = Origin(SOURCE, "--move")
    root = Component(f"root of {component.id}", Kind.ROOT_COMPLEX, origin, grade=Grade.ASSUMED, numa=beside.numa)
    return cpu, root


def _rebuilt(
    topology: Topology,
    *,
    facts: Iterable[Fact] | None = None,
    moved: Mapping[str, str] = MappingProxyType({}),
    added: Component | None = None,
    numa: int | None = None,
    origin: Origin | None = None,
) -> Topology:
    """Build the machine again, with other facts, or with devices below other parents.

    What tools printed of the pairs of a moved device holds no more. ``added`` is a new root complex for them.
    """
    other = _like(topology)
    for component in topology.components():
        other.add(replace(component, numa=numa) if component.id in moved else component)
    for name, target in moved.items():
        if added is not None and added.id not in other and origin is not None:
            other.add(added)
            link = Link(added.id, target, Medium.ROOT_COMPLEX, origin, Grade.ASSUMED, internal=True)
            other.connect(link, upward=True)
        link = _above_of(topology, name)
        below = replace(link, target=target if added is None else added.id, origin=origin or link.origin)
        other.connect(replace(below, grade=Grade.ASSUMED), upward=True)
    for link in topology.links():
        upward = topology.parent(link.source) == link.target
        if not (upward and link.source in moved):
            other.connect(link, upward=upward)
    for relation in topology.all_relations():
        if relation.a not in moved and relation.b not in moved:
            other.relate(relation)
    for fact in topology.facts() if facts is None else facts:
        other.note(fact)
    return other


def _above_of(topology: Topology, name: str) -> Link:
    parent = topology.parent(name)
    link = None if parent is None else topology.link(name, parent)
    if link is None:
        raise UsageError(f"nothing tells how {name} is attached, so it cannot be moved")
    return link


def _without_acs(topology: Topology, changes: list[Change]) -> Topology:
    """Let no port redirect: bits that are set, were not read or were not recorded become clear."""
    origin = Origin(SOURCE, "--acs off")
    facts = []
    for fact in topology.facts():
        on = fact.name.startswith("acs.") and (fact.value is True or fact.status is FactStatus.UNREADABLE)
        if on and fact.name.endswith("_redirect"):
            before = "on" if fact.value is True else "not readable"
            changes.append(Change(fact.component, fact.name, before, "off"))
        facts.append(Fact(fact.component, fact.name, value=False, origin=origin) if on else fact)
    if not any(change.what.startswith("acs.") for change in changes):
        raise UsageError("no port is known to redirect here (ACS): there is nothing to switch off")
    open_ones = (each.id for each in topology.components(*_REDIRECTING) if topology.fact(each.id, _REDIRECT) is None)
    facts += [Fact(name, _REDIRECT, value=False, origin=origin) for name in open_ones]
    return _rebuilt(topology, facts=facts)


def _like(topology: Topology) -> Topology:
    other = Topology(host=topology.host, figures=topology.figures)
    other.profile, other.candidates, other.near = topology.profile, topology.candidates, topology.near
    other.matrix, other.problems, other.painter = topology.matrix, list(topology.problems), topology.painter
    return other


def _old(topology: Topology, links: Sequence[Link]) -> list[Link]:
    return [link for each in links if (link := topology.link(each.source, each.target)) is not None]


def _kind_of(link: Link) -> str:
    return "PCIe link" if link.medium is Medium.PCIE else "port"


def _words(link: Link) -> str:
    if link.medium is Medium.PCIE:
        generation, width = link.generation or "?", link.width or "?"
        return f"Gen{generation} x{width}" + (f", {link.line} GB/s" if link.line is not None else "")
    return "unknown rate" if link.line is None else f"{link.line.gbps:.0f} Gb/s"


def _beyond(old: Link, new: Link) -> str:
    """Say where the device, as a tool saw it, cannot do what was asked."""
    if old.max_generation and new.generation and new.generation > old.max_generation:
        return f"no more than Gen{old.max_generation} was seen to be possible"
    if old.max_width and new.width and new.width > old.max_width:
        return f"no more than x{old.max_width} was seen to be possible"
    return ""
