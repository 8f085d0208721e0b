"""How big one host may be. Beyond it no machine goes, and the answers would grow with the square of a made-up number.

The biggest hosts known have 72 accelerators and 36 NICs; with every device cut into slices and virtual functions, some
hundreds. What lies beyond a limit is kept as a plain PCI device, and a problem says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.assembly.identity import Identity

MAX_ACCELERATORS = 128
"""Accelerators of one host, slices counted: each pair of them is answered."""
MAX_NICS = 512
"""NICs of one host; virtual functions are left out first."""
MAX_NUMA_NODES = 128
"""NUMA nodes of one host, those of memory alone counted: each pair of them is joined."""

MAX_DEPTH = 64
"""Bridges above one another: a chain takes a bus number for each, and no board has a tenth of it."""


def beyond(left_out: Sequence[Identity]) -> Iterator[Problem]:
    """Yield a problem for the accelerators, and one for the NICs, that no answer is given for."""
    for kind, most in ((Kind.ACCELERATOR, MAX_ACCELERATORS), (Kind.NIC, MAX_NICS)):
        those = [each for each in left_out if each.kind is kind]
        if those:
            message = f"more than {most} of a kind: {those[0].id} and {len(those) - 1} more are left out"
            yield Problem(ProblemKind.UNREAD, those[0].origin, f"{message}; is this one host?")
