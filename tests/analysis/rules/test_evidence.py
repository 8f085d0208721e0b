"""Evidence that failed, and evidence that is not to be believed."""

from __future__ import annotations

from tests.analysis.rules.boards import note, relink, switched
from tests.machines import Builder
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import evidence
from toposcope.model import Topology


def breaks_topo_aborted() -> Topology:
    topology = switched()
    Builder(topology).nic("NIC9", None, name="siw_eth0")
    note(topology, "host", "nvidia-smi.topo", None, "unreadable")
    return topology


def keeps_topo_aborted() -> Topology:
    return switched()


def cannot_tell_topo_aborted() -> Topology:
    return Topology()


def breaks_link_made_up() -> Topology:
    return relink(switched(), "SW0", "0000:10:00.0", line=None, generation=None, width=1)


def keeps_link_made_up() -> Topology:
    return switched()


def cannot_tell_link_made_up() -> Topology:
    return relink(switched(), "SW0", "0000:10:00.0", line=None, generation=None, width=None)


def test_the_software_device_is_named_with_the_command_that_removes_it() -> None:
    (finding,) = evidence.check_topo(breaks_topo_aborted())

    assert finding.components == ("NIC9",)
    assert "sudo rdma link delete siw_eth0" in finding.remedy


def test_without_one_the_host_is_named() -> None:
    topology = switched()
    note(topology, "host", "nvidia-smi.topo", None, "unreadable")
    (finding,) = evidence.check_topo(topology)

    assert finding.components == ("host",)


def test_a_made_up_link_is_information_never_a_bottleneck() -> None:
    (finding,) = evidence.check_made_up(breaks_link_made_up())

    assert finding.severity is Severity.INFO
    assert finding.harms == ()
    assert finding.components == ("SW0",)
