"""Shared links on the reference machines: the acceptance figures, and what each pattern sends."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.contention.test_filling import by_linear_programs
from tests.machines import MACHINES, Builder
from toposcope.analysis.contention import PATTERNS, Contention, contend
from toposcope.analysis.contention.capacity import capacities, figure_of
from toposcope.analysis.contention.filling import fair_shares
from toposcope.analysis.contention.ways import Ways, default_peer, default_remote, peer
from toposcope.analysis.expected import expected_copy
from toposcope.analysis.routes import peer_answers, remote_answers
from toposcope.assembly.figures import Lookup
from toposcope.assembly.reference import topology_of_machine
from toposcope.base import Bandwidth, UsageError
from toposcope.model import Kind, Medium, Topology
from toposcope.profiles.store import find_machine, load_catalogue, load_machines

if TYPE_CHECKING:
    from toposcope.analysis.contention.result import Share

NAMES = sorted(load_machines())


@cache
def reference(name: str) -> Topology:
    return topology_of_machine(find_machine(name, load_machines()), Lookup(load_catalogue()), name=name)


def line(contention: Contention) -> list[float]:
    return [round(share.line.gbs, 4) if share.line else 0.0 for share in contention.shares]


def typical(contention: Contention) -> list[float]:
    return [share.usable.typical.gbs if share.usable else 0.0 for share in contention.shares]


def ends(share: Share) -> tuple[str, str]:
    return share.flow.source, share.flow.target


@pytest.mark.parametrize(
    ("machine", "among", "each"),
    [
        ("l40s-2-2-4", "GPU0 GPU1", 15.7538),
        ("l40s-2-2-8", "GPU0 GPU1 GPU2 GPU3", 12.5),
        ("aws-p4d", "GPU0 GPU1", 6.25),
        ("a800-8", "GPU0 GPU1", 12.5),
        ("a100-2-2-4-6-8-8", "GPU0 GPU1", 25.0),
        ("910b-kunpeng-8", "NPU0 NPU1", 25.0),
    ],
)
def test_accelerators_that_share_a_way_out_share_its_rate(machine: str, among: str, each: float) -> None:
    contention = contend(reference(machine), "rail", among=among.split())

    assert line(contention) == [each] * len(among.split())


def test_both_ports_of_a_card_are_held_by_its_slot() -> None:
    contention = contend(reference("l40s-2-2-4"), "rail", among=["GPU0", "GPU1"])

    ports = [link.source for link in contention.links if link.segment.medium is Medium.ETHERNET]
    assert sorted(ports) == ["NIC0/p1", "NIC0/p2"]
    assert contention.slowest is not None
    assert contention.slowest.segment.medium is Medium.PCIE
    assert contention.slowest.target == "NIC0"


@pytest.mark.parametrize(("count", "each"), [(2, 28.0), (4, 84.0), (8, 196.0)])
@pytest.mark.parametrize("pattern", ["all-to-all", "ring"])
def test_a_mesh_gives_more_the_more_take_part(pattern: str, count: int, each: float) -> None:
    contention = contend(reference("910b-kunpeng-8"), pattern, among=[f"NPU{index}" for index in range(count)])

    assert sum(line(contention)) / count == pytest.approx(each)
    assert contention.bus is not None
    assert contention.bus.line == Bandwidth.gigabytes(each)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_a_switch_gives_the_same_to_any_number(count: int) -> None:
    contention = contend(reference("a800-8"), "all-to-all", among=[f"GPU{index}" for index in range(count)])

    assert sum(line(contention)) / count == pytest.approx(200.0, abs=0.01)


def test_a_full_xgmi_mesh_sends_over_all_seven_links() -> None:
    contention = contend(reference("mi300x-8"), "ring")

    assert contention.bus is not None
    assert contention.bus.line == Bandwidth.gigabytes(448)
    assert contention.bus.usable is not None
    assert contention.bus.usable.typical.gbs == pytest.approx(316.55, rel=0.02)


def test_sixteen_accelerators_on_two_boards_have_all_their_links() -> None:
    halves = contend(reference("dgx-2"), "pairs")
    everyone = contend(reference("dgx-2"), "all-to-all")

    assert line(halves) == [150.0] * 8
    assert everyone.bus is not None
    assert everyone.bus.line == Bandwidth.gigabytes(150)
    trunk = next(link for link in halves.links if len(link.flows) == 8)
    assert trunk.line == Bandwidth.gigabytes(1200)


def test_the_rings_of_a_cube_use_all_of_its_links() -> None:
    contention = contend(reference("dgx-1v"), "ring")

    assert contention.bus is not None
    assert contention.bus.line == Bandwidth.gigabytes(150)
    for ring in contention.rings:
        assert len(set(ring)) == 8


@pytest.mark.parametrize(
    ("machine", "measured"),
    [("dgx-a100", 235), ("a800-8", 156), ("dgx-h100", 363), ("h800-8", 160), ("mi300x-8", 313)],
)
def test_the_bus_bandwidth_of_an_all_reduce_is_near_what_was_measured(machine: str, measured: float) -> None:
    contention = contend(reference(machine), "ring")

    assert contention.bus is not None
    assert contention.bus.usable is not None
    assert contention.bus.usable.typical.gbs == pytest.approx(measured, rel=0.03)


def test_sums_in_the_switch_are_a_pattern_of_their_own() -> None:
    contention = contend(reference("dgx-h100"), "nvls")

    assert contention.bus is not None
    assert contention.bus.usable is not None
    assert contention.bus.usable.typical > contend(reference("dgx-h100"), "ring").bus.usable.high
    with pytest.raises(UsageError, match="known to sum"):
        contend(reference("dgx-a100"), "nvls")
    with pytest.raises(UsageError, match="do not meet in switches"):
        contend(reference("mi300x-8"), "nvls")


def two_behind_one_switch() -> Topology:
    """Two accelerators and two 400G NICs behind one Gen5 uplink of another socket's NIC path."""
    b = Builder(Topology(figures=reference("dgx-h100").figures))
    b.socket("socket0", "numa0", memory=300)
    b.root_complex("rc0", "numa0")
    b.root_complex("rc1", "numa0")
    b.switch("switch0", "rc0", 4)
    b.switch("switch1", "rc1", 4)
    for index in range(4):
        b.accelerator(f"GPU{index}", "switch0", 4)
        b.accelerator(f"GPU{index + 4}", "switch1", 4)
    return b.topology


def test_two_staged_accelerators_behind_one_switch_get_about_half_in_use() -> None:
    topology = two_behind_one_switch()
    for a, b in permutations(range(8), 2):
        topology.note(_refused(f"GPU{a}|GPU{b}"))

    same, other = (contend(topology, flows=[ends]) for ends in ("GPU0:GPU1", "GPU0:GPU4"))
    both = contend(topology, flows=["GPU0:GPU1", "GPU1:GPU0"])

    assert line(same) == line(other)
    assert typical(same)[0] == pytest.approx(0.362 * line(same)[0], rel=0.01)
    assert typical(same)[0] < 0.65 * typical(other)[0]
    assert line(both) == pytest.approx([line(same)[0] / 2] * 2, rel=1e-4)


@pytest.mark.parametrize("count", [1, 2, 4, 16])
def test_flows_over_one_uplink_carry_the_same_in_sum(count: int) -> None:
    flows = [f"GPU{index % 4}:GPU{4 + index // 4}" for index in range(count)]
    contention = contend(two_behind_one_switch(), flows=flows)

    assert sum(line(contention)) == pytest.approx(31.507, rel=1e-3)
    assert sum(typical(contention)) == pytest.approx(typical(contend(two_behind_one_switch(), flows=flows[:1]))[0])


def test_two_fast_ways_behind_one_uplink_get_half_each() -> None:
    b = Builder(Topology(figures=reference("dgx-h100").figures))
    b.socket("socket0", "numa0")
    b.root_complex("rc0", "numa0")
    b.switch("switch0", "rc0", 4)
    for index in range(2):
        b.accelerator(f"GPU{index}", "switch0", 5)
        b.root_complex(f"rc-n{index}", "numa0")
        b.nic(f"NIC{index}", f"rc-n{index}", 5)
        b.port(f"NIC{index}", 400)

    alone = contend(b.topology, "rail", among=["GPU0"])
    both = contend(b.topology, "rail")

    assert line(both) == pytest.approx([line(alone)[0] / 2] * 2, rel=1e-4)
    assert line(alone) == pytest.approx([31.5072])
    assert both.slowest is not None
    assert (both.slowest.source, both.slowest.target) == ("switch0", "rc0")
    assert both.slowest.oversubscription == pytest.approx(2)
    for index in range(2):
        assert typical(contend(b.topology, "h2d"))[index] == typical(contend(b.topology, "h2d", among=["GPU0"]))[0] / 2


def test_functions_of_one_card_share_its_link_to_the_root() -> None:
    b = Builder(Topology(figures=reference("dgx-h100").figures))
    b.socket("socket0", "numa0")
    for index in range(2):
        b.root_complex(f"rc{index}", "numa0")
        b.accelerator(f"GPU{index}", f"rc{index}", 4)
    b.root_complex("rc-n", "numa0")
    b.add("port0", Kind.PCIE_BRIDGE)
    b.link("port0", "rc-n", Medium.PCIE, internal=True, upward=True)
    for function in range(2):
        b.nic(f"NIC{function}", "port0", 4, card="card0")
        b.port(f"NIC{function}", 200)

    contention = contend(b.topology, "rail")

    assert line(contention) == pytest.approx([15.7536, 15.7536], rel=1e-3)
    assert contention.slowest is not None
    assert contention.slowest.target == "NIC0+NIC1"


def test_copies_to_the_host_share_the_uplink_of_a_switch() -> None:
    contention = contend(reference("a100-2-2-4-6-8-8"), "d2h", among=["GPU0", "GPU1"])

    assert line(contention) == [15.7538, 15.7538]
    assert [ends(share) for share in contention.shares] == [("GPU0", "host"), ("GPU1", "host")]
    into = contend(reference("a100-2-2-4-6-8-8"), "h2d", among=["GPU0", "GPU1"])
    assert [ends(share) for share in into.shares] == [("host", "GPU0"), ("host", "GPU1")]
    assert into.shares[0].flow.segments[-1].target == "GPU0"
    assert line(contend(reference("a100-2-2-4-6-8-8"), "h2d", among=["GPU0", "GPU1"])) == [15.7538, 15.7538]


def test_checkpoints_go_to_the_storage_nic_of_the_own_socket() -> None:
    contention = contend(reference("a100-2-2-4-6-8-8"), "storage")

    assert [share.flow.target for share in contention.shares] == ["NIC8"] * 4 + ["NIC9"] * 4
    assert line(contention) == [3.125] * 8
    with pytest.raises(UsageError, match="no NIC is for storage"):
        contend(reference("aws-p4d"), "storage")


def test_without_a_storage_role_the_nics_that_no_accelerator_uses_are_for_storage() -> None:
    b = Builder(Topology(figures=reference("dgx-h100").figures))
    b.socket("socket0", "numa0")
    b.root_complex("rc0", "numa0")
    b.switch("switch0", "rc0", 5)
    b.accelerator("GPU0", "switch0", 5)
    b.nic("NIC0", "switch0", 5)
    b.port("NIC0", 400)
    b.root_complex("rc1", "numa0")
    b.nic("NIC1", "rc1", 5)
    b.port("NIC1", 100)

    contention = contend(b.topology, "storage")

    assert [share.flow.target for share in contention.shares] == ["NIC1"]
    assert line(contention) == [12.5]


def test_who_has_no_way_out_is_left_out() -> None:
    b = Builder(Topology(figures=reference("910b-kunpeng-8").figures))
    b.socket("socket0", "numa0")
    for index in range(2):
        b.root_complex(f"rc{index}", "numa0")
        b.accelerator(f"NPU{index}", f"rc{index}", 4)
    b.port("NPU1", 200)

    contention = contend(b.topology, "rail")

    assert [share.flow.source for share in contention.shares] == ["NPU1"]
    with pytest.raises(UsageError, match="no port"):
        contend(b.topology, "rail", among=["NPU0"])


def test_of_an_unknown_generation_the_whole_range_is_given() -> None:
    b = Builder(Topology(figures=reference("dgx-h100").figures))
    for name in ("GPU0", "GPU1"):
        b.add(name, Kind.ACCELERATOR)
    b.link("GPU0", "GPU1", Medium.NVLINK, 100, count=4)

    contention = contend(b.topology, "ring")

    assert contention.bus is not None
    assert contention.bus.usable is not None
    assert contention.bus.usable.low < contention.bus.usable.typical < contention.bus.usable.high
    assert contention.bus.efficiency == "collective-nvlink"


def test_incast_shares_the_links_of_the_receiver() -> None:
    contention = contend(reference("a800-8"), "incast")

    assert len(contention.shares) == 7
    assert sum(line(contention)) == pytest.approx(200, abs=0.01)
    assert contention.slowest is not None
    assert contention.slowest.target == "GPU0"


def test_a_tree_sends_up_and_down() -> None:
    contention = contend(reference("a800-8"), "tree", among=["GPU0", "GPU1", "GPU2"])

    assert {(share.flow.source, share.flow.target) for share in contention.shares} == {
        ("GPU0", "GPU1"),
        ("GPU1", "GPU0"),
        ("GPU1", "GPU2"),
        ("GPU2", "GPU1"),
    }


@pytest.mark.parametrize(("count", "gbs"), [(2, 200.0), (3, 400 / 3), (4, 150.0), (8, 175.0)])
def test_the_bus_bandwidth_of_a_tree_is_that_of_its_middle_ranks(count: int, gbs: float) -> None:
    """A rank in the middle sends up and down over one link: each gets half, of which 2 (n-1)/n is the bus bandwidth."""
    contention = contend(reference("a800-8"), "tree", among=[f"GPU{index}" for index in range(count)])

    assert contention.bus is not None
    assert contention.bus.line is not None
    assert contention.bus.line.gbs == pytest.approx(gbs)


def test_pairs_are_each_with_the_one_opposite() -> None:
    contention = contend(reference("a800-8"), "pairs")

    assert [ends(share) for share in contention.shares] == [(f"GPU{index}", f"GPU{index + 4}") for index in range(4)]


def test_a_thousand_flows_are_shared_at_once() -> None:
    flows = [f"GPU{index % 8}:GPU{(index + 1 + index // 8 % 7) % 8}" for index in range(1024)]
    contention = contend(reference("a800-8"), flows=flows)

    assert len(contention.shares) == 1024
    assert sum(line(contention)) == pytest.approx(8 * 200.0, rel=1e-3)


def test_a_ring_over_pcie_stays_within_a_switch_before_it_crosses() -> None:
    order = ["GPU0", "GPU4", "GPU1", "GPU5", "GPU2", "GPU6", "GPU3", "GPU7"]

    contention = contend(reference("l40s-2-2-8"), "ring", among=order)

    crossing = [pair for pair in _hops(contention.rings[0]) if (int(pair[0][3]) < 4) != (int(pair[1][3]) < 4)]
    assert len(crossing) == 2


def test_pairs_that_a_bridge_joins_are_neighbours_in_the_ring() -> None:
    contention = contend(reference("a100-pcie-8"), "ring")

    assert {frozenset(pair) for pair in _hops(contention.rings[0])} >= {
        frozenset((f"GPU{index}", f"GPU{index + 1}")) for index in (0, 2, 4, 6)
    }


@pytest.mark.parametrize("text", ["GPU0:NIC1", "0000:10:1c.0:NIC1", "gpu0 : nic1"])
def test_ends_of_a_flow_may_be_named_in_any_way(text: str) -> None:
    contention = contend(reference("aws-p4d"), flows=[text])

    assert (contention.shares[0].flow.source, contention.shares[0].flow.target) == ("GPU0", "NIC1")
    assert contention.among == ("GPU0",)


def test_a_flow_may_begin_at_a_nic_or_in_memory() -> None:
    contention = contend(reference("aws-p4d"), flows=["NIC0:GPU0", "host:GPU1", "GPU2:remote:GPU5", "GPU2:host:1"])

    assert [share.flow.target for share in contention.shares] == ["GPU0", "GPU1", "remote:GPU5", "host:1"]
    assert contention.shares[0].flow.segments[-1].target == "GPU0"


@pytest.mark.parametrize(
    ("pattern", "among", "flows", "message"),
    [
        ("swirl", [], [], "there is no pattern"),
        (None, [], [], "nothing to send"),
        ("rail", ["NIC0"], [], "takes accelerators"),
        ("ring", ["GPU0"], [], "needs two accelerators"),
        (None, [], ["GPU0"], "takes two ends"),
        (None, [], ["GPU0:GPU99"], "GPU99"),
        (None, [], ["GPU0:GPU0"], "both ends"),
        (None, [], ["NIC0:NIC1"], "begins or ends at an accelerator"),
    ],
)
def test_what_has_no_meaning_is_refused(pattern: str | None, among: list[str], flows: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        contend(reference("aws-p4d"), pattern, among=among, flows=flows)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_shares_on_a_link_never_exceed_it(name: str, pattern: str) -> None:
    try:
        contention = contend(reference(name), pattern)
    except UsageError:
        return
    assert contention.shares
    for link in contention.links:
        if link.line is not None and link.load is not None:
            assert link.load.bytes_per_s <= link.line.bytes_per_s * 1.000001
    for share in contention.shares:
        assert share.line is not None
        assert share.alone is None or share.line <= share.alone
        if share.usable is not None:
            assert share.usable.low <= share.usable.typical <= share.usable.high
            assert share.usable.typical <= share.line


@pytest.mark.parametrize("make", MACHINES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_machines_of_all_kinds_are_answered_or_refused(make, pattern: str) -> None:
    topology = make()
    try:
        contention = contend(topology, pattern)
    except UsageError:
        return
    assert contention.shares


@pytest.mark.parametrize("name", NAMES)
def test_the_way_of_a_flow_is_the_default_route(name: str) -> None:
    topology = reference(name)
    ways = Ways(topology)
    near = ways.near

    for a, b in permutations(list(near)[:6], 2):
        expected = next((route for route in peer_answers(topology, a, b, near) if route.default), None)
        found = default_peer(ways, a, b)
        assert found is not None
        assert expected is not None
        assert (found.transport, found.segments) == (expected.transport, expected.segments)
    for each in near:
        expected = next((route for route in remote_answers(topology, each, near) if route.default), None)
        found = default_remote(ways, each)
        if expected is not None:
            assert found is not None
            assert (found.transport, found.segments) == (expected.transport, expected.segments)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_the_flows_of_one_machine_are_alone_no_slower(name: str, ends: list[tuple[int, int]]) -> None:
    topology = reference(name)
    names = [each.id for each in topology.components(Kind.ACCELERATOR)]
    flows = [f"{names[a]}:{names[b]}" for a, b in ends if a != b]
    if not flows:
        return

    together = contend(topology, flows=flows)

    for flow, share in zip(flows, together.shares, strict=True):
        assert share.line is not None
        assert share.line.bytes_per_s <= contend(topology, flows=[flow]).shares[0].line.bytes_per_s + 1


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(["l40s-2-2-8", "a100-pcie-8", "dgx-1v", "aws-p4d", "910b-x86-16"]),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7)), min_size=1, max_size=8),
    st.sampled_from(["line", "typical"]),
)
def test_shares_on_machines_are_those_of_the_linear_programs(
    name: str, ends: list[tuple[int, int]], measure: str
) -> None:
    ways = Ways(reference(name))
    names = [each.id for each in ways.topology.components(Kind.ACCELERATOR)]
    flows = [peer(ways, names[a], names[b % len(names)]) for a, b in ends if a != b % len(names)]
    found, passed = capacities(ways.topology, flows)
    figures = [min(figure_of(each, measure) / 1e9, 1e4) for each in found]

    rates, _ = fair_shares(passed, figures)

    assert rates == pytest.approx(by_linear_programs(passed, figures), rel=1e-4)


def _hops(ring: tuple[str, ...]) -> list[tuple[str, str]]:
    return list(zip(ring, (*ring[1:], ring[0]), strict=True))


def _refused(pair: str):
    from tests.machines import ORIGIN
    from toposcope.model import Fact

    return Fact(pair, "p2p.read", "CNS", ORIGIN)


def test_two_that_stage_for_each_other_get_what_a_test_of_both_directions_shows() -> None:
    topology = reference("l40s-2-2-4")
    one, both = (contend(topology, flows=flows) for flows in (["GPU0:GPU1"], ["GPU0:GPU1", "GPU1:GPU0"]))
    test = expected_copy(topology, "GPU0", "GPU1", ("both",), peer_access=False)
    assert test is not None
    assert sum(typical(both)) == pytest.approx(test.usable.typical.gbs, rel=0.01)
    assert typical(both)[0] < typical(one)[0]
