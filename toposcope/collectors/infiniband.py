"""Reads ``infiniband``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("infiniband")
