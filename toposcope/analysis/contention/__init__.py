"""What flows that run at once leave each other: shares by max-min fairness over links that are shared."""

from toposcope.analysis.contention.patterns import PATTERNS
from toposcope.analysis.contention.result import BusBandwidth, Contention, Flow, Share, SharedLink
from toposcope.analysis.contention.shares import contend

__all__ = ["PATTERNS", "BusBandwidth", "Contention", "Flow", "Share", "SharedLink", "contend"]
