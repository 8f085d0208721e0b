"""The PCIe tree of a machine, for one that has no accelerator to speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.base.clean import printable
from toposcope.model import Kind
from toposcope.render.wording import gbs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Component, Topology

_UNICODE = ("├─ ", "└─ ", "│  ", "   ")
_ASCII = ("|- ", "`- ", "|  ", "   ")


def tree_lines(topology: Topology, *, ascii_only: bool) -> Iterator[Text]:
    """Yield the PCIe tree, one device a line, with the speed of its link."""
    roots = list(topology.components(Kind.ROOT_COMPLEX))
    if not roots:
        yield Text("no PCIe tree can be seen: run on the host, or give `sudo lspci -D -nn -vvv`", style="dim")
        return
    children: dict[str, list[Component]] = {}
    for component in topology.components():
        parent = topology.parent(component.id)
        if parent is not None:
            children.setdefault(parent, []).append(component)
    for root in roots:
        yield Text(_called(root, topology), style="bold")
        yield from _below(root.id, children, topology, _ASCII if ascii_only else _UNICODE)


def _below(
    name: str, children: dict[str, list[Component]], topology: Topology, glyphs: tuple[str, ...]
) -> Iterator[Text]:
    waiting = _marked(children.get(name, []), "", glyphs)
    while waiting:
        component, mark, indent = waiting.pop()
        yield Text(f"{mark}{_called(component, topology)}")
        waiting += _marked(children.get(component.id, []), indent, glyphs)


def _marked(below: list[Component], indent: str, glyphs: tuple[str, ...]) -> list[tuple[Component, str, str]]:
    """Return the components, the last first, each with what stands before it and before what hangs below it."""
    branch, last, line, blank = glyphs
    marked = [(component, indent + branch, indent + line) for component in below]
    marked[-1:] = [(component, indent + last, indent + blank) for component in below[-1:]]
    return marked[::-1]


def _called(component: Component, topology: Topology) -> str:
    words = [component.pci or component.id]
    if component.pci and component.id != component.pci:
        words.append(component.id)
    words += [word for word in (component.model, component.name) if word]
    parent = topology.parent(component.id)
    link = topology.link(component.id, parent) if parent is not None else None
    if link is not None and link.generation and link.width:
        words.append(f"(PCIe Gen{link.generation} x{link.width}, {gbs(link.line)} GB/s)")
    elif component.numa is not None and component.kind is Kind.ROOT_COMPLEX:
        words.append(f"(NUMA node {component.numa})")
    return printable(" ".join(words))
