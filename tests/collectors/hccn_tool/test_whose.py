"""Which NPU an answer is of: the command, the text, a loop, a mark; and which ids a live run asks."""

from __future__ import annotations

import pytest

from toposcope.base import Capture, ProblemKind
from toposcope.collectors.hccn_tool import COLLECTOR
from toposcope.collectors.hccn_tool.conf import npus, parse_conf, parse_nodes
from toposcope.collectors.records import NetworkPort, Setting

SOURCES = {source.key: source for source in COLLECTOR.sources}


def ask(key, text, argument=None):
    return SOURCES[key].parse(Capture(key, "made-up.txt", text, 1, argument))


def states(reading):
    return [(record.device, record.state) for record in reading.records if isinstance(record, NetworkPort)]


def named(words):
    for source in COLLECTOR.sources:
        if match := source.named.match(words):
            return source.key, match.groupdict().get("argument")
    return None


@pytest.mark.parametrize("argument", ["{0..2}", "0 1 2", "$(seq 0 2", "`seq 0 2", "0,1,2"])
def test_as_many_answers_as_npus_go_to_them_in_order(argument):
    reading = ask("hccn-link", "link status: UP\nlink status: DOWN\nlink status: UP\n", argument)

    assert states(reading) == [("NPU0", "UP"), ("NPU1", "DOWN"), ("NPU2", "UP")]
    assert reading.problems == ()


def test_fewer_answers_than_npus_are_nobodys():
    reading = ask("hccn-link", "link status: UP\nlink status: DOWN\n", "{0..7}")

    assert reading.records == ()
    assert len(reading.problems) == 2


def test_a_refusal_within_a_loop_is_the_answer_of_one_npu():
    refusal = "Get ipconf failed, because no ip was preset there!"
    text = f"ipaddr:203.0.113.1\nnetmask:255.0.0.0\n{refusal}\nipaddr:203.0.113.3\n"

    reading = ask("hccn-ip", text, "{4..6}")

    assert [(r.device, r.address) for r in reading.records if isinstance(r, NetworkPort)] == [
        ("NPU4", "203.0.113.1"),
        ("NPU6", "203.0.113.3"),
    ]
    assert [(r.subject, r.status) for r in reading.records if isinstance(r, Setting) and r.name == "hccn.ip"] == [
        ("NPU5", "absent")
    ]


@pytest.mark.parametrize(
    "mark",
    ["NPU {}:", "npu{}", "=== NPU {} ===", "Device {}", "[{}]:", "--- {} ---", "{}:", "card {}", "NPU_{}"],
)
def test_a_mark_before_an_answer_names_its_npu(mark):
    if mark == "[{}]:":
        mark = "[NPU {}]:"
    text = "".join(f"{mark.format(npu)}\nlink status: {state}\n" for npu, state in ((5, "UP"), (2, "DOWN")))

    assert states(ask("hccn-link", text)) == [("NPU5", "UP"), ("NPU2", "DOWN")]


def test_a_script_that_mixes_questions_is_read_by_what_each_line_says():
    text = "".join(
        f"===== NPU {npu} =====\nipaddr:203.0.113.{npu}\nnetmask:255.0.0.0\nlink status: {state}\n"
        f"Speed: 200000 Mb/s\nnet health status: Success\n"
        for npu, state in ((0, "UP"), (1, "DOWN"))
    )

    reading = ask("hccn-answers", text)

    assert [found for found in states(reading) if found[1]] == [("NPU0", "UP"), ("NPU1", "DOWN")]
    assert {(r.subject, r.name): r.value for r in reading.records if isinstance(r, Setting)} == {
        ("NPU0", "hccn.netmask"): "255.0.0.0",
        ("NPU0", "hccn.net_health"): "Success",
        ("NPU1", "hccn.netmask"): "255.0.0.0",
        ("NPU1", "hccn.net_health"): "Success",
    }
    assert reading.problems == ()


def test_long_answers_among_short_ones_keep_their_manner():
    one = (
        "ipaddr:203.0.113.1\noptical info:\npresent   : present\nTx Power0 : 1.5 mW\nlink status: UP\n"
        "Chassis ID TLV\n\tMAC: 02:00:00:00:00:01\nPort ID TLV\n\tMAC: 02:00:00:00:00:02\nTime to Live TLV\n\t120\n"
        "[devid 4] pd_alloc: 7\n[devid 4] qp_active: 1\nGet gateway failed, because no gateway was preset there!\n"
    )

    reading = ask("hccn-answers", f"-- NPU 4 --\n{one}-- NPU 5 --\n{one.replace('devid 4', 'devid 5')}-- NPU 6 --\n")

    for subject in ("NPU4", "NPU5"):
        found = {r.name: r.value for r in reading.records if isinstance(r, Setting) and r.subject == subject}
        assert found["hccn.optical.tx_power0"] == "1.5 mW"
        assert (found["counter.pd_alloc"], found["hccn.gateway"]) == (7, None)
        ports = [r for r in reading.records if isinstance(r, NetworkPort) and r.device == subject]
        assert {p.neighbour_port for p in ports} == {None, "02:00:00:00:00:02"}
        assert {p.state for p in ports} == {None, "UP"}
    assert {r.subject for r in reading.records if isinstance(r, Setting)} == {"NPU4", "NPU5"}
    assert reading.problems == ()


def test_an_answer_of_an_unknown_question_keeps_only_what_is_known():
    reading = ask("hccn-answers", "NPU 1:\nlink status: UP\ncoffee: cold\nfec mode: rs FEC mode\n")

    assert [problem.text for problem in reading.problems] == ["coffee: cold"]


@pytest.mark.parametrize("mark", ["", "NPU_3:\n", "===== NPU 3 =====\n", "Device 3:\n", "npu 3\n"])
@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("link status: UP", "hccn-answers"),
        ("ipaddr:203.0.113.1", "hccn-answers"),
        ("optical info:", "hccn-answers"),
        ("vnic link status: UP", "hccn-vnic"),
        ("[device 3]current time    : now", "hccn-answers"),
    ],
)
def test_an_answer_begins_at_its_first_line_or_at_the_mark_before_it(mark, line, key):
    text = f"some prose\n{mark}{line}\n"

    hits = [source.key for source in COLLECTOR.sources if source.begins and source.begins.match(text, 11)]

    assert hits == [key]


def test_a_mark_before_the_words_names_their_npu():
    text = "Device 0: link status: UP\nDevice 9: link status: DOWN\n"

    assert states(ask("hccn-link", text)) == [("NPU0", "UP"), ("NPU9", "DOWN")]


def test_many_long_answers_are_parted_at_their_titles():
    text = "".join(
        f"Chassis ID TLV\n\tMAC: 02:00:00:00:00:0{n}\nPort ID TLV\n\tIfname: p{n}\nTime to Live TLV\n\t120\n"
        for n in (1, 2)
    )

    reading = ask("hccn-lldp", text, "{0..1}")

    assert [(r.device, r.neighbour_port) for r in reading.records if isinstance(r, NetworkPort)] == [
        ("NPU0", "p1"),
        ("NPU1", "p2"),
    ]


def test_a_text_that_names_another_npu_than_was_asked_is_a_clash():
    reading = ask("hccn-hw-stats", "[devid 4] qp_active: 2\n[devid 4] cq_active: 1\n", "3")

    assert {record.subject for record in reading.records} == {"NPU4"}
    assert [problem.kind for problem in reading.problems] == [ProblemKind.CLASH]


def test_one_answer_without_a_command_is_nobodys():
    reading = ask("hccn-link", "link status: UP\n")

    assert reading.records == ()
    assert [problem.message for problem in reading.problems] == ["which NPU answered is not known"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("hccn_tool -i 3 -ip -g", ("hccn-ip", "3")),
        ("hccn tool -i 3 -net health -g", ("hccn-net-health", "3")),
        ("hccn_tool -i 11 -link_stat -g", ("hccn-link-stat", "11")),
        ("hccn_tool -i 11 -link -g", ("hccn-link", "11")),
        ("hccn_tool -i 1 -stat -g", ("hccn-stat", "1")),
        ("hccn_tool -i 1 -hw_stats -g", ("hccn-hw-stats", "1")),
        ("hccn_tool -i 1 -status -g", ("hccn-status", "1")),
        ("hccn_tool -g -link -i 0 -u 0 -p 4", ("hccn-link", "0 -u 0 -p 4")),
        ("hccn_tool -i 3 -ping -g address 203.0.113.9", ("hccn-ping", "3")),
        ("for i in {0..7}; do hccn_tool -i $i -link -g; done", ("hccn-link", "{0..7}")),
        ("for i in `seq 0 7`; do /usr/local/Ascend/driver/tools/hccn_tool -i $i -ip -g;done", ("hccn-ip", "`seq 0 7")),
        ("for n in 0 1 2; do hccn_tool -i $n -lldp -g | grep Ifname; done", ("hccn-lldp", "0 1 2")),
        ('for i in $(seq 0 7); do echo "NPU_$i:"; hccn_tool -i $i -ip -g;done', ("hccn-ip", "$(seq 0 7")),
        ("do hccn_tool -i $i -link -g", ("hccn-link", None)),
        ("hccn_tool -i 3 -ip -s address 203.0.113.9 netmask 255.0.0.0", None),
        ("cat /etc/hccn.conf", ("hccn-conf", None)),
        ("find /dev -maxdepth 1 -name davinci[0-9]*", ("dev-davinci", None)),
        ("ls -l /dev/davinci0", ("dev-davinci", None)),
    ],
)
def test_a_command_names_its_question_and_npu(words, expected):
    assert named(words) == expected


def test_every_source_of_the_live_run_is_named_by_its_own_command():
    for source in COLLECTOR.sources:
        if source.command:
            key, argument = named(" ".join(source.command).replace("{npu}", "6"))
            assert (key, argument) == (source.key, "6" if source.targets else None)


def test_the_conf_gives_addresses_and_ids():
    text = "# mine\naddress_0=203.0.113.1\nnetmask_0=255.0.0.0\n\naddress_11=203.0.113.9\nmode_11=1\nrubbish\n"

    reading = parse_conf(Capture("hccn-conf", "hccn.conf", text))

    assert [(r.device, r.address) for r in reading.records if isinstance(r, NetworkPort)] == [
        ("NPU0", "203.0.113.1"),
        ("NPU11", "203.0.113.9"),
    ]
    assert [problem.origin.line for problem in reading.problems] == [7]
    assert npus(reading.records) == ("0", "11")


def test_device_files_give_ids():
    text = (
        "/dev/davinci10\n/dev/davinci2\n/dev/davinci_manager\ncrw-rw---- 1 u g 236, 0 Jan  1 00:00 /dev/davinci0\nhm\n"
    )

    reading = parse_nodes(Capture("dev-davinci", "x", text))

    assert npus(reading.records) == ("0", "2", "10")
    assert [problem.text for problem in reading.problems] == ["hm"]


def test_npu_smi_gives_physical_ids_where_it_prints_them_and_else_its_own():
    origin = Capture("npu-smi-info-m", "x", "").origin(0)
    cards = [Setting(f"NPU{n}", "npu.id", n, origin) for n in (0, 1)]
    dies = [Setting(f"Phy-ID{n}", "npu.phy_id", n, origin) for n in range(4)]

    assert npus(cards) == ("0", "1")
    assert npus([*cards, *dies]) == ("0", "1", "2", "3")
