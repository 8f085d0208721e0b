"""What is written in a box, and above the picture."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from toposcope.model import Grade, Kind, Medium
from toposcope.render.diagram.flow import MEDIUM_TITLES
from toposcope.render.diagram.names import members_text
from toposcope.render.diagram.sketch import Role
from toposcope.render.glyphs import TIMES, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.model import Topology
    from toposcope.render.diagram.sketch import Node, Sketch

_BRACKETS = re.compile(r"\[([^\]]+)\]")
_SWITCH_CHIP = "NVSwitch"
_USUAL = {"compute"}
"""Roles that go without saying."""
_CROWDED = 75
"""With more boxes than this, ports leave their medium to the colour of their lines."""
_SHORT_NETWORK = {Medium.ETHERNET: "Eth", Medium.INFINIBAND: "IB"}
_RATE = " Gb/s"
KINDS = {Role.SWITCH: "PCIe switch", Role.ROOT_COMPLEX: "root complex"}
"""What boxes are that bear ids alone; said in each that has room for it."""


def words(sketch: Sketch, node: Node, *, several_models: bool) -> tuple[str, ...]:
    """Return the lines of a box, the name first."""
    maker = _WORDS.get(node.role, _named)
    lines = maker(sketch, node)
    if node.role is Role.ACCELERATOR and several_models and node.members[0].model:
        lines = [lines[0], node.members[0].model, *lines[1:]]
    return tuple(printable(line) for line in lines if line)


def terse(role: Role, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines of a box as a terminal has room for them: a port in one, ``200G Eth``."""
    return (" ".join(lines).replace(_RATE, "G"),) if role is Role.PORT else lines


def title(topology: Topology) -> str:
    """Name the machine: host, profile, or neither."""
    names = [name for name in (topology.host, topology.profile) if name]
    return printable(" · ".join(dict.fromkeys(names)) or "machine without a name")


def subtitle(topology: Topology) -> str:
    """Count what stands in it, by model."""
    texts = [
        *_counted(topology, Kind.SOCKET, "socket"),
        *_counted(topology, Kind.ACCELERATOR, "accelerator"),
        *_counted(topology, Kind.NIC, "NIC"),
    ]
    return printable("  ·  ".join(texts))


def models(topology: Topology) -> set[str]:
    """Return the models of the accelerators that are known."""
    return {component.model for component in topology.components(Kind.ACCELERATOR) if component.model}


def _counted(topology: Topology, kind: Kind, word: str) -> Iterable[str]:
    found = Counter(component.model and _bracketed(component.model) for component in topology.components(kind))
    for model, count in found.items():
        yield f"{count} {TIMES} {model}" if model else f"{count} {word}{'s' if count > 1 else ''}"


def _times(count: int | None) -> str:
    return {1: "", None: f"? {TIMES} "}.get(count, f"{count} {TIMES} ")


def _named(_sketch: Sketch, node: Node) -> list[str]:
    return [node.title] if node.title else [_times(node.count) + node.members[0].id]


def _socket(_sketch: Sketch, node: Node) -> list[str]:
    return [" · ".join(member.id for member in node.members), node.members[0].model or ""]


def _switch(_sketch: Sketch, node: Node) -> list[str]:
    component = node.members[0]
    count = f" {TIMES} ?" if node.count is None else f" {TIMES} {node.count}" * (node.count > 1)
    return [component.id + count, component.model or "", KINDS[Role.SWITCH]]


def _root_complex(_sketch: Sketch, node: Node) -> list[str]:
    return [node.members[0].id + (f" {TIMES} ?" if node.count is None else ""), KINDS[Role.ROOT_COMPLEX]]


def _accelerator(_sketch: Sketch, node: Node) -> list[str]:
    component = node.members[0]
    slices = sum(1 for name in node.covers if name.startswith(f"{component.id}/"))
    return [component.id, _short_address(component.pci), f"{slices} slices" if slices else ""]


def _short_address(pci: str | None) -> str:
    """Drop the domain where it is zero: ``0000:17:00.0`` is ``17:00.0`` to everyone."""
    if pci is None:
        return ""
    domain, _, rest = pci.partition(":")
    return rest if rest.count(":") == 1 and not domain.strip("0") else pci


def _nic(_sketch: Sketch, node: Node) -> list[str]:
    names = [member.name for member in node.members if member.name and member.name != member.id]
    count = f"{node.count} functions " if node.count not in (1, None) else ""
    called = members_text(names)
    if count and "," in called:
        called = ""
    roles = sorted({member.role for member in node.members if member.role} - _USUAL)
    return [members_text(member.id for member in node.members), (count + called).strip(), ", ".join(roles)]


def _storage(_sketch: Sketch, node: Node) -> list[str]:
    component = node.members[0]
    if len(node.members) > 1:
        names = [member.id for member in node.members if member.id != member.pci]
        return [f"{len(node.members)} {TIMES} storage", members_text(names)]
    named = "storage" if component.id == component.pci else component.id
    return [named, _short_address(component.pci)]


def _port(sketch: Sketch, node: Node) -> list[str]:
    wires = [wire for wire in sketch.network if node.id in (wire.a, wire.b)]
    rates = {link.line for wire in wires for link in wire.links}
    inner = (link for wire in sketch.port if wire.b == node.id for link in wire.links)
    media = {link.medium for link in inner if link.grade is not Grade.UNKNOWN}
    kind = next((_SHORT_NETWORK.get(medium, "") for medium in sorted(media)), "")
    rate = next(iter(rates)) if len(rates) == 1 else None
    if rate is None:
        return [f"{_times(node.count)}port", kind]
    figure = f"{_times(node.count)}{rate.gbps:g}"
    if len(sketch.nodes) > _CROWDED:
        return [figure, _RATE.strip()]
    return [f"{figure}{_RATE}", kind] if node.count == 1 else [figure, f"{_RATE.strip()} {kind}".strip()]


def _memory(_sketch: Sketch, node: Node) -> list[str]:
    name = node.members[0].id
    return [name, "" if "memory" in name.lower() else "memory"] if node.count == 1 else [f"{_times(node.count)}memory"]


def _fabric(_sketch: Sketch, node: Node) -> list[str]:
    component = node.members[0]
    named = component.model or component.name or component.id
    if component.kind is Kind.NVSWITCH and _SWITCH_CHIP not in named:
        named = _SWITCH_CHIP
    where = "outside the host" if node.role is Role.OUTER_FABRIC else ""
    return [_times(node.count) + _bracketed(named), where]


def _bracketed(name: str) -> str:
    """Return what stands in brackets, the chip's name in the words of pci.ids, or the name itself."""
    found = _BRACKETS.search(name)
    return found[1] if found else name


def _mesh(sketch: Sketch, node: Node) -> list[str]:
    ends = sum(1 for wire in (*sketch.fabric, *sketch.peer_bar) if wire.b == node.id)
    whole = "full mesh" if node.count == ends * (ends - 1) // 2 else "nearly full mesh"
    medium = MEDIUM_TITLES[Medium(node.title)]
    names = {link.name for wire in sketch.peer_bar if wire.b == node.id for link in wire.links}
    named = next(iter(names)) if len(names) == 1 else None
    if node.role is Role.PEERS:
        several = "NUMA nodes" if medium == MEDIUM_TITLES[Medium.NUMA] else f"{medium}s"
        medium = f"{named} links," if named else f"{several},"
    links = [link for wire in sketch.fabric if wire.b == node.id for link in wire.links]
    if links and all(link.count is None for link in links):  # the words say who is joined, not how
        return [f"{medium} between all pairs" if whole == "full mesh" else medium, "number of links not known"]
    return [f"{medium} {whole}", f"{node.count} links, one per pair"]


def _network(_sketch: Sketch, node: Node) -> list[str]:
    component = node.members[0]
    return [_times(node.count or 1) + (component.name or component.id)]


_WORDS = {
    Role.SOCKET: _socket,
    Role.ROOT_COMPLEX: _root_complex,
    Role.SWITCH: _switch,
    Role.ACCELERATOR: _accelerator,
    Role.NIC: _nic,
    Role.STORAGE: _storage,
    Role.PORT: _port,
    Role.MEMORY: _memory,
    Role.FABRIC: _fabric,
    Role.OUTER_FABRIC: _fabric,
    Role.MESH: _mesh,
    Role.PEERS: _mesh,
    Role.NETWORK: _network,
}
