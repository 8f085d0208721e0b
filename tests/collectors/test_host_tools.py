"""What holds for every reader of the host's tools: no text makes it raise, no line of the output is lost in silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture, ProblemKind
from toposcope.collectors import cpu, ethtool, infiniband, mlxlink, network, sysfs, udevadm
from toposcope.collectors.output_lines import LONGEST_LINE, cpu_list, is_prompt, key_and_value, output_lines, whole
from toposcope.collectors.records import Reading

MODULES = (cpu, ethtool, infiniband, mlxlink, network, sysfs, udevadm)
SOURCES = {source.key: source for module in MODULES for source in module.COLLECTOR.sources}
# A few lines of each output, from which the mutations are drawn.
LINES = """\
Architecture: x86_64
NUMA node0 CPU(s): 0-3,8
# CPU,Core,Socket,Node,,L1d
0,0,0,0,,0
{"lscpu": [{"field": "CPU(s):", "data": "4"}]}
available: 2 nodes (0-1)
node 0 cpus: 0 1 2
node 0 size: 1024 MB
node distances:
node   0   1
  0:  10  21
policy: default
preferred node: current
BOOT_IMAGE=/vmlinuz iommu=pt pci=realloc="a b"
Handle 0x0001, DMI type 9, 27 bytes
System Slot Information
\tDesignation: SLOT 3
\tBus Address: 0000:3b:00.0
nvidia_peermem 16384 0 - Live 0x0000
Module                  Size  Used by
Linux node-a 6.1.0-9 #1 SMP x86_64 GNU/Linux
NCCL_IB_HCA="=mlx5_0,mlx5_1"
Settings for eth0:
\tSpeed: 100000Mb/s
\tSupported link modes:   100000baseCR4/Full
\t                        200000baseCR4/Full
driver: mlx5_core
bus-info: 0000:3b:00.0
     rx_discards_phy: 7
NIC statistics:
CA 'mlx5_0'
\tPort 1:
\t\tRate: 400
Infiniband device 'mlx5_0' port 1 status:
\trate:\t\t 200 Gb/sec (4X HDR)
hca_id:\tmlx5_0
\t\tport:\t1
\t\t\tactive_width:\t4X (2)
\t\t\tactive_speed:\t100.0 Gbps (128)
\t\t\tGID[  0]:\tfe80::1, RoCE v2
mlx5_0 port 1 ==> eth0 (Up)
0000:3b:00.0 mlx5_0 (MT1 - P1) D fw 1.2.3 port 1 (ACTIVE) ==> eth0 (Up)
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0
DEV\tPORT\tINDEX\tGID\tIPv4\tVER\tDEV
mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:c000:0201\t192.0.2.1\tv2\teth0
Operational Info
----------------
State                           : Active
Speed                           : IB-NDR
2: eth0: <BROADCAST,SLAVE,UP> mtu 1500 qdisc mq master bond0 state UP
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
Ethernet Channel Bonding Driver: v5
Slave Interface: eth0
P: /devices/pci0000:00/0000:00:01.0/0000:3b:00.0
E: PCI_CLASS=30200
  looking at device '/devices/pci0000:00/0000:00:01.0':
    ATTR{numa_node}=="0"
/sys/bus/pci/devices/0000:3b:00.0\tconfig\tffffffff
/sys/bus/pci/devices/0000:3b:00.0\t->\t../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0
/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)
==> /sys/class/net/eth0/speed <==
lrwxrwxrwx 1 root root 0 Jan  1 00:00 eth0 -> ../../devices/pci0000:00/0000:00:03.0/net/eth0
[root@node-a ~]# cat /sys/bus/pci/devices/0000:3b:00.0/numa_node
1
""".splitlines()
PIECES = st.text("0123456789abcdefXGM:.,/ \t()[]<>='\"-_#$@%\x1b\xa0\u200bé→", max_size=12)


@st.composite
def mutated(draw):
    """Lines of real shape in any order, some cut, some with odd characters put in."""
    lines = []
    for line in draw(st.lists(st.sampled_from(LINES), max_size=14)):
        at = draw(st.integers(0, len(line)))
        lines.append(draw(st.sampled_from((line, line[:at], line[at:], line[:at] + draw(PIECES) + line[at:]))))
    return draw(st.sampled_from(("\n", "\r\n", "\n\n"))).join(lines)


@pytest.mark.parametrize("key", SOURCES)
@given(text=st.one_of(st.text(), mutated()), argument=st.sampled_from((None, "eth0", "", "-d mlx5 1", "/sys/a b")))
def test_no_text_makes_a_reader_raise(key, text, argument):
    reading = SOURCES[key].parse(Capture(key, "file", text, first_line=3, argument=argument))
    assert isinstance(reading, Reading)
    last = 3 + text.count("\n")
    assert all(3 <= record.origin.line <= last for record in reading.records)
    assert all(3 <= problem.origin.line <= last for problem in reading.problems)
    assert all(hash(record) is not None for record in reading.records)


@pytest.mark.parametrize("key", sorted(set(SOURCES) - {"env", "dmidecode"}))
def test_a_text_of_another_tool_is_reported(key):
    reading = SOURCES[key].parse(Capture(key, "file", "Segmentation fault"))
    assert reading.records == () or key == "proc-cmdline"
    assert reading.problems or key == "proc-cmdline"


@pytest.mark.parametrize("key", SOURCES)
def test_a_line_beyond_64_kib_is_reported_and_does_not_hide_the_others(key):
    reading = SOURCES[key].parse(Capture(key, "file", "x" * (LONGEST_LINE + 1)))
    assert [(problem.kind, len(problem.text)) for problem in reading.problems][:1] == [(ProblemKind.UNREAD, 200)]


@pytest.mark.parametrize(
    "line",
    [
        "[root@node-a ~]# lscpu",
        "user@node-a:~/dir$ ip addr",
        "(base) user@node-a:/tmp$ ibstat",
        "$ numactl -H",
        "# ethtool eth0",
        "```",
        "node-a:/var/log# uname -a",
    ],
)
def test_prompts_are_known(line):
    assert is_prompt(line)


@pytest.mark.parametrize(
    "line", ["node 0 cpus: 0 1", "CA 'mlx5_0'", "link/ether 02:00 brd ff", "#comment", "NUMA node(s): 2", "a@b.example"]
)
def test_lines_of_outputs_are_no_prompts(line):
    assert not is_prompt(line)


def test_prompts_before_the_output_are_dropped_and_the_next_one_ends_it():
    lines = output_lines(Capture("x", "f", "$ a\nb\n$ c\nd"))
    assert lines.texts == ["", "b"]


def test_colour_carriage_returns_and_no_break_blanks_are_dropped():
    assert output_lines(Capture("x", "f", "\x1b[1ma\xa0b\x1b[0m\r\nc")).texts == ["a b", "c"]


def test_prose_after_an_empty_line_is_no_problem_but_a_stray_line_inside_is():
    lines = output_lines(Capture("x", "f", "a\nodd\nb\n\nprose"))
    lines.fits(0)
    lines.stray(1)
    lines.fits(2)
    lines.stray(4)
    assert [problem.text for problem in lines.all_problems()] == ["odd"]


@given(st.sets(st.integers(0, 600)))
def test_cpu_lists_hold_the_numbers_that_they_were_made_of(numbers):
    found = set()
    for part in cpu_list(numbers).split(",") if numbers else ():
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    assert found == numbers


def test_keys_end_at_the_first_colon_of_either_width():
    assert key_and_value("a : b:c") == ("a", "b:c")
    assert key_and_value("型号名称\uff1a  Kunpeng-920: x") == ("型号名称", "Kunpeng-920: x")
    assert key_and_value("nothing") is None


@pytest.mark.parametrize(("text", "number"), [("12", 12), (" -1 ", -1), ("", None), ("1.5", None), ("9" * 19, None)])
def test_whole_numbers(text, number):
    assert whole(text) == number
