"""The questions that are put to NVML and what their answers become: one list for the writer and the reader.

The writer calls ``call`` (pynvml's name) with the device, with both devices of a pair (PAIR), or with the device and
the link (LINK), then with ``arguments``; DRIVER takes the arguments alone. ``part`` is the attribute or index of the
answer that is written, None all of it. Two calls need a hand: ``nvmlDeviceGetGpuFabricInfoV`` fills a structure that
the caller makes, ``nvmlDeviceGetFieldValues`` takes a list of (field, link).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.collectors.nvml import meanings as m

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Question:
    """One question. ``means(raw)`` goes into ``field`` of the record, or into a setting named ``setting``.

    A ``*`` in ``setting`` stands for the number of the link.
    """

    key: str
    call: str
    means: Callable[[object], object]
    arguments: tuple[int, ...] = ()
    part: str | int | None = None
    field: str | None = None
    setting: str | None = None


# NVML wants the number of 64-bit words of a set: 4096 CPUs, 1024 NUMA nodes near to the device (scope 0).
CPU_WORDS, NODE_WORDS, NODE_SCOPE = 64, 16, 0
FABRIC = "nvmlDeviceGetGpuFabricInfoV"
FIELDS = "nvmlDeviceGetFieldValues"
NVLINK_GET_SPEED = 164

DRIVER = (
    Question("version", "nvmlSystemGetDriverVersion", m.text, setting="driver.nvidia"),
    Question("cuda", "nvmlSystemGetCudaDriverVersion_v2", m.cuda_version, setting="driver.cuda"),
    Question("nvml", "nvmlSystemGetNVMLVersion", m.text, setting="driver.nvml"),
)
GPU = (
    Question("name", "nvmlDeviceGetName", m.text, field="model"),
    Question("uuid", "nvmlDeviceGetUUID", m.text, field="uuid"),
    Question("serial", "nvmlDeviceGetSerial", m.text, field="serial"),
    Question("pci", "nvmlDeviceGetPciInfo", m.address, part="busId", field="pci"),
    Question("memory_bytes", "nvmlDeviceGetMemoryInfo", m.whole, part="total", field="memory_bytes"),
    Question("numa", "nvmlDeviceGetMemoryAffinity", m.only_member, (NODE_WORDS, NODE_SCOPE), field="numa"),
    Question("cpus", "nvmlDeviceGetCpuAffinity", m.members, (CPU_WORDS,), field="cpus"),
    Question("pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", m.whole, field="pcie_generation"),
    Question("pcie_width", "nvmlDeviceGetCurrPcieLinkWidth", m.whole, field="pcie_width"),
    Question("pcie_max_generation", "nvmlDeviceGetMaxPcieLinkGeneration", m.whole, field="pcie_max_generation"),
    Question("pcie_max_width", "nvmlDeviceGetMaxPcieLinkWidth", m.whole, field="pcie_max_width"),
    Question("performance_state", "nvmlDeviceGetPerformanceState", m.performance_state, field="performance_state"),
    Question("utilisation", "nvmlDeviceGetUtilizationRates", m.whole, part="gpu", field="utilisation"),
    Question("mig", "nvmlDeviceGetMigMode", m.truth, part=0, field="mig_enabled"),
    Question(
        "pcie_device_max_generation",
        "nvmlDeviceGetGpuMaxPcieLinkGeneration",
        m.whole,
        setting="pcie.device_max_generation",
    ),
    Question("gpu_numa", "nvmlDeviceGetNumaNodeId", m.whole, setting="gpu_numa_id"),
    Question("bar1_bytes", "nvmlDeviceGetBAR1MemoryInfo", m.whole, part="bar1Total", setting="bar1.total_bytes"),
    Question("pcie_replays", "nvmlDeviceGetPcieReplayCounter", m.whole, setting="counter.pcie.replays"),
    Question(
        "clocks_reasons", "nvmlDeviceGetCurrentClocksEventReasons", m.clocks_reasons, setting="clocks.active_reasons"
    ),
    Question("addressing_mode", "nvmlDeviceGetAddressingMode", m.addressing_mode, setting="addressing_mode"),
    Question("minor", "nvmlDeviceGetMinorNumber", m.whole, setting="minor_number"),
    Question("fabric_state", FABRIC, m.fabric_state, part="state", setting="fabric.state"),
    Question("fabric_status", FABRIC, m.return_code, part="status", setting="fabric.status"),
    Question("fabric_clique", FABRIC, m.whole, part="cliqueId", setting="fabric.clique"),
    Question("fabric_cluster", FABRIC, m.text, part="clusterUuid", setting="fabric.cluster"),
    Question("fabric_health", FABRIC, m.fabric_health, part="healthSummary", setting="fabric.health.summary"),
)
MIG = (
    Question("uuid", "nvmlDeviceGetUUID", m.text, field="uuid"),
    Question("name", "nvmlDeviceGetName", m.text, field="model"),
    Question("memory_bytes", "nvmlDeviceGetMemoryInfo", m.whole, part="total", field="memory_bytes"),
    Question("gpu_instance", "nvmlDeviceGetGpuInstanceId", m.whole, setting="mig.gpu_instance"),
    Question("compute_instance", "nvmlDeviceGetComputeInstanceId", m.whole, setting="mig.compute_instance"),
)
LINK = (
    Question("state", "nvmlDeviceGetNvLinkState", m.truth, field="active"),
    Question("version", "nvmlDeviceGetNvLinkVersion", m.link_version, field="version"),
    Question("remote_pci", "nvmlDeviceGetNvLinkRemotePciInfo", m.address, part="busId", field="peer"),
    Question("remote_type", "nvmlDeviceGetNvLinkRemoteDeviceType", m.link_end, field="peer_kind"),
    Question("speed_mbps", FIELDS, m.megabytes_per_s, (NVLINK_GET_SPEED,), field="rate"),
    Question("replays", "nvmlDeviceGetNvLinkErrorCounter", m.whole, (0,), setting="counter.nvlink.*.replay"),
    Question("recoveries", "nvmlDeviceGetNvLinkErrorCounter", m.whole, (1,), setting="counter.nvlink.*.recovery"),
    Question("crc", "nvmlDeviceGetNvLinkErrorCounter", m.whole, (2,), setting="counter.nvlink.*.crc"),
)
# ``setting`` is here the letter of nvidia-smi's ``topo -p2p`` that asks the same; the ancestor has none.
PAIR = (
    Question("ancestor", "nvmlDeviceGetTopologyCommonAncestor", m.topology_level),
    Question("read", "nvmlDeviceGetP2PStatus", m.peer_word, (0,), setting="r"),
    Question("write", "nvmlDeviceGetP2PStatus", m.peer_word, (1,), setting="w"),
    Question("nvlink", "nvmlDeviceGetP2PStatus", m.peer_word, (2,), setting="n"),
    Question("atomics", "nvmlDeviceGetP2PStatus", m.peer_word, (3,), setting="a"),
)
# NVML_NVLINK_MAX_LINKS of nvml.h; NVML refuses the numbers that a GPU does not have.
MAX_LINKS = 36
UNSUPPORTED = frozenset({"NVML_ERROR_NOT_SUPPORTED", "NVML_ERROR_FUNCTION_NOT_FOUND", "NVML_ERROR_DEPRECATED"})
