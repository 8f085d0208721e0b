"""Reads ``lspci``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("lspci")
