"""The painters that use matplotlib; no other part of toposcope imports it."""

from toposcope.render.matplotlib_painter.heat_map import paint_matrix
from toposcope.render.matplotlib_painter.segments import paint_route
from toposcope.render.matplotlib_painter.wiring import paint, svg_of

__all__ = ["paint", "paint_matrix", "paint_route", "svg_of"]
