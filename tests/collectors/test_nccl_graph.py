"""The graph in a log of NCCL: the PCIe tree, the planned figures, the links between GPUs, the network ports."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.nccl_log.graph import pci_of_bus
from toposcope.collectors.nccl_log.log import parse
from toposcope.collectors.records import Cpu, NetworkPort, NumaNode, PciDevice, PlannedLink

HEAD = "rack1:100:200 [0] NCCL INFO "
GRAPH = [
    "=== System : maxBw 48.0 totalBw 123.6 ===",
    "CPU/0-1 (1/2/17)",
    "+ SYS[16.0] - CPU/0-0",
    "+ PCI[48.0] - PCI/0-41000 (1000c03010001000)",
    "              + PCI[48.0] - GPU/0-43000 (0)",
    "                            + NVL[123.6] - GPU/0-c3000",
    "              + PCI[24.0] - NIC/0-44000",
    "                            + NET[25.0] - NET/0-0 (a0b1/1/25.000000)",
    "+ PCI[5000.0] - NIC/0-0",
    "CPU/0-0 (1/2/17)",
    "+ PCI[48.0] - GPU/0-c3000 (1)",
    "              + NVL[123.6] - GPU/0-43000",
    "==========================================",
    "GPU/0-43000 :GPU/0-43000 (0/5000.0/LOC) GPU/0-c3000 (1/123.6/NVL) CPU/0-1 (2/48.0/PHB)",
]


CUT = "the printed graph has no end: what it lacks is not known"
OTHERS = "the printed graph shows other hosts, of which nothing is read"


def read(lines, head=HEAD, told=()):
    reading = parse(Capture("nccl-log", "job.log", "\n".join(head + line for line in lines)))
    assert tuple(problem.message for problem in reading.problems) == tuple(told)
    return reading.records


def only(records, kind):
    return [each for each in records if isinstance(each, kind)]


def planned(records):
    return {(each.device, each.kind, each.peer): each.value.gbs for each in only(records, PlannedLink)}


def test_the_tree_is_read_with_what_stands_above():
    devices = {each.address: each for each in only(read(GRAPH), PciDevice)}
    assert {address: each.parent for address, each in devices.items()} == {
        "0000:41:00.0": None,
        "0000:43:00.0": "0000:41:00.0",
        "0000:44:00.0": "0000:41:00.0",
        "0000:c3:00.0": None,
    }
    assert devices["0000:41:00.0"].pci_id == "1000:c030"
    assert devices["0000:c3:00.0"].at_root
    assert {address: each.numa for address, each in devices.items() if each.class_code != "0604"} == {
        "0000:43:00.0": 1,
        "0000:44:00.0": 1,
        "0000:c3:00.0": 0,
    }
    assert [each.node for each in only(read(GRAPH), NumaNode)] == [1, 0]
    assert {each.vendor for each in only(read(GRAPH), Cpu)} == {"AuthenticAMD"}


def test_planned_figures_are_kept_apart_and_no_limit_is_no_link():
    assert planned(read(GRAPH)) == {
        ("0000:41:00.0", "PCI", None): 48.0,
        ("0000:43:00.0", "PCI", None): 48.0,
        ("0000:44:00.0", "PCI", None): 24.0,
        ("0000:c3:00.0", "PCI", None): 48.0,
        ("0000:43:00.0", "NVL", "0000:c3:00.0"): 123.6,
        ("0000:c3:00.0", "NVL", "0000:43:00.0"): 123.6,
    }


def test_a_port_has_the_exact_rate():
    lines = [*GRAPH[:7], GRAPH[7].replace("25.0]", "3.1]").replace("25.000000", "3.125000"), *GRAPH[8:]]
    (port,) = only(read(lines), NetworkPort)
    assert (port.device, port.port, port.rate.gbs) == ("0000:44:00.0", 1, 3.125)


def test_lines_without_prefix_and_with_little_indentation_are_read_alike():
    flat = [line.replace(" " * 14, "  ") for line in GRAPH]
    assert planned(read(flat, head="")) == planned(read(GRAPH))
    assert planned(read(flat, head="NCCL INFO ")) == planned(read(GRAPH))


def test_other_processes_and_hosts_print_between_and_nothing_is_counted_twice():
    others = ["rack1:101:201 [1] NCCL INFO ", "rack2:100:200 [0] NCCL INFO "]
    text = "\n".join(f"{head}{line}" for line in GRAPH for head in (HEAD, *others))
    text += "\n" + "\n".join(HEAD + line for line in GRAPH)
    records = parse(Capture("nccl-log", "job.log", text)).records
    assert planned(records) == planned(read(GRAPH))
    assert len(only(records, PciDevice)) == 4


def test_a_graph_that_is_cut_gives_what_stands_in_it():
    assert len(only(read(GRAPH[:5], told=[CUT]), PciDevice)) == 2


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFF), st.integers(0, 0x1F), st.integers(0, 7))
def test_every_bus_id_is_its_address(domain, bus, device, function):
    number = domain << 20 | bus << 12 | device << 4 | function
    assert pci_of_bus(f"{number:X}") == f"{domain:04x}:{bus:02x}:{device:02x}.{function}"


LINES = st.lists(st.sampled_from([*GRAPH, "", "+ PCI[24.0] - ", "+ NVL[1e9] - GPU/x", "CPU/0 (1/1/1)"]), max_size=30)


@given(LINES)
def test_any_order_of_lines_is_read_without_an_error(lines):
    text = "\n".join(HEAD + line for line in [GRAPH[0], *lines])
    problems = parse(Capture("nccl-log", "job.log", text)).problems
    assert {problem.text for problem in problems if problem.message not in (CUT, OTHERS)} <= {
        "+ PCI[24.0] -",
        "+ NVL[1e9] - GPU/x",
    }


def test_a_damaged_line_of_the_graph_is_told():
    text = "\n".join(HEAD + line for line in [*GRAPH[:4], GRAPH[4].replace("48.0", "fast"), *GRAPH[5:]])
    (problem,) = parse(Capture("nccl-log", "job.log", text)).problems
    assert (problem.message, problem.origin.line) == ("a damaged line of the printed graph", 5)


def test_a_rate_of_nothing_is_not_known():
    (port,) = only(read([line.replace("25.0", "0.0") for line in GRAPH]), NetworkPort)
    assert port.rate is None


def test_a_bus_id_may_be_short_and_a_node_without_ids_has_none():
    short = [GRAPH[0], GRAPH[1], "+ PCI[48.0] - PCI/0-41000", "+ PCI[48.0] - GPU/0-50 (0)", GRAPH[-2]]
    devices = {each.address: each for each in only(read(short), PciDevice)}
    assert set(devices) == {"0000:41:00.0", "0000:00:05.0"}
    assert devices["0000:41:00.0"].pci_id is None


def test_the_accelerators_of_other_hosts_on_one_fabric_are_not_this_ones():
    far = ["CPU/1-0 (1/2/17)", "+ PCI[48.0] - GPU/1-9000 (2)", "              + NVL[123.6] - GPU/0-c3000"]
    assert planned(read([*GRAPH[:-2], *far, GRAPH[-2]], told=[OTHERS])) == planned(read(GRAPH))


def test_the_graph_is_of_the_host_that_the_log_is_read_of():
    other = "rack9:7:7 [0] NCCL INFO "
    lines = [HEAD + "Bootstrap : Using eth0", *(other + line for line in GRAPH), *(HEAD + line for line in GRAPH[:5])]
    reading = parse(Capture("nccl-log", "job.log", "\n".join(lines)))
    assert len(only(reading.records, PciDevice)) == 2
    assert [problem.message for problem in reading.problems] == [
        CUT,
        "the graph of rack9, while the log is read of rack1: give it alone to see it",
    ]


def test_another_graph_ends_one_that_was_cut():
    again = [line.replace("43000", "93000") for line in GRAPH]
    assert len(only(read([*GRAPH[:5], *again], told=[CUT]), PciDevice)) == 2
