"""From one machine, recordings of several strengths: they agree on everything that the weaker one can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.printing import LOOKUP, MACHINES, machine
from tests.recordings_of import of_npu_text, of_nvidia_text, of_nvml, of_sysfs
from tests.sys_tree import functions
from toposcope.analysis import analyze
from toposcope.analysis.fabric import fabric_links
from toposcope.analysis.nics import neighbours, network_link, ports_of
from toposcope.analysis.route import Route, Transport
from toposcope.analysis.routes import peer_answers
from toposcope.assembly import assemble
from toposcope.base import Capture
from toposcope.collectors import SOURCES
from toposcope.collectors.records import Reading
from toposcope.model import Kind, Reach, Topology
from toposcope.model.placement import reach

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toposcope.analysis import Pair
    from toposcope.analysis.nics import Neighbours
    from toposcope.model import Component

SHOWN = ("pcie", "numa", "reach", "number")
Statements = dict[tuple[str, ...], object]


def vendor(name: str) -> str:
    accelerators = MACHINES[name].accelerators
    prefix = accelerators.prefix if accelerators else ""
    medium = MACHINES[name].fabric.medium if MACHINES[name].fabric else None
    return "npu" if prefix == "NPU" else "amd" if medium == "xgmi" else "nvidia"


WITH_PCIE = [name for name in sorted(MACHINES) if functions(machine(name))]
NVIDIA = [name for name in WITH_PCIE if vendor(name) == "nvidia"]
NPU = [name for name in WITH_PCIE if vendor(name) == "npu"]
AMD = [name for name in WITH_PCIE if vendor(name) == "amd"]


def shown(topology: Topology) -> tuple[str, ...]:
    """Return of what /sys speaks at least; a GPU behind C2C is on no PCI bus."""
    on_bus = any(each.component and each.component.kind is Kind.ACCELERATOR for each in functions(topology))
    return SHOWN if on_bus else ("numa", "number")


def assembled(texts: dict[str, str]) -> Topology:
    readings = [SOURCES[key].parse(Capture(key, key, text)) for key, text in texts.items()]
    records = tuple(record for reading in readings for record in reading.records)
    problems = tuple(problem for reading in readings for problem in reading.problems)
    return assemble(Reading(records, problems), LOOKUP)


def statements(topology: Topology, addresses: dict[str, str] | None = None) -> Statements:
    """Return all that a topology says of parts with an address, by address; what it does not know is left out."""
    named = addresses or {each.id: each.pci for each in topology.components() if each.pci}
    found: Statements = {}
    for each in topology.components(Kind.ACCELERATOR, Kind.NIC):
        if each.id in named:
            found |= of_device(topology, each, named[each.id])
    near = neighbours(topology)
    for pair in analyze(topology, rules=()).pairs:
        if pair.source in named and pair.target in named:
            ends = tuple(sorted((named[pair.source], named[pair.target])))
            apart = reach(topology, pair.source, pair.target)
            found["reach", *ends] = max(apart, Reach.SWITCHES) if apart else None
            found |= {("route", *ends, route.transport): of_route(route) for route in ways(topology, pair, near)}
    for kind in (Kind.SOCKET, Kind.PCIE_SWITCH):
        found["number", kind] = sum(1 for _ in topology.components(kind)) or None
    return {key: value for key, value in found.items() if value is not None}


def of_device(topology: Topology, each: Component, here: str) -> Statements:
    """Return what is said of an accelerator or a NIC: its node, its model, its PCIe link, its fabric or its port."""
    parent = topology.parent(each.id)
    link = topology.link(each.id, parent) if parent else None
    found: Statements = {("numa", here): each.numa}
    if link is not None and link.line is not None:
        found["pcie", here] = (link.generation, link.width, link.line.gbs)
    if each.kind is Kind.ACCELERATOR:
        lines = [link.line for link in fabric_links(topology, each.id)]
        found["model", here] = each.model if each.model and "[" not in each.model else None
        found["fabric", here] = sum(line.gbs for line in lines if line) if lines and all(lines) else None
    for number, port in enumerate(ports_of(topology, each.id) if each.kind is Kind.NIC else ()):
        network = network_link(topology, port.id)
        found["port", here, str(number)] = network.line.gbps if network and network.line else None
    return found


def ways(topology: Topology, pair: Pair, near: dict[str, Neighbours]) -> Iterator[Route]:
    """Yield the routes of a pair: which of them is the default depends on what else is known."""
    if topology.component(pair.target).kind is Kind.ACCELERATOR:
        yield from (route for route in peer_answers(topology, pair.source, pair.target, near) if route.via is None)
    elif pair.route is not None:
        yield pair.route


def of_route(route: Route) -> object:
    """Return the line of a route all of whose segments are known; one through NICs depends on which those are."""
    if route.limit.line is None or route.limit.grade == 0 or route.transport is Transport.NIC_LOOPBACK:
        return None
    return pytest.approx(route.limit.line.gbs, rel=1e-6)


def assert_agrees(weaker: Statements, stronger: Statements, *, told: tuple[str, ...]) -> None:
    """Whatever the weaker one says, the stronger one says too; and the weaker one does speak of ``told``."""
    differing = {key: (value, stronger.get(key)) for key, value in weaker.items() if stronger.get(key) != value}
    assert differing == {}
    assert {key[0] for key in weaker} >= set(told)


@pytest.mark.parametrize("name", NVIDIA)
def test_nvidia_recordings_agree(name: str, tmp_path: Path) -> None:
    topology = machine(name)
    text, tree, nvml = of_nvidia_text(topology), of_sysfs(topology, tmp_path), of_nvml(topology)

    everything = assembled({**text, **tree, **nvml})

    assert [problem.message for problem in everything.problems if problem.kind == "clash"] == []
    stronger = statements(everything)
    told = shown(topology)
    assert_agrees(statements(assembled(text)), stronger, told=("numa",))
    assert_agrees(statements(assembled({**tree, **nvml})), stronger, told=told)
    assert_agrees(statements(assembled(tree)), stronger, told=told)


@pytest.mark.parametrize("name", NPU)
def test_npu_recordings_agree(name: str, tmp_path: Path) -> None:
    topology = machine(name)
    text, tree = of_npu_text(topology), of_sysfs(topology, tmp_path)

    everything = assembled({**text, **tree})

    assert [problem.message for problem in everything.problems if problem.kind == "clash"] == []
    stronger = statements(everything)
    assert_agrees(statements(assembled(text)), stronger, told=("pcie", "numa", "reach", "fabric"))
    assert_agrees(statements(assembled(tree)), stronger, told=SHOWN)


@pytest.mark.parametrize("name", WITH_PCIE)
def test_sys_alone_agrees_with_the_machine_that_it_was_made_from(name: str, tmp_path: Path) -> None:
    topology = machine(name)
    tree = of_sysfs(topology, tmp_path)
    addresses = {each.component.id: each.address for each in functions(topology) if each.component}

    weaker = {
        key: value for key, value in statements(assembled(tree)).items() if key[0] not in ("route", "remote", "fabric")
    }

    stronger = statements(topology, addresses)
    known = {key: value for key, value in weaker.items() if key in stronger or key[0] == "reach"}
    assert_agrees(known, stronger, told=shown(topology))
