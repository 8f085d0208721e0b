"""The wiring diagram as SVG inside the page: the same layout as the pictures, its colours left to the style sheet.

Boxes carry the number of their place in the diagram (``data-box``), wires theirs (``data-wire``), both also the ids
of the pictures (``GPU0``, ``GPU0--SW0``) as ``data-id``. What is an end of routes is a button.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import Grade, State
from toposcope.render.diagram.flow import NOT_KNOWN
from toposcope.render.diagram.parts import Rect
from toposcope.render.diagram.sketch import NO_STACK, Role
from toposcope.render.html.markup import element
from toposcope.render.palette import FILLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toposcope.render.diagram import Box, Diagram, Edge
    from toposcope.render.diagram.parts import Point, Text
    from toposcope.render.html.markup import Markup

_STACK = 2.5
_MARGIN = 10.0
_ROUND = 4.0
_FRAME_ROUND = 9.0
_DASHED = {State.DEGRADED: "degraded", State.DOWN: "down"}
_FADED = {Grade.ASSUMED: "assumed", Grade.DERIVED: "derived"}


def area(diagram: Diagram) -> Rect:
    """Return what of the diagram is drawn here: the machine, without heading and legend, which the page writes."""
    rects = [box.rect for box in diagram.boxes] + [edge.label.rect for edge in diagram.edges if edge.label]
    rects += [diagram.frame] if diagram.frame is not None else []
    rects += [Rect(x, y, 0, 0) for edge in diagram.edges for x, y in edge.points]
    left, top = (min((getattr(rect, side) for rect in rects), default=0.0) - _MARGIN for side in ("x", "y"))
    right, bottom = (
        max((getattr(rect, side) for rect in rects), default=0.0) + _MARGIN for side in ("right", "bottom")
    )
    return Rect(left, top, right - left, bottom - top)


def draw(
    diagram: Diagram,
    *,
    label: str,
    box_names: Sequence[str],
    wire_names: Sequence[str],
    ends: Mapping[str, Sequence[int]],
) -> Markup:
    """Write the drawing. ``box_names`` and ``wire_names`` are what a screen reader says, ``ends`` by id of a box."""
    rect = area(diagram)
    wires = sorted(enumerate(diagram.edges), key=lambda item: item[1].cased)
    layers = (
        *([_rounded(diagram.frame, _FRAME_ROUND, "frame")] if diagram.frame is not None else []),
        *(
            _box(box, place, name, ends.get(box.id, ()))
            for place, (box, name) in enumerate(zip(diagram.boxes, box_names, strict=True))
        ),
        *(_wire(edge, place, wire_names[place]) for place, edge in wires),
        element("g", *_writing(diagram), class_="writing", aria_hidden="true"),
    )
    return element(
        "svg",
        *layers,
        class_="machine",
        viewBox=f"{rect.x:.6g} {rect.y:.6g} {rect.width:.6g} {rect.height:.6g}",
        role="group",
        aria_label=label,
        data_width=round(rect.width),
    )


def _box(box: Box, place: int, name: str, ends: Sequence[int]) -> Markup:
    assumed = "assumed" if box.grade is Grade.ASSUMED else ""
    stacked = (2, 1) if box.count != 1 and box.role not in NO_STACK else ()
    behind = (
        Rect(box.rect.x + _STACK * step, box.rect.y - _STACK * step, box.rect.width, box.rect.height)
        for step in stacked
    )
    shapes = [*(_rounded(rect, _ROUND) for rect in behind), _rounded(box.rect, _ROUND, "front")]
    return element(
        "g",
        *shapes,
        class_=_classes("box", f"f-{FILLS[box.role]}", assumed, "unseen" if box.role is Role.UNSEEN else ""),
        data_box=place,
        data_id=box.id,
        data_ends=" ".join(map(str, ends)) or None,
        role="button" if ends else "img",
        aria_pressed="false" if ends else None,
        aria_label=name,
        tabindex=0 if ends else -1,
    )


def _wire(edge: Edge, place: int, name: str) -> Markup:
    path = _curve(edge.points) if edge.curve else _line(edge.points)
    rim = [element("path", d=path, class_="rim")] if edge.cased or edge.curve else []
    ink = "chip" if edge.on_chip else "unknown" if edge.figure in NOT_KNOWN else edge.medium.value
    return element(
        "g",
        *rim,
        element("path", d=path, class_="line"),
        element("path", d=path, class_="hit"),
        class_=_classes(
            "wire", f"m-{ink}", f"w{edge.width_class}", _FADED.get(edge.grade, ""), _DASHED.get(edge.state, "")
        ),
        data_wire=place,
        data_id=edge.id,
        data_medium=edge.medium.value,
        role="img",
        aria_label=name,
        tabindex=-1,
    )


def _writing(diagram: Diagram) -> Iterator[Markup]:
    for place, box in enumerate(diagram.boxes):
        lines = [_text(text, "" if index == 0 else "faint") for index, text in enumerate(box.texts)]
        yield element("g", *lines, class_="name", data_box=place)
    for place, edge in enumerate(diagram.edges):
        if edge.label is not None:
            yield element(
                "g",
                _rounded(edge.label.rect, 3, "ground"),
                *_label_lines(edge, edge.label.texts),
                class_=_classes("figure", "open" if edge.figure == "?" else ""),
                data_wire=place,
                data_medium=edge.medium.value,
            )


def _label_lines(edge: Edge, texts: Sequence[Text]) -> Iterator[Markup]:
    for index, text in enumerate(texts):
        whole = "" if index == 0 else "faint"
        yield _text(text, f"{whole} sum" if index == 0 and edge.unit else whole)
        if index == 0 and edge.unit:
            yield _text(text, "unit", edge.unit)


def _text(text: Text, class_: str, other: str | None = None) -> Markup:
    return element(
        "text",
        text.text if other is None else other,
        x=text.x,
        y=text.y,
        font_size=text.size,
        class_=_classes(class_, "bold" if text.bold else "", "middle" if text.anchor == "middle" else "") or None,
    )


def _rounded(rect: Rect, radius: float, class_: str | None = None) -> Markup:
    return element("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, rx=radius, class_=class_)


def _line(points: Sequence[Point]) -> str:
    return "M" + "L".join(_at(point) for point in points)


def _curve(points: Sequence[Point]) -> str:
    start, near, *bend, end = points
    return f"M{_at(start)}L{_at(near)}C{' '.join(_at(point) for point in bend)}L{_at(end)}"


def _at(point: Point) -> str:
    return f"{point[0]:.6g},{point[1]:.6g}"


def _classes(*names: str) -> str:
    return " ".join(name for name in names if name)


def swatch(class_: str) -> Markup:
    """Write a sample of ink for the legend."""
    return element(
        "svg",
        element("path", d="M1,5L23,5", class_="line"),
        class_=_classes("swatch", class_),
        viewBox="0 0 24 10",
        aria_hidden="true",
    )
