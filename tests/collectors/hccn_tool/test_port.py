"""The RoCE port inside an NPU, as ``hccn_tool`` tells it, question by question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture
from toposcope.collectors.hccn_tool import COLLECTOR
from toposcope.collectors.records import NetworkPort, Setting

SOURCES = {source.key: source for source in COLLECTOR.sources}
LLDP = (
    "Chassis ID TLV\n\tMAC: 02:00:00:00:00:01\nPort ID TLV\n\tIfname: 400GE9/0/3:1\nTime to Live TLV\n\t120\n"
    "System Name TLV\n\tleaf-9\nSystem Description TLV\n\tSome switch\nSecond line\n\nThird line\nEnd of LLDPDU TLV\n"
)


def ask(key, text, argument="3"):
    return SOURCES[key].parse(Capture(key, "made-up.txt", text, 1, argument))


def ports(reading):
    return [record for record in reading.records if isinstance(record, NetworkPort)]


def facts(reading, subject="NPU3"):
    return {r.name: r.value for r in reading.records if isinstance(r, Setting) and r.subject == subject}


def statuses(reading):
    return [(r.subject, r.name, r.status) for r in reading.records if isinstance(r, Setting)]


def test_the_address_is_the_ports_and_the_netmask_a_fact():
    reading = ask("hccn-ip", "ipaddr:203.0.113.7\nnetmask:255.255.255.0\n")

    assert [(port.device, port.address) for port in ports(reading)] == [("NPU3", "203.0.113.7")]
    assert facts(reading) == {"hccn.netmask": "255.255.255.0"}
    assert reading.problems == ()


@pytest.mark.parametrize("key", ["hccn-ip", "hccn-lldp", "hccn-gateway", "hccn-netdetect"])
def test_silence_says_that_there_is_none_where_that_is_what_it_means(key):
    reading = ask(key, "")

    assert [status for _, _, status in statuses(reading)] == ["absent"]
    assert reading.problems == ()


def test_silence_on_the_link_says_nothing_and_is_reported():
    reading = ask("hccn-link", "\n")

    assert statuses(reading) == [("NPU3", "hccn.link", "unreadable")]
    assert "printed nothing" in reading.problems[0].message


@pytest.mark.parametrize("state", ["UP", "DOWN"])
def test_the_link_has_its_state_as_printed(state):
    assert ports(ask("hccn-link", f"link status: {state}\n"))[0].state == state


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("Speed: 200000 Mb/s\n", Bandwidth.gigabits(200)),
        ("Speed: 100000Mb/s\n", Bandwidth.gigabits(100)),
        ("Speed: 400 G\n", Bandwidth.gigabits(400)),
    ],
)
def test_the_speed_is_one_way_and_in_bits(text, rate):
    assert ports(ask("hccn-speed", text))[0].rate == rate


def test_an_unknown_speed_is_absent():
    reading = ask("hccn-speed", "Speed: Unknown!\n")

    assert ports(reading) == []
    assert statuses(reading) == [("NPU3", "hccn.speed", "absent")]


def test_status_is_ethtools_text_with_wrapped_values():
    text = (
        "Netdev status:Settings for eth3:\n\tSupported link modes:   1000baseKX/Full\n"
        "\t                        100000baseKR4/Full\n\tSpeed: 200000Mb/s  # two hundred\n\tLink detected: yes\n"
    )

    reading = ask("hccn-status", text)

    assert ports(reading)[0].rate == Bandwidth.gigabits(200)
    assert facts(reading) == {
        "hccn.status.supported_link_modes": "1000baseKX/Full, 100000baseKR4/Full",
        "hccn.status.link_detected": "yes",
    }
    assert reading.problems == ()


def test_status_names_its_npu_where_the_command_is_lost():
    assert (
        ports(ask("hccn-status", "Netdev status:Settings for eth6:\n\tSpeed: 200000Mb/s\n", None))[0].device == "NPU6"
    )


def test_lldp_names_the_switch_and_its_port():
    reading = ask("hccn-lldp", LLDP)

    (port,) = ports(reading)
    assert (port.device, port.neighbour, port.neighbour_port) == ("NPU3", "leaf-9", "400GE9/0/3:1")
    assert port.origin.line == 4
    assert facts(reading)["hccn.lldp.system_description"] == "Some switch; Second line; Third line"
    assert reading.problems == ()


def test_lldp_without_a_system_name_names_the_chassis():
    text = LLDP.replace("System Name TLV\n\tleaf-9\n", "")

    assert ports(ask("hccn-lldp", text))[0].neighbour == "02:00:00:00:00:01"


def test_lldp_with_a_chassis_that_was_left_out_names_none():
    text = LLDP.replace("System Name TLV\n\tleaf-9\n", "").replace("02:00:00:00:00:01", "...")

    assert ports(ask("hccn-lldp", text))[0].neighbour is None


def test_lldp_with_a_mac_for_a_port():
    text = LLDP.replace("Ifname: 400GE9/0/3:1", "MAC: 02:00:00:00:00:99")

    assert ports(ask("hccn-lldp", text))[0].neighbour_port == "02:00:00:00:00:99"


def test_lldp_that_lost_its_indentation_reads_alike():
    assert ask("hccn-lldp", LLDP.replace("\t", "")).records == ask("hccn-lldp", LLDP).records


def test_lldp_of_which_grep_left_the_port():
    assert ports(ask("hccn-lldp", "\tIfname: 400GE9/0/3:1\n"))[0].neighbour_port == "400GE9/0/3:1"


def test_lldp_of_which_sed_left_port_address_and_name():
    reading = ask("hccn-lldp", "Ifname: 400GE9/0/3:1\nleaf-9\nIPv4: 192.0.2.9\n")

    found = [(port.neighbour_port, port.neighbour) for port in ports(reading)]
    assert found == [("400GE9/0/3:1", None), (None, "leaf-9")]
    assert facts(reading) == {"hccn.lldp.ipv4": "192.0.2.9"}


@pytest.mark.parametrize("remark", ["  # fine", " <-- fine", "   \u2190 fine", "  // fine"])
def test_what_an_author_wrote_behind_a_value_is_no_part_of_it(remark):
    assert ports(ask("hccn-link", f"link status: UP{remark}\n"))[0].state == "UP"


def test_the_neighbours_own_interface_does_not_name_the_npu():
    reading = ask("hccn-lldp", "Chassis ID TLV\n\tMAC: 02:00:00:00:00:01\nPort ID TLV\n\tIfname: eth7\n", None)

    assert reading.records == ()
    assert "not known" in reading.problems[0].message


def test_routes_and_gateway():
    text = (
        "Routing table:\nDestination     Gateway         Genmask         Flags Metric Ref    Use Iface\n"
        "default         203.0.113.1     0.0.0.0         UG    0      0        0 eth3\n"
        "203.0.113.0     *               255.255.255.0   U     0      0        0 eth3\n"
    )

    reading = ask("hccn-route", text)

    assert facts(reading)["hccn.route.default"] == "203.0.113.1"
    assert facts(reading)["hccn.routes"].count("dev eth3") == 2
    assert facts(ask("hccn-gateway", "default gateway:203.0.113.1, Iface:eth3\n")) == {"hccn.gateway": "203.0.113.1"}
    assert facts(ask("hccn-gateway", "default gateway:203.0.113.1, Iface:eth3\n", None)) == {
        "hccn.gateway": "203.0.113.1"
    }


def test_a_module_that_is_not_present_keeps_its_old_values():
    text = (
        "optical info:\npresent              : not present\nRx Power0            : 0.0054 mW\n"
        "Host SNR Lane0       : not supported\n"
    )

    reading = ask("hccn-optical", text)

    assert facts(reading)["hccn.optical.present"] == "not present"
    assert facts(reading)["hccn.optical.rx_power0"] == "0.0054 mW"
    assert statuses(reading)[-1] == ("NPU3", "hccn.optical.host_snr_lane0", "unsupported")
    assert reading.problems == ()


@pytest.mark.parametrize("health", ["Success", "Socket fail", "Receive timeout", "Unreachable", "Fault", "Init"])
def test_net_health_is_a_value_even_where_it_reads_like_a_refusal(health):
    reading = ask("hccn-net-health", f"net health status: {health}\n")

    assert facts(reading) == {"hccn.net_health": health}
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("hccn-netdetect", "netdetect address: 203.0.113.1", {"hccn.netdetect": "203.0.113.1"}),
        ("hccn-netdetect", "netdetect addr: 203.0.113.1", {"hccn.netdetect": "203.0.113.1"}),
        ("hccn-fec", "fec mode: rs FEC mode", {"hccn.fec": "rs FEC mode"}),
        ("hccn-mac", "mac addr: 02:00:00:00:00:05", {"hccn.mac": "02:00:00:00:00:05"}),
        ("hccn-duplex", "Duplex: Full", {"hccn.duplex": "Full"}),
        ("hccn-vnic", "vnic link status: UP\nvnic ipaddr: 192.0.2.9", {"hccn.vnic.vnic_link_status": "UP",
                                                                       "hccn.vnic.vnic_ipaddr": "192.0.2.9"}),
        ("hccn-arp", "a  b\nc d", {"hccn.arp": "a b; c d"}),
        ("hccn-tls", "dev_id:3, tls switch[0](0:disable, 1:enable), tls alarm time threshold[60]days",
         {"hccn.tls.switch": 0, "hccn.tls.alarm_time_threshold": 60}),
    ],
)  # fmt: skip
def test_plain_answers_are_facts(key, text, expected):
    reading = ask(key, text + "\n")

    assert facts(reading) == expected
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("sentence", "status", "problems"),
    [
        ("Get ipconf failed, because no ip was preset there!", "absent", 0),
        ("The command is not supported on this product.", "unsupported", 0),
        ("The VM does not support this command.", "unsupported", 0),
        ("This device does not support bonding!", "unsupported", 0),
        ("hccn_tool is busy, please try again.", "unreadable", 1),
        ("permission denied: pls check this cmd run permission.", "unreadable", 1),
        ("The device is not exist!\nCmd execute failed!", "unreadable", 2),
        ("Execute failed: Link status is down.", "unreadable", 1),
        ("The hccn.conf can't access, cmd execute failed! Try later.", "unreadable", 1),
        ("-bash: hccn_tool: command not found", "unreadable", 1),
    ],
)
def test_a_refusal_gives_the_question_its_status(sentence, status, problems):
    reading = ask("hccn-ip", sentence + "\n")

    assert statuses(reading)[0] == ("NPU3", "hccn.ip", status)
    assert {fact[2] for fact in statuses(reading)} == {status}
    assert len(reading.problems) == problems


def test_a_missing_module_is_absent():
    reading = ask("hccn-optical", "Optical module is not present.\n")

    assert statuses(reading) == [("NPU3", "hccn.optical.present", "absent")]


def test_a_line_that_is_none_is_reported_and_prose_behind_is_not():
    reading = ask("hccn-ip", "ipaddr:203.0.113.7\nbang\nnetmask:255.0.0.0\n\nand so on\nroot@there:~# \n")

    assert [problem.text for problem in reading.problems] == ["bang"]


@given(st.text() | st.text(alphabet="[devid 0]:TLVlinkstatus\n|+ "), st.sampled_from(sorted(SOURCES)))
def test_no_text_makes_any_question_raise(text, key):
    for argument in (None, "3", "{0..7}", "0 -u 1 -p 9", "what"):
        reading = ask(key, text, argument)
        assert all(record.origin.line >= 1 for record in reading.records)


@given(
    st.lists(st.tuples(st.ip_addresses(v=4), st.booleans()), min_size=1, max_size=16),
)
def test_printed_answers_of_many_npus_are_read_back(npus):
    addresses = "".join(f"ipaddr:{address}\nnetmask:255.0.0.0\n" for address, _ in npus)
    states = "".join(f"link status: {'UP' if up else 'DOWN'}\n" for _, up in npus)
    loop = f"{{0..{len(npus) - 1}}}" if len(npus) > 1 else "0"

    found = [(port.device, port.address) for port in ports(ask("hccn-ip", addresses, loop))]
    links = [(port.device, port.state) for port in ports(ask("hccn-link", states, loop))]

    assert found == [(f"NPU{place}", str(address)) for place, (address, _) in enumerate(npus)]
    assert links == [(f"NPU{place}", "UP" if up else "DOWN") for place, (_, up) in enumerate(npus)]
