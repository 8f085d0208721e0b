"""A route: one way for data between two components under one transport, with its segments and its limit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from toposcope.analysis.limit import Limit, limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis.segment import Segment


class Transport(StrEnum):
    """How data is moved on a route."""

    NVLINK = "nvlink"
    C2C = "c2c"
    HCCS = "hccs"
    SIO = "sio"
    UB = "ub"
    XGMI = "xgmi"
    PCIE_P2P = "pcie-p2p"
    HOST_STAGED = "host-staged"
    HOST_COPY = "host-copy"
    NIC_LOOPBACK = "nic-loopback"
    GPUDIRECT_RDMA = "gpudirect-rdma"
    NPU_ROCE = "npu-roce"
    PXN = "pxn"
    HOST_BOUNCED = "host-bounced"


@dataclass(frozen=True, slots=True)
class Route:
    """One way from ``source`` to ``target``.

    ``permitted`` and ``why`` say whether the machine allows it and what decides that, or why it is or is not the
    default. ``via`` is the accelerator that relays, ``nics`` those that carry it, ``port`` the port of a route that
    uses one. ``limit`` follows from the segments.
    """

    transport: Transport
    source: str
    target: str
    segments: tuple[Segment, ...]
    limit: Limit
    permitted: bool = True
    default: bool = False
    why: str = ""
    via: str | None = None
    nics: tuple[str, ...] | None = None
    port: str | None = None


def make_route(
    transport: Transport,
    ends: tuple[str, str],
    segments: Sequence[Segment],
    *,
    permitted: bool = True,
    why: str = "",
    via: str | None = None,
    nics: tuple[str, ...] | None = None,
    port: str | None = None,
) -> Route:
    """Make a route of its segments and find its limit."""
    return Route(
        transport, *ends, tuple(segments), limit(segments), permitted=permitted, why=why, via=via, nics=nics, port=port
    )
