"""Reads ``npu_smi``."""

from toposcope.collectors.source import Collector

COLLECTOR = Collector("npu_smi")
