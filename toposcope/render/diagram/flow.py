"""What is written on a wire, and how thick it is: the links folded into it, summed up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.model import Grade, Medium, State
from toposcope.render.diagram.sketch import Bundle
from toposcope.render.glyphs import TIMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from toposcope.model import Link
    from toposcope.render.diagram.sketch import Wire

    Key = TypeVar("Key")

MEDIUM_TITLES = {
    Medium.PCIE: "PCIe",
    Medium.ROOT_COMPLEX: "inside the CPU",
    Medium.NVLINK: "NVLink",
    Medium.C2C: "C2C",
    Medium.HCCS: "HCCS",
    Medium.SIO: "SIO",
    Medium.UB: "UB",
    Medium.XGMI: "xGMI",
    Medium.SOCKET: "socket link",
    Medium.NUMA: "NUMA fabric",
    Medium.MEMORY: "memory",
    Medium.ETHERNET: "Ethernet",
    Medium.INFINIBAND: "InfiniBand",
}
ON_CHIP = frozenset({Medium.ROOT_COMPLEX, Medium.NUMA})
WIDTH_STEPS = (12.0, 24.0, 48.0, 96.0, 240.0)
"""Upper ends of the width classes in GB/s; a factor of two a step, as the generations go."""
NOT_KNOWN = ("?", "down")
"""What stands in the place of a figure."""
_NO_FIGURES = ("", *NOT_KNOWN)
_WORST = (State.DOWN, State.DEGRADED, State.IDLE, State.UP)


@dataclass(frozen=True, slots=True)
class Flow:
    """The sum of a wire: its limit one direction (None: not known), the words for it, its state and grade.

    ``unit`` is the figure of one of several alike. ``hedged``: the figure is assumed, and others are not.
    """

    line: Bandwidth | None
    figure: str
    details: tuple[str, ...]
    state: State
    grade: Grade
    on_chip: bool
    width_class: int
    unit: str = ""
    hedged: bool = False

    @property
    def assumed(self) -> bool:
        """Tell whether the figure is known, but from nothing that the machine said."""
        return self.grade is Grade.ASSUMED and self.figure not in _NO_FIGURES


def all_assumed(flows: Mapping[Key, Flow]) -> bool:
    """Tell whether there are figures and every one of them is assumed."""
    known = [each for each in flows.values() if each.figure not in _NO_FIGURES]
    return bool(known) and all(each.assumed for each in known)


def hedge(flows: Mapping[Key, Flow]) -> dict[Key, Flow]:
    """Mark assumed figures where they stand among others; where all are assumed it is said once for all."""
    if all_assumed(flows):
        return dict(flows)
    return {name: replace(each, hedged=True) if each.assumed else each for name, each in flows.items()}


def flow(wire: Wire) -> Flow:
    """Sum up a wire. A chain has its least figure; bundles their sum; one unknown link makes a sum unknown."""
    links = _outside(wire.links)
    lines = [link.line for link in links]
    known = [line for line in lines if line is not None]
    weakest = min(links, key=lambda link: (link.line is None, link.line or Bandwidth(0)))
    total = _total(wire.bundle, lines, known)
    state = next((state for state in _WORST if any(link.state is state for link in links)), State.UNKNOWN)
    on_chip = all(link.internal for link in wire.links) or (wire.medium is Medium.ROOT_COMPLEX and not known)
    return Flow(
        total,
        "" if on_chip else _figure(wire, links, weakest, total, state),
        () if on_chip else tuple(_details(wire, links, weakest, state)),
        state,
        min(link.grade for link in links),
        on_chip,
        0 if on_chip else width_class(total),
        str(weakest.line) if wire.bundle is Bundle.EACH and weakest.line is not None else "",
    )


def width_class(line: Bandwidth | None) -> int:
    """Return 0 (thin) to 5 (thick); an unknown figure is thin."""
    return 0 if line is None else sum(line.gbs > step for step in WIDTH_STEPS)


def _outside(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Leave out the insides of chips, unless there is nothing else."""
    return tuple(link for link in links if not link.internal) or links


def _total(bundle: Bundle, lines: list[Bandwidth | None], known: list[Bandwidth]) -> Bandwidth | None:
    if bundle is Bundle.CHAIN or not known:
        return min(known, default=None)
    return Bandwidth(sum(line.bytes_per_s for line in known)) if len(known) == len(lines) else None


def _figure(wire: Wire, links: tuple[Link, ...], weakest: Link, total: Bandwidth | None, state: State) -> str:
    if state is State.DOWN and len(links) == 1:
        return "down"
    if wire.bundle is Bundle.EACH and weakest.line is not None and wire.units > 1:
        return f"{wire.units} {TIMES} {weakest.line}"
    if total is None:
        return "?" if weakest.usable is None else f"{weakest.usable.typical}"
    partly = wire.bundle is Bundle.CHAIN and any(link.line is None for link in links)
    return f"≤ {total}" if partly else f"{total}"


def _details(wire: Wire, links: tuple[Link, ...], weakest: Link, state: State) -> list[str]:
    texts = []
    if wire.medium is Medium.PCIE and weakest.generation and weakest.width:
        texts.append(f"Gen{weakest.generation} x{weakest.width}")
        below = (weakest.max_generation or 0, weakest.max_width or 0)
        if state is State.DEGRADED and all(below):
            texts.append(f"of Gen{below[0]} x{below[1]}")
    elif wire.bundle is not Bundle.EACH:
        texts += _parallel(wire, links if wire.bundle is Bundle.SUM else (weakest,))
    if weakest.line is None and weakest.usable is not None:
        texts.append("in practice")
    if wire.hops:
        texts.append(f"{wire.hops} hop{'s' if wire.hops > 1 else ''}")
    if state is State.IDLE:
        texts.append("idle")
    return texts


def _parallel(wire: Wire, links: tuple[Link, ...]) -> list[str]:
    """Say what a sum is made of: ``12 x 25.0``; for sockets the name of the link too: ``UPI``, ``3 x 22.4``."""
    named = {link.name for link in links} if wire.medium is Medium.SOCKET else {None}
    texts = [name for name in named if name and len(named) == 1]
    counts = [link.count for link in links]
    count = sum(count or 0 for count in counts)
    if None in counts or count <= 1:
        return texts
    units = {Bandwidth(round(link.line.bytes_per_s / (link.count or 1))) if link.line else None for link in links}
    unit = next(iter(units))
    return [*texts, f"{count} links" if unit is None or len(units) > 1 else f"{count} {TIMES} {unit}"]
