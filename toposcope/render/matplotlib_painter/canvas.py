"""A sheet in points with the origin at the upper left, on which shapes and texts are put, and how it is saved.

Everything is placed by the caller: no automatic layout, no measuring, hence quick and the same each time.
"""

from __future__ import annotations

import warnings
from math import ceil
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text as FigureText
from matplotlib.transforms import Affine2D

from toposcope.base import UsageError

if TYPE_CHECKING:
    import io
    from collections.abc import Sequence
    from pathlib import Path as FilePath

    from toposcope.render.diagram.parts import Point, Rect, Text

_POINTS = 72
_PNG_DPI = 160
_GRAIN = 9
"""Points that are whole pixels at the resolution of a PNG, so that its last row is filled."""
_SETTINGS: dict[Any, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "toposcope",
    "pdf.fonttype": 42,
    "font.family": ["DejaVu Sans"],
    "path.simplify": False,
    "text.parse_math": False,
    "text.usetex": False,
}
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
_KAPPA = 0.5523


class Sheet:
    """One picture under way."""

    def __init__(self, width: float, height: float, ground: str) -> None:
        width, height = (_GRAIN * ceil(side / _GRAIN) for side in (width, height))
        self.figure = Figure(figsize=(width / _POINTS, height / _POINTS), dpi=_POINTS, facecolor=ground)
        FigureCanvasAgg(self.figure)
        scale = Affine2D().scale(1 / _POINTS, -1 / _POINTS).translate(0, height / _POINTS)
        self._to_paper = scale + self.figure.dpi_scale_trans
        self._order = 0

    def shape(
        self,
        path: Path,
        *,
        fill: str | None = None,
        edge: str | None = None,
        width: float = 1.0,
        dashes: tuple[float, ...] | None = None,
        gid: str | None = None,
    ) -> None:
        """Put a shape on the sheet, over what is there already. ``dashes`` are in points."""
        style = (0, tuple(dash / width for dash in dashes)) if dashes else "solid"
        patch = PathPatch(
            path,
            facecolor=fill or "none",
            edgecolor=edge or "none",
            linewidth=width if edge else 0,
            linestyle=style,
            capstyle="butt",
            joinstyle="round",
            transform=self._to_paper,
            zorder=self._next(),
        )
        patch.set_gid(gid)
        self.figure.add_artist(patch)

    def text(self, text: Text, colour: str) -> None:
        """Put one line of text on the sheet."""
        artist = FigureText(
            text.x,
            text.y,
            text.text,
            fontsize=text.size,
            fontweight="bold" if text.bold else "normal",
            fontstyle="italic" if text.italic else "normal",
            color=colour,
            ha="center" if text.anchor == "middle" else "left",
            va="baseline",
            transform=self._to_paper,
            zorder=self._next(),
            parse_math=False,
        )
        self.figure.add_artist(artist)

    def save(self, target: FilePath | io.BytesIO, kind: str) -> None:
        """Write the picture: svg, png or pdf. The same picture gives the same bytes."""
        if kind not in _METADATA:
            raise UsageError(f"cannot draw {kind or 'a file without an ending'!r}: use .svg, .png or .pdf")
        with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            dpi = _PNG_DPI if kind == "png" else _POINTS
            self.figure.savefig(target, format=kind, dpi=dpi, metadata=_METADATA[kind])

    def _next(self) -> int:
        self._order += 1
        return self._order


def kind_of(path: FilePath) -> str:
    """Return the kind of picture that a file's ending asks for."""
    return path.suffix.lower().lstrip(".")


def rounded(rect: Rect, radius: float = 4.0) -> Path:
    """Return a rectangle with round corners."""
    r = min(radius, rect.width / 2, rect.height / 2)
    k = r * (1 - _KAPPA)
    x, y, right, bottom = rect.x, rect.y, rect.right, rect.bottom
    points = [(x + r, y), (right - r, y), (right - k, y), (right, y + k), (right, y + r), (right, bottom - r)]
    points += [(right, bottom - k), (right - k, bottom), (right - r, bottom), (x + r, bottom), (x + k, bottom)]
    points += [(x, bottom - k), (x, bottom - r), (x, y + r), (x, y + k), (x + k, y), (x + r, y), (x + r, y)]
    corner = [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path(points, [Path.MOVETO, *corner * 4, Path.CLOSEPOLY])


def polyline(points: Sequence[Point]) -> Path:
    """Return a line over corners."""
    return Path(list(points), [Path.MOVETO] + [Path.LINETO] * (len(points) - 1))


def curve(points: Sequence[Point]) -> Path:
    """Return a line to a cubic curve and on from its end."""
    return Path(list(points), [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO])
