"""The rules, in the order in which their findings are shown."""

from toposcope.analysis.rules.rule import Rule

RULES: tuple[Rule, ...] = ()

__all__ = ["RULES", "Rule"]
