"""Two machines on the same questions; one machine at two times."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.test_whatif import A100, reference, with_figures
from tests.machines import MACHINES, ORIGIN, Builder, a100
from toposcope.analysis import analyze
from toposcope.analysis.changes import changes, renamed, same_kind
from toposcope.analysis.difference import Comparison, compare
from toposcope.model import Fact, Kind, State, Topology


def between(a: Topology, b: Topology) -> Comparison:
    return compare(analyze(a), analyze(b))


def question(comparison: Comparison, what: str):
    return next(each for each in comparison.questions if each.what == what)


@pytest.mark.parametrize("make", MACHINES)
def test_a_machine_does_not_differ_from_itself(make) -> None:
    assert between(make(), make()).equal or not list(make().components(Kind.ACCELERATOR))


def test_a_buyer_gets_ratios() -> None:
    comparison = between(reference(A100), reference("l40s-2-2-4"))

    assert not comparison.alike
    assert comparison.changes == comparison.routes == ()
    ratio = question(comparison, "accelerator to accelerator").line_ratio
    assert ratio == pytest.approx(9.52, abs=0.01)
    assert question(comparison, "to a remote one, all at once").line_ratio == pytest.approx(25 / 15.7538, rel=1e-3)
    assert "4 x L40S" in {each.b for each in comparison.parts}


def test_a_mesh_and_a_switch_differ_for_a_pair_and_not_in_sum() -> None:
    comparison = between(reference("a800-8"), reference("910b-kunpeng-8"))

    assert question(comparison, "accelerator to accelerator").line_ratio == pytest.approx(7.14, abs=0.01)
    assert question(comparison, "all-reduce, bus bandwidth").line_ratio == pytest.approx(200 / 196)


def test_equal_answers_stand_together() -> None:
    comparison = between(reference(A100), reference("l40s-2-2-8"))

    assert [each.count for each in question(comparison, "accelerator to accelerator").a] == [28]
    assert sum(each.count for each in question(comparison, "accelerator to accelerator").b) == 28
    assert len(comparison.questions) < 12


def test_the_slowest_answer_of_a_question_is_first() -> None:
    carried = [
        each.carried for each in question(between(reference("dgx-1v"), reference(A100)), "accelerator to accelerator").a
    ]

    assert carried == sorted(carried, key=lambda each: each.bytes_per_s)


def without(topology: Topology, gone: str) -> Topology:
    """Build the machine again as if a NIC were not there, the ones behind it renumbered."""
    numbers = [each.id for each in topology.components(Kind.NIC) if each.id != gone]
    names = {old: f"NIC{index}" for index, old in enumerate(sorted(numbers, key=lambda name: int(name[3:])))}
    ids = lambda name: names.get(name.removesuffix("-port"), name) + ("-port" if name.endswith("-port") else "")  # noqa: E731
    other = Topology(host=topology.host, figures=topology.figures)
    kept = [each for each in topology.components() if not each.id.startswith(gone)]
    for each in kept:
        other.add(replace(each, id=ids(each.id) if each.id.startswith("NIC") else each.id))
    for link in topology.links():
        if not any(end.removesuffix("-port") == gone for end in (link.source, link.target)):
            source, target = (ids(end) if end.startswith("NIC") else end for end in (link.source, link.target))
            other.connect(
                replace(link, source=source, target=target), upward=topology.parent(link.source) == link.target
            )
    return other


def test_a_nic_that_is_gone_is_named_though_the_others_are_renumbered() -> None:
    before = with_figures(a100())
    after = without(before, "NIC3")

    comparison = between(before, after)

    assert comparison.alike
    assert comparison.changes[0].what.startswith("NIC3 (mlx5_3)")
    assert comparison.changes[0].b == "gone"
    assert renamed(before, after)["NIC4"] == "NIC5"
    assert {each.source for each in comparison.routes if each.target == "remote"} == {"GPU2", "GPU3"}


def test_losses_come_before_settings_and_gains() -> None:
    before, after = with_figures(a100()), with_figures(a100())
    for topology, value in ((before, 0), (after, 1)):
        topology.note(Fact("host", "numa_balancing", value, ORIGIN))
    narrow = after.link("GPU5", "switch2")
    wide = before.link("GPU6", "switch3")
    assert narrow is not None
    assert wide is not None
    after.replace(replace(narrow, width=8, line=narrow.line * 0.5, state=State.DEGRADED))
    before.replace(replace(wide, width=8, line=wide.line * 0.5))

    found = changes(before, after)

    assert [(each.what, each.lost) for each in found] == [
        ("GPU5: PCIe link", True),
        ("GPU6: PCIe link", False),
        ("host: numa_balancing", False),
    ]
    assert found[0].b == "Gen4 x8, degraded"


def test_a_link_that_idles_is_no_change() -> None:
    before, after = a100(), a100()
    link = after.link("GPU5", "switch2")
    assert link is not None
    after.replace(replace(link, generation=1, state=State.IDLE))

    assert changes(before, after) == ()


def test_a_port_that_went_down_is_a_loss() -> None:
    before, after = a100(), a100()
    link = after.link("NIC2-port", "network")
    assert link is not None
    after.replace(replace(link, state=State.DOWN))

    assert [(each.what, each.b, each.lost) for each in changes(before, after)] == [
        ("NIC2-port: port", "200 Gb/s, down", True)
    ]


def test_a_link_lost_to_the_switches_is_a_loss() -> None:
    before, after = a100(), a100()
    link = after.link("GPU4", "nvswitch")
    assert link is not None
    after.replace(replace(link, count=10, line=link.line * (10 / 12)))

    (found,) = changes(before, after)

    assert (found.a, found.b, found.lost) == ("12 x nvlink, 300 GB/s", "10 x nvlink, 250 GB/s", True)


def test_settings_that_only_one_recording_has_are_no_change() -> None:
    before, after = a100(), a100()
    before.note(Fact("host", "numa_balancing", 1, ORIGIN))
    after.note(Fact("GPU0", "utilisation", 90, ORIGIN))
    before.note(Fact("GPU0", "utilisation", 3, ORIGIN))

    assert changes(before, after) == ()


def test_the_same_setting_of_many_parts_is_one_change() -> None:
    before, after = a100(), a100()
    for topology, value in ((before, False), (after, True)):
        for index in range(8):
            topology.note(Fact(f"GPU{index}", "mig.enabled", value, ORIGIN))

    (found,) = changes(before, after)

    assert found.what == "GPU0 and 7 more: mig.enabled"


def test_machines_of_other_models_are_not_one_machine() -> None:
    assert same_kind(reference(A100), reference(A100))
    assert not same_kind(reference(A100), reference("a800-8"))
    assert not same_kind(Builder().topology, Builder().topology)
