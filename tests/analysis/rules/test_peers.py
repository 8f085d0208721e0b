"""Pairs that may not copy to each other over PCIe."""

from __future__ import annotations

import pytest

from tests.analysis.rules.boards import fabric, note, switched, two_sockets
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import peers
from toposcope.model import Topology


def refused_by_model(topology: Topology) -> Topology:
    for name in [each.id for each in topology.components() if each.id.startswith("GPU")]:
        note(topology, name, "peer_over_pcie", value=False)
    return topology


def breaks_peer_refused() -> Topology:
    return refused_by_model(switched())


def keeps_peer_refused() -> Topology:
    topology = switched()
    note(topology, "GPU0|GPU1", "p2p.read", "OK")
    return topology


def cannot_tell_peer_refused() -> Topology:
    return switched()


def test_a_model_without_peer_to_peer_is_a_limit_and_no_fault() -> None:
    (finding,) = peers.check(breaks_peer_refused())

    assert finding.severity is Severity.INFO
    assert "pairs below one switch (GPU0-GPU1) pass its uplink twice" in finding.message
    (harm,) = finding.harms
    assert harm.before is not None
    assert harm.after is not None
    assert harm.after < harm.before


@pytest.mark.parametrize("word", ["CNS", "TNS", "DR"])
def test_a_word_against_what_the_model_can_is_a_warning(word: str) -> None:
    topology = switched()
    note(topology, "GPU1|GPU0", "p2p.read", word)
    for name in ("GPU0", "GPU1"):
        note(topology, name, "peer_over_pcie", value=True)
    (finding,) = peers.check(topology)

    assert finding.severity is Severity.WARNING
    assert word in finding.message
    fact = topology.fact("GPU1|GPU0", "p2p.read")
    assert fact is not None
    assert fact.origin in finding.evidence


def test_a_word_for_a_model_of_which_nothing_is_known_is_information() -> None:
    topology = switched()
    note(topology, "GPU0|GPU1", "p2p.read", "GNS")
    (finding,) = peers.check(topology)

    assert finding.severity is Severity.INFO


def test_pairs_of_one_cause_are_one_finding() -> None:
    (finding,) = peers.check(refused_by_model(two_sockets()))

    assert len(finding.harms) == 6
    assert "twice" not in finding.message


def test_a_fabric_makes_it_unimportant() -> None:
    assert list(peers.check(refused_by_model(fabric()))) == []


def test_the_words_alone_are_told_too() -> None:
    topology = Topology()
    note(topology, "GPU0|GPU1", "p2p.read", "CNS")
    note(topology, "GPU1|GPU0", "p2p.read", "CNS")
    (finding,) = peers.check(topology)

    assert finding.severity is Severity.INFO
    assert "the chipset is not supported" in finding.message
    assert len(finding.evidence) == 2


def test_granted_words_alone_say_nothing() -> None:
    topology = Topology()
    note(topology, "GPU0|GPU1", "p2p.read", "OK")

    assert list(peers.check(topology)) == []
