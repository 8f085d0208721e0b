"""bar-small: memory that peers cannot see whole, and peer-to-peer that the kernel refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.rules.harm import direct_peers
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import address_of, listed, number_of, origins, recorded_accelerators
from toposcope.model import Grade, Reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Topology

NAME = "bar-small"
_SIZES = ("bar1.total_bytes", "bar.resizable_bytes", "bar.largest_bytes")
_BY_BAR = ("RCCL",)
"""Whose accelerators reach their peers' memory through the window; NVIDIA's have a mailbox for it."""

_WINDOW = 256 * 2**20
"""The aperture of a card without Resizable BAR; a data sheet of any accelerator has far more memory."""


def check(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for accelerators with a small window that peers or NICs reach into, and for refusals."""
    names = [each.id for each in recorded_accelerators(topology)]
    sizes = {name: max((number_of(topology, name, fact) or 0 for fact in _SIZES), default=0) for name in names}
    small = [name for name, size in sizes.items() if 0 < size <= _WINDOW and _knows_memory(topology, name, size)]
    if small and (harms := _harms(topology, names, small)):
        facts = [topology.fact(name, fact) for name in small for fact in _SIZES]
        yield Finding(
            NAME,
            Severity.WARNING,
            f"peers see only {sizes[small[0]] / 2**20:.0f} MiB of the memory of {listed(small)}: GPUDirect RDMA, "
            "and peer-to-peer on AMD, need a window over all of it, or go through host memory",
            remedy=(
                f"sudo lspci -s {address_of(topology, small[0])} -vvv | grep -E 'Region|BAR'\n"
                "# BIOS: Above 4G Decoding and Resizable BAR on"
            ),
            components=tuple(small),
            harms=harms,
            evidence=origins(facts),
            grade=Grade.OBSERVED,
        )
    refusals = [fact for fact in topology.facts() if fact.name == "kernel.peer_dma_refused"]
    if refusals:
        ends = listed(f"{fact.component} and {fact.value}" for fact in refusals)
        yield Finding(
            NAME,
            Severity.WARNING,
            f"the kernel refuses peer-to-peer DMA between {ends}: no bridge above both, and a host bridge that it does "
            "not know to pass it on",
            remedy=(
                "sudo dmesg | grep 'peer-to-peer DMA'\nlspci -tv\n"
                "# place both below one switch, or use a kernel whose p2pdma list knows this host bridge"
            ),
            components=tuple(dict.fromkeys(fact.component for fact in refusals if fact.component in topology)),
            evidence=origins(refusals),
            grade=Grade.OBSERVED,
        )


def _knows_memory(topology: Topology, name: str, size: float) -> bool:
    """Tell an accelerator with more memory than its window; where the memory was not read, one with a window at all."""
    memory = number_of(topology, name, "memory_bytes")
    return memory > size if memory is not None else size == _WINDOW


def _harms(topology: Topology, names: list[str], small: list[str]) -> tuple[Harm, ...]:
    near = neighbours(topology)
    library = topology.figures.library
    peers = direct_peers(topology, names, near) if library is not None and library.name in _BY_BAR else ()
    routes = [route for route in peers if {route.source, route.target} & set(small)]
    nics = [
        Harm(name, own.own)
        for name, own in near.items()
        if name in small and own.own is not None and own.reach is not None and own.reach <= Reach.SWITCHES
    ]
    return (*(Harm(route.source, route.target, route.limit.line) for route in routes), *nics)


RULE = Rule(
    NAME,
    "Peers do not see an accelerator's memory, or may not",
    check,
    reasoning=(
        "Peer-to-peer and GPUDirect RDMA reach the memory through a PCI window (BAR). Without Resizable BAR it is "
        "256 MB; firmware without Above 4G Decoding cannot place a larger one. The kernel's own peer-to-peer code "
        "refuses pairs below host bridges that are not on its list."
    ),
    remedy="Above 4G Decoding and Resizable BAR in the BIOS; both devices below one switch; a newer kernel.",
    sources=("ROCm/ROCR-Runtime#355", "ROCm/ROCm#4793", "aikitoria/open-gpu-kernel-modules#6"),
)
