"""Reads ``sysfs``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("sysfs")
