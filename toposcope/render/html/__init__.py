"""One self-contained page about a machine: drawing, routes, matrix, findings, problems, without a network.

The page's own script and style stand in it and are the only ones that its Content-Security-Policy lets run.
"""

from toposcope.render.html.page import page

__all__ = ["page"]
