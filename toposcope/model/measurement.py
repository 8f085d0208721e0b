"""One figure of a benchmark, with the components that it was measured between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposcope.base import Bandwidth, Origin


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a benchmark printed, in its own convention: a test of both directions at once counts both.

    ``source`` and ``target`` are components, ``host``, ``host:1`` (NUMA node 1) or ``remote``; both are None for a
    collective, which ``collective`` names (None where the output does not tell) and ``members`` are the accelerators
    of. ``metric`` is ``memcpy``, ``rdma``, ``sendrecv``, ``busbw`` or ``algbw``; ``algorithm`` stands beside a bus
    bandwidth. ``nic`` carries an RDMA test. ``words`` are the manner of copying, as efficiency classes name it.
    ``flows``: how many copies ran together, where more than one. ``peer_access`` is None where the test does not say.
    """

    tool: str
    metric: str
    value: Bandwidth
    origin: Origin
    source: str | None = None
    target: str | None = None
    test: str | None = None
    collective: str | None = None
    words: tuple[str, ...] = ()
    size: int | None = None
    flows: int | None = None
    peer_access: bool | None = None
    members: tuple[str, ...] = ()
    ranks: int | None = None
    hosts: int | None = None
    nic: str | None = None
    algorithm: Bandwidth | None = None
