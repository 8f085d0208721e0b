"""No fact, however odd, and no machine makes a rule raise; what is found speaks of a rule that there is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.rules.rails import rails
from tests.machines import MACHINES, ORIGIN
from toposcope.analysis.rules import RULES
from toposcope.model import Fact, FactStatus, Topology

VARIABLES = (
    "NCCL_IB_HCA", "UCX_NET_DEVICES", "NVSHMEM_HCA_LIST", "CUDA_VISIBLE_DEVICES", "NCCL_P2P_LEVEL", "NCCL_P2P_DISABLE",
    "NCCL_IB_DISABLE", "NCCL_NET", "NCCL_NET_GDR_LEVEL", "NCCL_NET_GDR_C2C", "NCCL_IB_GID_INDEX", "NCCL_TOPO_FILE",
    "NCCL_IB_QPS_PER_CONNECTION", "NCCL_SHM_DISABLE",
)  # fmt: skip
HOST = (
    "cpu.vendor", "driver.nvidia", "kernel.release", "module.nvidia_peermem", "nccl.version", "nccl.hcas", "nccl.log",
    "nccl.network", "nccl.graph.gpus", "nccl.async_event", "nccl.completion_error", "process.cpus", "process.mems",
    "numactl.membind", "hypervisor", *(f"env.{name}" for name in VARIABLES),
)  # fmt: skip
OF_DEVICES = (
    "cpus", "uuid", "nccl.net", "nccl.net.gdr", "nccl.gdr", "nccl.transport", "mtu", "lid", "link_layer", "members",
    "gid.0", "gid.3", "state", "physical_state", "rate_gbps", "model", "read_request.max", "bond.mode", "address",
    "mlxconfig.MAX_ACC_OUT_READ", "counter.link_downed", "counter.packet_seq_err", "counter.roce_rx_err_pkt_num",
    "hccn.link.changes", "hccn.link.last_event", "hccn.net_health", "hccn.lldp", "hccn.optical.present",
    "hccn.optical.rx_los_flag", "hccn.optical.rx_power0", "hccn.optical.rxpower_low_thres",
)  # fmt: skip
DEVICES = ("GPU0", "GPU1", "NIC0", "NIC1", "NIC0-port", "NIC1-port", "GPU0|GPU1", "NPU3", "NPU3/p1", "lid 7", "NUMA0")
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=True),
    st.text(max_size=40),
    st.sampled_from(
        ["mlx5_0", "^=mlx5_0:1,", "0,1", "3,2,1,0", "SYS", "1", "0x", "0xzz", "1-2-3", "9" * 30, "NET/IB/0"]
    ),
)
facts = st.one_of(
    st.builds(Fact, st.just("host"), st.sampled_from(HOST), values, st.just(ORIGIN), st.sampled_from(FactStatus)),
    st.builds(
        Fact,
        st.sampled_from(DEVICES),
        st.sampled_from(OF_DEVICES),
        values,
        st.just(ORIGIN),
        st.sampled_from(FactStatus),
    ),
)


def check_all(topology: Topology) -> None:
    for rule in RULES:
        for finding in rule.check(topology):
            assert finding.rule == rule.name
            assert finding.message


@settings(max_examples=150, deadline=None)
@given(st.lists(facts, max_size=12))
def test_no_fact_makes_a_rule_raise(odd: list[Fact]) -> None:
    topology = Topology(host="odd", figures=rails().figures)
    known = rails()
    for each in known.components():
        topology.add(each)
    for link in known.links():
        topology.connect(link, upward=known.parent(link.source) == link.target)
    for fact in odd:
        topology.note(fact)
    check_all(topology)


@pytest.mark.parametrize("build", MACHINES, ids=[build.__name__ for build in MACHINES])
def test_no_machine_makes_a_rule_raise(build) -> None:
    check_all(build())
