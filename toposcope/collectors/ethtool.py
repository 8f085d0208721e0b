"""Reads ``ethtool``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("ethtool")
