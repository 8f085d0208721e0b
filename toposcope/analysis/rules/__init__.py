"""The rules, in the order in which their findings are shown."""

from toposcope.analysis.rules import acs
from toposcope.analysis.rules.rule import Rule

RULES: tuple[Rule, ...] = (acs.RULE,)

__all__ = ["RULES", "Rule"]
