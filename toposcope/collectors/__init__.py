"""The tools that toposcope reads, one module each, in the order in which recognition tries them."""

from toposcope.collectors import (
    benchmarks,
    cpu,
    ethtool,
    hccn_tool,
    infiniband,
    kernel_log,
    lspci,
    mlxconfig,
    mlxlink,
    nccl_log,
    network,
    npu_smi,
    nvidia_smi,
    nvml,
    process,
    rocm_smi,
    services,
    sysfs,
    udevadm,
)
from toposcope.collectors.source import Collector, Source

COLLECTORS: tuple[Collector, ...] = (
    nvidia_smi.COLLECTOR,
    nvml.COLLECTOR,
    npu_smi.COLLECTOR,
    rocm_smi.COLLECTOR,
    hccn_tool.COLLECTOR,
    lspci.COLLECTOR,
    sysfs.COLLECTOR,
    udevadm.COLLECTOR,
    infiniband.COLLECTOR,
    network.COLLECTOR,
    ethtool.COLLECTOR,
    mlxlink.COLLECTOR,
    mlxconfig.COLLECTOR,
    nccl_log.COLLECTOR,
    cpu.COLLECTOR,
    benchmarks.COLLECTOR,
    process.COLLECTOR,
    services.COLLECTOR,
    kernel_log.COLLECTOR,
)

SOURCES: dict[str, Source] = {source.key: source for collector in COLLECTORS for source in collector.sources}

__all__ = ["COLLECTORS", "SOURCES", "Collector", "Source"]
