"""The rules, in the order in which their findings are shown."""

from toposcope.analysis.rules import (
    acs,
    cpu_side,
    fabric_manager,
    hccs_pairs,
    iommu,
    links,
    network_ports,
    nic_placement,
    npu_network,
    peers,
    scale_up,
    slots,
    uplink,
)
from toposcope.analysis.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    acs.RULE,
    links.NARROW_RULE,
    links.SLOW_RULE,
    slots.NIC_SLOT_RULE,
    slots.CHIPSET_RULE,
    uplink.RULE,
    nic_placement.RULE,
    network_ports.RULE_DOWN,
    network_ports.RULE_SLOW,
    npu_network.RULE_DOWN,
    npu_network.RULE_OPTICS,
    npu_network.RULE_ERRORS,
    npu_network.RULE_NEIGHBOUR,
    hccs_pairs.RULE,
    iommu.TRANSLATION_RULE,
    iommu.ATS_RULE,
    peers.RULE,
    cpu_side.FAR_RULE,
    cpu_side.ONE_NODE_RULE,
    cpu_side.NUMA_RULE,
    cpu_side.ORDERING_RULE,
    scale_up.OFF_RULE,
    scale_up.FEWER_RULE,
    fabric_manager.RULE,
)

__all__ = ["RULES", "Rule"]
