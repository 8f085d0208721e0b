"""ethtool in its four forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture
from toposcope.collectors.ethtool import COLLECTOR, details, netdevs, settings
from toposcope.collectors.records import NetworkPort, NicName, Setting

TEXT = """\
Settings for eth0:
	Supported ports: [ Backplane ]
	Supported link modes:   25000baseCR/Full
	\x20                       100000baseCR4/Full
	\x20                       400000baseCR8/Full
	Supports auto-negotiation: Yes
	Advertised FEC modes: RS
	Speed: 200000Mb/s
	Lanes: 4
	Duplex: Full
	Auto-negotiation: on
	Port: Direct Attach Copper
	Supports Wake-on: d
	Current message level: 0x00000004 (4)
			\x20      link
	Link detected: yes
"""


def read(text, **fields):
    return settings.parse(Capture("ethtool", "f", text, **fields))


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\t", "        "), TEXT.replace("\n", "\r\n")])
def test_a_port_with_speed_lanes_and_most(text):
    reading = read(text)
    assert reading.problems == ()
    port, *others = reading.records
    assert (port.device, port.rate, port.width, port.state) == ("eth0", Bandwidth.gigabits(200), 4, "yes")
    assert port.max_rate == Bandwidth.gigabits(400)
    assert {s.name: s.value for s in others} == {
        "duplex": "Full",
        "auto_negotiation": "on",
        "connector": "Direct Attach Copper",
        "fec.advertised": "RS",
    }


@given(st.lists(st.tuples(st.from_regex(r"[a-z]{2,5}[0-9]{1,3}", fullmatch=True), st.integers(0, 800)), max_size=9))
def test_several_netdevs_in_one_text(netdevs):
    speeds = [f"{gbps * 1000}Mb/s" if gbps else "Unknown!" for _, gbps in netdevs]
    text = "".join(
        f"Settings for {name}:\n\tSpeed: {speed}\n\tLink detected: {'yes' if gbps else 'no'}\n"
        for (name, gbps), speed in zip(netdevs, speeds, strict=True)
    )
    found = read(text).records
    expected = [(name, Bandwidth.gigabits(gbps) if gbps else None) for name, gbps in netdevs]
    assert [(port.device, port.rate) for port in found] == expected
    assert not netdevs or read(text).problems == ()


def test_a_filtered_output_is_named_by_its_command():
    (port,) = read("\tSpeed: 100000Mb/s\n", argument="eth5").records
    assert (port.device, port.rate) == ("eth5", Bandwidth.gigabits(100))


def test_a_refused_question_is_no_problem_and_no_speed():
    text = "Settings for eth0:\nCannot get device settings: Operation not permitted\n\tLink detected: no (No cable)\n"
    reading = read(text)
    assert reading.problems == ()
    assert (reading.records[0].rate, reading.records[0].state) == (None, "no (No cable)")


def test_a_speed_of_nonsense_is_reported():
    (problem,) = read("Settings for eth0:\n\tSpeed: fast\n\tDuplex: Full\n").problems
    assert problem.message == "no speed of eth0"


def detail(parse, text, argument="eth0"):
    return parse(Capture("x", "f", text, argument=argument))


DRIVER = """\
driver: mlx5_core
version: 5.0-0
firmware-version: 20.1 (AB_1)
expansion-rom-version:
bus-info: 0000:3B:00.0
"""


def test_the_function_of_a_netdev():
    name, *others = detail(details.parse_driver, DRIVER).records
    assert (name.netdev, name.pci) == ("eth0", "0000:3b:00.0")
    assert [(s.subject, s.name, s.value) for s in others] == [
        ("eth0", "driver", "mlx5_core"),
        ("eth0", "driver.version", "5.0-0"),
        ("eth0", "firmware.version", "20.1 (AB_1)"),
    ]


def test_without_a_netdev_the_driver_belongs_to_the_function():
    records = detail(details.parse_driver, DRIVER, None).records
    assert {record.subject for record in records} == {"0000:3b:00.0"}


def test_a_virtual_netdev_has_no_function():
    records = detail(details.parse_driver, "driver: bonding\nversion: 6.1\nbus-info: \n").records
    assert not any(isinstance(record, NicName) for record in records)


def test_a_module_is_described_by_the_first_of_its_lines():
    text = """\
	Identifier                                : 0x18 (QSFP-DD)
	Vendor name                               : Acme
	Vendor PN                                 : X-1
	Transmitter technology                    : 0x0a (Copper)
	Length (Copper)                           : 2m
	Length (OM3)                              : 0m
"""
    assert {s.name: s.value for s in detail(details.parse_module, text).records} == {
        "module.identifier": "0x18 (QSFP-DD)",
        "module.vendor": "Acme",
        "module.part": "X-1",
        "module.technology": "0x0a (Copper)",
        "module.length": "2m",
    }


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (details.parse_module, "Vendor PN : X\n"),
        (details.parse_statistics, "NIC statistics:\n     rx_crc_errors_phy: 1\n"),
    ],
)
def test_without_a_netdev_it_is_nobodys_and_that_is_reported(parse, text):
    reading = detail(parse, text, None)
    assert (reading.records, len(reading.problems)) == ((), 1)


def test_counters_of_trouble_are_kept_and_those_of_rings_are_not():
    text = """\
NIC statistics:
     rx_packets: 12
     rx_discards_phy: 3
     rx0_cache_full_drop: 1
     tx_queue_4_drops: 2
     rx_prio3_pause: 9
     link_down_events_phy: 1
"""
    reading = detail(details.parse_statistics, text)
    assert reading.problems == ()
    assert {s.name: s.value for s in reading.records} == {
        "counter.rx_discards_phy": 3,
        "counter.rx_prio3_pause": 9,
        "counter.link_down_events_phy": 1,
    }


def test_a_torn_counter_is_reported():
    text = "NIC statistics:\n     rx_errors: 1\n     tx_err\n     tx_errors: 2\n"
    assert [problem.text for problem in detail(details.parse_statistics, text).problems] == ["tx_err"]


def test_netdevs_with_a_function_are_asked_about_before_all_others():
    origin = read(TEXT).records[0].origin
    plain = NetworkPort("eth0", origin, mtu=1500, link_layer="Ethernet")
    loop = NetworkPort("lo", origin, mtu=1500, link_layer="Loopback")
    assert netdevs([loop, plain]) == ("eth0",)
    assert netdevs([plain, NicName(origin, netdev="eth7", pci="0000:01:00.0")]) == ("eth7",)
    assert all(source.targets is netdevs for source in COLLECTOR.sources)
    assert isinstance(Setting("a", "b", 1, origin), Setting)


def test_the_outputs_of_a_loop_do_not_run_into_each_other():
    records = detail(details.parse_driver, DRIVER + DRIVER.replace("3B:00.0", "3B:00.1")).records
    assert [record.subject for record in records] == ["0000:3b:00.0"] * 3 + ["0000:3b:00.1"] * 3
