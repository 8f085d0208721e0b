"""The graph in the forms that other programs read: JSON, GraphML, DOT."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from toposcope.base.clean import printable
from toposcope.model import Kind
from toposcope.render.diagram import layout
from toposcope.render.documents import topology_document
from toposcope.render.schema import to_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.model import Component, Link, Topology

_SPECIAL = re.compile(r'(["\\])')


def json_text(topology: Topology) -> str:
    """Write the graph as the document ``toposcope.topology/1``."""
    return to_json(topology_document(topology))


def graphml(topology: Topology) -> str:
    """Write the graph as GraphML, every known attribute on its node or edge; bandwidths in GB/s, one direction.

    ``x`` and ``y`` are where the diagram draws a component, in points.
    """
    import networkx as nx  # noqa: PLC0415 - only this form needs it

    graph: nx.Graph[str] = nx.Graph()
    places = {name: box.rect for box in layout(topology).boxes for name in (box.id, *box.covers)}
    for component in topology.components():
        box = places.get(component.id)
        place = {} if box is None else {"x": round(box.x + box.width / 2, 1), "y": round(box.y + box.height / 2, 1)}
        graph.add_node(component.id, **_attributes(component), **place)
    for link in topology.links():
        graph.add_edge(link.source, link.target, **_edge(link))
    out = io.BytesIO()
    nx.write_graphml(graph, out, encoding="utf-8", prettyprint=True)
    return out.getvalue().decode()


def dot(topology: Topology) -> str:
    """Write the graph in Graphviz' language; edges are labelled in GB/s, one direction."""
    lines = ["graph toposcope {", "  node [shape=box];"]
    for component in topology.components():
        label = " ".join(word for word in (component.id, component.name, component.model) if word)
        lines.append(f"  {_quoted(component.id)} [label={_quoted(label)}, kind={_quoted(component.kind.value)}];")
    for link in topology.links():
        figure = "" if link.internal else "?" if link.line is None else str(link.line)
        lines.append(
            f"  {_quoted(link.source)} -- {_quoted(link.target)} "
            f"[label={_quoted(figure)}, medium={_quoted(link.medium.value)}];"
        )
    return "\n".join([*lines, "}"])


def mermaid(topology: Topology) -> str:
    """Write the graph as a Mermaid flowchart, for documents; edges are labelled in GB/s, one direction.

    PCI functions that no route uses, and the inside of chips, are left out.
    """
    names = {component.id: f"n{index}" for index, component in enumerate(topology.components())}
    drawn = {each for link in topology.links() if not link.internal for each in (link.source, link.target)}
    lines = ["flowchart TB"]
    for component in topology.components():
        if component.kind is not Kind.OTHER or component.id in drawn:
            label = " ".join(word for word in (component.id, component.name) if word)
            lines.append(f'  {names[component.id]}["{_entities(label)}"]')
    for link in topology.links():
        kinds = {topology.component(end).kind for end in (link.source, link.target)}
        if Kind.OTHER in kinds and kinds & {Kind.PCIE_BRIDGE, Kind.ROOT_COMPLEX}:
            continue
        figure = "" if link.internal else f"|{'?' if link.line is None else link.line}|"
        lines.append(f"  {names[link.source]} ---{figure} {names[link.target]}")
    return "\n".join(lines)


EXPORTERS: dict[str, Callable[[Topology], str]] = {
    "json": json_text,
    "graphml": graphml,
    "dot": dot,
    "mermaid": mermaid,
}


def _attributes(component: Component) -> dict[str, str | int]:
    known = {
        "kind": component.kind.value,
        "name": component.name,
        "model": component.model,
        "pci": component.pci,
        "pci_id": component.pci_id,
        "numa": component.numa,
        "grade": component.grade.word,
    }
    return {
        key: printable(value) if isinstance(value, str) else value for key, value in known.items() if value is not None
    }


def _edge(link: Link) -> dict[str, str | int | float]:
    known = {
        "medium": link.medium.value,
        "count": link.count,
        "generation": link.generation,
        "width": link.width,
        "line_gbs": None if link.line is None else round(link.line.gbs, 4),
        "state": link.state.value,
        "grade": link.grade.word,
        "internal": link.internal,
        "origin": printable(str(link.origin)),
    }
    return {key: value for key, value in known.items() if value is not None}


def _entities(text: str) -> str:
    """Write a label of Mermaid: what is not plain as an entity, so that no text becomes markup."""
    return "".join(
        letter if letter.isalnum() or letter in " .:-_/()" else f"#{ord(letter)};" for letter in printable(text)
    )


def _quoted(text: str) -> str:
    return '"' + _SPECIAL.sub(r"\\\1", printable(text)) + '"'
