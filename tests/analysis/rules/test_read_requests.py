"""read-request-small: fast NICs that read little at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import read_requests

if TYPE_CHECKING:
    from toposcope.model import Topology


def asking(size: int, gbps: float = 400) -> Topology:
    topology = rails(gbps=gbps)
    note(topology, "NIC1", "read_request.max", size)
    return topology


def breaks_read_request_small() -> Topology:
    return asking(512)


def keeps_read_request_small() -> Topology:
    return asking(4096)


def cannot_tell_read_request_small() -> Topology:
    return rails()


def test_the_command_holds_the_address() -> None:
    (finding,) = read_requests.check(breaks_read_request_small())

    assert finding.severity is Severity.INFO
    assert "setpci -s 0000:31:00.0 CAP_EXP+8.w=5000:7000" in finding.remedy


def test_a_slow_nic_needs_no_more() -> None:
    assert list(read_requests.check(asking(512, gbps=100))) == []


def test_few_reads_under_way_are_told_of_and_the_firmwares_own_choice_is_not() -> None:
    for count, told in ((44, 1), (0, 0), (128, 0)):
        topology = rails()
        note(topology, "NIC1", "mlxconfig.MAX_ACC_OUT_READ", count)
        assert len(list(read_requests.check(topology))) == told
