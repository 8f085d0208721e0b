"""Measurements against predictions: what is normal, what is slow, and which part is to blame."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from tests.machines import Builder, a100, h100, hccs_mesh, matrix_only
from tests.prediction.wiring import lookup
from toposcope.analysis.measured import Health, check, size_words
from toposcope.base import Bandwidth, Origin
from toposcope.model import Grade, Kind, Measurement, Medium, Reach, Topology

ORIGIN = Origin("nvbandwidth", "nvbandwidth.txt", 3)


def machine(make=a100):
    topology = make()
    topology.figures = lookup().figures({"NVIDIA"}, None)
    return topology


def copied(a, b, gbs, **more):
    more = {"size": 64 << 20, "test": "copy", **more}
    return Measurement("tool", "memcpy", Bandwidth.gigabytes(gbs), ORIGIN, a, b, **more)


def ring(gbs, **more):
    more = {"collective": "all_reduce", "size": 1 << 30, "ranks": 8, "hosts": 1, **more}
    return Measurement("tool", more.pop("metric", "busbw"), Bandwidth.gigabytes(gbs), ORIGIN, **more)


def all_pairs(speed, count=8):
    names = [f"GPU{index}" for index in range(count)]
    return [copied(a, b, speed(a, b)) for a, b in permutations(names, 2)]


def places(suspect):
    return {frozenset((each.source, each.target)) for each in suspect.segments}


def test_pairs_at_the_rate_of_their_links_are_normal():
    found = check(machine(), all_pairs(lambda *_: 270))
    assert found.health is Health.NORMAL
    assert found.suspects == ()


def test_a_slow_row_and_column_point_to_the_accelerator():
    found = check(machine(), all_pairs(lambda a, b: 130 if "GPU3" in (a, b) else 270))
    (suspect,) = found.suspects
    assert (suspect.kind, suspect.component, suspect.explains, suspect.slow) == ("component", "GPU3", 14, 14)


def test_a_slow_pair_with_both_ends_healthy_points_between_them():
    found = check(machine(), all_pairs(lambda a, b: 130 if {a, b} == {"GPU3", "GPU6"} else 270))
    (suspect,) = found.suspects
    assert suspect.kind == "between"


def test_a_slow_pair_of_a_mesh_points_to_its_link():
    topology = machine(hccs_mesh)
    names = [f"NPU{index}" for index in range(8)]
    taken = [copied(a, b, 12 if {a, b} == {"NPU1", "NPU4"} else 25) for a, b in permutations(names, 2)]
    (suspect,) = check(topology, taken).suspects
    assert (suspect.kind, suspect.component) == ("segment", None)
    assert places(suspect) == {frozenset(("NPU1", "NPU4"))}


def test_slow_copies_of_two_below_one_switch_point_to_its_uplink():
    taken = [copied(f"GPU{i}", "host", 9 if i in (2, 3) else 26) for i in range(8)]
    (suspect,) = check(machine(), taken).suspects
    assert frozenset(("switch1", "rc1")) in places(suspect)
    assert suspect.explains == 2


def test_slow_ways_across_the_sockets_point_to_the_link_between_them():
    topology = machine(two_sockets)
    near = [copied(a, b, 25.5) for a, b in (("GPU0", "GPU1"), ("GPU2", "GPU3"))]
    far = [copied(a, b, 8) for a in ("GPU0", "GPU1") for b in ("GPU2", "GPU3")]
    (suspect,) = check(topology, near + far).suspects
    assert [each.medium for each in suspect.segments] == [Medium.SOCKET]


def two_sockets():
    b = Builder(Topology())
    for half in range(2):
        b.socket(f"socket{half}", f"numa{half}")
        for index in (2 * half, 2 * half + 1):
            b.root_complex(f"rc{index}", f"numa{half}")
            b.accelerator(f"GPU{index}", f"rc{index}", model="L40S")
    b.link("socket0", "socket1", Medium.SOCKET, 62.4)
    return b.topology


def test_where_nothing_is_healthy_the_cause_is_common_to_all():
    (suspect,) = check(machine(), all_pairs(lambda *_: 20)).suspects
    assert suspect.kind == "all"


def test_a_chipset_s_uplink_that_is_the_limit_is_normal():
    b = Builder(Topology())
    b.socket("socket0", "numa0")
    b.root_complex("rc0", "numa0")
    b.root_complex("rc1", "numa0")
    b.accelerator("GPU0", "rc0", 4, 16)
    for name, under in (("chipset", "rc1"), ("port", "chipset")):
        b.add(name, Kind.PCIE_SWITCH)
        b.pcie(name, under, 4, 4)
    b.accelerator("GPU1", "port", 4, 16)
    topology = b.topology
    topology.figures = lookup().figures({"AMD"}, None)
    (judged,) = check(topology, [copied("GPU0", "GPU1", 6.5)]).judged
    assert judged.health is Health.NORMAL
    assert {(each.generation, each.width) for each in judged.expected.limits} == {(4, 4)}


def test_a_small_message_is_not_judged_and_the_greatest_size_counts():
    small, large = ring(40, size=1 << 20), ring(230)
    (judged,) = check(machine(), [small]).judged
    assert judged.health is Health.UNJUDGED
    assert "too small to judge, 256 MiB" in judged.why
    (judged,) = check(machine(), [large, small]).judged
    assert (judged.health, judged.measurement.size) == (Health.NORMAL, 1 << 30)


def test_algorithm_bandwidth_is_compared_as_bus_bandwidth():
    (judged,) = check(machine(), [ring(132, metric="algbw")]).judged
    assert (judged.value.gbs, judged.health) == (231, Health.NORMAL)
    (judged,) = check(machine(), [ring(132, metric="algbw", ranks=None)]).judged
    assert (judged.health, judged.why) == (Health.NORMAL, "if all 8 took part")
    (judged,) = check(machine(), [ring(132, metric="algbw", collective=None)]).judged
    assert judged.health is Health.UNJUDGED


def test_one_slow_direction_accuses_no_part():
    taken = [copied("GPU0", "host", 26), copied("host", "GPU0", 9), copied("GPU1", "host", 26)]
    (suspect,) = check(machine(), taken).suspects
    assert suspect.kind == "direction"


def test_what_the_cores_of_the_cpu_copy_is_not_judged():
    (judged,) = check(machine(), [copied("host", "GPU0", 9, words=("cpu",))]).judged
    assert judged.health is Health.UNJUDGED


@pytest.mark.parametrize(
    ("measurement", "why"),
    [
        (copied("GPU0", "GPU1", 9, flows=4), "4 copies ran together"),
        (copied("host", "host", 9), "a copy inside host memory"),
        (copied("GPU0", "GPU0", 900), "a copy inside one accelerator"),
        (copied("GPU0", "host:7", 9), "there is no NUMA node"),
        (ring(9, collective=None), "which collective"),
        (ring(9, ranks=4), "which 4 accelerators"),
        (Measurement("tool", "rdma", Bandwidth.gigabytes(9), ORIGIN, "host", "remote"), "which NIC"),
    ],
)
def test_what_cannot_be_judged_says_why(measurement, why):
    (judged,) = check(machine(), [measurement]).judged
    assert judged.health is Health.UNJUDGED
    assert why in judged.why


def test_more_than_the_line_is_no_health_of_the_machine():
    (judged,) = check(machine(), [copied("GPU0", "GPU1", 450)]).judged
    assert judged.health is Health.ABOVE


def test_a_matrix_that_does_not_say_which_counts_both_where_one_way_could_not_carry_it():
    both = [copied("GPU0", "GPU1", 530, words=("either",)), copied("GPU0", "GPU2", 265, words=("either",))]
    judged = check(machine(), both).judged
    assert [each.health for each in judged] == [Health.NORMAL, Health.NORMAL]
    assert {each.measurement.target: each.measurement.words for each in judged} == {
        "GPU1": ("both",),
        "GPU2": ("either",),
    }


def test_without_figures_the_others_of_its_kind_are_the_measure():
    taken = [
        copied(a, b, 100 if {a, b} == {"GPU0", "GPU1"} else 200)
        for a, b in permutations(["GPU0", "GPU1", "GPU2", "GPU3"], 2)
    ]
    found = check(machine(matrix_only), taken)
    assert sorted(each.health for each in found.judged) == [Health.NORMAL] * 10 + [Health.SLOW] * 2
    assert all("of its kind" in each.why for each in found.judged)


def test_rdma_through_a_port_is_held_to_its_rate():
    def rdma(gbs, source):
        return Measurement("tool", "rdma", Bandwidth.gigabytes(gbs), ORIGIN, source, "remote", size=1 << 20, nic="NIC0")

    assert check(machine(), [rdma(24.2, "GPU0")]).health is Health.NORMAL
    assert check(machine(), [rdma(23.1, "host")]).health is Health.NORMAL
    found = check(machine(), [rdma(12, "GPU0"), rdma(23.1, "host")])
    (suspect,) = found.suspects
    assert places(suspect) == {frozenset(("GPU0", "switch0"))}


def test_peer_access_taken_away_is_held_to_staging():
    (judged,) = check(machine(), [copied("GPU0", "GPU5", 19.5, peer_access=False)]).judged
    assert judged.health is Health.NORMAL


def test_sizes_are_written_with_binary_units():
    assert [size_words(each) for each in (12, 2048, 64 << 20, 3 << 30)] == ["12 B", "2 KiB", "64 MiB", "3 GiB"]


def test_grades_of_a_prediction_are_those_of_its_route():
    (judged,) = check(machine(), [copied("GPU0", "GPU1", 270)]).judged
    assert judged.expected.grade is Grade.OBSERVED


def test_a_fault_of_the_machine_that_explains_it_is_named():
    topology = machine(h100)
    taken = [copied(f"GPU{i}", "host", 12 if i == 5 else 55) for i in range(8)]
    found = check(topology, taken)
    assert found.health is Health.SLOW
    assert "GPU5" in {name for finding in found.reasons for name in finding.components}
    healthy = check(topology, [copied("GPU1", "host", 55)])
    assert healthy.reasons == ()


def test_host_copies_as_slow_as_those_of_the_other_socket_point_to_its_memory():
    topology = machine(a100)
    taken = [copied(f"GPU{index}", "host", 19) for index in range(4)]
    (suspect,) = check(topology, taken).suspects
    assert suspect.kind == "memory"
    assert all(part.reach is Reach.SOCKET for part in suspect.segments)
    near = [copied("GPU4", "host", 26)]
    assert [each.kind for each in check(topology, [*taken, *near]).suspects] == ["memory"]


def test_host_copies_that_no_other_memory_explains_point_to_their_own_way():
    topology = machine(a100)
    assert "memory" not in {each.kind for each in check(topology, [copied("GPU0", "host", 6)]).suspects}
    bound = [copied("GPU0", "host:0", 19)]
    assert "memory" not in {each.kind for each in check(topology, bound).suspects}


def test_a_slow_row_points_to_what_the_accelerator_sends():
    (suspect,) = check(machine(), all_pairs(lambda a, _: 130 if a == "GPU3" else 270)).suspects
    assert (suspect.kind, suspect.explains, suspect.slow) == ("direction", 7, 7)
    assert suspect.segments[0].source == "GPU3"
    two = check(machine(), all_pairs(lambda a, _: 130 if a in ("GPU3", "GPU5") else 270)).suspects
    assert [(each.kind, each.segments[0].source) for each in two] == [("direction", "GPU3"), ("direction", "GPU5")]


def test_an_accelerator_of_which_all_is_slow_goes_before_its_single_links():
    taken = [copied("GPU0", "GPU1", 120), copied("GPU1", "GPU0", 120), copied("GPU0", "host", 26)]
    (suspect,) = check(machine(), [*taken, copied("GPU1", "host", 9)]).suspects
    assert (suspect.kind, suspect.component, suspect.explains) == ("component", "GPU1", 3)


def test_one_way_that_was_measured_slow_and_healthy_accuses_no_part():
    taken = [copied("GPU0", "GPU1", 120), copied("GPU0", "GPU1", 265, test="again"), copied("GPU1", "GPU0", 265)]
    (suspect,) = check(machine(), taken).suspects
    assert suspect.kind == "varies"


def test_a_collective_tells_no_part_and_what_is_above_its_line_is_no_evidence():
    assert check(machine(), [ring(60)]).suspects == ()
    (suspect,) = check(machine(), [copied("GPU0", "host", 9), copied("GPU1", "host", 90)]).suspects
    assert suspect.kind == "all"


def test_the_port_is_among_the_suspects_of_a_slow_nic():
    taken = Measurement("tool", "rdma", Bandwidth.gigabytes(9), ORIGIN, "host", "remote", nic="NIC0")
    (suspect,) = check(machine(), [taken]).suspects
    assert Medium.ETHERNET in {each.medium for each in suspect.segments}


def test_a_small_message_that_took_far_too_long_is_slow():
    (judged,) = check(machine(), [ring(10, size=128 << 20)]).judged
    assert judged.health is Health.SLOW
    (judged,) = check(machine(), [ring(120, size=128 << 20)]).judged
    assert judged.health is Health.UNJUDGED


def test_a_test_that_ran_twice_is_judged_twice():
    taken = [replace(copied("GPU0", "GPU1", gbs), origin=replace(ORIGIN, line=at)) for at, gbs in ((3, 265), (9, 120))]
    assert [each.health for each in check(machine(), taken).judged] == [Health.NORMAL, Health.SLOW]


def mesh_pairs(speed):
    return [copied(a, b, speed(a, b)) for a, b in permutations([f"NPU{index}" for index in range(8)], 2)]


def test_slow_pairs_of_an_accelerator_whose_host_copies_are_healthy_point_to_what_peers_pass():
    host = [copied("NPU3", "host", 26), copied("host", "NPU3", 26)]
    (suspect,) = check(machine(hccs_mesh), [*mesh_pairs(lambda a, b: 12 if "NPU3" in (a, b) else 25), *host]).suspects
    assert (suspect.component, suspect.explains) == ("NPU3", 14)
    assert {part.medium for part in suspect.segments} == {Medium.HCCS}


def test_slow_host_copies_of_an_accelerator_whose_pairs_are_healthy_leave_its_links_out():
    slow = [copied("NPU3", "host", 6), copied("host", "NPU3", 6)]
    well = [copied(f"NPU{at}", "host", 26) for at in (0, 1, 2, 4)]
    (suspect,) = check(machine(hccs_mesh), [*mesh_pairs(lambda *_: 25), *slow, *well]).suspects
    assert (suspect.component, suspect.explains) == ("NPU3", 2)
    assert Medium.HCCS not in {part.medium for part in suspect.segments}
