"""An edge of the graph: one connection, or several parallel ones, with its limits in each direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.model.vocabulary import State

if TYPE_CHECKING:
    from toposcope.base import Bandwidth, Origin
    from toposcope.model.vocabulary import Grade, Medium


@dataclass(frozen=True, slots=True)
class Usable:
    """What good copies achieve, one direction: the range and the typical value."""

    low: Bandwidth
    typical: Bandwidth
    high: Bandwidth


@dataclass(frozen=True, slots=True)
class Link:
    """``count`` parallel links of one medium between two components. All bandwidths are of the bundle, one direction.

    Structural links lead upwards: ``source`` is the device, ``target`` the bridge, root complex, NUMA node or socket
    above it. ``line`` is the figure after line coding, None where it is not known. ``internal`` marks the inside of one
    chip (from a switch's upstream port to its downstream ports, from a root complex to its root ports): no limit of
    its own.
    """

    source: str
    target: str
    medium: Medium
    origin: Origin
    grade: Grade
    count: int | None = 1
    generation: int | None = None
    width: int | None = None
    max_generation: int | None = None
    max_width: int | None = None
    line: Bandwidth | None = None
    usable: Usable | None = None
    state: State = State.UNKNOWN
    internal: bool = False
    name: str | None = None

    def other(self, end: str) -> str:
        """Return the end that is not this one."""
        return self.target if self.source == end else self.source
