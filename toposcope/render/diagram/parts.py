"""The finished drawing as plain data: what painters read. Units are points, y grows downwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from toposcope.model import Grade, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.base import Bandwidth
    from toposcope.model import Medium
    from toposcope.render.diagram.sketch import Pair, Role

Point = tuple[float, float]
PLATE_STEP = 1.6
"""How far each plate of a stack shows behind the one before it."""


@dataclass(frozen=True, slots=True)
class Rect:
    """An area: left, top, width, height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """The centre from left to right."""
        return self.x + self.width / 2

    def meets(self, other: Rect, gap: float = 0.0) -> bool:
        """Tell whether two areas share more than ``gap`` lets them."""
        return (
            self.x < other.right - gap
            and other.x < self.right - gap
            and self.y < other.bottom - gap
            and other.y < self.bottom - gap
        )


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text: ``x`` is its middle or its start, ``y`` its base line."""

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    anchor: Literal["middle", "start"] = "middle"
    italic: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """The figure on an edge: its lines, the first one bold, and the area that they need."""

    rect: Rect
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """A component, or several drawn as one. ``count`` None: their number is not known.

    ``covers`` names the components and ``links`` the links inside it. ``row`` and ``parent`` are the structure, for
    painters that have no room for coordinates; ``words`` the texts in full. ``plates`` are drawn behind it, where it
    stands for several. ``hedged``: it is assumed, and others are not.
    """

    id: str
    role: Role
    rect: Rect
    words: tuple[str, ...]
    texts: tuple[Text, ...] = ()
    count: int | None = 1
    grade: Grade = Grade.OBSERVED
    parent: str | None = None
    row: int = 0
    covers: frozenset[str] = frozenset()
    links: frozenset[Pair] = frozenset()
    plates: int = 0
    hedged: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A wire between two boxes.

    ``points`` are corners, or for a curve its start, the four points of a cubic, and its end. ``line`` is None where it
    is not known. ``unit`` is the figure of one link where several alike make the edge. ``width_class`` is 0 to 5.
    ``on_chip``: inside one chip, no limit of its own and hence no figure. ``cased``: it passes boxes that are none of
    its ends, or arcs. ``hedged``: its figure is assumed, and others are not. ``covers`` names the links folded into it,
    ``passes`` the components.
    """

    a: str
    b: str
    kind: str
    medium: Medium
    points: tuple[Point, ...]
    curve: bool = False
    line: Bandwidth | None = None
    figure: str = ""
    unit: str = ""
    details: tuple[str, ...] = ()
    width_class: int = 0
    label: Label | None = None
    state: State = State.UNKNOWN
    grade: Grade = Grade.OBSERVED
    hops: int = 0
    on_chip: bool = False
    cased: bool = False
    covers: frozenset[Pair] = frozenset()
    passes: frozenset[str] = frozenset()
    hedged: bool = False

    @property
    def id(self) -> str:
        """The name of the edge in a picture: ``a--b``."""
        return f"{self.a}--{self.b}"


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One sample of ink with its meaning: ``sample`` is a medium's value or one of the words of the painters."""

    sample: str
    rect: Rect
    text: Text


@dataclass(frozen=True, slots=True)
class Diagram:
    """All that a painter needs. ``frame`` is the outline of the host, ``pairs`` are those of what belongs together."""

    title: str
    subtitle: str
    width: float
    height: float
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    headings: tuple[Text, ...] = ()
    frame: Rect | None = None
    legend: tuple[LegendEntry, ...] = ()
    notes: tuple[str, ...] = ()
    note_texts: tuple[Text, ...] = ()
    pairs: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True)
class Marking:
    """What to point out: links of the chosen path and of its bottleneck as pairs of component ids, and a sentence.

    A pair need not be a link: two components that the picture joins over other boxes mark the way between them.
    """

    highlight: Sequence[tuple[str, str]] = field(default_factory=tuple)
    bottleneck: Sequence[tuple[str, str]] = field(default_factory=tuple)
    caption: str = ""
