"""The answer to ``contend``: flows with their shares, the links they load, the bus bandwidth of a collective.

All bandwidths are of one direction; None is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.analysis.route import Transport
    from toposcope.analysis.segment import Segment
    from toposcope.base import Bandwidth
    from toposcope.model import Usable


@dataclass(frozen=True, slots=True)
class Flow:
    """Data on its way from ``source`` to ``target``, over these segments."""

    source: str
    target: str
    transport: Transport
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class SharedLink:
    """One direction of a link, of a bundle, or of a crossing, with the flows on it (indices).

    ``load`` is what the flows carry at line rate, ``demand`` what they would if each were alone. ``segment`` is how the
    first of them sees it, for its name. ``own``: what binds its one flow alone, no matter what others do.
    """

    source: str
    target: str
    segment: Segment
    line: Bandwidth | None
    usable: Usable | None
    flows: tuple[int, ...]
    load: Bandwidth | None = None
    demand: Bandwidth | None = None
    own: bool = False

    @property
    def oversubscription(self) -> float | None:
        """How many times more the flows could bring, each alone, than the link carries; None where unknown."""
        return self.demand / self.line if self.demand is not None and self.line is not None else None


@dataclass(frozen=True, slots=True)
class Share:
    """What one flow gets beside the others.

    ``held_by`` is the link that holds it at line rate, ``held_in_use`` the one that holds it in practice (indices).
    ``alone`` and ``usable_alone`` are what it would get without the others.
    """

    flow: Flow
    line: Bandwidth | None
    usable: Usable | None
    held_by: int | None
    held_in_use: int | None
    alone: Bandwidth | None
    usable_alone: Bandwidth | None

    @property
    def at_most(self) -> bool:
        """Tell whether a link of unknown speed stands on the way."""
        return any(segment.line is None and not segment.is_crossing for segment in self.flow.segments)


@dataclass(frozen=True, slots=True)
class BusBandwidth:
    """Bus bandwidth of a collective as nccl-tests defines it, so that it compares with the speed of the links."""

    line: Bandwidth | None
    usable: Usable | None
    efficiency: str | None = None


@dataclass(frozen=True, slots=True)
class Contention:
    """All flows of a pattern at once. ``links`` are the fullest first."""

    pattern: str
    among: tuple[str, ...]
    shares: tuple[Share, ...]
    links: tuple[SharedLink, ...]
    bus: BusBandwidth | None = None
    rings: tuple[tuple[str, ...], ...] = field(default=())

    @property
    def slowest(self) -> SharedLink | None:
        """Return the link that holds the slowest flow, None where no figure is known."""
        known = [(share.line, share.held_by) for share in self.shares if share.line is not None]
        _, at = min(known, key=lambda each: each[0], default=(None, None))
        return None if at is None else self.links[at]
