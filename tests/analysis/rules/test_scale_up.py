"""Accelerators that lost scale-up links, and what only looks like it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.rules.boards import assumed, fabric, mesh, note, relink, two_sockets
from tests.machines import MACHINES, ORIGIN, Builder
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import scale_up
from toposcope.model import Grade, Kind, Medium, Reach, Relation, Topology


def words(topology: Topology, name: str, others: list[str], word: str = "SYS") -> Topology:
    for other in others:
        topology.relate(Relation(name, other, word, ORIGIN, Reach.SOCKET))
    return topology


def without_two() -> Topology:
    return words(fabric(without=(2,)), "GPU2", [f"GPU{index}" for index in (0, 1, 3, 4, 5, 6, 7)])


def breaks_off_fabric() -> Topology:
    return without_two()


def keeps_off_fabric() -> Topology:
    return fabric()


def cannot_tell_off_fabric() -> Topology:
    """No word tells how the third accelerator reaches its peers."""
    return fabric(without=(2,))


def with_fewer(count: int = 12) -> Topology:
    return relink(fabric(), "GPU5", "NVSW0", 25 * count, count=count)


def breaks_fabric_links_fewer() -> Topology:
    return with_fewer()


def keeps_fabric_links_fewer() -> Topology:
    return fabric()


def bridged(count: int, *, form: str | None = None, made: int | None = None) -> Topology:
    b = Builder(Topology())
    for name in ("GPU0", "GPU1"):
        b.accelerator(name, None)
        if form is not None:
            note(b.topology, name, "form_factor", form)
        if made is not None:
            note(b.topology, name, "fabric.links.made", made)
    b.link("GPU0", "GPU1", Medium.NVLINK, None, count=count)
    return b.topology


def cannot_tell_fabric_links_fewer() -> Topology:
    return bridged(3)


def listing(topology: Topology, name: str, active: int, inactive: int) -> Topology:
    note(topology, name, "fabric.links.active", active)
    note(topology, name, "fabric.links.inactive", inactive)
    return topology


def test_the_lost_accelerator_is_set_beside_its_peers() -> None:
    (finding,) = scale_up.check_off(without_two())

    assert finding.severity is Severity.CRITICAL
    assert finding.components == ("GPU2",)
    assert len(finding.harms) == 7
    for harm in finding.harms:
        assert harm.before is not None
        assert harm.after is not None
        assert round(harm.before.gbs) == 450
        assert harm.after < harm.before


@pytest.mark.parametrize(("fact", "value"), [("mig.enabled", True), ("form_factor", "PCIe")])
def test_partitions_and_cards_may_be_apart(fact: str, value: object) -> None:
    topology = Topology()
    for each in without_two().components():
        topology.add(each)
    plain = without_two()
    for link in plain.links():
        topology.connect(link)
    words(topology, "GPU2", ["GPU0", "GPU1"])
    note(topology, "GPU2", fact, value)

    assert list(scale_up.check_off(topology)) == []


def test_another_model_may_be_apart() -> None:
    topology = without_two()
    b = Builder(topology)
    b.accelerator("GPU2", None, model="Display card")

    assert list(scale_up.check_off(topology)) == []


def test_one_of_a_full_mesh_of_four_is_missed() -> None:
    topology = mesh(4, medium=Medium.XGMI, without=((0, 3), (1, 3), (2, 3)))
    words(topology, "NPU3", ["NPU0", "NPU1", "NPU2"])

    assert [each.components for each in scale_up.check_off(topology)] == [("NPU3",)]


def test_one_beside_a_mesh_of_unknown_models_may_be_a_display_card() -> None:
    topology = mesh(4, medium=Medium.NVLINK, without=((0, 3), (1, 3), (2, 3)))
    for each in list(topology.components(Kind.ACCELERATOR)):
        topology.add(replace(each, model=None))
    words(topology, "NPU3", ["NPU0", "NPU1", "NPU2"])
    (finding,) = scale_up.check_off(topology)

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert finding.components == ("NPU3",)
    assert "nvidia-smi -L" in finding.remedy


def test_words_alone_tell_fewer_links_without_a_model() -> None:
    topology = relink(fabric(), "GPU5", "NVSW0", line=None, count=17, grade=Grade.UNKNOWN)
    for name in ("GPU0", "GPU1"):
        relink(topology, name, "NVSW0", line=None, grade=Grade.UNKNOWN)

    assert [each.components for each in scale_up.check_fewer(topology)] == [("GPU5",)]


def test_a_card_beside_a_bridged_pair_is_none_the_worse() -> None:
    topology = two_sockets()
    Builder(topology).link("GPU0", "GPU1", Medium.NVLINK, 56.25, count=4)
    words(topology, "GPU2", ["GPU0", "GPU1", "GPU3"])

    assert list(scale_up.check_off(topology)) == []


def test_an_accelerator_that_says_so_itself_is_believed() -> None:
    topology = fabric(without=(2,))
    note(topology, "GPU2", "nvlink.state", "inactive")
    fact = topology.fact("GPU2", "nvlink.state")
    (finding,) = scale_up.check_off(topology)

    assert fact is not None
    assert finding.evidence == (fact.origin,)


@pytest.mark.parametrize("build", MACHINES)
def test_machines_as_they_should_be_have_lost_nothing(build) -> None:
    assert list(scale_up.check_off(build())) == []
    assert [each for each in scale_up.check_fewer(build()) if each.severity > Severity.INFO] == []


def test_reference_machines_are_not_judged() -> None:
    assert list(scale_up.check_off(assumed(without_two()))) == []
    assert list(scale_up.check_fewer(assumed(with_fewer()))) == []


def test_each_link_less_is_its_share_less() -> None:
    (finding,) = scale_up.check_fewer(with_fewer())

    assert finding.components == ("GPU5",)
    assert "12 working links of 18" in finding.message
    assert len(finding.harms) == 7
    for harm in finding.harms:
        assert harm.before is not None
        assert harm.after is not None
        assert round(harm.after / harm.before, 2) == 0.67


def test_equally_many_inactive_links_are_by_design() -> None:
    topology = fabric(4)
    for index in range(4):
        listing(topology, f"GPU{index}", 12, 6)

    assert list(scale_up.check_fewer(topology)) == []


def test_the_status_of_the_links_tells_one_that_is_down() -> None:
    topology = fabric(4)
    for index in range(4):
        listing(topology, f"GPU{index}", 17 if index == 3 else 18, 1 if index == 3 else 0)

    assert [each.components for each in scale_up.check_fewer(topology)] == [("GPU3",)]


def test_a_list_cut_short_is_not_compared() -> None:
    topology = fabric(2)
    listing(topology, "GPU0", 18, 0)
    listing(topology, "GPU1", 2, 0)

    assert list(scale_up.check_fewer(topology)) == []


def alone(form: str) -> Topology:
    topology = Topology()
    Builder(topology).accelerator("GPU3", None, model="Board")
    note(topology, "GPU3", "form_factor", form)
    note(topology, "GPU3", "fabric.links.made", 6)
    return listing(topology, "GPU3", 4, 2)


def test_a_module_alone_with_inactive_links_is_found() -> None:
    (finding,) = scale_up.check_fewer(alone("SXM2"))

    assert "4 working links of 6" in finding.message


def test_a_card_alone_with_inactive_links_needs_no_bridge() -> None:
    assert list(scale_up.check_fewer(alone("PCIe"))) == []


@pytest.mark.parametrize("count", [1, 2, 4, 12])
def test_even_bridges_are_whole(count: int) -> None:
    assert list(scale_up.check_fewer(bridged(count))) == []


def test_an_odd_bridge_is_asked_about() -> None:
    (finding,) = scale_up.check_fewer(bridged(3))

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert "nvidia-smi nvlink -s" in finding.remedy


def test_an_odd_bridge_of_known_cards_is_half_seated() -> None:
    (finding,) = scale_up.check_fewer(bridged(3, form="PCIe", made=4))

    assert finding.verdict is Verdict.FOUND
    assert finding.severity is Severity.WARNING


def test_a_mesh_of_modules_may_have_odd_counts() -> None:
    assert list(scale_up.check_fewer(bridged(3, form="SXM2", made=6))) == []
