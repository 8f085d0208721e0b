# ruff: noqa: E501 - outputs stand as the tools print them
"""Outputs of benchmarks are known by their file's name and by what they say."""

from __future__ import annotations

import pytest

from tests.collectors.benchmarks import printers
from tests.collectors.benchmarks.test_benchmarks import PERFTEST
from toposcope import recording

P2P = "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\nDevice: 0, Some GPU, pciBusID: 1b, pciDeviceID: 0, pciDomainID:0\n"
ROWS = [[800.0, 50.0], [51.0, 801.0]]
OUTPUTS = {
    "nccl-tests": printers.nccl_tests([(1 << 20, 1.0, 2.0)], ranks=8),
    "nvbandwidth": "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\n"
    + printers.nvbandwidth(
        "host_to_device_memcpy_ce", [[5.0]], title="memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"
    ),
    "p2p-bandwidth-latency-test": P2P
    + printers.p2p("P2P Connectivity Matrix", [[1, 1], [1, 1]])
    + printers.p2p("Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)", ROWS)
    + printers.p2p("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", ROWS)
    + printers.p2p("P2P=Disabled Latency Matrix (us)", ROWS),
    "bandwidth-matrix": printers.grid("   D\\D", ["0", "1"], ROWS),
    "bandwidth-test": "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: Some GPU\n Quick Mode\n\n Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t26.5\n",
    "perftest": PERFTEST.format(both="", unit="MB/sec", value="23385.97"),
    "hccl-test": "the minbytes is 8192, maxbytes is 8192, iters is 20, warmup_iters is 5\ndata_size(Bytes): | aveg_time(us): | alg_bandwidth(GB/s): | check_result:\n8192 | 12.50 | 18.25 | success\n",
    "ascend-dmi-bw": "Unidirectional Peer to Peer Test\n      0      1\n 0    **    26.1\n 1    26.2   **\n",
    "rocm-bandwidth-test": "          RocmBandwidthTest Version: 2.6.0\n\n          Device: 0,  Some Processor\n          Device: 1,  Some Radeon,  GPU-12ab,  c2:0.0\n\n          Unidirectional copy peak bandwidth GB/s\n\n          D/D       0           1\n\n          0         N/A         26.5\n\n          1         27.5      900.1\n",
    "rocm-bandwidth-test ": "TransferBench v1.60\nBytes Per Direction 67108864\nUnidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)\n SRC+EXE\\DST    CPU 00       GPU 00\n  CPU 00  ->     92.21        45.11\n  GPU 00  ->     55.47      2132.28\n",
}
NAMES = {
    "all_reduce_perf.log": "nccl-tests",
    "rccl-tests_all_gather_perf_-b_8_-e_8G": "nccl-tests",
    "nvbandwidth.txt": "nvbandwidth",
    "p2pBandwidthLatencyTest.txt": "p2p-bandwidth-latency-test",
    "bandwidthTest.out": "bandwidth-test",
    "ib_write_bw_-d_mlx5_3_--use_cuda=0": "perftest",
    "all_reduce_test.txt": "hccl-test",
    "ascend-dmi_--bw_-t_p2p.txt": "ascend-dmi-bw",
    "rocm-bandwidth-test.txt": "rocm-bandwidth-test",
    "TransferBench_p2p.txt": "rocm-bandwidth-test",
}


def captures(path, text):
    path.write_text(text)
    return [each for one in recording.read([path]) for each in one.captures]


@pytest.mark.parametrize("key", OUTPUTS)
def test_an_output_is_known_by_what_it_says_and_stays_whole(key, tmp_path):
    (capture,) = captures(tmp_path / "pasted.txt", OUTPUTS[key])
    assert capture.source == key.strip()


@pytest.mark.parametrize("name", NAMES)
def test_an_output_is_known_by_its_file_s_name(name, tmp_path):
    (capture,) = captures(tmp_path / name, OUTPUTS[NAMES[name]])
    assert capture.source == NAMES[name]


@pytest.mark.parametrize("key", OUTPUTS)
def test_a_prompt_with_the_command_before_it_is_no_part_of_an_output(key, tmp_path):
    commands = {
        "nccl-tests": "./build/all_reduce_perf -b 8 -e 8G -f 2 -g 8",
        "nvbandwidth": "./nvbandwidth",
        "p2p-bandwidth-latency-test": "./p2pBandwidthLatencyTest",
        "bandwidth-test": "./bandwidthTest",
        "perftest": "ib_write_bw -d mlx5_3 host2",
        "hccl-test": "mpirun -n 8 ./bin/all_reduce_test -b 8K -e 64M -p 8",
        "ascend-dmi-bw": "ascend-dmi --bw -t p2p",
        "rocm-bandwidth-test": "rocm-bandwidth-test -a",
        "rocm-bandwidth-test ": "./TransferBench p2p",
        "bandwidth-matrix": "cat p2p_matrix",
    }
    found = captures(tmp_path / "pasted.txt", f"root@tower1:~# {commands[key]}\n{OUTPUTS[key]}root@tower1:~# \n")
    assert [capture.source for capture in found] == [key.strip()]
