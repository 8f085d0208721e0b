"""Ports without a link, and ports that run slower than their siblings."""

from __future__ import annotations

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails, set_port
from tests.machines import Builder
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import network_ports
from toposcope.model import State, Topology


def lost(nic: str, physical: str = "Polling") -> Topology:
    topology = set_port(rails(), nic, state=State.DOWN, line=None)
    note(topology, f"{nic}-port", "physical_state", physical)
    return topology


def breaks_port_down() -> Topology:
    return lost("NIC2")


def keeps_port_down() -> Topology:
    return rails()


def cannot_tell_port_down() -> Topology:
    topology = rails()
    for index in range(3):
        set_port(topology, f"NIC{index}", state=State.UNKNOWN, line=None)
    return topology


def breaks_port_slow() -> Topology:
    return set_port(rails(), "NIC1", gbs=12.5)


def keeps_port_slow() -> Topology:
    return rails()


def cannot_tell_port_slow() -> Topology:
    """Two ports of two rates: neither is most of them."""
    return set_port(rails(accelerators=2), "NIC1", gbs=12.5)


def without_accelerators(*states: str) -> Topology:
    b = Builder(Topology(host="ports"))
    b.socket("CPU0", "NUMA0")
    for index, state in enumerate(states):
        b.root_complex(f"rc{index}", "NUMA0")
        b.nic(f"NIC{index}", f"rc{index}", name=f"mlx5_{index}")
        b.port(f"NIC{index}", 400)
        note(b.topology, f"NIC{index}", "model", "MT4129")
        if state != "LinkUp":
            set_port(b.topology, f"NIC{index}", state=State.DOWN, line=None)
        note(b.topology, f"NIC{index}-port", "physical_state", state)
    return b.topology


def test_the_accelerator_beside_a_lost_port_is_named_and_gets_nothing() -> None:
    (finding,) = network_ports.check_down(breaks_port_down())

    assert finding.severity is Severity.WARNING
    assert [harm.source for harm in finding.harms] == ["GPU2"]
    assert "mlxlink -d mlx5_2" in finding.remedy


def test_a_port_switched_off_that_nobody_needs_is_information() -> None:
    (finding,) = network_ports.check_down(without_accelerators("LinkUp", "Disabled", "Disabled"))

    assert finding.severity is Severity.INFO


def test_the_second_port_of_a_card_is_not_missed_where_the_first_has_a_link() -> None:
    topology = without_accelerators("LinkUp", "Polling")
    (finding,) = network_ports.check_down(topology)

    assert finding.severity is Severity.INFO


def test_a_port_that_gets_no_answer_is_a_warning_where_its_siblings_have_one() -> None:
    (finding,) = network_ports.check_down(without_accelerators("LinkUp", "LinkUp", "Polling"))

    assert finding.severity is Severity.WARNING


def test_ports_of_a_model_of_which_none_has_a_link_are_not_in_use() -> None:
    assert list(network_ports.check_down(without_accelerators("Polling", "Polling"))) == []


def test_unknown_states_are_asked_for_once() -> None:
    (finding,) = network_ports.check_down(cannot_tell_port_down())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert finding.remedy.startswith("ibstat")
    assert finding.components == ("NIC0", "NIC1", "NIC2")


def test_where_no_port_was_recorded_nothing_is_asked() -> None:
    topology = rails()
    for index in range(4):
        set_port(topology, f"NIC{index}", state=State.UNKNOWN, line=None)
    assert list(network_ports.check_down(topology)) == []


def test_a_slow_port_is_put_beside_the_rate_of_the_others() -> None:
    (finding,) = network_ports.check_slow(breaks_port_slow())

    (harm,) = finding.harms
    assert harm.source == "GPU1"
    assert harm.before is not None
    assert harm.after is not None
    assert (harm.before.gbs, harm.after.gbs) == (50, 12.5)


def test_ports_of_another_model_are_no_siblings() -> None:
    topology = breaks_port_slow()
    other = Topology(host="other")
    for each in topology.components():
        other.add(each)
    for link in topology.links():
        other.connect(link)
    for fact in topology.facts():
        if fact.component != "NIC1":
            other.note(fact)
    note(other, "NIC1", "model", "MT4125")
    assert list(network_ports.check_slow(other)) == []


def test_a_second_nic_beside_an_accelerator_may_be_without_a_cable() -> None:
    b = Builder(Topology(host="cards"))
    b.socket("CPU0", "NUMA0")
    for index in range(2):
        b.root_complex(f"rc{index}", "NUMA0")
        b.switch(f"SW{index}", f"rc{index}", 5)
        b.accelerator(f"GPU{index}", f"SW{index}", 5)
        for function in range(2):
            name = f"NIC{2 * index + function}"
            b.nic(name, f"SW{index}", 5, name=f"mlx5_{2 * index + function}")
            b.port(name, 400)
            note(b.topology, name, "model", "MT4129")
            if function:
                set_port(b.topology, name, state=State.DOWN, line=None)
    (finding,) = network_ports.check_down(b.topology)

    assert finding.severity is Severity.INFO


def test_a_slow_port_that_no_accelerator_has_beside_it_is_information() -> None:
    topology = rails()
    b = Builder(topology)
    b.root_complex("rc-far", "NUMA0")
    b.nic("NIC9", "rc-far", 5, name="mlx5_9", role="storage")
    b.port("NIC9", 100)
    note(topology, "NIC9", "model", "MT4129")
    (finding,) = network_ports.check_slow(topology)

    assert finding.severity is Severity.INFO
    assert finding.harms == ()
