"""Reads ``nvidia_smi``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("nvidia_smi")
