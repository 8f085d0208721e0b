"""Puts the page together: the template, the style and script of this package, and what was computed of the machine."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from toposcope.base.clean import printable
from toposcope.base.version import __version__
from toposcope.model import Medium
from toposcope.render.diagram import layout
from toposcope.render.diagram.flow import MEDIUM_TITLES, ON_CHIP
from toposcope.render.html.answers import answers
from toposcope.render.html.drawing import area, draw, swatch
from toposcope.render.html.ends import ends_of, ends_of_boxes
from toposcope.render.html.links import (
    links_table,
    rows_of,
    spoken,
    statements_of_box,
    statements_of_wire,
    tips,
)
from toposcope.render.html.markup import Markup, data, element, join, words
from toposcope.render.html.tables import finding_list, pair_matrix, problem_list
from toposcope.render.html.themes import theme_css
from toposcope.render.terminal.machine import machine_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.analysis import Analysis
    from toposcope.model import Topology
    from toposcope.render.diagram import Diagram
    from toposcope.render.html.ends import End
    from toposcope.render.html.proofs import TextOf

_HINT = (
    "Choose two components in the drawing, a pair in the matrix, or both ends in the lists: the page marks the routes."
)
_NO_START = "This machine shows no accelerator, hence no routes."
_KEYS = (
    ("Tab", "goes from component to component, then to the links"),
    ("Enter", "chooses: first one end, then the other"),
    ("Arrow keys", "go from link to link, through the matrix, and through the routes"),
    ("Escape", "closes a note, then clears the choice"),
)


def page(analysis: Analysis, text_of: TextOf, *, ends: tuple[str, str] | None = None) -> str:
    """Return the page as one HTML text. ``text_of`` gives the line of the recording that an origin speaks of.

    ``ends`` are the two components whose routes are marked when the page opens. The same analysis gives the same text.
    """
    topology, read = analysis.topology, cache(text_of)
    diagram = layout(topology)
    starts = ends_of(topology, ends)
    known = answers(analysis, diagram, read, ends)
    rows = rows_of(topology, read)
    boxes = [statements_of_box(box, topology, read) for box in diagram.boxes]
    wires = [statements_of_wire(edge, rows) for edge in diagram.edges]
    style = f"{theme_css()}{_width(diagram)}{_resource('page.css')}"
    script = _resource("page.js")
    drawing = draw(
        diagram,
        label=f"Wiring diagram of {diagram.title}",
        box_names=[spoken(said, box.id) for box, said in zip(diagram.boxes, boxes, strict=True)],
        wire_names=[
            spoken(said, f"{edge.a} - {edge.b}, inside a chip") for edge, said in zip(diagram.edges, wires, strict=True)
        ],
        ends=ends_of_boxes(diagram, topology, starts),
    )
    parts = {
        "title": words(f"{topology.host or topology.profile or 'machine'} - toposcope"),
        "policy": words(_policy(style, script)),
        "style": Markup(style),
        "script": Markup(script),
        "data": data(known | {"tips": tips(diagram, boxes, wires)}),
        "name": words(topology.host or topology.profile or "Machine without a name"),
        "machine": join(element("p", line) for line in _machine(topology)),
        "counts": join(_counts(analysis)),
        "choice": _choice(starts),
        "hint": words(_HINT if starts else _NO_START),
        "media": join(_media(diagram)),
        "legend": join(_legend(diagram)),
        "drawing": drawing,
        "notes": join(element("p", note) for note in diagram.notes),
        "keys": join(element("li", element("kbd", key), f" {meaning}") for key, meaning in _KEYS),
        "matrix": pair_matrix(analysis, starts),
        "findings": join(finding_list(analysis.findings, read, starts)) or element("p", "Nothing was found."),
        "problems": join(problem_list(topology.problems))
        or element("li", "Every line that was meant to be read was read."),
        "links": links_table(list(rows.values())),
        "foot": words(_foot(topology)),
    }
    return Template(_resource("page.html")).substitute(parts)


@cache
def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Forbid all but this page's own script and style: nothing is loaded, nothing is sent."""
    allowed = (f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (script, style))
    script_hash, style_hash = allowed
    return f"default-src 'none'; script-src {script_hash}; style-src {style_hash}; base-uri 'none'; form-action 'none'"


def _width(diagram: Diagram) -> str:
    """Say how wide the drawing is at its own size, and its shape, for the style sheet."""
    rect = area(diagram)
    return f":root{{--drawing:{round(rect.width)}px;--aspect:{rect.width / max(rect.height, 1):.3f}}}"


def _machine(topology: Topology) -> Iterator[str]:
    first, *rest = (line.plain for line in machine_lines(topology))
    yield first.partition(": ")[2] or first
    yield from rest
    library = topology.figures.library
    if library is not None:
        yield f"Default routes are those of {library.title}."


def _counts(analysis: Analysis) -> Iterator[Markup]:
    findings, problems = len(analysis.findings), len(analysis.topology.problems)
    for count, one, many, place in (
        (findings, "finding", "findings", "ts-findings"),
        (problems, "problem while reading", "problems while reading", "ts-problems"),
    ):
        yield element(
            "a", f"{count} {one if count == 1 else many}", href=f"#{place}", class_="count" if count else "count none"
        )


def _choice(ends: Sequence[End]) -> Markup:
    if not ends:
        return Markup("")
    lists = (
        element(
            "label",
            f"{title} ",
            element("select", element("option", "none", value=""), *options, class_=f"ts-{title.lower()}"),
        )
        for title, options in (
            ("From", [element("option", end.title, value=place) for place, end in enumerate(ends) if end.is_start]),
            ("To", [element("option", end.title, value=place) for place, end in enumerate(ends)]),
        )
    )
    buttons = (
        element("button", text, type="button", class_=f"ts-{name}")
        for name, text in (("swap", "Swap"), ("clear", "Clear"))
    )
    return join([*lists, *buttons])


def _media(diagram: Diagram) -> Iterator[Markup]:
    """Write a box to tick for each medium of the drawing, with a sample of its ink: legend and filter in one."""
    for medium in dict.fromkeys(edge.medium for edge in diagram.edges if edge.medium not in ON_CHIP):
        tick = element("input", type="checkbox", checked=True, data_show=medium.value)
        yield element("label", tick, swatch(f"m-{medium.value} w3"), MEDIUM_TITLES[Medium(medium)])


def _legend(diagram: Diagram) -> Iterator[Markup]:
    samples = {
        "on-chip": "m-chip w0",
        "degraded": "m-pcie w2 degraded",
        "unknown": "m-unknown w1",
        "assumed": "m-pcie w2 assumed",
    }
    for entry in diagram.legend:
        if entry.sample in samples:
            yield element("span", swatch(samples[entry.sample]), entry.text.text)


def _foot(topology: Topology) -> str:
    host = f" Host {printable(topology.host)}." if topology.host else ""
    return f"toposcope {__version__}.{host} Figures are GB/s (10^9 bytes a second) in one direction."
