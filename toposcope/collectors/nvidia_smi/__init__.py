"""Reads ``nvidia-smi`` in all its forms."""

from toposcope.collectors.nvidia_smi import sources, topo
from toposcope.collectors.source import Collector

COLLECTOR = Collector("nvidia-smi", (*topo.SOURCES, *sources.SOURCES))
