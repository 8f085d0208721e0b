"""The rules, in the order in which their findings are shown."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from toposcope.analysis.rules import (
    acs,
    apertures,
    clocks,
    cpu_side,
    errors,
    evidence,
    fabric_manager,
    gpudirect,
    hca_list,
    hccs_pairs,
    iommu,
    library_settings,
    links,
    measured,
    network_ports,
    nic_placement,
    npu_network,
    peers,
    port_counters,
    port_settings,
    process_binding,
    read_requests,
    scale_up,
    slots,
    surroundings,
    uplink,
    visibility,
)
from toposcope.analysis.rules.rule import Rule
from toposcope.base import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    errors.LOST_RULE,
    errors.ERRORS_RULE,
    errors.HCCS_RULE,
    clocks.RULE,
    apertures.RULE,
    evidence.ABORTED_RULE,
    evidence.MADE_UP_RULE,
    gpudirect.RULE,
    gpudirect.RULE_C2C,
    hca_list.RULE_LIST,
    hca_list.RULE_ORDER,
    port_counters.RULE_FLAPPING,
    port_counters.RULE_LOSS,
    port_settings.RULE_MTU,
    port_settings.RULE_GID,
    port_settings.RULE_TIMEOUT,
    port_settings.RULE_BOND,
    library_settings.RULE_OFF,
    library_settings.RULE_FORCED,
    library_settings.RULE_SHORT,
    process_binding.RULE,
    surroundings.RULE_FILE,
    surroundings.RULE_APART,
    surroundings.RULE_OLD,
    read_requests.RULE,
    measured.RULE_LIMIT,
    measured.RULE_SMALL,
    visibility.HIDDEN_RULE,
    visibility.GUEST_RULE,
)


def select(only: Iterable[str] = (), skip: Iterable[str] = ()) -> tuple[Rule, ...]:
    """Return the rules of these names (all where none is named) without the skipped ones. UsageError for no rule's."""
    wanted, skipped = tuple(only), tuple(skip)
    names = [rule.name for rule in RULES]
    for name in (*wanted, *skipped):
        if name not in names:
            near = difflib.get_close_matches(name, names, n=4, cutoff=0.3)
            hint = f"near names: {', '.join(near)}" if near else "see `toposcope rules list`"
            raise UsageError(f"no rule is called {name!r}; {hint}")
    return tuple(rule for rule in RULES if (not wanted or rule.name in wanted) and rule.name not in skipped)


__all__ = ["RULES", "Rule", "select"]
