"""Results as the JSON documents of ``schema``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.counts import count_of
from toposcope.analysis.nics import network_link, ports_of
from toposcope.model import SCALE_UP, Kind
from toposcope.render.schema import (
    AcceleratorDocument,
    AnalysisDocument,
    BestDocument,
    ErrorDocument,
    EvidenceDocument,
    FabricDocument,
    FactDocument,
    FindingDocument,
    HarmDocument,
    LinkDocument,
    MachineDocument,
    MatrixDocument,
    NearDocument,
    NicDocument,
    NodeDocument,
    OriginDocument,
    PairDocument,
    PathDocument,
    PortDocument,
    ProblemDocument,
    RemoteDocument,
    RouteDocument,
    SegmentDocument,
    TopologyDocument,
    UsableDocument,
)
from toposcope.render.wording import bottleneck_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toposcope.analysis import Analysis, Finding, Pair, Remote, Route, Segment
    from toposcope.base import Bandwidth, Origin, Problem
    from toposcope.model import Component, Fact, Link, Topology, Usable

    TextOf = Callable[[Origin], str | None]

_ASSUMED = ("profile", "catalogue", "topology")


def analysis_document(analysis: Analysis, text_of: TextOf) -> AnalysisDocument:
    """Write an analysis. ``text_of`` gives the line of the recording that an origin speaks of."""
    topology = analysis.topology
    matrix = topology.matrix
    return AnalysisDocument(
        host=topology.host,
        machine=machine_document(analysis),
        matrix=None if matrix is None else MatrixDocument(labels=matrix.labels, cells=matrix.cells),
        pairs=tuple(_pair(each, topology) for each in analysis.pairs),
        remote=tuple(_remote(each, topology) for each in analysis.remote),
        findings=tuple(_finding(each, text_of) for each in analysis.findings),
        facts=tuple(_fact(each) for each in topology.facts()),
        problems=problem_documents(topology.problems),
    )


def machine_document(analysis: Analysis) -> MachineDocument:
    """Write what the machine is made of."""
    topology = analysis.topology
    return MachineDocument(
        profile=topology.profile,
        candidates=topology.candidates,
        near=tuple(NearDocument(name=name, differs=differs) for name, differs in topology.near),
        sockets=count_of(topology, Kind.SOCKET),
        numa_nodes=_numa_nodes(topology),
        pcie_switches=count_of(topology, Kind.PCIE_SWITCH),
        nvswitches=count_of(topology, Kind.NVSWITCH),
        accelerators=tuple(_accelerator(each, analysis) for each in topology.components(Kind.ACCELERATOR)),
        nics=tuple(_nic(each, topology) for each in topology.components(Kind.NIC)),
    )


def _numa_nodes(topology: Topology) -> int | None:
    nodes = list(topology.components(Kind.NUMA))
    return len(nodes) if nodes and all(node.numa is not None for node in nodes) else None


def _accelerator(component: Component, analysis: Analysis) -> AcceleratorDocument:
    topology = analysis.topology
    memory = _value(topology, component.id, "memory_bytes")
    return AcceleratorDocument(
        id=component.id,
        model=component.model,
        pci=component.pci,
        uuid=_text(topology, component.id, "uuid"),
        numa=component.numa,
        cpus=_text(topology, component.id, "cpus"),
        memory_gb=round(float(memory) / 1e9, 3) if isinstance(memory, int | float) else None,
        nearest_nics=analysis.neighbours[component.id].near,
        fabric=_fabric(component, topology),
    )


def _fabric(component: Component, topology: Topology) -> FabricDocument | None:
    kinds = (Kind.ACCELERATOR, Kind.NVSWITCH, Kind.FABRIC_SWITCH)
    links = [
        link
        for link in topology.links_of(component.id)
        if link.medium in SCALE_UP and topology.component(link.other(component.id)).kind in kinds
    ]
    if not links:
        return None
    counts, lines = [link.count for link in links], [link.line for link in links]
    return FabricDocument(
        medium=links[0].medium.value,
        links=None if None in counts else sum(count for count in counts if count is not None),
        line_gbs=None if None in lines else round(sum(line.gbs for line in lines if line is not None), 4),
    )


def _nic(component: Component, topology: Topology) -> NicDocument:
    return NicDocument(
        id=component.id,
        name=component.name,
        pci=component.pci,
        numa=component.numa,
        card=component.card,
        model=component.model,
        role=component.role,
        ports=tuple(_port(each, topology) for each in ports_of(topology, component.id)),
    )


def _port(component: Component, topology: Topology) -> PortDocument:
    link = network_link(topology, component.id)
    members = _text(topology, component.id, "members")
    return PortDocument(
        port=component.id,
        rate_gbps=None if link is None or link.line is None else link.line.gbps,
        state="unknown" if link is None else link.state.value,
        members=tuple(members.split(",")) if members else None,
    )


def _pair(pair: Pair, topology: Topology) -> PairDocument:
    return PairDocument(
        src=pair.source,
        dst=pair.target,
        relation=pair.relation,
        **_limits(pair.route, topology),  # type: ignore[arg-type]
        best=_best(pair.best),
    )


def _remote(remote: Remote, topology: Topology) -> RemoteDocument:
    route = remote.route
    return RemoteDocument(
        src=remote.source,
        nics=None if route is None else route.nics,
        port=None if route is None else route.port,
        relation=remote.relation,
        **_limits(route, topology),  # type: ignore[arg-type]
        best=_best(remote.best),
        shared_with=remote.shared_with,
    )


def _limits(route: Route | None, topology: Topology) -> dict[str, object]:
    if route is None:
        nothing: dict[str, object] = dict.fromkeys(("transport", "line_gbs", "usable_gbs", "next_limit_gbs"))
        return nothing | {"line_bottleneck": (), "bottleneck": (), "at_most": True, "grade": "unknown"}
    limit = route.limit
    return {
        "transport": route.transport.value,
        "line_gbs": gbs_of(limit.line),
        "usable_gbs": usable_of(limit.usable),
        "line_bottleneck": bottleneck_words(route, limit.line_bottleneck, topology),
        "bottleneck": bottleneck_words(route, limit.bottleneck, topology),
        "next_limit_gbs": gbs_of(limit.next_line),
        "at_most": limit.at_most,
        "grade": limit.grade.word,
    }


def _best(route: Route | None) -> BestDocument | None:
    return None if route is None else BestDocument(transport=route.transport.value, line_gbs=gbs_of(route.limit.line))


def path_document(topology: Topology, src: str, dst: str, routes: Iterable[Route]) -> PathDocument:
    """Write the routes between two components."""
    library = topology.figures.library
    return PathDocument(
        src=src, dst=dst, library=library.title if library else None, routes=tuple(_route(each) for each in routes)
    )


def _route(route: Route) -> RouteDocument:
    limit = route.limit
    return RouteDocument(
        transport=route.transport.value,
        via=route.via,
        nics=route.nics,
        port=route.port,
        default=route.default,
        permitted=route.permitted,
        why=route.why,
        line_gbs=gbs_of(limit.line),
        usable_gbs=usable_of(limit.usable),
        line_bottleneck=limit.line_bottleneck,
        bottleneck=limit.bottleneck,
        close_behind=limit.close_behind,
        next_limit_gbs=gbs_of(limit.next_line),
        at_most=limit.at_most,
        grade=limit.grade.word,
        segments=tuple(_segment(each) for each in route.segments),
    )


def _segment(segment: Segment) -> SegmentDocument:
    return SegmentDocument(
        from_=segment.source,
        to=segment.target,
        medium=segment.medium.value,
        generation=segment.generation,
        width=segment.width,
        count=segment.count,
        line_gbs=gbs_of(segment.line),
        usable_gbs=usable_of(segment.usable),
        grade=segment.grade.word,
        crossing=None if segment.reach is None else segment.reach.word,
        origin=origin_of(segment.origin),
    )


def topology_document(topology: Topology) -> TopologyDocument:
    """Write the graph."""
    return TopologyDocument(
        host=topology.host,
        profile=topology.profile,
        nodes=tuple(_node(each) for each in topology.components()),
        links=tuple(_link(each) for each in topology.links()),
    )


def _node(component: Component) -> NodeDocument:
    return NodeDocument(
        id=component.id,
        kind=component.kind.value,
        pci=component.pci,
        pci_id=component.pci_id,
        name=component.name,
        model=component.model,
        numa=component.numa,
        card=component.card,
        role=component.role,
        count=component.count,
        grade=component.grade.word,
        origin=origin_of(component.origin),
    )


def _link(link: Link) -> LinkDocument:
    return LinkDocument(
        source=link.source,
        target=link.target,
        medium=link.medium.value,
        count=link.count,
        generation=link.generation,
        width=link.width,
        max_generation=link.max_generation,
        max_width=link.max_width,
        line_gbs=gbs_of(link.line),
        usable_gbs=usable_of(link.usable),
        state=link.state.value,
        grade=link.grade.word,
        internal=link.internal,
        name=link.name,
        origin=origin_of(link.origin),
    )


def error_document(problems: Iterable[Problem]) -> ErrorDocument:
    """Write what made an input unusable."""
    return ErrorDocument(problems=problem_documents(problems))


def problem_documents(problems: Iterable[Problem]) -> tuple[ProblemDocument, ...]:
    """Write problems."""
    return tuple(
        ProblemDocument(
            kind=problem.kind.value,
            source=problem.origin.source,
            file=problem.origin.file,
            line=problem.origin.line,
            message=problem.message,
            text=problem.text,
            other=None if problem.other is None else _place(problem.other),
        )
        for problem in problems
    )


def _finding(finding: Finding, text_of: TextOf) -> FindingDocument:
    return FindingDocument(
        rule=finding.rule,
        severity=finding.severity.word,  # type: ignore[arg-type]
        verdict=finding.verdict.value,
        components=finding.components,
        routes=tuple(
            HarmDocument(src=each.source, dst=each.target, before_gbs=gbs_of(each.before), after_gbs=gbs_of(each.after))
            for each in finding.harms
        ),
        message=finding.message,
        remedy=finding.remedy,
        grade=finding.grade.word,
        evidence=tuple(
            EvidenceDocument(source=each.source, file=each.file, line=each.line, text=text_of(each))
            for each in finding.evidence
        ),
    )


def _fact(fact: Fact) -> FactDocument:
    return FactDocument(
        component=fact.component,
        name=fact.name,
        value=fact.value,
        status=fact.status.value,
        origin=origin_of(fact.origin),
    )


def origin_of(origin: Origin) -> OriginDocument | str:
    """Write where a statement was read: a place, or what knows it."""
    return str(origin) if origin.source in _ASSUMED else _place(origin)


def _place(origin: Origin) -> OriginDocument:
    return OriginDocument(source=origin.source, file=origin.file, line=origin.line)


def gbs_of(figure: Bandwidth | None) -> float | None:
    """Write a bandwidth in GB/s, null where it is not known."""
    return None if figure is None else round(figure.gbs, 4)


def usable_of(usable: Usable | None) -> UsableDocument | None:
    """Write what good copies achieve, null where it is not known."""
    if usable is None:
        return None
    low, typical, high = (round(each.gbs, 4) for each in (usable.low, usable.typical, usable.high))
    return UsableDocument(low=low, typical=typical, high=high)


def _value(topology: Topology, component: str, name: str) -> object:
    fact = topology.fact(component, name)
    return None if fact is None else fact.value


def _text(topology: Topology, component: str, name: str) -> str | None:
    value = _value(topology, component, name)
    return None if value is None else str(value)
