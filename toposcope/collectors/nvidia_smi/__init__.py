"""Reads ``nvidia-smi`` in all its forms."""

from toposcope.collectors.nvidia_smi import sources
from toposcope.collectors.source import Collector

COLLECTOR = Collector("nvidia-smi", sources.SOURCES)
