"""Reads what benchmarks print: copies between devices, RDMA tests, collectives. Each figure becomes a measurement."""

from __future__ import annotations

import re

from toposcope.collectors.source import Collector, Parsers, Source

hccl_test = Parsers(f"{__name__}.hccl_test")
nccl_tests = Parsers(f"{__name__}.nccl_tests")
nvbandwidth = Parsers(f"{__name__}.nvbandwidth")
p2p_bandwidth = Parsers(f"{__name__}.p2p_bandwidth")
perftest = Parsers(f"{__name__}.perftest")
rocm = Parsers(f"{__name__}.rocm")

_M = re.MULTILINE
_COLLECTIVES = (
    "all[ _]?reduce|all[ _]?gather|reduce[ _]?scatter|all[ _]?to[ _]?allv?"
    "|broadcast|reduce|gather|scatter|sendrecv|hypercube"
)

COLLECTOR = Collector(
    "benchmarks",
    (
        Source(
            "nccl-tests",
            nccl_tests.parse,
            named=re.compile(
                rf"(?:(?:nccl|rccl)[ _-]tests? )?(?P<argument>{_COLLECTIVES})[ _]perf\b|(?:nccl|rccl)[ _-]tests?\b"
            ),
            begins=re.compile(
                r"^(?:\[\d+,\d+\]<std\w+>: ?)?"
                r"# (?:nThread \d|nccl-tests version|rccl-tests:?|Collective test starting|Using devices)",
                _M,
            ),
            gives="bus bandwidth of collectives by size",
        ),
        Source(
            "nvbandwidth",
            nvbandwidth.parse,
            named=re.compile(r"nvbandwidth\b"),
            begins=re.compile(r'^(?:nvbandwidth Version:|Running \w+_(?:ce|sm)\.|\{\s*"nvbandwidth"\s*:)', _M),
            gives="copies between host and accelerators, all pairs",
            continuous=True,
        ),
        Source(
            "p2p-bandwidth-latency-test",
            p2p_bandwidth.parse,
            named=re.compile(r"p2p[ _-]?bandwidth(?:[ _-]?latency[ _-]?test)?\b", re.IGNORECASE),
            begins=re.compile(
                r"^[ \t#*]{0,16}(?:\[P2P \(Peer-to-Peer\) GPU Bandwidth"
                r"|(?:Uni|Bi)directional\b[^\n]{0,20}P2P\b[^\n]{0,40}Matrix)",
                _M,
            ),
            gives="copies between all pairs of accelerators, with and without peer access",
            continuous=True,
        ),
        Source(
            "bandwidth-matrix",
            p2p_bandwidth.parse_matrix,
            named=re.compile(r"p2p[ _]matrix\b"),
            begins=re.compile(  # the matrices of a test stand below its titles
                r"^(?<!\)\n)(?<!Matrix\n)(?<!\)\r\n)(?<!Matrix\r\n)"
                r"[ \t]{0,16}(?:D\\D|Dst(?:\u2192|->)?|[Ss]rc[/\\][Dd]st)[ \t]+(?:GPU ?)?0[ \t]",
                _M,
            ),
            gives="copies between all pairs of accelerators, where only the matrix was kept",
        ),
        Source(
            "bandwidth-test",
            p2p_bandwidth.parse_bandwidth_test,
            named=re.compile(r"bandwidth_?test\b", re.IGNORECASE),
            begins=re.compile(
                r"^[ \t]{0,8}(?:\[CUDA Bandwidth Test\]|(?:Host to Device|Device to Host) Bandwidth, \d+ Device)", _M
            ),
            gives="copies between host and one accelerator",
            continuous=True,
        ),
        Source(
            "perftest",
            perftest.parse,
            named=re.compile(r"(?P<argument>ib[ _](?:write|read|send|atomic)[ _]bw|raw[ _]ethernet[ _]bw)\b"),
            begins=re.compile(
                r"^(?:-{30,120}[ \t]*\r?\n)?"
                r"[ \t]{4,40}(?:RDMA_Write|RDMA_Read|Send|Raw Ethernet\S*)(?: Bidirectional)?[^\n]{0,40} BW Test\s*$",
                _M,
            ),
            gives="RDMA between two hosts through one port",
        ),
        Source(
            "hccl-test",
            hccl_test.parse,
            named=re.compile(rf"(?P<argument>{_COLLECTIVES})[ _]test\b|hccl[ _-]test\b"),
            begins=re.compile(r"^[ \t|]{0,8}data_size\(Bytes\):?[ \t|]+\w+_time\(us\)", _M),
            gives="algorithm bandwidth of HCCL collectives by size",
        ),
        Source(
            "ascend-dmi-bw",
            hccl_test.parse_dmi,
            named=re.compile(r"ascend[ _-]dmi (?:--?bw|--bandwidth)\b"),
            begins=re.compile(
                r"^[ \t|*=-]{0,40}"
                r"(?:Host to Device|Device to Host|(?:Unidirectional |Bidirectional )?Peer to Peer) Test\b",
                _M | re.IGNORECASE,
            ),
            gives="copies between host and NPUs, all pairs",
            continuous=True,
        ),
        Source(
            "rocm-bandwidth-test",
            rocm.parse,
            named=re.compile(r"rocm[ _-]bandwidth(?:[ _-]test)?\b|transferbench(?: p2p| a2a)?\b", re.IGNORECASE),
            begins=re.compile(
                r"^[ \t.]{0,60}(?:RocmBandwidthTest Version|TransferBench v|Bytes Per Direction"
                r"|(?:Uni|Bi|B)directional copy peak bandwidth)",
                _M,
            ),
            gives="copies between all pairs of AMD devices (TransferBench too)",
            continuous=True,
        ),
    ),
)
