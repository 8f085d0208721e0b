"""The acceptance figures: line rate, one direction, with the segment that holds each route back."""

from __future__ import annotations

import pytest

from tests.printing import machine
from toposcope.analysis import Transport, analyze, routes
from toposcope.model import Kind, Medium, Topology

PCIE4, PCIE5 = 31.508, 63.015
WITHIN = 0.005


def line(topology: Topology, src: str, dst: str, transport: Transport | None = None) -> float:
    found = routes(topology, src, dst)
    route = found[0] if transport is None else next(each for each in found if each.transport is transport)
    assert route.limit.line is not None
    return route.limit.line.gbs


def held(topology: Topology, src: str, dst: str) -> set[Medium]:
    route = routes(topology, src, dst)[0]
    return {route.segments[index].medium for index in route.limit.line_bottleneck}


@pytest.mark.parametrize("other", range(1, 8))
def test_a100_reaches_every_other_gpu_by_twelve_links(other: int) -> None:
    a100 = machine("a100-2-2-4-6-8-8")

    assert line(a100, "GPU0", f"GPU{other}") == pytest.approx(300, rel=WITHIN)
    assert routes(a100, "GPU0", f"GPU{other}")[0].segments[0].count == 12


def test_a100_is_two_two_four_six_eight_eight() -> None:
    a100 = machine("a100-2-2-4-6-8-8")
    roles = [nic.role for nic in a100.components(Kind.NIC)]
    kinds = (Kind.SOCKET, Kind.PCIE_SWITCH, Kind.NVSWITCH, Kind.ACCELERATOR)

    assert [sum(1 for _ in a100.components(kind)) for kind in kinds] == [2, 4, 6, 8]
    assert (roles.count("storage"), roles.count("compute")) == (2, 8)


@pytest.mark.parametrize(
    ("nic", "figure", "medium", "after"),
    [
        (100, 12.5, Medium.ETHERNET, PCIE4),
        (200, 25.0, Medium.ETHERNET, PCIE4),
        (400, PCIE4, Medium.PCIE, 50.0),
    ],
)
def test_a100_to_a_remote_gpu_is_held_by_the_port_until_pcie_gen4_is(
    nic: int, figure: float, medium: Medium, after: float
) -> None:
    a100 = machine(f"a100-2-2-4-6-8-8,nic={nic}")
    limit = routes(a100, "GPU0", "remote")[0].limit

    assert line(a100, "GPU0", "remote") == pytest.approx(figure, rel=WITHIN)
    assert held(a100, "GPU0", "remote") == {medium}
    assert limit.next_line is not None
    assert limit.next_line.gbs == pytest.approx(after, rel=WITHIN)


def test_a100_reaches_its_own_nic_through_one_switch() -> None:
    a100 = machine("a100-2-2-4-6-8-8")

    assert line(a100, "GPU0", "NIC0") == pytest.approx(PCIE4, rel=WITHIN)
    assert [segment.target for segment in routes(a100, "GPU0", "NIC0")[0].segments] == ["SW0", "NIC0"]


@pytest.mark.parametrize(("name", "figure"), [("a800-8", 200), ("dgx-h100", 450), ("h800-8", 200), ("dgx-b200", 900)])
def test_a_switched_fabric_carries_all_links_of_one_gpu(name: str, figure: float) -> None:
    assert line(machine(name), "GPU0", "GPU1") == pytest.approx(figure, rel=WITHIN)


def test_h100_has_gen5_to_its_nic_four_switches_and_400g_ports() -> None:
    h100 = machine("dgx-h100")

    assert line(h100, "GPU0", "NIC0") == pytest.approx(PCIE5, rel=WITHIN)
    assert line(h100, "GPU0", "remote") == pytest.approx(50, rel=WITHIN)
    assert sum(1 for _ in h100.components(Kind.NVSWITCH)) == 4


def test_l40s_goes_through_the_cpu_or_out_by_a_port_and_back() -> None:
    l40s = machine("l40s-2-2-4")

    assert line(l40s, "GPU0", "GPU1", Transport.PCIE_P2P) == pytest.approx(PCIE4, rel=WITHIN)
    assert line(l40s, "GPU0", "GPU1", Transport.HOST_STAGED) == pytest.approx(PCIE4, rel=WITHIN)
    assert line(l40s, "GPU0", "GPU1", Transport.NIC_LOOPBACK) == pytest.approx(25, rel=WITHIN)
    assert not any(l40s.components(Kind.PCIE_SWITCH))


@pytest.mark.parametrize(("name", "network", "pcie"), [("a100-2-2-4-6-8-8", 12, 9.5), ("a800-8", 8, 6.3)])
def test_nvlink_is_so_many_times_the_routes_of_an_l40s(name: str, network: float, pcie: float) -> None:
    nvlink, l40s = line(machine(name), "GPU0", "GPU1"), machine("l40s-2-2-4")

    assert nvlink / line(l40s, "GPU0", "GPU1", Transport.NIC_LOOPBACK) == pytest.approx(network, rel=WITHIN)
    assert nvlink / line(l40s, "GPU0", "GPU1", Transport.PCIE_P2P) == pytest.approx(pcie, rel=0.01)


def test_l40s_on_two_switches_has_two_switches_more() -> None:
    assert sum(1 for _ in machine("l40s-2-2-8").components(Kind.PCIE_SWITCH)) == 2


def test_910b_is_a_mesh_of_one_link_a_pair() -> None:
    npus = machine("910b-kunpeng-8")
    analysis = analyze(npus)
    links = [link for link in npus.links_of("NPU0") if link.medium is Medium.HCCS]

    assert line(npus, "NPU0", "NPU1") == pytest.approx(28, rel=WITHIN)
    assert sum(link.line.gbs for link in links if link.line) == pytest.approx(196, rel=WITHIN)
    assert line(npus, "NPU0", "remote") == pytest.approx(25, rel=WITHIN)
    assert line(npus, "NPU0", "host") == pytest.approx(PCIE4, rel=WITHIN)
    assert held(npus, "NPU0", "host") == {Medium.PCIE}
    assert {remote.route.transport for remote in analysis.remote if remote.route} == {Transport.NPU_ROCE}


@pytest.mark.parametrize(
    ("name", "one", "group", "medium"),
    [
        ("l40s-2-2-4", 25.0, PCIE4, Medium.PCIE),
        ("oci-h100-8", 25.0, 50.0, None),
        ("aws-p5", 12.5, 50.0, None),
    ],
)
def test_one_port_and_all_near_ports_differ(name: str, one: float, group: float, medium: Medium | None) -> None:
    found = [each for each in routes(machine(name), "GPU0", "remote") if each.transport is Transport.GPUDIRECT_RDMA]
    single = next(route for route in found if route.port is not None)
    several = next(route for route in found if route.port is None)

    assert single.limit.line is not None
    assert several.limit.line is not None
    assert single.limit.line.gbs == pytest.approx(one, rel=WITHIN)
    assert several.limit.line.gbs == pytest.approx(group, rel=WITHIN)
    if medium is not None:
        assert {several.segments[index].medium for index in several.limit.line_bottleneck} == {medium}


def test_a800_leaves_by_its_bond() -> None:
    assert line(machine("a800-8"), "GPU0", "remote") == pytest.approx(25, rel=WITHIN)


def test_a_remote_host_may_be_another_one() -> None:
    slow, fast = machine("a100-2-2-4-6-8-8,nic=100"), machine("a100-2-2-4-6-8-8,nic=200")

    there = routes(fast, "GPU0", "remote", far=slow)[0]

    assert there.limit.line is not None
    assert there.limit.line.gbs == pytest.approx(12.5, rel=WITHIN)
    assert all(there.segments[index].target.startswith("remote:") for index in there.limit.line_bottleneck)


def test_another_rail_is_reached_over_the_fabric_first() -> None:
    route = routes(machine("dgx-h100"), "GPU0", "remote:GPU3")[0]

    assert (route.transport, route.via, route.nics) == (Transport.PXN, "GPU3", ("NIC3",))
    assert route.segments[-1].target == "remote:GPU3"
