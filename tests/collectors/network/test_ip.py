"""Interfaces and bonds as the host prints them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture
from toposcope.collectors.network import bonding, bonds, ip
from toposcope.collectors.records import NetworkPort, NicName, Setting

LINK = """\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 promiscuity 0 minmtu 0 maxmtu 0
2: eth0: <BROADCAST,MULTICAST,SLAVE,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP mode DEFAULT group default
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff permaddr 02:00:00:00:00:02
    bond_slave state ACTIVE mii_status UP link_failure_count 0 parentbus pci parentdev 0000:3b:00.0
    altname enp59s0f0
    vf 0     link/ether 00:00:00:00:00:00 brd ff:ff:ff:ff:ff:ff, spoof checking off
3: eth1: <NO-CARRIER,BROADCAST,MULTICAST,SLAVE,UP> mtu 9000 qdisc mq master bond0 state DOWN
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
4: bond0: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    bond mode 802.3ad miimon 100 updelay 0 xmit_hash_policy layer3+4 lacp_rate fast
    inet 192.0.2.7/24 brd 192.0.2.255 scope global bond0
       valid_lft forever preferred_lft forever
5: eth2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq master br0 state UP
    link/ether 02:00:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    12345 17 0 0 0 0
6: ib0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 2044 qdisc mq state UP
    link/infiniband 00:00:00:00:fe:80:00:00:00:00:00:00:02:00:00:00:00:00:00:01 brd 00:ff
7: bond0.100@bond0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    vlan protocol 802.1Q id 100 <REORDER_HDR>
"""


def read(text):
    return ip.parse(Capture("ip-link", "f", text))


def ports(text):
    return {record.device: record for record in read(text).records if isinstance(record, NetworkPort)}


@pytest.mark.parametrize(
    "text", [LINK, "\n".join(line.strip() for line in LINK.split("\n")), LINK.replace("\n", "\r\n")]
)
def test_interfaces_bonds_and_layers(text):
    assert read(text).problems == ()
    found = ports(text)
    assert list(found) == ["lo", "eth0", "eth1", "bond0", "eth2", "ib0", "bond0.100"]
    assert found["bond0"].members == ("eth0", "eth1")
    assert (found["eth0"].bond, found["eth2"].bond) == ("bond0", None)
    assert (found["eth0"].state, found["eth1"].state) == ("UP", "DOWN")
    assert (found["eth0"].physical_state, found["eth1"].physical_state) == ("LOWER_UP", "NO-CARRIER")
    assert (found["ib0"].link_layer, found["ib0"].mtu) == ("InfiniBand", 2044)
    assert found["bond0"].address == "192.0.2.7"
    others = [record for record in read(text).records if not isinstance(record, NetworkPort)]
    assert [(r.netdev, r.pci) for r in others if isinstance(r, NicName)] == [("eth0", "0000:3b:00.0")]
    assert {(s.subject, s.name): s.value for s in others if isinstance(s, Setting)} == {
        ("eth0", "altname"): "enp59s0f0",
        ("bond0", "bond.mode"): "802.3ad",
        ("bond0", "bond.xmit_hash_policy"): "layer3+4",
        ("bond0", "bond.lacp_rate"): "fast",
    }


def test_the_brief_form():
    text = "lo          UNKNOWN     127.0.0.1/8 ::1/128\neth0@if7    UP          192.0.2.1/24\nbond0 DOWN\n"
    found = ports(text)
    assert [(name, port.state, port.address) for name, port in found.items()] == [
        ("lo", "UNKNOWN", "127.0.0.1"),
        ("eth0", "UP", "192.0.2.1"),
        ("bond0", "DOWN", None),
    ]


def test_one_line_each():
    text = "2: eth0    inet 192.0.2.1/24 brd 192.0.2.255 scope global eth0\\       valid_lft forever\n"
    text += "2: eth0    inet6 2001:db8::1/64 scope link \\       valid_lft forever\n"
    assert [(name, port.address) for name, port in ports(text).items()] == [("eth0", "192.0.2.1")]
    assert read(text).problems == ()
    text = "2: ib0: <UP,LOWER_UP> mtu 2044 state UP \\    link/infiniband 00:00 brd 00:ff\n"
    assert (ports(text)["ib0"].link_layer, ports(text)["ib0"].state) == ("InfiniBand", "UP")


def test_a_torn_header_is_reported_with_its_details():
    reading = read(LINK.replace("3: eth1: <NO-CARRIER", "3: eth1 NO-CARRIER"))
    assert [problem.origin.line for problem in reading.problems] == [8, 9]


def test_another_tools_lines_are_not_taken_as_details():
    reading = read(
        "2: eth0: <UP> mtu 1500 state UP\nSettings for eth1:\n\tSpeed: 100Mb/s\n3: eth1: <UP> mtu 1500 state UP\n"
    )
    assert [problem.origin.line for problem in reading.problems] == [2, 3]


NAMES = st.from_regex(r"[a-z]{2,4}[0-9]{1,3}(?:f[0-9])?", fullmatch=True)


@given(st.lists(st.tuples(NAMES, st.integers(1, 800)), unique_by=lambda member: member[0], max_size=6), st.booleans())
def test_a_bond_of_proc_is_read_as_printed(members, up):
    text = "Ethernet Channel Bonding Driver: v6.1\n\nBonding Mode: IEEE 802.3ad\nMII Status: up\n\n"
    text += "802.3ad info\nLACP rate: fast\nActive Aggregator Info:\n\tAggregator ID: 1\n"
    for name, gbps in members:
        text += f"\nSlave Interface: {name}\nMII Status: {'up' if up else 'down'}\nSpeed: {gbps * 1000} Mbps\n"
        text += "Aggregator ID: 2\n"
        text += "details actor lacp pdu:\n    port state: 63\n"
    reading = bonding.parse(Capture("proc-bonding", "f", text, argument="bond7"))
    assert reading.problems == ()
    head, *rest = [record for record in reading.records if isinstance(record, NetworkPort)]
    assert (head.device, head.members) == ("bond7", tuple(name for name, _ in members))
    assert head.rate == (Bandwidth.gigabits(sum(gbps for _, gbps in members)) if members and up else None)
    assert [(port.device, port.rate, port.bond) for port in rest] == [
        (name, Bandwidth.gigabits(gbps), "bond7") for name, gbps in members
    ]
    apart = [
        s.subject for s in reading.records if isinstance(s, Setting) and s.name == "bond.aggregated" and not s.value
    ]
    assert apart == [name for name, _ in members]


def test_the_file_names_the_bond_too():
    capture = Capture("proc-bonding", "proc/net/bonding/bond1", "Ethernet Channel Bonding Driver: v5\nMII Status: up\n")
    assert bonding.parse(capture).records[0].device == "bond1"


def test_bonds_of_ip_link_are_asked_about():
    assert bonds(read(LINK).records) == ("bond0",)
