"""Windows into an accelerator's memory, and peer-to-peer that the kernel refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.analysis.rules.boards import LIBRARY, note, switched, two_sockets
from toposcope.analysis.rules import apertures

if TYPE_CHECKING:
    from toposcope.model import Topology

MIB = 2**20


def with_bars(size: int, topology: Topology | None = None) -> Topology:
    topology = topology or switched()
    for name in ("GPU0", "GPU1"):
        note(topology, name, "bar.largest_bytes", size)
    return topology


def breaks_bar_small() -> Topology:
    return with_bars(256 * MIB)


def keeps_bar_small() -> Topology:
    return with_bars(131072 * MIB)


def cannot_tell_bar_small() -> Topology:
    return switched()


@pytest.mark.parametrize(("library", "peers"), [("NCCL", set()), ("RCCL", {("GPU0", "GPU1")})])
def test_a_small_window_harms_the_near_nic_and_peers_that_use_it(library: str, peers: set[tuple[str, str]]) -> None:
    topology = breaks_bar_small()
    topology.figures = replace(topology.figures, library=replace(LIBRARY, name=library))
    (finding,) = apertures.check(topology)

    assert {(harm.source, harm.target) for harm in finding.harms} == {("GPU0", "NIC0"), ("GPU1", "NIC0")} | peers
    assert "256 MiB" in finding.message
    assert "Resizable BAR" in finding.remedy


def test_the_largest_answer_counts() -> None:
    topology = breaks_bar_small()
    for name in ("GPU0", "GPU1"):
        note(topology, name, "bar1.total_bytes", 65536 * MIB)

    assert list(apertures.check(topology)) == []


def test_where_nobody_reaches_in_a_small_window_is_enough() -> None:
    assert list(apertures.check(with_bars(256 * MIB, two_sockets()))) == []


@pytest.mark.parametrize(("memory", "found"), [(128 * MIB, False), (8192 * MIB, True)])
def test_the_window_is_set_against_the_memory(memory: int, *, found: bool) -> None:
    topology = breaks_bar_small()
    for name in ("GPU0", "GPU1"):
        note(topology, name, "memory_bytes", memory)

    assert bool(list(apertures.check(topology))) is found


def test_the_kernels_refusal_names_both_ends() -> None:
    topology = keeps_bar_small()
    note(topology, "NIC0", "kernel.peer_dma_refused", "0000:10:0a.0")
    (finding,) = apertures.check(topology)

    assert "NIC0 and 0000:10:0a.0" in finding.message
    assert finding.components == ("NIC0",)
