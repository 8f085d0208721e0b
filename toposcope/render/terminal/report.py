"""The screen of ``inspect`` and ``analyze``: the machine, who belongs to whom, the matrix, the paths, faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from toposcope.model import Kind
from toposcope.render.box_drawing import draw
from toposcope.render.diagram import layout
from toposcope.render.terminal.findings import finding_lines, problem_lines
from toposcope.render.terminal.machine import belongings, machine_lines, nics
from toposcope.render.terminal.matrix import matrix_tables
from toposcope.render.terminal.paths import sentences
from toposcope.render.terminal.tree import tree_lines

_SCREEN = 48
"""How many lines a drawing may have to be part of the report."""

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from toposcope.analysis import Analysis
    from toposcope.render.documents import TextOf


def report(
    analysis: Analysis, text_of: TextOf, *, width: int, ascii_only: bool = False, verbose: bool = False
) -> Iterator[RenderableType]:
    """Yield the parts of the screen, top to bottom."""
    topology = analysis.topology
    yield from machine_lines(topology)
    if any(topology.components(Kind.ACCELERATOR)):
        yield belongings(analysis, ascii_only=ascii_only)
        yield from _drawing(analysis, width=width, ascii_only=ascii_only)
        yield _title("GB/s in one direction, line rate of the default route")
        yield from matrix_tables(analysis, width=width, ascii_only=ascii_only)
        held = [each for each in sentences(analysis) if each]
        if held:
            yield _title("What holds each path back, slowest first")
        yield from held
    else:
        if any(topology.components(Kind.NIC)):
            yield nics(topology, ascii_only=ascii_only)
        yield from tree_lines(topology, ascii_only=ascii_only)
    findings = list(finding_lines(analysis.findings, text_of))
    if findings:
        yield _title("Findings")
        yield from findings
    yield from problem_lines(topology.problems, verbose=verbose)


def _drawing(analysis: Analysis, *, width: int, ascii_only: bool) -> Iterator[Text]:
    """Draw the machine where it is small enough for a screen."""
    lines = draw(layout(analysis.topology), width=width, ascii_only=ascii_only)
    if len(lines) <= _SCREEN:
        yield from (Text(line, no_wrap=True) for line in ("", *lines))
    else:
        yield Text("`toposcope show` draws the machine", style="dim")


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")
