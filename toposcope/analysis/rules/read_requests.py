"""read-request-small: a fast NIC may ask for little at a time when it reads an accelerator's memory.

Sending is reading for a NIC. With requests of 512 bytes, or with few of them outstanding, it waits for answers; what
that costs depends on the platform, so it is information. Only NICs of 200 Gb/s and more that accelerators have beside
them count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import rate_of
from toposcope.analysis.rules.network_ports import used_nics
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import address_of, listed, number_of, origins
from toposcope.analysis.rules.traffic import shown_name
from toposcope.base import Bandwidth
from toposcope.model import Grade, Medium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Fact, Topology

NAME = "read-request-small"
_FAST = Bandwidth.gigabits(200)
_SIZE, _COUNT = "read_request.max", "mlxconfig.MAX_ACC_OUT_READ"
_ENOUGH = 1024
"""Bytes of one read request from which on nobody reports a loss."""

_MANY = 64
"""Reads under way at once; 0 leaves it to the firmware."""


def check(topology: Topology) -> Iterator[Finding]:
    """Look at the fast NICs beside accelerators."""
    used = {name: whose for name, whose in used_nics(topology).items() if _is_fast(topology, name)}
    small = [fact for name in used if (fact := topology.fact(name, _SIZE)) and _is_less(topology, fact, _ENOUGH)]
    few = [fact for name in used if (fact := topology.fact(name, _COUNT)) and _is_less(topology, fact, _MANY)]
    if not small and not few:
        return
    names = list(dict.fromkeys(fact.component for fact in (*small, *few)))
    told = [f"{shown_name(topology, fact.component)} {_said(fact)}" for fact in (*small, *few)]
    yield Finding(
        NAME,
        Severity.INFO,
        f"NICs that read little at a time: {listed(told)}",
        remedy="\n".join([*_sizes(topology, small), *_counts(topology, few)]),
        components=tuple(names),
        harms=tuple(Harm(whose, "remote") for name in names for whose in used[name]),
        evidence=origins([*small, *few]),
        grade=Grade.OBSERVED,
    )


def _is_fast(topology: Topology, name: str) -> bool:
    rate = rate_of(topology, name)
    if rate is not None:
        return rate >= _FAST
    links = (link for link in topology.links_of(name) if link.medium is Medium.PCIE and link.source == name)
    return any(link.line is not None and link.line >= _FAST for link in links)


def _is_less(topology: Topology, fact: Fact, enough: int) -> bool:
    number = number_of(topology, fact.component, fact.name)
    return number is not None and 0 < number < enough


def _said(fact: Fact) -> str:
    return f"MaxReadReq {fact.value}" if fact.name == _SIZE else f"MAX_ACC_OUT_READ {fact.value}"


def _sizes(topology: Topology, small: list[Fact]) -> Iterator[str]:
    for fact in small:
        address = address_of(topology, fact.component)
        yield f"sudo setpci -s {address} CAP_EXP+8.w=5000:7000  # 4096 bytes; until the next boot"


def _counts(topology: Topology, few: list[Fact]) -> Iterator[str]:
    for fact in few:
        address = address_of(topology, fact.component)
        yield f"sudo mlxconfig -d {address} set MAX_ACC_OUT_READ=128  # then restart the server"


RULE = Rule(
    NAME,
    "A fast NIC reads little at a time",
    check,
    reasoning=(
        "A NIC that sends reads the accelerator's memory by requests of at most MaxReadReq bytes, so many at once. "
        "With few and small ones it waits: a cap of 21 GB/s a NIC has been seen, and vendors advise 4096 bytes."
    ),
    remedy="setpci -s ADDRESS CAP_EXP+8.w=5000:7000 for 4096 bytes; mlxconfig -d ADDRESS set MAX_ACC_OUT_READ=128.",
    sources=(
        "meta-pytorch/torchcomms#2637",
        "bytedance/InfiniStore#160",
        "Mellanox/nic-configuration-operator README",
        "ROCm/gpu-cluster-networking#48",
    ),
)
