"""nic-far: most accelerators have a NIC beside them, some do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.analysis.rules.boards import assumed, note
from tests.analysis.rules.rails import rails
from tests.machines import Builder, hccs_mesh, matrix_only
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import nic_placement

if TYPE_CHECKING:
    from toposcope.model import Topology


def breaks_nic_far() -> Topology:
    return rails(without=(2, 3), accelerators=4)


def keeps_nic_far() -> Topology:
    return rails()


def cannot_tell_nic_far() -> Topology:
    return matrix_only()


def test_the_way_across_the_sockets_is_put_beside_that_of_a_near_accelerator() -> None:
    (finding,) = nic_placement.check(breaks_nic_far())

    assert finding.severity is Severity.WARNING
    assert finding.components == ("GPU2", "GPU3")
    harm = finding.harms[0]
    assert (harm.source, harm.target) == ("GPU2", "remote")
    assert harm.before is not None
    assert harm.after is not None
    assert harm.after / harm.before < 0.8


def test_where_few_have_a_nic_beside_them_the_board_is_built_so() -> None:
    (finding,) = nic_placement.check(rails(without=(1, 2, 3)))

    assert finding.severity is Severity.INFO


def test_where_none_is_near_it_is_information() -> None:
    b = Builder()
    for half in range(2):
        b.socket(f"CPU{half}", f"NUMA{half}")
        b.root_complex(f"rc{half}", f"NUMA{half}")
        b.switch(f"SW{half}", f"rc{half}")
    b.accelerator("GPU0", "SW0")
    b.nic("NIC0", "SW1", name="mlx5_0")
    b.port("NIC0", 200)
    (finding,) = nic_placement.check(b.topology)

    assert finding.severity is Severity.INFO
    assert "SYS" in finding.message


def test_a_slow_nic_and_one_without_rdma_do_not_count() -> None:
    assert list(nic_placement.check(rails(without=(3,), gbps=25))) == []


def test_ports_inside_accelerators_and_guests_are_not_its_business() -> None:
    guest = breaks_nic_far()
    note(guest, "host", "hypervisor", "KVM")
    assert list(nic_placement.check(guest)) == []
    assert list(nic_placement.check(hccs_mesh())) == []


def test_a_reference_machine_is_left_alone() -> None:
    assert list(nic_placement.check(assumed(breaks_nic_far()))) == []
