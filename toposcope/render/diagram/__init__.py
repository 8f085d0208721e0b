"""The wiring diagram: a topology is reduced to a sketch, the sketch is laid out once, painters draw the result.

This package imports no painter and no drawing library.
"""

from toposcope.render.diagram.layout import layout
from toposcope.render.diagram.parts import Box, Diagram, Edge, Marking
from toposcope.render.diagram.search import Marked, find_marked

__all__ = ["Box", "Diagram", "Edge", "Marked", "Marking", "find_marked", "layout"]
