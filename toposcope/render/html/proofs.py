"""Which lines of the recording prove a link: those with its speed and width where a tool printed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.rules.ways import lines_of
from toposcope.base.clean import printable
from toposcope.model import Medium

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposcope.analysis import Segment
    from toposcope.base import Origin
    from toposcope.model import Link, Topology

    TextOf = Callable[[Origin], str | None]

Proof = tuple[str, str | None]
"""Where something was read, and the line that stands there (None: a reference machine, or a whole file)."""

SHOWN_TEXT = 300
"""Characters of a line of the recording that are shown: one line can be megabytes."""


def proofs_of(link: Link, topology: Topology) -> tuple[Origin, ...]:
    """Return where a link was read: the lines with its state and its capability, else where the link came from."""
    return lines_of(topology, link) if link.medium is Medium.PCIE else (link.origin,)


def proof_of(segment: Segment, topology: Topology) -> Origin:
    """Return where a segment was read: the line of the link that it is made of, where it is made of one."""
    link = topology.link(*segment.links[0]) if segment.links else None
    known = link is not None and link.origin == segment.origin and not segment.is_crossing
    return proofs_of(link, topology)[0] if known and link is not None else segment.origin


def quoted(origin: Origin, text_of: TextOf) -> Proof:
    """Return where something was read, and the line that stands there."""
    text = text_of(origin) if origin.line else None
    return printable(str(origin)), None if text is None else shortened(text)


def shortened(text: str) -> str:
    """Return a line of the recording, made harmless and cut where it is too long to show."""
    line = printable(text[: 2 * SHOWN_TEXT]).strip()
    return line if len(line) <= SHOWN_TEXT else f"{line[:SHOWN_TEXT]}…"
