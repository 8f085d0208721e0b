"""Reads ``network``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("network")
