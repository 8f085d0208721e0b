"""What a collective library plans with becomes line rates and numbers of links, where only one reading is left."""

from __future__ import annotations

import pytest

from tests.collectors.test_nccl_graph import GRAPH, HEAD
from tests.prediction.wiring import lookup
from toposcope.analysis import routes
from toposcope.analysis.route import Transport
from toposcope.assembly import assemble
from toposcope.base import Bandwidth, Capture, Origin
from toposcope.collectors.nccl_log.log import parse
from toposcope.collectors.records import Accelerator, Cpu, PciDevice, PciLink, Reading
from toposcope.model import Grade, Kind, Medium, State

CHIPSET = [
    "=== System : maxBw 6.0 totalBw 24.0 ===",
    "CPU/0-0 (1/1/6)",
    "+ PCI[24.0] - GPU/0-3000 (0)",
    "+ PCI[6.0] - PCI/0-5000 (802600008026ffff)",
    "              + PCI[24.0] - GPU/0-d000 (1)",
    "==========================================",
]


def machine(lines, *more):
    text = "\n".join(HEAD + line for line in lines)
    return assemble(Reading((*parse(Capture("nccl-log", "job.log", text)).records, *more)), lookup(), ())


@pytest.mark.parametrize(
    ("planned", "line"), [(48.0, 63.015), (24.0, 31.508), (12.0, 15.754), (6.0, 7.877), (0.4, 0.5), (0.2, 0.25)]
)
def test_a_planned_pcie_figure_tells_the_line_whatever_generation_it_is(planned, line):
    assert lookup().planned_pcie(Bandwidth.gigabytes(planned)).gbs == pytest.approx(line, rel=0.001)


@pytest.mark.parametrize("planned", [5.1, 100.0, 16.0])
def test_a_figure_of_no_link_tells_nothing(planned):
    assert lookup().planned_pcie(Bandwidth.gigabytes(planned)) is None


@pytest.mark.parametrize(
    ("planned", "links"),
    [(370.8, (18, 25.0)), (360.0, (18, 25.0)), (240.0, (12, 25.0)), (123.6, (6, 25.0)), (721.8, (18, 50.0))],
)
def test_a_planned_bundle_tells_its_links(planned, links):
    assert lookup().planned_links(Medium.NVLINK, Bandwidth.gigabytes(planned)) == links


def test_the_slowest_link_of_the_tree_holds_the_peers_back():
    topology = machine(CHIPSET)
    found = next(route for route in routes(topology, "GPU0", "GPU1") if route.transport is Transport.PCIE_P2P)
    assert found.limit.line.gbs == pytest.approx(7.877, rel=0.001)
    assert [(found.segments[at].source, found.segments[at].target) for at in found.limit.line_bottleneck] == [
        ("pci0000:05", "SW0")
    ]
    assert found.limit.grade is Grade.DERIVED
    assert not found.limit.at_most


def test_links_between_gpus_are_joined_with_their_number():
    topology = machine(GRAPH)
    link = topology.link("GPU0", "GPU1")
    assert (link.medium, link.count, link.line.gbs) == (Medium.NVLINK, 6, 150)


def test_a_tree_that_a_tool_shows_goes_before_the_one_of_the_log():
    origin = Origin("lspci-vvv", "lspci.txt", 1)
    bridge = PciDevice("0000:00:01.0", origin, class_code="0604", secondary=3, at_root=True, port_type="Root Port")
    status = PciLink(8.0, 16)
    gpu = PciDevice("0000:03:00.0", origin, class_code="0302", pci_id="10de:2331", status=status, capability=status)
    topology = machine(CHIPSET, bridge, gpu)
    assert [each.pci for each in topology.components(Kind.ACCELERATOR)] == ["0000:03:00.0"]
    assert topology.link("GPU0", "0000:00:01.0").line.gbs == pytest.approx(15.754, rel=0.001)


def test_the_links_of_a_mesh_are_all_there():
    """Bundles of one GPU lead to several others: none may take the place of another."""
    bundles = {(0, 1): 1, (0, 2): 1, (0, 3): 2, (1, 2): 2, (1, 3): 1, (2, 3): 1}
    lines = [CHIPSET[0], CHIPSET[1]]
    for one in range(4):
        lines.append(f"+ PCI[12.0] - GPU/{one + 1}0 ({one})")
        for other in range(4):
            if one != other:
                count = bundles[min(one, other), max(one, other)]
                lines.append(f"              + NVL[{count * 20.0}] - GPU/{other + 1}0")
    topology = machine([*lines, CHIPSET[-1]])
    found = {pair: topology.link(f"GPU{pair[0]}", f"GPU{pair[1]}") for pair in bundles}
    assert {pair: link.count for pair, link in found.items()} == bundles
    assert {link.grade for link in found.values()} == {Grade.DERIVED}


def test_links_say_the_line_that_they_come_from_and_nothing_of_their_state():
    topology = machine(CHIPSET)
    link = topology.link("GPU0", "pci0000:03")
    assert (link.origin.source, link.origin.line, link.state) == ("nccl-log", 3, State.UNKNOWN)


def test_a_guest_sees_what_its_hypervisor_made_up():
    cpu = Cpu(Origin("lscpu", "lscpu.txt", 1), hypervisor="KVM")
    assert machine(CHIPSET, cpu).link("GPU0", "pci0000:03").line is None


def test_the_form_of_a_link_is_the_models_where_the_line_agrees():
    origin = Origin("nvidia-smi-query-gpu", "smi.csv", 2)
    named = Accelerator(origin, "GPU0", "NVIDIA A100-PCIE-40GB", "0000:03:00.0")
    link = machine(CHIPSET, named).link("GPU0", "pci0000:03")
    assert (link.generation, link.width) == (4, 16)
    assert link.usable is not None
