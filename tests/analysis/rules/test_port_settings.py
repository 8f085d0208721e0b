"""MTU, GID index and bonds."""

from __future__ import annotations

from tests.analysis.rules.boards import note, relink
from tests.analysis.rules.rails import rails, set_variables
from tests.machines import Builder
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import port_settings
from toposcope.base import Origin
from toposcope.model import Fact, Topology


def with_mtu(*sizes: int) -> Topology:
    topology = rails()
    for index, size in enumerate(sizes):
        note(topology, f"NIC{index}-port", "mtu", size)
    return topology


def breaks_port_mtu() -> Topology:
    return with_mtu(4096, 1024, 4096, 4096)


def keeps_port_mtu() -> Topology:
    return with_mtu(4096, 4096, 4096, 4096)


def cannot_tell_port_mtu() -> Topology:
    """Half and half: which of the two is meant nothing says."""
    return with_mtu(4096, 4096, 1024, 1024)


def with_gids(index: str, version: str | None) -> Topology:
    topology = set_variables(rails(), NCCL_IB_GID_INDEX=index)
    for number in range(4):
        note(topology, f"NIC{number}-port", "link_layer", "Ethernet")
        if version is not None:
            note(topology, f"NIC{number}-port", "gid.2", f"{version} fe80::1")
            note(topology, f"NIC{number}-port", "gid.3", "v2 ::ffff:192.0.2.1 192.0.2.1")
    return topology


def breaks_gid_index() -> Topology:
    return with_gids("2", "v1")


def keeps_gid_index() -> Topology:
    return with_gids("3", "v1")


def cannot_tell_gid_index() -> Topology:
    return with_gids("3", None)


def bonded(**variables: str) -> Topology:
    topology = set_variables(rails(accelerators=2), **variables)
    for index in range(2):
        note(topology, f"NIC{index}-port", "members", "eth0,eth1")
        relink(topology, f"NIC{index}-port", "network", count=2)
    return topology


def breaks_bond_one_member() -> Topology:
    return bonded(NCCL_IB_QPS_PER_CONNECTION="1")


def keeps_bond_one_member() -> Topology:
    return bonded(NCCL_IB_QPS_PER_CONNECTION="4")


def cannot_tell_bond_one_member() -> Topology:
    return bonded()


def test_the_small_mtu_is_named_with_its_accelerator() -> None:
    (finding,) = port_settings.check_mtu(breaks_port_mtu())

    assert "mlx5_1 has 1024, the others 4096" in finding.message
    assert [harm.source for harm in finding.harms] == ["GPU1"]


def test_figures_of_two_tools_are_not_put_beside_each_other() -> None:
    topology = with_mtu(4096, 4096, 4096)
    topology.note(Fact("NIC3-port", "mtu", 1500, Origin("ip", "ip.txt", 1)))
    assert list(port_settings.check_mtu(topology)) == []


def test_the_index_that_fits_is_told() -> None:
    (finding,) = port_settings.check_gid(breaks_gid_index())

    assert finding.severity is Severity.WARNING
    assert "=3" in finding.remedy


def test_an_index_that_is_empty_is_wrong_too() -> None:
    (finding,) = port_settings.check_gid(with_gids("7", "v1"))

    assert "nothing there" in finding.message


def test_half_of_a_bond_is_what_one_connection_gets() -> None:
    (finding,) = port_settings.check_bond(breaks_bond_one_member())

    harm = finding.harms[0]
    assert harm.before is not None
    assert harm.after is not None
    assert (harm.before.gbs, harm.after.gbs) == (50, 25)


def test_a_log_that_does_not_show_the_variable_tells_that_it_is_not_set() -> None:
    topology = bonded()
    note(topology, "host", "nccl.log", "recorded")
    (finding,) = port_settings.check_bond(topology)

    assert finding.verdict is Verdict.FOUND
    assert "not set" in finding.message


def test_a_table_without_versions_proves_nothing() -> None:
    topology = with_gids("3", None)
    for number in range(4):
        note(topology, f"NIC{number}-port", "gid.3", "fe80::1")
    (finding,) = port_settings.check_gid(topology)

    assert finding.verdict is Verdict.COULD_NOT_TELL


def test_nics_for_other_work_may_have_another_mtu() -> None:
    topology = with_mtu(4096, 4096, 4096, 4096)
    b = Builder(topology)
    b.root_complex("rc-far", "NUMA0")
    b.nic("NIC9", "rc-far", 5, name="mlx5_9")
    b.port("NIC9", 100)
    note(topology, "NIC9-port", "mtu", 1024)
    assert list(port_settings.check_mtu(topology)) == []


def failed(error: str | None) -> Topology:
    topology = rails()
    if error is not None:
        note(topology, "host", "nccl.completion_error", error)
    return topology


def breaks_rdma_timeout() -> Topology:
    return failed("status 12, vendor err 129")


def keeps_rdma_timeout() -> Topology:
    return failed("status 5, vendor err 249")


def cannot_tell_rdma_timeout() -> Topology:
    return failed(None)


def test_the_ends_of_a_transfer_without_answer_are_to_be_compared() -> None:
    (finding,) = port_settings.check_timeout(breaks_rdma_timeout())

    assert "status 12" in finding.message
    assert "show_gids" in finding.remedy
    assert len(finding.harms) == 4
