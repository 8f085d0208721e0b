# ruff: noqa: E501 - outputs stand as the tools print them
"""What benchmarks print becomes measurements: who, where to, how fast, in which manner."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.benchmarks import printers
from toposcope.base import Capture
from toposcope.collectors.benchmarks import COLLECTOR, hccl_test, nccl_tests, nvbandwidth, p2p_bandwidth, perftest, rocm
from toposcope.collectors.records import Accelerator, Measurement

PARSERS = [source.parse for source in COLLECTOR.sources]
KEYS = [source.key for source in COLLECTOR.sources]


def read(parse, text, argument=None):
    reading = parse(Capture("some", "some.txt", text, 1, argument))
    return [each for each in reading.records if isinstance(each, Measurement)], list(reading.problems)


def listed(parse, text):
    """The devices that an output lists, as (label, model, address)."""
    found = [each for each in parse(Capture("some", "some.txt", text)).records if isinstance(each, Accelerator)]
    assert all(each.by_runtime for each in found)
    return [(each.label, each.model, each.pci) for each in found]


def figures(records):
    return {(each.src, each.dst): round(each.value.gbs, 3) for each in records}


cell = st.one_of(st.none(), st.floats(0.01, 900).map(lambda x: round(x, 2)))
matrices = st.integers(2, 8).flatmap(lambda n: st.lists(st.lists(cell, min_size=n, max_size=n), min_size=n, max_size=n))


@given(matrices)
def test_a_matrix_of_nvbandwidth_comes_back_as_printed(rows):
    text = printers.nvbandwidth(
        "device_to_device_memcpy_write_ce", rows, title="memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)"
    )
    records, problems = read(nvbandwidth.parse, text)
    wanted = {(f"GPU{i}", f"GPU{j}"): c for i, row in enumerate(rows) for j, c in enumerate(row) if c is not None}
    assert figures(records) == pytest.approx(wanted)
    assert problems == []
    assert all(each.access == "write" and not each.both for each in records)


@given(matrices)
def test_the_tables_of_p2p_bandwidth_come_back_as_printed(rows):
    text = "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
    text += printers.p2p("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", rows)
    text += printers.p2p("Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)", rows)
    text += printers.p2p("P2P=Disabled Latency Matrix (us)", rows)
    records, problems = read(p2p_bandwidth.parse, text)
    wanted = {
        (f"GPU{i}", f"GPU{j}"): c for i, row in enumerate(rows) for j, c in enumerate(row) if c is not None and i != j
    }
    one, both = [r for r in records if not r.both], [r for r in records if r.both]
    assert figures(one) == figures(both) == pytest.approx(wanted)
    assert all(each.peer_access for each in one)
    assert not any(each.peer_access for each in both)
    assert problems == []


@given(
    st.lists(st.tuples(st.integers(8, 2**33), st.floats(0, 400), st.floats(0, 400)), min_size=1, max_size=30),
    st.sampled_from([2, 4, 8, 16]),
)
def test_the_rows_of_nccl_tests_come_back_as_printed(rows, ranks):
    rows = [(size, round(a, 2), round(b, 2)) for size, a, b in rows]
    records, problems = read(nccl_tests.parse, printers.nccl_tests(rows, ranks=ranks), "all_reduce")
    assert [(r.size, round(r.algorithm.gbs, 2), round(r.value.gbs, 2)) for r in records] == rows
    assert problems == []
    assert {r.ranks for r in records} == {ranks}
    assert {len(r.members) for r in records} == {ranks}


def test_a_run_on_two_hosts_has_the_members_of_one():
    (record,), _ = read(nccl_tests.parse, printers.nccl_tests([(1 << 30, 100.0, 187.5)], ranks=16, hosts=2))
    assert (record.hosts, record.ranks, len(record.members)) == (2, 16, 8)
    assert record.members[0] == "0000:20:00.0|GPU0"
    assert record.collective == "all_reduce"


def test_a_collective_is_told_by_its_two_bandwidths():
    text = printers.nccl_tests([(1 << 30, 160.0, 140.0)], ranks=8)
    (record,), _ = read(nccl_tests.parse, text)
    assert record.collective == "reduce_scatter"
    (record,), _ = read(nccl_tests.parse, printers.nccl_tests([(1 << 30, 150.0, 150.0)], ranks=8, redop="none"))
    assert record.collective is None
    (record,), _ = read(nccl_tests.parse, "# Collective test starting: all_gather_perf\n" + text)
    assert record.collective == "all_gather"


def test_a_torn_row_of_nccl_tests_is_reported():
    text = printers.nccl_tests([(1 << 30, 160.0, 140.0)], ranks=8).replace("     -1    10.50  160.00", "", 1)
    records, problems = read(nccl_tests.parse, text)
    assert records == []
    assert [problem.message for problem in problems] == ["no row of sizes and bandwidths"]


def test_data_flows_along_the_arrow_of_nvbandwidth():
    text = printers.nvbandwidth(
        "device_to_device_memcpy_read_ce",
        [[None, 7.0], [8.0, None]],
        title="memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)",
    )
    records, _ = read(nvbandwidth.parse, text)
    assert figures(records) == {("GPU1", "GPU0"): 7.0, ("GPU0", "GPU1"): 8.0}
    assert {each.access for each in records} == {"read"}


def test_only_the_total_of_both_directions_counts():
    name = "device_to_device_bidirectional_memcpy_write_ce"
    text = "".join(
        printers.nvbandwidth(
            name, [[None, f], [f, None]], title=f"memcpy CE GPU(row) <-> GPU(column) {part} bandwidth (GB/s)"
        )
        for part, f in (("Write1", 300.0), ("Write2", 301.0), ("Total", 601.0))
    )
    records, problems = read(nvbandwidth.parse, text)
    assert {each.value.gbs for each in records} == {601.0}
    assert all(each.both for each in records)
    assert problems == []


def test_host_tests_name_the_host_and_devices_their_address():
    text = "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\nCUDA Runtime Version: 12080\nDevice 0: Some GPU (00000000:3a:00)\n\n"
    text += printers.nvbandwidth(
        "host_to_device_memcpy_ce", [[55.0]], title="memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"
    )
    text += printers.nvbandwidth(
        "device_to_host_memcpy_sm", [[53.0]], title="memcpy SM CPU(row) <- GPU(column) bandwidth (GB/s)"
    )
    text += "Running host_device_latency_sm.\nmemory latency SM CPU(row) <-> GPU(column) (ns)\n           0\n 0    722.97\n\nSUM host_device_latency_sm 722.97\n"
    records, problems = read(nvbandwidth.parse, text)
    assert figures(records) == {("host", "0000:3a:00.0|GPU0"): 55.0, ("0000:3a:00.0|GPU0", "host"): 53.0}
    assert [each.engine for each in records] == ["copy", "kernel"]
    assert problems == []


def test_nvbandwidth_is_read_from_json():
    case = {
        "name": "host_to_device_memcpy_ce",
        "status": "Passed",
        "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
        "bandwidth_matrix": [["55.1", "N/A"]],
    }
    records, problems = read(nvbandwidth.parse, json.dumps({"nvbandwidth": {"testcases": [case]}}))
    assert figures(records) == {("host", "GPU0"): 55.1}
    assert problems == []
    _, problems = read(nvbandwidth.parse, '{"nvbandwidth": 3}')
    assert len(problems) == 1


def test_a_test_of_all_at_once_says_how_many_copies_ran():
    text = printers.nvbandwidth(
        "all_to_host_memcpy_ce", [[20.0, 20.0, 20.0]], title="memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)"
    )
    records, _ = read(nvbandwidth.parse, text)
    assert {each.flows for each in records} == {3}


def test_devices_of_p2p_bandwidth_get_their_address():
    text = "Device: 0, Some GPU, pciBusID: 1b, pciDeviceID: 0, pciDomainID:0\nDevice: 1, Some GPU, pciBusID: 43, pciDeviceID: 0, pciDomainID:0\n"
    text += "Device=0 CAN Access Peer Device=1\n\nP2P Connectivity Matrix\n     D\\D     0     1\n     0\t     1     1\n     1\t     1     1\n"
    text += printers.p2p(
        "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", [[800.0, 50.0], [51.0, 801.0]]
    )
    records, problems = read(p2p_bandwidth.parse, text)
    assert figures(records) == {
        ("0000:1b:00.0|GPU0", "0000:43:00.0|GPU1"): 50.0,
        ("0000:43:00.0|GPU1", "0000:1b:00.0|GPU0"): 51.0,
    }
    assert problems == []


def test_bandwidth_test_is_read_pinned_only_and_in_both_units():
    text = "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 2: Some GPU\n Quick Mode\n\n"
    text += " Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t26.5\n\n"
    text += " Device to Host Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(MB/s)\n   33554432\t\t\t12890.6\n\n"
    text += " Host to Device Bandwidth, 1 Device(s)\n PAGEABLE Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t7.5\n\n"
    text += " Device to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t1500.2\n\nResult = PASS\n"
    records, problems = read(p2p_bandwidth.parse_bandwidth_test, text)
    assert figures(records) == {("host", "GPU2"): 26.5, ("GPU2", "host"): 12.891}
    assert problems == []


PERFTEST = """\
---------------------------------------------------------------------------------------
                    RDMA_Write{both} BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_3
 Number of qps   : 1\t\tTransport type : IB
 Link type       : IB
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]
 65536      5000             {value}            {value}\t\t   0.374176
---------------------------------------------------------------------------------------
"""


def test_perftest_counts_in_mebibytes_or_gigabits():
    (record,), problems = read(perftest.parse, PERFTEST.format(both="", unit="MB/sec", value="23385.97"))
    assert record.value.gbs == pytest.approx(24.52196, abs=1e-4)
    assert (record.src, record.dst, record.members, record.size, record.both) == (
        "host",
        "remote",
        ("mlx5_3",),
        65536,
        False,
    )
    assert problems == []
    (record,), _ = read(perftest.parse, PERFTEST.format(both=" Bidirectional", unit="Gb/sec", value="392.10"))
    assert record.value.gbs == pytest.approx(49.0125)
    assert record.both
    _, problems = read(perftest.parse, PERFTEST.format(both="", unit="Kb/sec", value="1.00"))
    assert problems[0].message == "a figure in Kb/sec"


def test_perftest_from_the_memory_of_an_accelerator_names_it():
    head = "initializing CUDA\nListing all CUDA devices in system:\nCUDA device 0: PCIe address is 9B:00\n\nPicking device No. 0\n"
    (record,), _ = read(perftest.parse, head + PERFTEST.format(both="", unit="Gb/sec", value="380.0"))
    assert record.src == "GPU0"


def test_hccl_test_gives_algorithm_bandwidth_with_or_without_bars():
    head = "the minbytes is 8192, maxbytes is 2147483648, iters is 20, warmup_iters is 5\n"
    for row in (
        "8192 | 12.50 | 18.25 | success",
        "8192   12.50   18.25   success",
        "8192      | 12.50          | 18.25    | NULL  ",
    ):
        text = f"{head}data_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:\n{row}\n"
        (record,), problems = read(hccl_test.parse, text, "all_reduce")
        assert (record.metric, record.size, record.value.gbs, record.collective) == ("algbw", 8192, 18.25, "all_reduce")
        assert problems == []
    _, problems = read(hccl_test.parse, f"{head}8192 | 12.50 | 18.25 | failed\n")
    assert problems[0].message == "the tool found its result to be wrong"


def test_ascend_dmi_gives_host_copies_and_the_matrices_of_pairs():
    text = "Host to Device Test\nDevice 3 Ascend Some\n  Size(Bytes)  Execute Times  Bandwidth(GB/s)  Elapsed Time(us)\n  536870912    5    24.9    107000.5\n\n"
    text += "Unidirectional Peer to Peer Test\n      0      1\n 0    **    26.1\n 1    26.2   **\n"
    text += "Bidirectional Peer to Peer Test\n      0      1\n 0    **    50.1\n 1    50.2   **\n"
    records, problems = read(hccl_test.parse_dmi, text)
    assert figures(records[:3]) == {("host", "NPU3"): 24.9, ("NPU0", "NPU1"): 26.1, ("NPU1", "NPU0"): 26.2}
    assert [each.both for each in records] == [False, False, False, True, True]
    assert records[0].size == 536870912
    assert problems == []


def test_rocm_bandwidth_test_tells_hosts_from_accelerators():
    text = "          RocmBandwidthTest Version: 2.6.0\n\n          Device: 0,  Some Processor\n          Device: 1,  Some Radeon,  GPU-12ab,  c2:0.0\n\n"
    text += "          Inter-Device Access\n\n          D/D       0         1\n\n          0         1         1\n\n          1         1         1\n\n"
    text += "          Unidirectional copy peak bandwidth GB/s\n\n          D/D       0           1\n\n          0         N/A         26.5\n\n          1         27.5      900.1\n\n"
    text += "          Bdirectional copy peak bandwidth GB/s\n\n          D/D       0           1\n\n          0         N/A         40.5\n\n          1         40.6      N/A\n"
    records, problems = read(rocm.parse, text)
    assert figures(records[:2]) == {("host:0", "0000:c2:00.0"): 26.5, ("0000:c2:00.0", "host:0"): 27.5}
    assert [each.both for each in records] == [False, False, True, True]
    assert problems == []


def test_transferbench_gives_each_way_and_the_sum_of_both():
    text = "Bytes Per Direction 67108864\nUnidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)\n"
    text += " SRC+EXE\\DST    CPU 00       GPU 00    GPU 01\n  CPU 00  ->     92.21        45.11     45.16\n\n  GPU 00  ->     55.47      2132.28     57.39\n  GPU 01  ->     55.59        57.41   2152.51\n"
    text += "Bidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)\n"
    text += "  SRC\\DST    CPU 00       GPU 00    GPU 01\n  GPU 00  ->      50.1          N/A     47.0\n  GPU 00  <-      50.2          N/A     47.1\n  GPU 00 <->     100.3          N/A     94.1\n"
    records, problems = read(rocm.parse, text)
    one = figures([each for each in records if not each.both])
    assert one[("GPU0", "GPU1")] == 57.39
    assert one[("host:0", "GPU1")] == 45.16
    assert figures([each for each in records if each.both]) == {("GPU0", "host:0"): 100.3, ("GPU0", "GPU1"): 94.1}
    assert {(each.size, each.access) for each in records} == {(67108864, "write")}
    assert {each.engine for each in records if each.src == "host:0"} == {"cpu"}
    assert {each.engine for each in records if each.src != "host:0"} == {"kernel"}
    assert problems == []


@pytest.mark.parametrize("parse", PARSERS, ids=KEYS)
@given(text=st.text(max_size=400))
def test_no_text_makes_a_reader_of_benchmarks_raise(parse, text):
    read(parse, text)


SAMPLES = [
    printers.nccl_tests([(1 << 20, 1.0, 2.0)], ranks=8),
    printers.nvbandwidth(
        "host_to_device_memcpy_ce", [[5.0, 6.0]], title="memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"
    ),
    printers.p2p("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", [[8.0, 5.0], [5.0, 8.0]]),
    PERFTEST.format(both="", unit="MB/sec", value="23385.97"),
]


@pytest.mark.parametrize("parse", PARSERS, ids=KEYS)
@given(
    text=st.sampled_from(SAMPLES),
    cuts=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 40), st.text(max_size=6)), max_size=4),
)
def test_no_damage_makes_a_reader_of_benchmarks_raise(parse, text, cuts):
    for place, length, put in cuts:
        text = text[:place] + put + text[place + length :]
    read(parse, text)


@pytest.mark.parametrize("parse", PARSERS, ids=KEYS)
def test_a_line_of_megabytes_is_passed_with_a_problem(parse):
    _, problems = read(parse, "Running x_ce.\n" + "1 " * 200_000 + "\n")
    assert any("64 KiB" in problem.message for problem in problems)


def test_the_devices_that_outputs_list_are_read_with_model_and_address():
    p2p = "Device: 1, NVIDIA L4, pciBusID: 43, pciDeviceID: 0, pciDomainID:0\n"
    title = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"
    p2p += printers.p2p(title, [[None, 19.0], [19.0, None]])
    assert listed(p2p_bandwidth.parse, p2p) == [("GPU1", "NVIDIA L4", "0000:43:00.0")]
    sample = "[CUDA Bandwidth Test] - Starting...\n Device 2: NVIDIA RTX 6000 Ada Generation\n Quick Mode\n"
    assert listed(p2p_bandwidth.parse_bandwidth_test, sample) == [("GPU2", "NVIDIA RTX 6000 Ada Generation", None)]
    text = "Device 0: NVIDIA L40S (00000000:1B:00)\n" + printers.nvbandwidth(
        "host_to_device_memcpy_ce", [[25.0]], title="memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"
    )
    assert listed(nvbandwidth.parse, text) == [("GPU0", "NVIDIA L40S", "0000:1b:00.0")]
    table = printers.nccl_tests([(1 << 30, 80.0, 140.0)], ranks=4, hosts=2)
    assert listed(nccl_tests.parse, table) == [
        ("GPU0", "Some GPU", "0000:20:00.0"),
        ("GPU1", "Some GPU", "0000:21:00.0"),
    ]


def test_two_ranks_without_a_root_are_an_all_reduce():
    table = printers.nccl_tests([(1 << 30, 5.4, 5.4)], ranks=2)
    ((record,), _) = read(nccl_tests.parse, table)
    assert record.collective == "all_reduce"
    rooted = table.replace("      -1 ", "       0 ")
    ((record,), _) = read(nccl_tests.parse, rooted)
    assert record.collective is None


def test_wrong_results_are_told():
    table = printers.nccl_tests([(1 << 30, 80.0, 140.0)], ranks=8)
    _, problems = read(nccl_tests.parse, table.replace("values : 0 OK", "values : 7 FAILED"))
    (problem,) = problems
    assert "results were wrong" in problem.message


def test_a_cell_that_is_no_number_costs_itself_alone():
    title = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"
    text = printers.p2p(title, [[None, 51.25, 49.5], [48.75, None, 50.5], [47.5, 46.25, None]])
    records, problems = read(p2p_bandwidth.parse, text.replace("49.50", "-5.00"))
    assert sorted(figures(records).values()) == [46.25, 47.5, 48.75, 50.5, 51.25]
    assert len(problems) == 1


def test_the_latency_tables_of_the_same_run_pass():
    title = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"
    text = printers.p2p(title, [[None, 51.25], [48.75, None]])
    text += "P2P=Disabled Latency Matrix (us)\n" + printers.grid("   GPU", ["0", "1"], [[1.5, 12.25], [12.5, 1.5]])
    text += "\n" + printers.grid("   CPU", ["0", "1"], [[3.5, 9.25], [9.5, 3.5]])
    records, problems = read(p2p_bandwidth.parse, text)
    assert (len(records), problems) == (2, [])


@pytest.mark.parametrize(
    ("printed", "member"),
    [("[0x1b]", "0000:1b:00.0|GPU0"), ("[0000:20:00]", "0000:20:00.0|GPU0"), ("[0001:1b:02.1]", "0001:1b:02.1|GPU0")],
)
def test_a_member_is_addressed_in_the_words_of_every_release(printed, member):
    table = printers.nccl_tests([(1 << 30, 80.0, 140.0)], ranks=2).replace("[0000:20:00]", printed)
    ((record,), _) = read(nccl_tests.parse, table)
    assert record.members[0] == member


def test_pairs_that_the_connectivity_matrix_refuses_are_measured_without_peer_access():
    text = "P2P Connectivity Matrix\n     D\\D     0     1\n     0\t     1     0\n     1\t     1     1\n"
    title = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"
    records, problems = read(p2p_bandwidth.parse, text + printers.p2p(title, [[800.0, 11.0], [51.0, 801.0]]))
    assert [(each.src, each.peer_access) for each in records] == [("GPU0", False), ("GPU1", True)]
    assert problems == []
