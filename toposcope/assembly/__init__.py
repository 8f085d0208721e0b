"""Turns records, a profile and the catalogue into a topology, in phases."""

from toposcope.assembly.assemble import assemble
from toposcope.assembly.figures import Lookup
from toposcope.assembly.reference import topology_of_machine

__all__ = ["Lookup", "assemble", "topology_of_machine"]
