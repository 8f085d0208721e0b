"""Links that trained below what both ends can: width at any time, rate only under load."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.rules.boards import assumed, note, relink, switched, two_sockets
from tests.machines import Builder, h100, workstation
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import links
from toposcope.model import Grade, Kind, Medium, State, Topology

SLOT = "0000:00:01.0"


def narrow(width: int = 8, **changes) -> Topology:
    gbs = 31.508 * width / 16
    return relink(two_sockets(), "GPU0", SLOT, gbs, width=width, max_width=16, state=State.DEGRADED, **changes)


def breaks_link_narrow() -> Topology:
    return narrow()


def keeps_link_narrow() -> Topology:
    return relink(two_sockets(), "GPU0", SLOT, width=16, max_width=16, state=State.UP)


def cannot_tell_link_narrow() -> Topology:
    """Nothing was read of the link but its place."""
    return relink(two_sockets(), "GPU0", SLOT, width=None, generation=None, line=None, grade=Grade.UNKNOWN)


def slow_nic() -> Topology:
    return relink(
        switched(),
        "NIC0",
        "0000:10:04.0",
        31.508,
        generation=4,
        max_generation=5,
        width=16,
        max_width=16,
        state=State.DEGRADED,
    )


def breaks_link_slow() -> Topology:
    return slow_nic()


def keeps_link_slow() -> Topology:
    return switched()


def cannot_tell_link_slow() -> Topology:
    topology = switched()
    for name, port in (("GPU0", "0000:10:02.0"), ("GPU1", "0000:10:03.0")):
        relink(topology, name, port, state=State.IDLE, max_generation=5, max_width=16, grade=Grade.DERIVED)
    return topology


def slow_accelerator() -> Topology:
    return relink(
        switched(),
        "GPU0",
        "0000:10:02.0",
        31.508,
        generation=4,
        max_generation=5,
        width=16,
        max_width=16,
        state=State.DEGRADED,
    )


def test_eight_of_sixteen_lanes_halve_every_way_of_the_accelerator() -> None:
    (finding,) = links.check_width(breaks_link_narrow())

    assert finding.severity is Severity.WARNING
    assert {harm.target for harm in finding.harms} >= {"GPU1", "GPU2", "GPU3", "NIC0"}
    for harm in finding.harms:
        assert harm.before is not None
        assert harm.after is not None
        assert harm.source == "GPU0"
        if harm.target != "remote":
            assert round(harm.after / harm.before, 2) == 0.5
    assert "8 of 16 lanes" in finding.message
    assert "15.8 GB/s one way instead of 31.5" in finding.message


def test_the_remedy_looks_at_both_ends() -> None:
    (finding,) = links.check_width(breaks_link_narrow())

    assert "lspci -s 0000:00:0a.0 " in finding.remedy
    assert "lspci -s 0000:00:01.0 " in finding.remedy


def test_a_quarter_of_the_lanes_is_critical() -> None:
    (finding,) = links.check_width(narrow(4))

    assert finding.severity is Severity.CRITICAL


def test_the_lines_of_the_link_are_the_evidence_where_they_were_read() -> None:
    topology = narrow()
    note(topology, "GPU0", "link.status", "16GT/s x8")
    (finding,) = links.check_width(topology)
    fact = topology.fact("GPU0", "link.status")

    assert fact is not None
    assert finding.evidence == (fact.origin,)


def test_the_narrow_uplink_of_a_switch_harms_what_is_below_it() -> None:
    topology = relink(switched(), "SW0", "0000:10:00.0", 31.508, width=8, max_width=16, state=State.DEGRADED)
    (finding,) = links.check_width(topology)

    assert {harm.source for harm in finding.harms} == {"GPU0", "GPU1"}
    assert {harm.target for harm in finding.harms} == {"CPU0"}, "below the switch nothing is lost"


def test_over_the_fabric_nothing_is_lost() -> None:
    (finding,) = links.check_width(h100())

    assert finding.components[0] == "GPU5"
    assert not [harm for harm in finding.harms if harm.target.startswith("GPU")]


@pytest.mark.parametrize("check", [links.check_width, links.check_rate])
def test_what_is_assumed_is_no_alarm(check) -> None:
    topologies = assumed(narrow()), assumed(slow_nic())

    assert [each.severity for topology in topologies for each in check(topology)] in ([], [Severity.INFO])


@pytest.mark.parametrize("check", [links.check_width, links.check_rate])
def test_in_a_virtual_machine_links_prove_nothing(check) -> None:
    for topology in (narrow(), slow_nic(), cannot_tell_link_slow()):
        note(topology, "host", "hypervisor", "KVM")
        assert list(check(topology)) == []


def test_a_made_up_link_is_no_bottleneck() -> None:
    topology = relink(switched(), "SW0", "0000:10:00.0", width=1, max_width=16)
    link = topology.link("SW0", "0000:10:00.0")
    assert link is not None
    topology.replace(replace(link, line=None))

    assert list(links.check_width(topology)) == []


def test_a_slow_nic_is_found_with_what_its_accelerators_lose() -> None:
    (finding,) = links.check_rate(slow_nic())

    assert finding.verdict is Verdict.FOUND
    assert {(harm.source, harm.target) for harm in finding.harms} >= {("GPU0", "NIC0"), ("GPU0", "remote")}
    assert "Gen4 of Gen5" in finding.message


def test_a_nic_that_a_bad_link_makes_second_best_is_still_looked_at() -> None:
    topology = relink(slow_nic(), "NIC0-port", "network", line=None)
    b = Builder(topology)
    b.add("0000:10:05.0", Kind.PCIE_BRIDGE, pci="0000:10:05.0")
    b.link("0000:10:05.0", "SW0", Medium.PCIE, internal=True, upward=True)
    b.nic("NIC1", "0000:10:05.0", 5, 12, name="mlx5_1", pci="0000:10:0d.0")
    (finding,) = links.check_rate(topology)

    assert finding.components == ("NIC0", "GPU0", "GPU1")
    assert ("GPU0", "NIC0") in {(harm.source, harm.target) for harm in finding.harms}


def test_a_nic_whose_port_needs_no_more_is_left_alone() -> None:
    topology = relink(slow_nic(), "NIC0-port", "network", 12.5)

    assert list(links.check_rate(topology)) == []


def test_a_management_port_of_one_lane_is_left_alone() -> None:
    topology = relink(slow_nic(), "NIC0", "0000:10:04.0", 0.5, width=1, max_width=4)
    relink(topology, "NIC0-port", "network", line=None)

    assert list(links.check_width(topology)) == []


def test_an_idle_accelerator_is_asked_about_and_no_fault() -> None:
    (finding,) = links.check_rate(cannot_tell_link_slow())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert finding.components == ("GPU0", "GPU1")
    assert "while a job runs" in finding.remedy


@pytest.mark.parametrize(("name", "value"), [("utilisation", 87), ("performance_state", "P0")])
def test_a_low_rate_at_work_is_a_fault(name: str, value: object) -> None:
    topology = slow_accelerator()
    note(topology, "GPU0", name, value)
    (finding,) = links.check_rate(topology)

    assert finding.verdict is Verdict.FOUND


def test_a_low_rate_while_its_like_runs_at_full_rate_is_a_fault() -> None:
    (finding,) = links.check_rate(slow_accelerator())

    assert finding.verdict is Verdict.FOUND


def test_a_low_rate_without_a_sign_of_work_is_not_judged() -> None:
    topology = slow_accelerator()
    relink(topology, "GPU1", "0000:10:03.0", state=State.IDLE)
    (finding,) = links.check_rate(topology)

    assert finding.verdict is Verdict.COULD_NOT_TELL


def test_a_port_that_was_not_recorded_may_be_the_slower_end() -> None:
    topology = relink(workstation(), "NIC0", "rc0", generation=2, max_generation=3, max_width=1, state=State.DEGRADED)

    assert [each.verdict for each in links.check_rate(topology)] == []
