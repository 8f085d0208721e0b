"""The rules, in the order in which their findings are shown."""

from toposcope.analysis.rules import acs, links, slots, uplink
from toposcope.analysis.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    acs.RULE,
    links.NARROW_RULE,
    links.SLOW_RULE,
    slots.NIC_SLOT_RULE,
    slots.CHIPSET_RULE,
    uplink.RULE,
)

__all__ = ["RULES", "Rule"]
