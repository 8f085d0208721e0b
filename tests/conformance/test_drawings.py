"""Every recording of the corpus that can be assembled can be drawn, as a picture and in a terminal."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.render.geometry import faults, times_drawn
from tests.shared import cases, needs_shared
from toposcope import app
from toposcope.base import InputError
from toposcope.render.box_drawing import draw
from toposcope.render.box_drawing.grid import cells
from toposcope.render.diagram import layout

if TYPE_CHECKING:
    from pathlib import Path

RECORDINGS = [case for folder in ("nvidia", "ascend", "pci", "rocm", "vendors") for case in cases(folder)]


@cache
def known() -> app.Knowledge:
    return app.knowledge()


@needs_shared
@pytest.mark.parametrize("case", RECORDINGS, ids=lambda case: case.name)
def test_a_recording_is_drawn_without_a_fault(case: Path) -> None:
    try:
        loaded = app.load([str(case)], known())
    except InputError:
        pytest.skip("nothing that could be assembled")
    for host in loaded:
        diagram = layout(host.topology)

        assert faults(diagram) == []
        assert max(times_drawn(host.topology, diagram).values(), default=0) <= 1
        for width in (80, 120):
            assert max(map(cells, draw(diagram, width=width, ascii_only=width == 80))) <= width
