"""Counters, link history, ping, and the UB ports of a 950."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture
from toposcope.collectors.hccn_tool import COLLECTOR
from toposcope.collectors.records import FabricLink, NetworkPort, Setting

SOURCES = {source.key: source for source in COLLECTOR.sources}
HISTORY = (
    "[devid 2]current time        : Sat Jan  3 04:05:06 2026\n[devid 2]link up count       : 2\n"
    "[devid 2]link down count     : 1\n[devid 2]link change records :\n"
    "[devid 2]    Sat Jan  3 01:00:00 2026    LINK DOWN\n[devid 2]    Fri Jan  2 01:00:00 2026    LINK UP\n"
)
PORTS = (
    "+---------+---------+---------------------+-----------+-------------+------------+\n"
    "| UDie ID | Port ID | Speed Ability(Gbps) | Port Type | Link Status | Media Type |\n"
    "+---------+---------+---------------------+-----------+-------------+------------+\n"
    "| 0       | 4       | 400                 | UB        | UP          | Electrical |\n"
    "| 1       | 9       | 200                 | ETH       | DOWN        | Optical    |\n"
    "+---------+---------+---------------------+-----------+-------------+------------+\n"
    "+----------------+------------+---------------+\n"
    "| Interface Name | IP Address | Netmask       |\n"
    "+----------------+------------+---------------+\n"
    "| if0            | 2001:db8:: | ffff::        |\n"
    "|                | 192.0.2.1  | 255.255.255.0 |\n"
    "+----------------+------------+---------------+\n"
)


def ask(key, text, argument="2"):
    return SOURCES[key].parse(Capture(key, "made-up.txt", text, 1, argument))


def facts(reading, subject="NPU2"):
    return {r.name: r.value for r in reading.records if isinstance(r, Setting) and r.subject == subject}


def of_type(reading, kind):
    return [record for record in reading.records if isinstance(record, kind)]


def test_the_newest_change_is_the_last_event():
    reading = ask("hccn-link-stat", HISTORY)

    assert facts(reading) == {
        "hccn.link.time": "Sat Jan  3 04:05:06 2026",
        "counter.link_up": 2,
        "counter.link_down": 1,
        "hccn.link.last_event": "LINK DOWN",
        "hccn.link.last_event_time": "Sat Jan  3 01:00:00 2026",
        "hccn.link.changes": "Sat Jan  3 01:00:00 2026 DOWN; Fri Jan  2 01:00:00 2026 UP",
    }
    assert reading.problems == ()


def test_the_history_names_its_npu_where_the_command_is_lost():
    assert facts(ask("hccn-link-stat", HISTORY, None))["counter.link_up"] == 2


def test_older_tools_say_device_where_newer_ones_say_devid():
    assert facts(ask("hccn-link-stat", HISTORY.replace("devid", "device"), None)) == facts(
        ask("hccn-link-stat", HISTORY)
    )


def test_no_changes_are_absent():
    reading = ask("hccn-link-stat", "[devid 2]link up count : 0\n[devid 2]link change records : NA\n")

    assert [(r.name, r.status) for r in of_type(reading, Setting)][1] == ("hccn.link.change_records", "absent")


def test_the_histories_of_two_npus_are_told_apart():
    reading = ask("hccn-link-stat", HISTORY + HISTORY.replace("devid 2", "devid 5").replace(": 2", ": 7"), None)

    assert facts(reading)["counter.link_up"] == 2
    assert facts(reading, "NPU5")["counter.link_up"] == 7


def test_counters_keep_their_names():
    reading = ask("hccn-stat", "packet statistics:\nroce_rx_err_pkt_num:11\nroce_tx_err_pkt_num:0\nhm:hm\n")

    assert facts(reading) == {"counter.roce_rx_err_pkt_num": 11, "counter.roce_tx_err_pkt_num": 0}
    assert [problem.text for problem in reading.problems] == ["hm:hm"]


def test_a_ping_counts_and_times():
    text = (
        "device 2 PING 192.0.2.9\nrecv seq=0,time=1.400000ms\nrecv seq=1,time=0.030000ms\n"
        "3 packets transmitted, 2 received, 33.33% packet loss\n"
    )

    assert facts(ask("hccn-ping", text, None)) == {
        "hccn.ping.192.0.2.9.sent": 3,
        "hccn.ping.192.0.2.9.received": 2,
        "hccn.ping.192.0.2.9.loss_percent": 33.33,
        "hccn.ping.192.0.2.9.rtt_ms": "1.4 0.03",
    }


def test_a_ub_port_is_a_link_and_an_ethernet_one_is_none():
    reading = ask("hccn-dev-info", PORTS, "0")

    ports = of_type(reading, NetworkPort)
    assert [(p.port, p.link_layer, p.state, p.max_rate) for p in ports] == [
        (4, "UB", "UP", Bandwidth.gigabits(400)),
        (9, "ETH", "DOWN", Bandwidth.gigabits(200)),
    ]
    assert [(link.accelerator, link.link, link.active) for link in of_type(reading, FabricLink)] == [("NPU0", 4, True)]
    assert facts(reading, "NPU0/1.9")["hccn.port.media_type"] == "Optical"
    assert facts(reading, "NPU0")["hccn.interface.if0.192_0_2_1"] == "192.0.2.1/255.255.255.0"
    assert reading.problems == ()


def test_the_older_head_of_the_port_table_reads_alike():
    text = PORTS.replace("UDie ID", "UdieID").replace("Port ID", "PortID").replace("Speed Ability(Gbps)", "Speed")
    text = text.replace("Port Type", "PortType")

    assert len(of_type(ask("hccn-dev-info", text, "0"), FabricLink)) == 1


def test_a_port_that_is_partly_up_is_active_and_says_so():
    reading = ask(
        "hccn-ub-connect", "link status : PARTIAL LINK\nport 4 : UP\nport 5 : DOWN\nport 6 : PARTIAL UP\n", "0"
    )

    assert [(link.link, link.active) for link in of_type(reading, FabricLink)] == [(4, True), (5, False), (6, True)]
    assert facts(reading, "NPU0") == {"hccn.ub.state": "PARTIAL LINK"}
    assert facts(reading, "NPU0/6") == {"hccn.ub.state": "PARTIAL UP"}
    assert reading.problems == ()


@pytest.mark.parametrize(("speed", "rate"), [("400 G", Bandwidth.gigabits(400)), ("unknown", None)])
def test_the_speed_table_gives_rate_and_lanes(speed, rate):
    text = (
        "+-----+------+------+---------+-----+-------+--------+\n"
        "| NPU | UDie | Port | Speed   | Cap | Width | Status |\n"
        "+-----+------+------+---------+-----+-------+--------+\n"
        f"| 2   | 0    | 4    | {speed} | X4  | X2    | normal |\n"
    )

    reading = ask("hccn-speed", text, "2 -u 0 -p 4")

    (port,) = of_type(reading, NetworkPort)
    assert (port.device, port.port, port.rate, port.width) == ("NPU2", 4, rate, 2)
    assert facts(reading, "NPU2/4")["hccn.port.cap"] == "X4"


def test_the_link_of_one_port_is_that_ports():
    (port,) = of_type(ask("hccn-link", "link status: DOWN\n", "2 -u 0 -p 4"), NetworkPort)

    assert (port.device, port.port, port.state) == ("NPU2", 4, "DOWN")


def test_the_history_of_a_port_is_a_table():
    text = (
        "link up count :    1\nlink down count :  2\n+-----+------+------+-------------+-------+\n"
        "| NPU | UDie | Port | Link_Status | Time_Stamp              |\n"
        "|  2  |  0   |  4   |  LINK_DOWN  | Mon Feb 2 21:45:47 2026 |\n"
        "|  2  |  0   |  4   |  LINK_UP    | Mon Feb 2 21:43:04 2026 |\n"
    )

    found = facts(ask("hccn-link-stat", text, "2 -u 0 -p 4"), "NPU2/4")

    assert (found["counter.link_down"], found["hccn.link.last_event"]) == (2, "LINK DOWN")


@given(
    st.dictionaries(st.from_regex(r"[a-z]{2,9}(_[a-z]{2,9}){0,2}", fullmatch=True), st.integers(0, 10**15), min_size=1)
)
def test_printed_counters_are_read_back(values):
    plain = "packet statistics:\n" + "".join(f"{key}:{value}\n" for key, value in values.items())
    marked = "".join(f"[devid 2] {key}: {value}\n" for key, value in values.items())

    expected = {f"counter.{key}": value for key, value in values.items()}
    assert facts(ask("hccn-stat", plain)) == expected
    assert facts(ask("hccn-hw-stats", marked, None)) == expected


@given(st.integers(0, 10_000), st.sampled_from([(HISTORY, "hccn-link-stat"), (PORTS, "hccn-dev-info")]))
def test_no_damage_makes_it_raise(seed, sample):
    chance = random.Random(seed)  # noqa: S311 - damage, no secret
    text, key = sample
    lines = text.splitlines()
    for _ in range(5):
        place = chance.randrange(len(lines))
        lines[place] = chance.choice(
            ["", lines[place][: chance.randrange(len(lines[place]) + 1)], lines[place] * 2, "..."]
        )

    reading = ask(key, "\n".join(lines))

    assert reading.records or reading.problems
