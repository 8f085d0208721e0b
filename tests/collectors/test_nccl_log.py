"""The log of NCCL: version, variables, devices and transports; whatever the job prints between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.nccl_log import COLLECTOR
from toposcope.collectors.nccl_log.log import parse, parse_conf

HEAD = "rack1:100:200 [0] NCCL INFO "
LOG = f"""\
starting the job
{HEAD}Bootstrap : Using eth0:192.0.2.1<0>
{HEAD}NCCL_IB_HCA set to mlx5_0,mlx5_1
{HEAD}NCCL_P2P_LEVEL set by environment to SYS.
NCCL version 2.21.5+cuda12.4
{HEAD}NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:192.0.2.1<0>
{HEAD}Using network IB
{HEAD}NET/IB : GPU Direct RDMA Disabled for HCA 1 'mlx5_1'
{HEAD}+ PCI[24.0] - GPU/3b000 (0)
{HEAD}Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
rack1:101:201 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via P2P/IPC
step 1 loss 2.5
{HEAD}Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA
rack1:101:201 [1] NCCL INFO Channel 01/0 : 9[1] -> 1[1] [receive] via NET/IB/1
rack1:101:201 [1] NCCL WARN NET/IB : mlx5_1:1 Got async event : port error
"""


def settings(text: str) -> dict[tuple[str, str], object]:
    reading = parse(Capture("nccl-log", "job.log", text))
    assert reading.problems == ()
    return {(each.subject, each.name): each.value for each in reading.records}


def test_what_the_library_is_and_was_told() -> None:
    found = settings(LOG)

    assert found["host", "nccl.version"] == "2.21.5"
    assert found["host", "nccl.library"] == "NCCL"
    assert found["host", "nccl.set.NCCL_IB_HCA"] == "mlx5_0,mlx5_1"
    assert found["host", "nccl.set.NCCL_P2P_LEVEL"] == "SYS"
    assert found["host", "nccl.hcas"] == "mlx5_0:1/IB mlx5_1:1/RoCE"
    assert found["host", "nccl.network"] == "IB"


def test_what_pairs_and_ways_out_use() -> None:
    found = settings(LOG)

    assert found["GPU0|GPU1", "nccl.transport"] == "P2P/IPC"
    assert (found["GPU0", "nccl.net"], found["GPU0", "nccl.net.gdr"]) == ("NET/IB/0/GDRDMA", True)
    assert (found["GPU1", "nccl.net"], found["GPU1", "nccl.net.gdr"]) == ("NET/IB/1", False)


def test_what_happened_to_devices() -> None:
    found = settings(LOG)

    assert found["mlx5_1", "nccl.gdr"] is False
    assert found["mlx5_1/1", "nccl.async_event"] == "port error"
    assert found["host", "nccl.graph.gpus"] == "0000:3b:00.0"


def test_bus_ids_of_older_releases_become_addresses() -> None:
    found = settings(f"{HEAD}Channel 00 : 0[3b000] -> 1[af000] via SHM/direct/direct\n")

    assert found["0000:3b:00.0|0000:af:00.0", "nccl.transport"] == "SHM/direct/direct"


def test_ranks_of_one_host_that_use_the_network_are_a_pair() -> None:
    text = (
        "rack1:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0\n"
        "rack1:3:4 [1] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [receive] via NET/IB/0\n"
    )
    assert settings(text)["GPU0|GPU1", "nccl.transport"] == "NET/IB/0"


def test_devices_of_other_hosts_are_left_out() -> None:
    other = "rack2:5:6 [0] NCCL INFO Channel 00/0 : 8[0] -> 9[1] via SHM/direct/direct\n"
    found = settings(f"{HEAD}Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n{other}")

    assert [value for (_, name), value in found.items() if name == "nccl.transport"] == ["P2P/IPC"]


def test_a_failed_completion_is_kept() -> None:
    text = (
        f"{HEAD.replace('INFO', 'WARN')}NET/IB : Got completion from peer 192.0.2.2<4> with status=12 opcode=0 len=0 "
        "vendor err 129 (Send) localGid fe80::1\n"
    )
    assert settings(text)["host", "nccl.completion_error"] == "status 12, vendor err 129"


@pytest.mark.parametrize(
    "line", [f"{HEAD}x", "NCCL INFO x", "[1,0]<stdout>:a-1:1:2 [3] NCCL WARN x", "NCCL version 2.1"]
)
def test_a_log_is_known_by_its_lines(line: str) -> None:
    source = COLLECTOR.sources[0]
    assert source.begins is not None
    assert source.begins.match(line)


def test_a_job_without_the_library_says_nothing() -> None:
    assert settings("step 1\nstep 2\n") == {}


@given(st.lists(st.sampled_from([*LOG.splitlines(), "", "NCCL INFO ", "NCCL INFO Channel 00/0 : 0[", "x" * 70_000])))
def test_no_mixture_of_lines_makes_it_raise(lines: list[str]) -> None:
    parse(Capture("nccl-log", "f", "\n".join(lines)))


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    parse(Capture("nccl-log", "f", f"NCCL INFO {text}"))


def test_the_file_of_variables_is_read_with_its_comments() -> None:
    text = '# for all jobs\nNCCL_IB_HCA = mlx5_0\nNCCL_TOPO_FILE="/opt/topo.xml"\nnonsense\n'
    reading = parse_conf(Capture("nccl-conf", "etc/nccl.conf", text))

    assert {each.name: each.value for each in reading.records} == {
        "nccl.conf.NCCL_IB_HCA": "mlx5_0",
        "nccl.conf.NCCL_TOPO_FILE": "/opt/topo.xml",
    }
    assert [problem.text for problem in reading.problems] == ["nonsense"]


@pytest.mark.parametrize(
    ("transport", "direct"),
    [
        ("NET/IB/0/GDRDMA", True),
        ("NET/IB/0(1)/GDRDMA", True),
        ("NET/AWS Libfabric/2/GDRDMA/Shared", True),
        ("NET/IB/3/Shared comm 0x5581 nRanks 16", False),
    ],
)
def test_direct_transfers_are_known_in_every_spelling(transport: str, direct: bool) -> None:  # noqa: FBT001 - a case
    found = settings(f"{HEAD}Channel 00/0 : 0[0] -> 8[0] [send] via {transport}\n")

    assert found["GPU0", "nccl.net.gdr"] is direct
    assert "comm" not in str(found["GPU0", "nccl.net"])


def test_events_that_harm_nothing_are_kept_apart() -> None:
    line = f"{HEAD}NET/IB : mlx5_0:1 Got async event : "
    found = settings(f"{line}client reregistration\n{line}port error\n")

    assert found["mlx5_0/1", "nccl.port_event"] == "client reregistration"
    assert found["mlx5_0/1", "nccl.async_event"] == "port error"


def test_direct_access_that_is_enabled_for_a_gpu_is_told_of_it() -> None:
    text = f"{HEAD}GPU Direct RDMA Enabled for GPU 81000 / HCA 1 (distance 6 <= 7), read 0\n"
    assert settings(text)["0000:81:00.0", "nccl.net.gdr"] is True
    assert settings(text.replace("81000", "3"))["GPU3", "nccl.net.gdr"] is True
