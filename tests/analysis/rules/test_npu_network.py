"""The RoCE ports inside NPUs: what hccn_tool answers, also where nothing else was recorded."""

from __future__ import annotations

from tests.analysis.rules.boards import mesh, note
from tests.machines import Builder
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import npu_network
from toposcope.model import Topology


def npus(**of_second: str | int) -> Topology:
    """Build four NPUs with ports; ``of_second`` are facts of NPU1, dots written as double underscores."""
    b = Builder(mesh(4))
    for index in range(4):
        b.port(f"NPU{index}", 200)
        note(b.topology, f"NPU{index}", "hccn.link.last_event", "LINK UP")
        note(b.topology, f"NPU{index}", "hccn.net_health", "Success")
    topology = Topology(host="npus")
    changed = {name.replace("__", "."): value for name, value in of_second.items()}
    for each in b.topology.components():
        topology.add(each)
    for link in b.topology.links():
        topology.connect(link)
    for name, value in changed.items():
        note(topology, "NPU1", name, value)
    for fact in b.topology.facts():
        topology.note(fact)
    return topology


def breaks_npu_port_down() -> Topology:
    return npus(hccn__link__last_event="LINK DOWN")


def keeps_npu_port_down() -> Topology:
    return npus()


def cannot_tell_npu_port_down() -> Topology:
    return mesh(4)


def breaks_npu_optics() -> Topology:
    return npus(hccn__optical__present="not present")


def keeps_npu_optics() -> Topology:
    return npus(
        hccn__optical__present="present",
        hccn__optical__rx_los_flag="0x0",
        hccn__optical__rx_power0="1.0189 mW",
        hccn__optical__rxpower_low_thres="0.1445 mW",
    )


def cannot_tell_npu_optics() -> Topology:
    return npus(hccn__optical__rx_power0="0.0011 mW")


def breaks_npu_port_errors() -> Topology:
    return npus(counter__roce_rx_err_pkt_num=11)


def keeps_npu_port_errors() -> Topology:
    return npus(counter__roce_rx_err_pkt_num=0, counter__link_down=1)


def cannot_tell_npu_port_errors() -> Topology:
    return mesh(4)


def breaks_npu_no_neighbour() -> Topology:
    topology = mesh(4)
    note(topology, "NPU0", "hccn.lldp.port_id", "Ifname: 400GE1/1/20:2")
    note(topology, "NPU1", "hccn.lldp", None, "absent")
    return topology


def keeps_npu_no_neighbour() -> Topology:
    topology = mesh(4)
    note(topology, "NPU0", "hccn.lldp.port_id", "Ifname: 400GE1/1/20:2")
    return topology


def cannot_tell_npu_no_neighbour() -> Topology:
    return mesh(4)


def test_a_port_that_is_down_carries_nothing() -> None:
    (finding,) = npu_network.check_down(breaks_npu_port_down())

    (harm,) = finding.harms
    assert (harm.source, harm.target) == ("NPU1", "remote")
    assert harm.before is not None
    assert harm.after is not None
    assert (harm.before.gbs, harm.after.gbs) == (25, 0)
    assert "hccn_tool -i 1 -link -g" in finding.remedy


def test_what_the_link_shows_now_counts_more_than_its_newest_change() -> None:
    topology = breaks_npu_port_down()
    note(topology, "NPU1/p1", "state", "UP")
    assert list(npu_network.check_down(topology)) == []


def test_a_network_that_does_not_answer_is_found() -> None:
    (finding,) = npu_network.check_down(npus(hccn__net_health="Socket failed"))

    assert "Socket failed" in finding.message


def test_an_npu_of_which_only_the_port_was_recorded_is_found_too() -> None:
    topology = Topology(host="ports")
    note(topology, "NPU4/p1", "state", "DOWN")
    note(topology, "NPU4", "hccn.optical.present", "not present")

    assert [each.components for each in npu_network.check_down(topology)] == [("NPU4",)]
    assert [each.components for each in npu_network.check_optics(topology)] == [("NPU4",)]


def test_loss_of_light_and_a_dark_lane_are_named() -> None:
    topology = npus(
        hccn__optical__rx_los_flag="0xff",
        hccn__optical__rx_power1="0.0054 mW",
        hccn__optical__rxpower_low_thres="0.1445 mW",
    )
    (finding,) = npu_network.check_optics(topology)

    assert "rx los flag 0xff" in finding.message
    assert "rx power1 0.0054 mW" in finding.message


def test_a_link_that_comes_and_goes_is_found_and_one_of_a_start_is_not() -> None:
    often = "; ".join(f"Tue Aug  1 14:4{minute}:00 2023 DOWN" for minute in range(5))
    assert list(npu_network.check_errors(npus(hccn__link__changes="Tue Aug  1 14:43:40 2023 DOWN"))) == []
    (finding,) = npu_network.check_errors(npus(hccn__link__changes=often))
    assert "lost its link 5 times" in finding.message


def test_silence_of_all_switches_is_information() -> None:
    topology = mesh(2)
    note(topology, "NPU0", "hccn.lldp", None, "absent")
    (finding,) = npu_network.check_neighbour(topology)

    assert finding.severity is Severity.INFO
    assert "split" in finding.remedy


def test_ports_that_none_of_a_server_uses_are_information() -> None:
    topology = Topology(host="alone")
    for index in range(4):
        note(topology, f"NPU{index}", "hccn.link.last_event", "LINK DOWN")
        note(topology, f"NPU{index}", "hccn.optical.present", "not present")
    (down,) = npu_network.check_down(topology)
    (dark,) = npu_network.check_optics(topology)

    assert (down.severity, dark.severity) == (Severity.INFO, Severity.INFO)


def test_errors_that_all_ports_count_alike_are_no_ports_fault() -> None:
    topology = mesh(4)
    for index in range(4):
        note(topology, f"NPU{index}", "counter.roce_rx_err_pkt_num", 20 + index)
    assert list(npu_network.check_errors(topology)) == []
