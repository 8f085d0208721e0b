"""What is said of the parts of the drawing: each link with its limits, its grade and the line that it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.analysis.segment import of_link
from toposcope.model import NETWORKS, Kind, Medium, State
from toposcope.render.diagram.names import members_text
from toposcope.render.html.answers import usable_words
from toposcope.render.html.markup import element
from toposcope.render.html.proofs import proofs_of, quoted
from toposcope.render.wording import call, gbs, medium_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.model import Component, Link, Topology
    from toposcope.render.diagram import Box, Diagram, Edge
    from toposcope.render.html.markup import Markup
    from toposcope.render.html.proofs import Proof, TextOf

    Tip = tuple[str, str, tuple[Proof, ...]]

_KINDS = {
    Kind.SOCKET: "CPU socket",
    Kind.NUMA: "NUMA node",
    Kind.ROOT_COMPLEX: "root complex",
    Kind.PCIE_BRIDGE: "PCIe bridge",
    Kind.PCIE_SWITCH: "PCIe switch",
    Kind.NVSWITCH: "fabric switch",
    Kind.NIC: "NIC",
    Kind.NIC_PORT: "network port",
    Kind.FABRIC_SWITCH: "fabric switch outside the host",
}
_SHOWN = 6
"""Statements about one part of the drawing; the rest is in the table of links."""
_SAID = (State.DOWN, State.DEGRADED, State.IDLE)


@dataclass(frozen=True, slots=True)
class Statement:
    """What is known of one part: its title, figures and state in words, and the line that proves it."""

    title: str
    what: str
    proofs: tuple[Proof, ...]

    @property
    def spoken(self) -> str:
        """The statement as one text."""
        return ". ".join(part for part in (self.title, self.what, f"From {self.proofs[0][0]}") if part)


@dataclass(frozen=True, slots=True)
class Row:
    """One link, as the table of links shows it."""

    medium: Medium
    ends: tuple[str, str]
    made_of: str
    line: str
    usable: str
    state: str
    grade: str
    proofs: tuple[Proof, ...]

    @property
    def figures(self) -> str:
        """The limits as one text."""
        known = f"line {self.line} GB/s, usable {self.usable}" if self.line != "?" else "speed not known"
        return f"{self.made_of}: {known}; {self.state}{self.grade}"


def row_of(link: Link, topology: Topology, text_of: TextOf) -> Row:
    """Put one link into words; bandwidths are of the bundle, one direction."""
    segment = of_link(topology, link, use=_use(link, topology))
    return Row(
        link.medium,
        (call(link.source, topology), call(link.target, topology)),
        f"{medium_of(segment)}{_trained(link)}",
        gbs(link.line),
        usable_words(segment.usable or link.usable),
        f"{link.state.value}, " if link.state in _SAID else "",
        link.grade.word,
        tuple(quoted(origin, text_of) for origin in proofs_of(link, topology)),
    )


def rows_of(topology: Topology, text_of: TextOf) -> dict[tuple[str, str], Row]:
    """Put all links into words, by their ends, the insides of chips left out."""
    return {
        (link.source, link.target): row_of(link, topology, text_of) for link in topology.links() if not link.internal
    }


def statements_of_wire(edge: Edge, rows: dict[tuple[str, str], Row]) -> tuple[Statement, ...]:
    """Say what a wire is. Links that differ in nothing but their ends are one statement."""
    alike: dict[tuple[str, tuple[Proof, ...]], list[Row]] = {}
    for a, b in sorted(edge.covers):
        row = rows.get((a, b)) or rows.get((b, a))
        if row is not None:
            alike.setdefault((row.figures, row.proofs), []).append(row)
    return tuple(Statement(_ends(found), figures, proofs) for (figures, proofs), found in alike.items())


def statements_of_box(box: Box, topology: Topology, text_of: TextOf) -> tuple[Statement, ...]:
    """Say what the components of a box are."""
    names = sorted((name for name in box.covers if name in topology), key=lambda name: (name != box.id, name))
    return tuple(_component(topology.component(name), topology, text_of) for name in names)


def spoken(statements: Sequence[Statement], otherwise: str) -> str:
    """Say it in one text for a screen reader."""
    shown = " ".join(f"{each.spoken}." for each in statements[:2])
    return shown or otherwise


def tips(
    diagram: Diagram, boxes: Sequence[Sequence[Statement]], wires: Sequence[Sequence[Statement]]
) -> dict[str, object]:
    """Return what is shown beside a part that is pointed at, by its place in the drawing."""
    return {
        "boxes": [_tip(found) for found in boxes],
        "wires": [
            _tip(found) if found else [("", "inside a chip: no limit of its own", ())] if edge.on_chip else []
            for edge, found in zip(diagram.edges, wires, strict=True)
        ],
    }


def links_table(rows: Sequence[Row]) -> Markup:
    """Write all links as a table."""
    heads = ("link", "made of", "line GB/s", "usable GB/s", "state", "grade", "known from")
    head = element(
        "tr", *(element("th", text, scope="col", class_="number" if "GB/s" in text else None) for text in heads)
    )
    return element(
        "table",
        element("thead", head),
        element("tbody", *(_table_row(row) for row in rows)),
        class_="links",
    )


def evidence(origin: str, text: str | None) -> Markup:
    """Write a place in the recording and the line that stands there."""
    place = element("span", origin, class_="origin")
    return element("span", place, element("code", text), class_="evidence") if text else place


def _table_row(row: Row) -> Markup:
    return element(
        "tr",
        element("th", " - ".join(row.ends), scope="row"),
        element("td", row.made_of),
        element("td", row.line, class_="number"),
        element("td", row.usable, class_="number"),
        element("td", row.state.rstrip(", ") or "-"),
        element("td", row.grade),
        element("td", *(evidence(*proof) for proof in row.proofs)),
        data_medium=row.medium.value,
    )


def _tip(statements: Sequence[Statement]) -> list[Tip]:
    shown: list[Tip] = [(each.title, each.what, each.proofs) for each in statements[:_SHOWN]]
    left = len(statements) - len(shown)
    return [*shown, ("", f"and {left} more: see the table of links", ())] if left else shown


def _component(component: Component, topology: Topology, text_of: TextOf) -> Statement:
    kind = _KINDS.get(component.kind, component.kind.value)
    count = {None: "unknown number of: ", 1: ""}.get(component.count, f"{component.count} x ")
    parts = [f"{count}{kind}", component.model, component.role, component.pci]
    parts += [None if component.numa is None or component.kind is Kind.NUMA else f"NUMA node {component.numa}"]
    parts += [component.grade.word]
    what = ", ".join(part for part in parts if part)
    return Statement(call(component.id, topology), what, (quoted(component.origin, text_of),))


def _ends(rows: Sequence[Row]) -> str:
    """Name the ends of links that are alike: what all of them share first."""
    shared = set(rows[0].ends).intersection(*(row.ends for row in rows)) if len(rows) > 1 else set()
    if len(shared) == 1:
        others = {end for row in rows for end in row.ends} - shared
        return f"{shared.pop()} - {members_text(others)}"
    sources, targets = ({row.ends[side] for row in rows} for side in (0, 1))
    return f"{members_text(sources)} - {members_text(targets)}"


def _trained(link: Link) -> str:
    """Say what a link could be where it is trained lower."""
    most = (link.max_generation, link.max_width)
    if link.medium is not Medium.PCIE or None in most or most == (link.generation, link.width):
        return ""
    return f" of Gen{link.max_generation} x{link.max_width}"


def _use(link: Link, topology: Topology) -> str:
    """Return the use that decides the usable figure: a port inside an accelerator has a class of its own."""
    if link.medium not in NETWORKS:
        return "peer"
    around = (
        topology.component(each.other(end)).kind
        for end in (link.source, link.target)
        for each in topology.links_of(end)
    )
    return "npu" if Kind.ACCELERATOR in around else "rdma"
