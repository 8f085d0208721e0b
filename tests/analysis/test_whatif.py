"""A machine with other links: what the change does to it and to the routes, and what has no meaning."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machines import MACHINES, ORIGIN, a100, guest, l40s, superchip_tray
from toposcope.analysis import analyze, routes
from toposcope.analysis.nics import neighbours
from toposcope.analysis.outcome import answers, findings_apart, outcomes
from toposcope.analysis.whatif import what_if
from toposcope.assembly.figures import Lookup
from toposcope.assembly.reference import topology_of_machine
from toposcope.base import Bandwidth, UsageError
from toposcope.model import Fact, FactStatus, Grade, Kind, Reach, Topology
from toposcope.model.placement import reach
from toposcope.profiles.store import find_machine, load_catalogue, load_machines

A100 = "a100-2-2-4-6-8-8"


@cache
def reference(name: str) -> Topology:
    return topology_of_machine(find_machine(name, load_machines()), Lookup(load_catalogue()), name=name)


def with_figures(topology: Topology) -> Topology:
    topology.figures = reference(A100).figures
    return topology


def remote_gbs(topology: Topology, name: str) -> float:
    figure = routes(topology, name, "remote")[0].limit.line
    assert figure is not None
    return round(figure.gbs, 3)


def test_a_faster_port_is_held_back_by_its_slot() -> None:
    other, changes = what_if(reference(A100), settings=["NIC0.rate=400G"])

    assert [(each.component, each.before, each.after) for each in changes] == [("NIC0/p1", "200 Gb/s", "400 Gb/s")]
    assert remote_gbs(reference(A100), "GPU0") == 25.0
    assert remote_gbs(other, "GPU0") == 31.508


def test_only_a_newer_generation_pays_for_a_faster_port() -> None:
    settings = ["NIC0.rate=400G", "NIC0.generation=5", "GPU0.generation=5"]

    other, _ = what_if(reference(A100), settings=settings)

    assert remote_gbs(other, "GPU0") == 50.0


@pytest.mark.parametrize("text", ["GPU3.width=8", "gpu3.width=x8", " GPU3.width = 8 "])
def test_a_narrower_link_carries_its_share_of_lanes(text: str) -> None:
    other, changes = what_if(reference(A100), settings=[text])
    link = other.link("GPU3", "SW1")

    assert link is not None
    assert (link.width, link.grade) == (8, Grade.ASSUMED)
    assert link.line == Bandwidth.gigabytes(15.7538464)
    assert changes[0].after == "Gen4 x8, 15.8 GB/s"


def test_the_machine_as_it_was_stays_as_it_is() -> None:
    before = reference(A100)
    link, parent = before.link("GPU3", "SW1"), before.parent("NIC0")

    what_if(before, settings=["GPU3.width=4", "NIC0.rate=10G"], moves=["NIC0:GPU7"])

    assert before.link("GPU3", "SW1") == link
    assert before.parent("NIC0") == parent
    assert remote_gbs(before, "GPU0") == 25.0


def test_all_functions_of_a_card_get_its_new_link() -> None:
    other, changes = what_if(with_figures(l40s()), settings=["NIC0.generation=5"])

    assert {each.component for each in changes} == {"NIC0", "NIC1"}
    for name in ("NIC0", "NIC1"):
        link = other.link(name, "bridge0")
        assert link is not None
        assert link.generation == 5


def test_a_card_moves_with_all_its_functions() -> None:
    other, _ = what_if(with_figures(l40s()), moves=["mlx5_0:GPU3"])

    assert other.parent("NIC0") == other.parent("NIC1") == "rc3"
    assert reach(other, "GPU3", "NIC1") is Reach.ROOT_COMPLEX
    assert reach(other, "GPU0", "NIC0") is Reach.SOCKET


def test_a_moved_nic_is_near_to_its_new_neighbour_alone() -> None:
    before = reference("aws-p4d")

    other, _ = what_if(before, moves=["NIC1:GPU0"])

    assert reach(other, "GPU0", "NIC1") is Reach.SAME_SWITCH
    assert reach(other, "GPU2", "NIC1") is Reach.NUMA
    found = {(each.source, each.target): each for each in outcomes(analyze(before), analyze(other))}
    assert found["GPU2", "remote"].worst < 1
    assert ("GPU6", "remote") not in found


def test_words_printed_for_a_moved_device_hold_no_more() -> None:
    from toposcope.model import Relation

    topology = a100()
    topology.relate(Relation("GPU0", "NIC7", "SYS", ORIGIN, Reach.SOCKET))
    topology.relate(Relation("GPU0", "NIC6", "SYS", ORIGIN, Reach.SOCKET))

    other, _ = what_if(with_figures(topology), moves=["NIC7:GPU0"])

    assert other.relations("GPU0", "NIC7") == ()
    assert other.relations("GPU0", "NIC6")


def test_beside_an_accelerator_on_its_cpu_a_new_root_is_assumed() -> None:
    other, _ = what_if(with_figures(superchip_tray()), moves=["NIC3:GPU0"])

    assert other.parent("NIC3") == "rc0" or other.component(str(other.parent("NIC3"))).kind is Kind.ROOT_COMPLEX
    assert other.chain("NIC3")[-1] == "socket0"


def redirecting() -> Topology:
    topology = a100()
    for name in ("GPU0", "GPU1", "NIC0"):
        topology.note(Fact(name, "acs.request_redirect", value=True, origin=ORIGIN))
    topology.note(Fact("GPU2", "acs.request_redirect", None, ORIGIN, FactStatus.UNREADABLE))
    topology.note(Fact("GPU3", "acs.request_redirect", value=False, origin=ORIGIN))
    return with_figures(topology)


def test_acs_off_clears_what_redirects_and_what_could_not_be_read() -> None:
    before = redirecting()

    other, changes = what_if(before, acs_off=True)

    assert {each.component for each in changes} == {"GPU0", "GPU1", "NIC0", "GPU2"}
    for name in ("GPU0", "GPU1", "NIC0", "GPU2", "GPU3"):
        fact = other.fact(name, "acs.request_redirect")
        assert fact is not None
        assert (fact.value, fact.status) == (False, FactStatus.VALUE)
    fact = before.fact("GPU0", "acs.request_redirect")
    assert fact is not None
    assert fact.value is True


def test_with_acs_off_its_findings_are_gone() -> None:
    before = redirecting()
    after, _ = what_if(before, acs_off=True)

    gone, new = findings_apart(analyze(before), analyze(after))

    assert "acs-redirect" in {each.rule for each in gone}
    assert "acs-redirect" not in {each.rule for each in new}


def test_a_generation_that_the_device_was_not_seen_to_have_is_noted() -> None:
    from dataclasses import replace

    topology = with_figures(a100())
    link = topology.link("GPU3", "switch1")
    assert link is not None
    topology.replace(replace(link, max_generation=4, max_width=16))

    _, changes = what_if(topology, settings=["GPU3.generation=5"])

    assert "no more than Gen4" in changes[0].note


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({}, "nothing would change"),
        ({"settings": ["GPU0"]}, "--set takes"),
        ({"settings": ["GPU0.colour=3"]}, "--set takes"),
        ({"settings": ["GPU0.width=wide"]}, "takes a number"),
        ({"settings": ["GPU0.width=7"]}, "lanes"),
        ({"settings": ["GPU0.generation=9"]}, "no figure"),
        ({"settings": ["GPU0.rate=400G"]}, "no network port"),
        ({"settings": ["NIC0.rate=quick"]}, "Gb/s"),
        ({"settings": ["NIC0.rate=0"]}, "Gb/s"),
        ({"settings": ["GPU99.width=8"]}, "GPU99"),
        ({"settings": ["CPU0.width=8"]}, "no PCIe link"),
        ({"moves": ["NIC0"]}, "--move takes"),
        ({"moves": ["NIC0:GPU0"]}, "already"),
        ({"moves": ["NIC0:GPU99"]}, "GPU99"),
        ({"moves": ["SW0:GPU7"]}, "cannot be moved"),
        ({"acs_off": True}, "nothing to switch off"),
    ],
)
def test_what_has_no_meaning_is_refused(words: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        what_if(reference(A100), **words)  # type: ignore[arg-type]


def test_in_a_guest_nothing_can_be_put_beside() -> None:
    with pytest.raises(UsageError, match="nothing tells"):
        what_if(with_figures(guest()), moves=["NIC0:GPU1"])


@pytest.mark.parametrize("make", MACHINES)
def test_moving_any_nic_keeps_every_part(make) -> None:
    topology = with_figures(make())
    nics = [each.id for each in topology.components(Kind.NIC)]
    for nic in nics[:3]:
        for accelerator in [each.id for each in topology.components(Kind.ACCELERATOR)][-2:]:
            try:
                other, _ = what_if(topology, moves=[f"{nic}:{accelerator}"])
            except UsageError:
                continue
            assert {each.id for each in other.components()} >= {each.id for each in topology.components()}
            assert len(list(other.links())) >= len(list(topology.links()))
            assert analyze(other).pairs


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([f"GPU{index}" for index in range(8)] + ["SW0", "SW3", "NIC1"]),
    st.sampled_from([1, 2, 4, 8, 16]),
)
def test_a_wider_link_never_slows_a_route(name: str, width: int) -> None:
    narrow, _ = what_if(reference(A100), settings=[f"{name}.width={width}"])
    wide, _ = what_if(reference(A100), settings=[f"{name}.width=16"]) if width != 16 else (narrow, ())

    for outcome in outcomes(analyze(narrow), analyze(wide)):
        assert outcome.ratio is None or outcome.ratio >= 1 - 1e-9


def test_an_uplink_that_several_share_shows_where_all_send_at_once():
    topology = with_figures(a100())
    before, after = analyze(topology), analyze(what_if(topology, settings=["switch0.width=12"])[0])
    outcome = next(each for each in outcomes(before, after) if each.target == "host")
    assert outcome.share_ratio == pytest.approx(0.75, abs=0.02)


def test_what_was_not_known_before_is_no_loss():
    topology = with_figures(a100())
    for nic in ("NIC0", "NIC1"):
        topology.replace(replace(topology.link(f"{nic}-port", "network"), line=None))
    changed, _ = what_if(topology, settings=["NIC0.rate=100G", "NIC1.rate=100G"])
    found = [each for each in outcomes(analyze(topology), analyze(changed)) if each.target == "remote"]
    assert found
    assert {each.ratio for each in found} == {None}


@pytest.mark.parametrize(("value", "gbps"), [("400G", 400), ("25GB/s", 200), ("400 Gb/s", 400), ("100GbE", 100)])
def test_bytes_and_bits_are_told_apart(value, gbps):
    changed, _ = what_if(a100(), settings=[f"NIC0.rate={value}"])
    assert changed.link("NIC0-port", "network").line.gbps == gbps


def test_both_halves_of_an_unknown_link_may_be_set_in_any_order():
    topology = with_figures(a100())
    link = topology.link("GPU0", "switch0")
    topology.replace(replace(link, generation=None, width=None, line=None))
    for order in (["GPU0.generation=4", "GPU0.width=8"], ["GPU0.width=8", "GPU0.generation=4"]):
        changed, _ = what_if(topology, settings=order)
        assert changed.link("GPU0", "switch0").line.gbs == pytest.approx(15.754, rel=0.001)
    with pytest.raises(UsageError, match=r"GPU0\.width too"):
        what_if(topology, settings=["GPU0.generation=4"])


def test_one_thing_set_twice_is_refused():
    with pytest.raises(UsageError, match="2 times"):
        what_if(a100(), settings=["NIC0.rate=100G", "NIC0.rate=200G"])


def test_what_acs_costs_is_shown_on_the_way_out_as_well():
    topology = with_figures(a100())
    for name in ("switch0", "GPU0", "GPU1", "NIC0", "NIC1"):
        topology.note(Fact(name, "acs.request_redirect", value=True, origin=ORIGIN))
    changed, _ = what_if(topology, acs_off=True)
    found = answers(analyze(topology))
    way = found[("GPU0", "remote")]
    assert way.carried == way.harmed
    assert way.harmed < way.route.limit.usable.typical
    assert answers(analyze(changed))[("GPU0", "remote")].harmed is None


def test_a_faster_port_in_the_same_slot_draws_no_traffic_from_its_neighbour():
    """The library plans with 24 GB/s for a slot of Gen4 x16, whatever the port can do."""
    topology = with_figures(a100())
    changed, _ = what_if(topology, settings=["NIC0.rate=400G"])
    assert {name: each.own for name, each in neighbours(changed).items()} == {
        name: each.own for name, each in neighbours(topology).items()
    }
    slower, _ = what_if(topology, settings=["NIC0.rate=100G"])
    assert neighbours(slower)["GPU0"].near == ("NIC1",)
