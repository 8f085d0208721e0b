"""ACS: redirecting counts at the ports where a way turns, and nowhere else."""

from __future__ import annotations

from tests.analysis.rules.boards import assumed, note, relink, switched
from tests.machines import a100
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import acs
from toposcope.model import Topology

BITS = ("acs.request_redirect", "acs.completion_redirect", "acs.direct_translated")
ALL_PORTS = ("0000:10:02.0", "0000:10:03.0", "0000:10:04.0")


def bits(topology: Topology, port: str, *, redirect: bool, translated: bool = False) -> Topology:
    for name, value in zip(BITS, (redirect, redirect, translated), strict=True):
        note(topology, port, name, value)
    return topology


def with_ports(*redirecting: str, translated: bool = False, switches: int = 1) -> Topology:
    topology = switched(switches=switches)
    for port in ALL_PORTS:
        bits(topology, port, redirect=port in redirecting, translated=translated)
    return topology


def breaks_acs_redirect() -> Topology:
    return with_ports(*ALL_PORTS)


def keeps_acs_redirect() -> Topology:
    return with_ports()


def cannot_tell_acs_redirect() -> Topology:
    topology = switched()
    for port in ALL_PORTS:
        note(topology, port, "acs.request_redirect", None, "unreadable")
    return topology


def test_every_pair_below_the_switch_is_harmed_and_loses_half() -> None:
    (finding,) = acs.check(breaks_acs_redirect())

    assert finding.severity is Severity.WARNING
    harmed = {(harm.source, harm.target): (harm.before, harm.after) for harm in finding.harms}
    assert set(harmed) == {("GPU0", "GPU1"), ("GPU0", "NIC0"), ("GPU1", "NIC0")}
    before, after = harmed["GPU0", "GPU1"]
    assert before is not None
    assert after is not None
    assert round(before.gbs, 1) == 50.4
    assert round(after / before, 2) == 0.5


def test_the_remedy_names_the_ports_and_the_reboot() -> None:
    (finding,) = acs.check(breaks_acs_redirect())

    assert "sudo setpci -s 0000:10:02.0 ECAP_ACS+0x6.w=0000" in finding.remedy
    assert "after each boot" in finding.remedy


def test_the_evidence_is_the_lines_of_the_bits() -> None:
    topology = with_ports("0000:10:02.0")
    (finding,) = acs.check(topology)

    facts = [topology.fact("0000:10:02.0", name) for name in BITS[:2]]
    assert finding.evidence == tuple(fact.origin for fact in facts if fact is not None)


def test_one_redirecting_port_harms_only_the_pairs_it_stands_between() -> None:
    (finding,) = acs.check(with_ports("0000:10:02.0"))

    assert {(harm.source, harm.target) for harm in finding.harms} == {("GPU0", "GPU1"), ("GPU0", "NIC0")}
    assert finding.components == ("0000:10:02.0",)


def test_completion_redirect_alone_is_enough() -> None:
    topology = switched()
    note(topology, "0000:10:02.0", "acs.request_redirect", value=False)
    note(topology, "0000:10:02.0", "acs.completion_redirect", value=True)

    assert [finding.verdict for finding in acs.check(topology)] == [Verdict.FOUND]


def test_source_validation_alone_redirects_nothing() -> None:
    topology = keeps_acs_redirect()
    for port in ALL_PORTS:
        note(topology, port, "acs.source_validation", value=True)
        note(topology, port, "acs.upstream_forwarding", value=True)

    assert list(acs.check(topology)) == []


def test_a_root_port_above_the_switch_is_on_no_turning() -> None:
    topology = bits(keeps_acs_redirect(), "0000:10:00.0", redirect=True)

    assert list(acs.check(topology)) == []


def test_translated_requests_pass() -> None:
    assert list(acs.check(with_ports(*ALL_PORTS, translated=True))) == []


def test_in_a_virtual_machine_the_bridges_prove_nothing() -> None:
    topology = breaks_acs_redirect()
    note(topology, "host", "hypervisor", "KVM")

    assert list(acs.check(topology)) == []


def test_a_host_that_hands_its_accelerators_on_needs_acs() -> None:
    topology = breaks_acs_redirect()
    note(topology, "GPU0", "driver", "vfio-pci")
    (finding,) = acs.check(topology)

    assert finding.severity is Severity.INFO
    assert "ATS" in finding.remedy


def test_accelerators_without_peer_to_peer_are_harmed_only_towards_their_nic() -> None:
    topology = breaks_acs_redirect()
    for name in ("GPU0", "GPU1"):
        note(topology, name, "peer_over_pcie", value=False)
    (finding,) = acs.check(topology)

    assert {(harm.source, harm.target) for harm in finding.harms} == {("GPU0", "NIC0"), ("GPU1", "NIC0")}


def test_what_is_not_read_is_asked_for_once() -> None:
    (finding,) = acs.check(cannot_tell_acs_redirect())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert finding.remedy == "sudo lspci -D -nn -vvv"


def test_nobody_is_asked_about_a_reference_machine() -> None:
    assert list(acs.check(assumed(switched()))) == []


def test_a_port_without_acs_does_not_redirect() -> None:
    topology = switched()
    for port in ALL_PORTS:
        note(topology, port, "acs.request_redirect", None, "absent")

    assert list(acs.check(topology)) == []


def test_without_accelerators_no_route_is_named() -> None:
    topology = Topology()
    for each in switched().components():
        if each.id in ("0000:10:04.0", "NIC0"):
            topology.add(each)
    link = switched().link("NIC0", "0000:10:04.0")
    assert link is not None
    topology.connect(link, upward=True)
    (finding,) = acs.check(bits(topology, "0000:10:04.0", redirect=True))

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert finding.harms == ()


def test_a_slower_link_below_the_port_limits_what_is_lost() -> None:
    topology = relink(breaks_acs_redirect(), "GPU1", "0000:10:03.0", 7.877, generation=5, width=2)
    (finding,) = acs.check(topology)

    after = next(harm.after for harm in finding.harms if (harm.source, harm.target) == ("GPU0", "GPU1"))
    assert after is not None
    assert after.gbs < 7.877


def test_the_a100_board_without_facts_asks_about_its_nics_only() -> None:
    (finding,) = acs.check(a100())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert "NIC" in finding.message
