"""Slots that give a NIC less than its ports carry, and slots of the chipset."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.rules.boards import assumed, note, relink, switched, two_sockets
from tests.machines import l40s
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import slots
from toposcope.model import State, Topology


def breaks_nic_slot() -> Topology:
    """Build NICs with a 400G port in Gen4 slots."""
    return switched(generation=4)


def keeps_nic_slot() -> Topology:
    return switched(generation=5)


def cannot_tell_nic_slot() -> Topology:
    """The rate of the port was not read."""
    return relink(switched(generation=4), "NIC0-port", "network", line=None)


def behind_chipset() -> Topology:
    topology = two_sockets()
    bridge = topology.component("0000:10:01.0")
    topology.add(replace(bridge, model="Acme 500 Series Chipset Switch Downstream Port"))
    return relink(topology, "GPU1", "0000:10:01.0", 7.877, width=4)


def breaks_chipset_slot() -> Topology:
    return behind_chipset()


def keeps_chipset_slot() -> Topology:
    return two_sockets()


def cannot_tell_chipset_slot() -> Topology:
    topology = behind_chipset()
    note(topology, "host", "hypervisor", "KVM")
    return topology


def test_a_400g_port_in_a_gen4_slot_gets_what_the_slot_gives() -> None:
    (finding,) = slots.check_nics(breaks_nic_slot())

    assert finding.severity is Severity.WARNING
    assert "400 Gb/s (50.0 GB/s)" in finding.message
    assert "Gen4 x16 only 31.5 GB/s" in finding.message
    assert finding.components == ("NIC0",)


def test_its_accelerators_would_get_what_the_port_carries() -> None:
    (finding,) = slots.check_nics(breaks_nic_slot())

    remote = next(harm for harm in finding.harms if (harm.source, harm.target) == ("GPU0", "remote"))
    assert remote.before is not None
    assert remote.after is not None
    assert remote.before.gbs == 50
    assert round(remote.after.gbs, 1) == 31.5


def test_equal_cards_are_one_finding() -> None:
    (finding,) = slots.check_nics(switched(generation=4, switches=3))

    assert finding.components == ("NIC0", "NIC1", "NIC2")


def test_two_ports_that_only_together_exceed_the_slot_are_information() -> None:
    (finding,) = slots.check_nics(l40s())

    assert finding.severity is Severity.INFO
    assert finding.components == ("NIC0", "NIC1", "NIC2", "NIC3")


def test_a_bond_of_two_ports_is_information() -> None:
    topology = relink(switched(generation=4), "NIC0-port", "network", 50, count=2)

    assert [each.severity for each in slots.check_nics(topology)] == [Severity.INFO]


def test_a_port_that_is_down_asks_for_nothing() -> None:
    topology = relink(breaks_nic_slot(), "NIC0-port", "network", state=State.DOWN)

    assert list(slots.check_nics(topology)) == []


def test_a_slot_that_could_do_more_is_another_rules_business() -> None:
    topology = relink(switched(), "NIC0", "0000:10:04.0", 31.508, generation=4, width=16, state=State.DEGRADED)
    relink(topology, "NIC0", "0000:10:04.0", max_generation=5, max_width=16)

    assert list(slots.check_nics(topology)) == []


def test_what_is_assumed_is_information() -> None:
    (finding,) = slots.check_nics(assumed(breaks_nic_slot()))

    assert finding.severity is Severity.INFO


def test_an_accelerator_behind_the_chipset_is_named_with_what_it_loses() -> None:
    (finding,) = slots.check_chipset(breaks_chipset_slot())

    assert finding.components == ("GPU1", "0000:10:01.0")
    (harm,) = finding.harms
    assert (harm.source, harm.target) == ("GPU1", "CPU0")
    assert harm.before is not None
    assert harm.after is not None
    assert round(harm.before / harm.after) == 4
