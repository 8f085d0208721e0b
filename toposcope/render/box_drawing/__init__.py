"""The painters for a terminal: plain lines of text, in box characters or in ASCII."""

from toposcope.render.box_drawing.drawing import draw

__all__ = ["draw"]
