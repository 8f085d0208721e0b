"""hccs-partial: groups by design, and NPUs or pairs that lost their link."""

from __future__ import annotations

from itertools import combinations

from tests.analysis.rules.boards import mesh
from tests.analysis.rules.rails import tell
from tests.machines import ORIGIN
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import hccs_pairs
from toposcope.model import Component, Kind, Reach, Topology


def words(
    apart: set[tuple[int, int]], count: int = 8, other: tuple[str, Reach | None] = ("SYS", Reach.SOCKET)
) -> Topology:
    topology = mesh(count)
    for a, b in combinations(range(count), 2):
        word, reach = other if (a, b) in apart else ("HCCS", None)
        tell(topology, f"NPU{a}", f"NPU{b}", word, reach)
    return topology


def breaks_hccs_partial() -> Topology:
    return words({(a, 5) if a < 5 else (5, a) for a in range(8) if a != 5})


def keeps_hccs_partial() -> Topology:
    return words(set())


def cannot_tell_hccs_partial() -> Topology:
    return words(set(combinations(range(8), 2)), other=("NA", None))


def test_an_npu_that_stands_alone_is_named() -> None:
    (finding,) = hccs_pairs.check(breaks_hccs_partial())

    assert finding.severity is Severity.WARNING
    assert finding.components == ("NPU5",)


def test_a_single_pair_in_a_mesh_is_a_lost_link() -> None:
    (finding,) = hccs_pairs.check(words({(2, 6)}))

    assert finding.severity is Severity.WARNING
    assert finding.components == ("NPU2", "NPU6")


def test_two_quads_are_the_design_of_the_board() -> None:
    (finding,) = hccs_pairs.check(words({(a, b) for a in range(4) for b in range(4, 8)}))

    assert finding.severity is Severity.INFO
    assert "HCCL_INTRA_ROCE_ENABLE=1" in finding.remedy
    assert len(finding.harms) == 16


def test_a_machine_without_hccs_is_not_its_business() -> None:
    assert list(hccs_pairs.check(words(set(combinations(range(4), 2)), count=4))) == []


def test_cards_of_two_dies_without_hccs_between_them_are_off_the_plane() -> None:
    topology = Topology(host="a3")
    for index in (2, 3, 12, 13):
        topology.add(Component(f"Phy-ID{index}", Kind.ACCELERATOR, ORIGIN))
    tell(topology, "Phy-ID2", "Phy-ID3", "SIO", None)
    for a, b in ((2, 12), (2, 13), (3, 12), (3, 13)):
        tell(topology, f"Phy-ID{a}", f"Phy-ID{b}", "SYS", Reach.SOCKET)
    (finding,) = hccs_pairs.check(topology)

    assert finding.severity is Severity.WARNING
    assert len(finding.harms) == 4
