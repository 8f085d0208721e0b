"""How a topology is asked: with the figures that are given, in the manner of copying of the record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.analysis.expected import Expected, in_manner

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.model import Figures, Topology


def answer(
    topology: Topology, words: tuple[str, ...], ask: Callable[[Topology], Expected | None]
) -> Callable[[Figures], Expected | None]:
    def answer(figures: Figures) -> Expected | None:
        topology.figures = replace(figures, platform=topology.figures.platform, library=topology.figures.library)
        return ask(in_manner(topology, words))

    return answer
