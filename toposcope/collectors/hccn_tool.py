"""Reads ``hccn_tool``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("hccn_tool")
