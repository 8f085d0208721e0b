"""A reference machine printed by its tools and read back gives the answers of the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.printing import LOOKUP, MACHINES, labels, lspci_vvv, machine, npu_topo, topo_m
from toposcope.analysis import analyze
from toposcope.assembly import assemble
from toposcope.base import Capture
from toposcope.collectors import SOURCES
from toposcope.collectors.records import Reading
from toposcope.model import Kind, Topology
from toposcope.profiles.store import filled

if TYPE_CHECKING:
    from toposcope.analysis import Analysis

SWITCHED = [
    name
    for name, each in MACHINES.items()
    if each.fabric and each.fabric.medium == "nvlink" and (each.accelerators and each.accelerators.pcie)
]
BARE = ["l40s-2-2-4", "l40s-2-2-8"]
NPUS = ["910b-kunpeng-8"]


def read(texts: dict[str, str], *, assume: bool) -> Topology:
    readings = [SOURCES[key].parse(Capture(key, key, text)) for key, text in texts.items()]
    records = tuple(record for reading in readings for record in reading.records)
    problems = tuple(problem for reading in readings for problem in reading.problems)
    machines = [filled(each) for each in MACHINES.values()] if assume else []
    return assemble(Reading(records, problems), LOOKUP, machines)


def lines_of(analysis: Analysis, names: list[str]) -> dict[tuple[str, str], float | None]:
    found = {
        (pair.source, pair.target): pair.route.limit.line.gbs if pair.route and pair.route.limit.line else None
        for pair in analysis.pairs
        if pair.source in names and pair.target in names
    }
    return found | {
        (each.source, "remote"): each.route.limit.line.gbs if each.route and each.route.limit.line else None
        for each in analysis.remote
    }


@pytest.mark.parametrize("name", [*SWITCHED, *BARE])
def test_a_matrix_alone_finds_its_machine_again(name: str) -> None:
    topology = machine(name)

    found = read({"nvidia-smi-topo-m": topo_m(topology)}, assume=True)

    assert name in found.candidates
    assert [each.id for each in found.components(Kind.ACCELERATOR, Kind.NIC)] == labels(topology)


@pytest.mark.parametrize("name", ["a100-2-2-4-6-8-8", "a800-8", "dgx-1v", "a100-pcie-4", "l40s-2-2-8"])
def test_a_matrix_of_a_machine_that_fits_alone_gives_its_figures(name: str) -> None:
    topology = machine(name)
    found = read({"nvidia-smi-topo-m": topo_m(topology)}, assume=True)
    if found.candidates != (name,):
        pytest.skip(f"{found.candidates} fit equally: only what all agree on is filled in")

    wanted = lines_of(analyze(topology), labels(topology))

    assert lines_of(analyze(found), labels(topology)) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("name", [*SWITCHED, *BARE])
def test_every_word_of_a_matrix_is_kept(name: str) -> None:
    topology = machine(name)
    names = labels(topology)

    found = read({"nvidia-smi-topo-m": topo_m(topology)}, assume=False)

    assert found.matrix is not None
    assert found.matrix.labels == tuple(names)
    for a in names:
        for b in names:
            if a != b:
                assert found.matrix.cells[a][b] == topology.relations(a, b)[0].word


@pytest.mark.parametrize("name", [*SWITCHED, *BARE])
def test_lspci_alone_gives_the_pcie_figures(name: str) -> None:
    topology = machine(name)
    text, address_of = lspci_vvv(topology)

    found = read({"lspci-vvv": text}, assume=False)

    by_address = {each.pci: each.id for each in found.components(Kind.ACCELERATOR, Kind.NIC, Kind.PCIE_SWITCH)}
    assert set(by_address) == {address for component, address in address_of.items() if not component.startswith("NVSW")}
    for component, address in address_of.items():
        mine, other = found.parent(by_address[address]), topology.parent(component)
        assert mine is not None
        assert other is not None
        link, wanted = found.link(by_address[address], mine), topology.link(component, other)
        assert link is not None
        assert wanted is not None
        assert (link.generation, link.width, link.line) == (wanted.generation, wanted.width, wanted.line)


@pytest.mark.parametrize("name", [*SWITCHED, *BARE])
def test_a_matrix_and_lspci_of_one_machine_do_not_clash(name: str) -> None:
    topology = machine(name)
    text, _ = lspci_vvv(topology)

    found = read({"nvidia-smi-topo-m": topo_m(topology), "lspci-vvv": text}, assume=False)

    assert [problem.message for problem in found.problems if problem.kind == "clash"] == []


@pytest.mark.parametrize("name", NPUS)
def test_an_npu_matrix_finds_its_machine_again(name: str) -> None:
    topology = machine(name)

    found = read({"npu-smi-topo": npu_topo(topology)}, assume=True)

    assert found.candidates == (name,)
    wanted = lines_of(analyze(topology), labels(topology))
    assert lines_of(analyze(found), labels(topology)) == pytest.approx(wanted, rel=1e-6)
