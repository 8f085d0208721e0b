"""Counters of links and of RoCE: outliers, and events in a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import port_counters

if TYPE_CHECKING:
    from toposcope.model import Topology


def counted(name: str, *values: int, layer: str = "Ethernet") -> Topology:
    topology = rails()
    for index in range(4):
        note(topology, f"NIC{index}-port", "link_layer", layer)
    for index, value in enumerate(values):
        note(topology, f"NIC{index}-port", f"counter.{name}", value)
    return topology


def breaks_port_flapping() -> Topology:
    return counted("link_downed", 0, 255, 1, 0)


def keeps_port_flapping() -> Topology:
    return counted("link_downed", 1, 2, 1, 1)


def cannot_tell_port_flapping() -> Topology:
    return rails()


def breaks_roce_loss() -> Topology:
    return counted("packet_seq_err", 520_000, 0, 0, 0)


def keeps_roce_loss() -> Topology:
    return counted("packet_seq_err", 12, 0, 0, 0)


def cannot_tell_roce_loss() -> Topology:
    return counted("none")


def test_the_port_that_stands_out_is_named() -> None:
    (finding,) = port_counters.check_flapping(breaks_port_flapping())

    assert "mlx5_1 link_downed 255" in finding.message
    assert [harm.source for harm in finding.harms] == ["GPU1"]
    assert "/sys/class/infiniband/mlx5_1/ports/1/counters/" in finding.remedy


def test_what_all_ports_counted_is_no_sign_of_one() -> None:
    assert list(port_counters.check_flapping(counted("link_downed", 40, 41, 38, 44))) == []


def test_an_event_of_a_log_is_found_on_its_port_or_on_the_host() -> None:
    for subject in ("NIC2-port", "host"):
        topology = rails()
        note(topology, subject, "nccl.async_event", "port error")
        (finding,) = port_counters.check_flapping(topology)
        assert "port error" in finding.message


def test_infiniband_does_not_lose_data_this_way() -> None:
    assert list(port_counters.check_loss(counted("packet_seq_err", 52_000, layer="InfiniBand"))) == []


def test_roce_without_counters_is_asked_for() -> None:
    (finding,) = port_counters.check_loss(cannot_tell_roce_loss())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert "hw_counters" in finding.remedy


def test_counters_under_a_lid_are_those_of_its_port() -> None:
    topology = rails()
    note(topology, "NIC3-port", "lid", 75)
    note(topology, "lid 75", "counter.LinkDownedCounter", 40)
    (finding,) = port_counters.check_flapping(topology)

    assert finding.components == ("NIC3-port",)


def test_a_moderate_total_is_information_and_order_is_no_loss() -> None:
    (finding,) = port_counters.check_loss(counted("packet_seq_err", 5_000, 0))

    assert finding.severity is Severity.INFO
    assert [each.verdict for each in port_counters.check_loss(counted("out_of_sequence", 10**9))] == [
        Verdict.COULD_NOT_TELL
    ]
