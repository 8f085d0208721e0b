"""The machine as a graph: components and links, with what the tools said of them.

The class stores and hands out, nothing more. Every question about routes, limits or faults is a function in
``toposcope.analysis`` that takes a Topology.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

import networkx as nx

from toposcope.model.figures import Figures
from toposcope.model.vocabulary import Grade

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from toposcope.base import Problem
    from toposcope.model.component import Component
    from toposcope.model.fact import Fact
    from toposcope.model.link import Link
    from toposcope.model.measurement import Measurement
    from toposcope.model.relation import PrintedMatrix, Relation
    from toposcope.model.vocabulary import Kind

Found = TypeVar("Found")


class Topology:
    """Components, links, relations and facts of one host.

    ``profile`` is the reference machine that what is assumed comes from, ``candidates`` are all that fit, ``near``
    those that nearly do, with what they differ in. ``problems`` is what was not read, repaired, or contradicted.
    ``painter`` draws it as SVG where it is shown in a notebook.
    """

    def __init__(self, *, host: str | None = None, figures: Figures | None = None) -> None:
        self.host = host
        self.figures = figures or Figures()
        self.profile: str | None = None
        self.candidates: tuple[str, ...] = ()
        self.near: tuple[tuple[str, tuple[str, ...]], ...] = ()
        self.matrix: PrintedMatrix | None = None
        self.problems: list[Problem] = []
        self.measurements: list[Measurement] = []
        self.painter: Callable[[Topology], str] | None = None
        self._graph: nx.Graph[str] = nx.Graph()
        self._components: dict[str, Component] = {}
        self._parents: dict[str, str] = {}
        self._chains: dict[str, tuple[str, ...]] = {}
        self._relations: dict[tuple[str, str], list[Relation]] = {}
        self._facts: dict[str, dict[str, Fact]] = {}
        self._found: dict[Hashable, Any] = {}

    def found_once(self, question: Hashable, find: Callable[[], Found]) -> Found:
        """Return an answer that was found before, else find it and keep it until components, links or words change.

        ``question`` holds all that the answer depends on but these.
        """
        if question not in self._found:
            self._found[question] = find()
        answer: Found = self._found[question]
        return answer

    def add(self, component: Component) -> None:
        """Add a component, or replace the one with the same id by a better known one."""
        self._found.clear()
        self._components[component.id] = component
        self._graph.add_node(component.id, component=component)

    def connect(self, link: Link, *, upward: bool = False) -> None:
        """Add a link. ``upward``: its target stands above its source in the PCIe and CPU structure.

        A second link between the same ends is refused with ValueError: parallel links are one link with a count.
        """
        if self._graph.has_edge(link.source, link.target):
            raise ValueError(f"{link.source} and {link.target} are linked already")
        for end in (link.source, link.target):
            if end not in self._graph:
                raise KeyError(end)
        self._found.clear()
        self._graph.add_edge(link.source, link.target, link=link)
        if upward:
            self._parents[link.source] = link.target
            self._chains.clear()

    def replace(self, link: Link) -> None:
        """Put a better known link in the place of the one between the same ends."""
        self._found.clear()
        self._graph.edges[link.source, link.target]["link"] = link

    def relate(self, relation: Relation) -> None:
        """Keep what a tool printed for a pair."""
        self._found.clear()
        self._relations.setdefault(_pair(relation.a, relation.b), []).append(relation)

    def note(self, fact: Fact) -> None:
        """Keep a fact; the first one of a component and name stays."""
        self._facts.setdefault(fact.component, {}).setdefault(fact.name, fact)

    def __contains__(self, name: object) -> bool:
        return name in self._components

    def component(self, name: str) -> Component:
        """Return the component with this id; KeyError where there is none."""
        return self._components[name]

    def components(self, *kinds: Kind) -> Iterator[Component]:
        """All components, or those of the given kinds, in the order they were added."""
        for component in self._components.values():
            if not kinds or component.kind in kinds:
                yield component

    def links(self) -> Iterator[Link]:
        """All links, in the order they were added."""
        for a, b in self._graph.edges():
            yield self._graph.edges[a, b]["link"]

    def link_grades(self) -> set[Grade]:
        """Return the grades of all links but the insides of chips."""
        return {link.grade for link in self.links() if not link.internal}

    def all_assumed(self) -> bool:
        """Tell whether every link is assumed, as in a reference machine."""
        return self.link_grades() == {Grade.ASSUMED}

    def links_of(self, name: str) -> Iterator[Link]:
        """All links of one component."""
        for data in self._graph.adj[name].values():
            yield data["link"]

    def link(self, a: str, b: str) -> Link | None:
        """Return the link between two neighbours, None where there is none."""
        data = self._graph.adj[a].get(b) if a in self._components else None
        link: Link | None = None if data is None else data["link"]
        return link

    def parent(self, name: str) -> str | None:
        """Return the component above in the PCIe and CPU structure, None at the top or where it is not known."""
        return self._parents.get(name)

    def chain(self, name: str) -> tuple[str, ...]:
        """Return the component and all above it, nearest first."""
        found = self._chains.get(name)
        if found is None:
            above = [name]
            while (parent := self._parents.get(above[-1])) is not None:
                above.append(parent)
            found = self._chains[name] = tuple(above)
        return found

    def relations(self, a: str, b: str) -> tuple[Relation, ...]:
        """Return what the tools printed for a pair, in either direction."""
        return tuple(self._relations.get(_pair(a, b), ()))

    def all_relations(self) -> Iterator[Relation]:
        """All relations, pair by pair."""
        for relations in self._relations.values():
            yield from relations

    def fact(self, component: str, name: str) -> Fact | None:
        """Return one fact, None where nothing was said of it."""
        return self._facts.get(component, {}).get(name)

    def facts(self, component: str | None = None) -> Iterable[Fact]:
        """Return all facts, or those of one component."""
        if component is not None:
            return tuple(self._facts.get(component, {}).values())
        return tuple(fact for facts in self._facts.values() for fact in facts.values())

    def with_links(self, links: Iterable[Link]) -> Topology:
        """Return the same machine with other links in the place of those between the same ends: what it would be.

        Components, structure, relations and facts are shared with this one.
        """
        other = copy(self)
        other._graph, other._found = self._graph.copy(), {}  # noqa: SLF001 - a copy of its own kind
        for link in links:
            other._graph.add_edge(link.source, link.target, link=link)  # noqa: SLF001
        return other

    def view(self) -> nx.Graph[str]:
        """Return the graph for algorithms: no copy, and read-only, so that no analysis can change it."""
        view: nx.Graph[str] = self._graph.copy(as_view=True)
        return view

    def __repr__(self) -> str:
        parts = f"{len(self._components)} components, {self._graph.number_of_edges()} links"
        return f"<Topology {self.host or self.profile or 'without a name'}: {parts}>"

    def _repr_svg_(self) -> str | None:
        return None if self.painter is None else self.painter(self)


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a <= b else (b, a)
