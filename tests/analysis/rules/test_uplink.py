"""Uplinks that several accelerators share on their way to their NICs."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.rules.boards import note, relink, switched
from tests.machines import Builder, a100
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import uplink
from toposcope.model import Kind, Topology


def nic_elsewhere(gbps: float = 400) -> Topology:
    """Build a switch with two accelerators whose only NIC is beside the switch."""
    topology = switched(generation=4)
    topology.add(replace(topology.component("NIC0"), role="storage"))
    b = Builder(topology)
    b.root_complex("pci0000:50", "NUMA0")
    b.add("0000:50:00.0", Kind.PCIE_BRIDGE, pci="0000:50:00.0")
    b.link("0000:50:00.0", "pci0000:50", "pcie", internal=True, upward=True)
    b.nic("NIC1", "0000:50:00.0", 5, name="mlx5_1", pci="0000:50:0a.0")
    b.port("NIC1", gbps)
    return topology


def breaks_shared_uplink() -> Topology:
    return nic_elsewhere()


def keeps_shared_uplink() -> Topology:
    return switched(generation=4)


def cannot_tell_shared_uplink() -> Topology:
    return relink(nic_elsewhere(), "SW0", "0000:10:00.0", line=None)


def test_the_uplink_is_divided_by_those_that_pass_it() -> None:
    (finding,) = uplink.check(breaks_shared_uplink())

    assert finding.severity is Severity.INFO
    assert finding.components == ("SW0", "GPU0", "GPU1")
    for harm in finding.harms:
        assert harm.before is not None
        assert harm.after is not None
        assert round(harm.before.gbs, 1) == 31.5
        assert round(harm.after.gbs, 2) == 15.75


def test_a_nic_that_asks_for_less_than_the_uplink_leaves_no_one_short() -> None:
    assert list(uplink.check(nic_elsewhere(100))) == []


def test_a_board_with_its_nics_below_its_switches_is_left_alone() -> None:
    assert list(uplink.check(a100())) == []


def test_in_a_virtual_machine_the_tree_is_made_up() -> None:
    topology = breaks_shared_uplink()
    note(topology, "host", "hypervisor", "KVM")

    assert list(uplink.check(topology)) == []
