"""The painters that use matplotlib; no other part of toposcope imports it."""

from toposcope.render.matplotlib_painter.wiring import paint, svg_of

__all__ = ["paint", "svg_of"]
