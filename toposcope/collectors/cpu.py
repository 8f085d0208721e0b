"""Reads ``cpu``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("cpu")
