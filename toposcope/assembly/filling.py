"""What no tool showed, filled in from the models of the devices and from the reference machines that fit.

Everything filled in has the grade ``assumed`` and says where it comes from. Several machines that fit equally fill in
only what all agree on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.assembly.matching import Match, match_machines
from toposcope.assembly.pci import vendor_state
from toposcope.assembly.reference import NETWORK, topology_of_machine, with_usable
from toposcope.base import Bandwidth, Origin
from toposcope.model import SCALE_UP, Component, Grade, Kind, Link, Medium, State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toposcope.assembly.evidence import Evidence
    from toposcope.assembly.figures import Lookup
    from toposcope.assembly.identity import Identities
    from toposcope.model import Topology
    from toposcope.profiles.catalogue import Device
    from toposcope.profiles.machine import Machine


def fill_from_models(
    topology: Topology,
    evidence: Evidence,
    identities: Identities,
    devices: Mapping[str, Sequence[Device]],
    lookup: Lookup,
) -> None:
    """Give accelerators' PCIe links what the vendor's tool prints of them, else what their model can do."""
    for each in list(topology.components(Kind.ACCELERATOR)):
        link = _upward(topology, each.id)
        if link is None or link.internal or link.medium is not Medium.PCIE:
            continue
        if link.line is not None:
            _fill_form(topology, link, devices.get(each.id, ()), lookup)
            continue
        record = evidence.accelerators.get(next((i.label for i in identities.all if i.id == each.id and i.label), ""))
        if record is not None and record.pcie_generation is not None:
            state = vendor_state(record, lookup)
            known = replace(
                link,
                generation=state.generation,
                width=state.width,
                max_generation=state.max_generation,
                max_width=state.max_width,
                line=state.line,
                state=state.state,
                grade=state.grade,
                origin=record.origin,
            )
            topology.replace(with_usable(topology, known))
        elif link.state is not State.DOWN:
            _fill_from_model(topology, link, devices.get(each.id, ()), lookup)
    for each in list(topology.components(Kind.ACCELERATOR)):
        _add_model_port(topology, each.id, devices.get(each.id, ()))


def _add_model_port(topology: Topology, name: str, devices: Sequence[Device]) -> None:
    """Add the network port that every device of this kind has inside, or its rate where no tool showed it."""
    rates = {device.port_gbps for device in devices}
    port, rate = f"{name}/p1", rates.pop() if len(rates) == 1 else None
    if rate is None:
        return
    origin = Origin("catalogue", devices[0].name)
    known = topology.link(port, NETWORK) if port in topology else None
    if known is not None and known.line is None and known.state is not State.DOWN:
        rated = replace(known, line=Bandwidth.gigabits(rate), grade=Grade.ASSUMED, origin=origin)
        topology.replace(with_usable(topology, rated))
    if port in topology:
        return
    if NETWORK not in topology:
        topology.add(Component(NETWORK, Kind.NETWORK, origin, Grade.ASSUMED, count=None))
    topology.add(Component(port, Kind.NIC_PORT, origin, Grade.ASSUMED))
    topology.connect(Link(name, port, Medium.ETHERNET, origin, Grade.ASSUMED, internal=True))
    line = Bandwidth.gigabits(rate)
    topology.connect(with_usable(topology, Link(port, NETWORK, Medium.ETHERNET, origin, Grade.ASSUMED, line=line)))


def _fill_from_model(topology: Topology, link: Link, devices: Sequence[Device], lookup: Lookup) -> None:
    forms = {(device.pcie.generation, device.pcie.width) for device in devices if device.pcie}
    if len(forms) != 1:
        return
    generation, width = forms.pop()
    line = lookup.pcie_line(generation, width)
    origin = Origin("catalogue", devices[0].name)
    filled = replace(link, generation=generation, width=width, line=line, grade=Grade.ASSUMED, origin=origin)
    topology.replace(with_usable(topology, filled))


def _fill_form(topology: Topology, link: Link, devices: Sequence[Device], lookup: Lookup) -> None:
    """Say of a link whose line alone is known that it is of the model's form, where that has the same line."""
    forms = {(device.pcie.generation, device.pcie.width) for device in devices if device.pcie}
    if link.generation is None and len(forms) == 1:
        generation, width = forms.pop()
        if lookup.pcie_line(generation, width) == link.line:
            topology.replace(with_usable(topology, replace(link, generation=generation, width=width)))


def fill_from_machines(
    topology: Topology,
    machines: Sequence[Machine],
    lookup: Lookup,
    devices: Mapping[str, Sequence[Device]],
    chosen: Machine | None,
) -> None:
    """Match the machine to the profiles, note what was found, and fill in what all that fit agree on."""
    matches = match_machines(topology, [chosen] if chosen else machines, lookup, devices)
    fitting = [match for match in matches if chosen is not None or not match.differences]
    topology.candidates = tuple(match.machine.name for match in fitting)
    topology.profile = fitting[0].machine.name if len(fitting) == 1 else None
    topology.near = tuple((match.machine.name, match.differences) for match in matches if match.differences)
    references = [match.reference or topology_of_machine(match.machine, lookup) for match in fitting]
    if chosen and fitting and not any(topology.components(Kind.ROOT_COMPLEX)):
        _add_tree(topology, fitting[0], references[0])
    if fitting:
        _fill(topology, fitting, references)


def _fill(topology: Topology, matches: Sequence[Match], references: Sequence[Topology]) -> None:
    for link in list(topology.links()):
        if link.line is None and not link.internal and link.state is not State.DOWN:
            _fill_link(topology, link, matches, references)
    if topology.fact("host", "fabric.hidden"):
        _add_fabric(topology, matches, references)
    _add_inner_ports(topology, matches, references)
    _name_accelerators(topology, matches, references)
    _fill_counts(topology, references)
    _fill_sockets(topology, references)


def _add_tree(topology: Topology, match: Match, reference: Topology) -> None:
    """Take over all that a machine has around the accelerators, where no tool showed what they hang on."""
    own = {twin: mine for mine, twin in match.pairs.items() if mine in topology}
    hidden = [each for each in reference.components() if each.id not in own and each.id not in topology]
    names = {each.id for each in hidden}
    for each in hidden:
        topology.add(each)
    for link in reference.links():
        a, b = (own.get(end, end) for end in (link.source, link.target))
        if names & {link.source, link.target} and topology.link(a, b) is None:
            upward = reference.parent(link.source) == link.target
            topology.connect(replace(link, source=a, target=b), upward=upward)


def _add_fabric(topology: Topology, matches: Sequence[Match], references: Sequence[Topology]) -> None:
    """Take over a fabric that nothing recorded would show, where one machine fits or all are meshes alike."""
    own_of = [{twin: own for own, twin in match.pairs.items()} for match in matches]
    links = [
        {(own.get(link.source), own.get(link.target)): link for link in reference.links() if link.medium in SCALE_UP}
        for own, reference in zip(own_of, references, strict=True)
    ]
    if any(each.keys() != links[0].keys() for each in links) or (None, None) in links[0]:
        return
    for (a, b), link in links[0].items():
        if a in topology and b in topology and topology.link(str(a), str(b)) is None:
            topology.connect(replace(link, source=str(a), target=str(b)))


def _add_inner_ports(topology: Topology, matches: Sequence[Match], references: Sequence[Topology]) -> None:
    """Add the network port inside each accelerator that shows none, where all machines have one."""
    for each in list(topology.components(Kind.ACCELERATOR)):
        twins = [match.pairs.get(each.id) for match in matches]
        inner = [f"{twin}/p1" in reference for twin, reference in zip(twins, references, strict=True)]
        port = f"{each.id}/p1"
        if port in topology or not all(inner):
            continue
        reference, twin = references[0], f"{twins[0]}/p1"
        if NETWORK not in topology:
            topology.add(reference.component(NETWORK))
        topology.add(replace(reference.component(twin), id=port))
        for link in reference.links_of(twin):
            ends = (each.id, port) if link.internal else (port, NETWORK)
            topology.connect(replace(link, source=ends[0], target=ends[1]))


def _name_accelerators(topology: Topology, matches: Sequence[Match], references: Sequence[Topology]) -> None:
    """Take the model that no tool names from the machines, where all agree; the component's grade says so."""
    for each in list(topology.components(Kind.ACCELERATOR)):
        twins = [match.pairs.get(each.id) for match in matches]
        models = {reference.component(twin).model for twin, reference in zip(twins, references, strict=True) if twin}
        if each.model is None and len(models) == 1:
            topology.add(replace(each, model=models.pop(), grade=Grade.ASSUMED))


def _fill_link(topology: Topology, link: Link, matches: Sequence[Match], references: Sequence[Topology]) -> None:
    found = [_same_link(link, match, reference) for match, reference in zip(matches, references, strict=True)]
    first = found[0]
    if first is None or first.line is None or any(other is None or other.line != first.line for other in found):
        return
    known = replace(
        link,
        line=first.line,
        generation=link.generation or first.generation,
        width=link.width or first.width,
        count=link.count if link.count is not None and link.medium is not Medium.ETHERNET else first.count,
        medium=first.medium if link.medium is Medium.ETHERNET else link.medium,
        grade=Grade.ASSUMED,
        origin=first.origin,
    )
    topology.replace(with_usable(topology, known))


def _same_link(link: Link, match: Match, reference: Topology) -> Link | None:
    """Find the link of the reference machine that stands where this one does."""
    below = match.pairs.get(link.source)
    if below is None:
        return None
    if link.medium is Medium.PCIE:
        above = _upward(reference, below)
        return above if above is not None and above.medium is Medium.PCIE else None
    ends = (link.target if link.target in reference else match.pairs.get(link.target),)
    bundle = [
        each
        for each in reference.links_of(below)
        if each.medium is link.medium or (link.medium is Medium.ETHERNET and each.medium is Medium.INFINIBAND)
    ]
    if ends[0] is not None:
        bundle = [each for each in bundle if each.other(below) == ends[0]] or bundle
    if not bundle or any(each.line is None for each in bundle):
        return None
    if len(bundle) == 1:
        return bundle[0]
    lines = [each.line for each in bundle if each.line is not None]
    counts = [each.count or 0 for each in bundle]
    total = lines[0] * 0
    for line in lines:
        total += line
    return replace(bundle[0], line=total, count=sum(counts))


def _fill_counts(topology: Topology, references: Sequence[Topology]) -> None:
    """Take the number of switches that the words leave open from the machines, where all agree."""
    for component in list(topology.components(Kind.NVSWITCH, Kind.FABRIC_SWITCH, Kind.PCIE_SWITCH)):
        if component.count is not None:
            continue
        if component.kind is Kind.PCIE_SWITCH:
            topology.add(replace(component, count=1, grade=Grade.ASSUMED))
            continue
        count = _agreed(references, lambda each: sum(1 for _ in each.components(component.kind)))  # noqa: B023
        if count:
            topology.add(replace(component, count=count, grade=Grade.ASSUMED))


def _fill_sockets(topology: Topology, references: Sequence[Topology]) -> None:
    """Give the links between sockets their figure, and NUMA nodes their sockets, where the machines agree."""
    count = _agreed(references, lambda each: sum(1 for _ in each.components(Kind.SOCKET)))
    sockets: list[Component] = list(topology.components(Kind.SOCKET))
    if count is None or (sockets and len(sockets) != count):
        return
    nodes = sorted(node.id for node in topology.components(Kind.NUMA) if node.numa is not None)
    if not sockets and nodes and len(nodes) % count == 0:
        for component in references[0].components(Kind.SOCKET):
            topology.add(component)
        for node in nodes:
            place = references[0].parent(node) if node in references[0] else None
            if place is not None:
                link = references[0].link(node, place)
                if link is not None:
                    topology.connect(link, upward=True)
    for link in references[0].links():
        if link.medium is Medium.SOCKET and link.source in topology and link.target in topology:
            _fill_socket_link(topology, link)


def _fill_socket_link(topology: Topology, link: Link) -> None:
    known = topology.link(link.source, link.target)
    if known is None:
        topology.connect(link)
    elif known.line is None:
        topology.replace(link)


def _agreed(references: Sequence[Topology], ask: Callable[[Topology], int]) -> int | None:
    answers = {ask(reference) for reference in references}
    return answers.pop() if len(answers) == 1 else None


def _upward(topology: Topology, name: str) -> Link | None:
    parent = topology.parent(name)
    return topology.link(name, parent) if parent is not None else None
