"""Answers questions about a topology: routes, bottlenecks, findings. Functions over a graph, nothing stored."""

from toposcope.analysis.analysis import Analysis, Pair, Remote, analyze
from toposcope.analysis.finding import Finding, Harm, Severity, Verdict
from toposcope.analysis.limit import Limit
from toposcope.analysis.route import Route, Transport
from toposcope.analysis.routes import routes
from toposcope.analysis.segment import Segment

__all__ = [
    "Analysis",
    "Finding",
    "Harm",
    "Limit",
    "Pair",
    "Remote",
    "Route",
    "Segment",
    "Severity",
    "Transport",
    "Verdict",
    "analyze",
    "routes",
]
