"""From what tools print to what the rules of the network find: the names of all readers and rules fit each other."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from toposcope import app
from toposcope.analysis.finding import Verdict
from toposcope.analysis.rules import RULES

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.analysis import Finding

MATRIX = """\
\tGPU0\tGPU1\tmlx5_0\tmlx5_1\tCPU Affinity\tNUMA Affinity
GPU0\t X \tSYS\tPIX\tSYS\t0-15\t0
GPU1\tSYS\t X \tSYS\tPIX\t16-31\t1
mlx5_0\tPIX\tSYS\t X \tSYS\t\t
mlx5_1\tSYS\tPIX\tSYS\t X \t\t
"""


def ibstat(
    device: str, *, state: str = "Active", physical: str = "LinkUp", rate: int = 400, layer: str = "Ethernet"
) -> str:
    return f"""\
CA '{device}'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tNode GUID: 0x00000000000000a0
\tPort 1:
\t\tState: {state}
\t\tPhysical state: {physical}
\t\tRate: {rate}
\t\tBase lid: 7{device[-1]}
\t\tLink layer: {layer}
"""


@cache
def known() -> app.Knowledge:
    return app.knowledge()


def found(folder: Path, **files: str) -> dict[str, Finding]:
    """Write a recording and return what its rules find; double underscores in names are dots."""
    for name, text in {"nvidia-smi_topo_-m": MATRIX, **files}.items():
        (folder / name.replace("__", ".")).write_text(text)
    (loaded,) = app.load([str(folder)], known())
    findings = (each for rule in RULES for each in rule.check(loaded.topology))
    return {each.rule: each for each in findings if each.verdict is Verdict.FOUND}


BOTH = ibstat("mlx5_0") + ibstat("mlx5_1")


def test_a_healthy_server_has_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, ibstat=BOTH) == {}


def test_a_port_that_polls_is_the_accelerators_loss(tmp_path: Path) -> None:
    ports = ibstat("mlx5_0") + ibstat("mlx5_1", state="Down", physical="Polling", rate=40)
    finding = found(tmp_path, ibstat=ports)["port-down"]

    assert [harm.source for harm in finding.harms] == ["GPU1"]
    assert finding.evidence[0].file == "ibstat"


def test_a_list_in_the_environment_that_leaves_a_nic_out(tmp_path: Path) -> None:
    finding = found(tmp_path, ibstat=BOTH, env="NCCL_IB_HCA=mlx5_0\n")["hca-list"]

    assert [harm.source for harm in finding.harms] == ["GPU1"]
    assert (finding.evidence[0].source, finding.evidence[0].line) == ("env", 1)


def test_a_list_in_the_hosts_file_of_variables(tmp_path: Path) -> None:
    assert "hca-list" in found(tmp_path, ibstat=BOTH, nccl__conf="# all jobs\nNCCL_IB_HCA=mlx5_1\n")


def test_a_log_without_gpudirect_rdma(tmp_path: Path) -> None:
    head = "rack1:10:11 [1] NCCL INFO "
    log = f"{head}NCCL version 2.21.5+cuda12.4\n{head}Channel 00/0 : 1[1] -> 9[1] [send] via NET/IB/1\n"
    finding = found(tmp_path, ibstat=BOTH, nccl_debug__log=log)["gpudirect-off"]

    assert finding.components == ("GPU1",)


def test_a_log_with_an_event_of_a_port(tmp_path: Path) -> None:
    log = "rack1:10:11 [1] NCCL WARN NET/IB : mlx5_1:1 Got async event : port error\n"
    finding = found(tmp_path, ibstat=BOTH, nccl_debug__log=log)["port-flapping"]

    assert [harm.source for harm in finding.harms] == ["GPU1"]


def test_counters_of_perfquery_reach_their_port_by_its_lid(tmp_path: Path) -> None:
    text = "# Port counters: Lid 71 port 1 (CapMask: 0x5A00)\nPortSelect:......1\nLinkDownedCounter:.....200\n"
    finding = found(tmp_path, ibstat=BOTH, perfquery=text)["port-flapping"]

    assert "mlx5_1" in finding.message


def test_a_process_on_the_far_node(tmp_path: Path) -> None:
    status = "Name:\tjob\nState:\tR (running)\nCpus_allowed_list:\t16-31\nMems_allowed_list:\t0-1\n"
    (tmp_path / "proc/7").mkdir(parents=True)
    (tmp_path / "proc/7/status").write_text(status)
    finding = found(tmp_path, env="CUDA_VISIBLE_DEVICES=0\n")["process-far"]

    assert finding.components == ("GPU0",)
    assert "0-15" in finding.message


def test_two_ranks_of_a_host_that_meet_in_the_network(tmp_path: Path) -> None:
    log = (
        "rack1:10:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA\n"
        "rack1:20:21 [1] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [receive] via NET/IB/1/GDRDMA\n"
    )
    assert found(tmp_path, nccl_debug__log=log)["ranks-apart"].components == ("GPU0", "GPU1")


def test_an_empty_gid_and_what_would_fit(tmp_path: Path) -> None:
    gids = (
        "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4\t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t----\t\t---\t---\n"
        + "".join(
            f"mlx5_{nic}\t1\t{index}\tfe80:0000:0000:0000:0000:0000:0000:000{nic}\t\t\tv{1 + index % 2}\teth{nic}\n"
            for nic in range(2)
            for index in range(2)
        )
    )
    finding = found(tmp_path, ibstat=BOTH, show_gids=gids, env="NCCL_IB_GID_INDEX=0\n")["gid-index"]

    assert "=1" in finding.remedy


def test_the_limit_of_reads_of_a_nics_firmware(tmp_path: Path) -> None:
    head = "Device #1:\n----------\n\nDevice type:    ConnectX7\n\n"
    text = f"{head}Configurations:      Next Boot\n      MAX_ACC_OUT_READ     44\n"
    (tmp_path / "mlxconfig_-d_mlx5_1_query").write_text(text)

    assert "mlx5_1" in found(tmp_path, ibstat=BOTH)["read-request-small"].message


def test_a_port_of_which_only_its_own_tool_speaks_keeps_its_state(tmp_path: Path) -> None:
    (tmp_path / "hccn_tool_-i_4_-link_-g").write_text("link status: DOWN\n")
    (loaded,) = app.load([str(tmp_path / "hccn_tool_-i_4_-link_-g")], known())

    assert "npu-port-down" in {each.rule for rule in RULES for each in rule.check(loaded.topology)}
