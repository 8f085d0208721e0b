"""What must hold of routes on every machine."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.printing import MACHINES, machine
from toposcope.analysis import analyze, routes
from toposcope.analysis.limit import limit
from toposcope.analysis.segment import Segment
from toposcope.base import Bandwidth, Origin
from toposcope.model import Grade, Kind, Medium, Topology, Usable

NAMES = sorted(MACHINES)
ORIGIN = Origin("test", "made up", 1)


@st.composite
def segments(draw: st.DrawFn) -> list[Segment]:
    figures = st.none() | st.integers(1, 1000).map(Bandwidth.gigabytes)
    made = []
    for index in range(draw(st.integers(1, 8))):
        line = draw(figures)
        factor = draw(st.none() | st.floats(0.1, 1))
        usable = None if line is None or factor is None else Usable(line * factor, line * factor, line * factor)
        grade = Grade.UNKNOWN if line is None else draw(st.sampled_from(list(Grade)))
        made.append(Segment(f"a{index}", f"a{index + 1}", Medium.PCIE, grade, ORIGIN, line, usable))
    return made


@given(segments())
def test_the_limit_is_the_least_known_line_and_names_all_that_equal_it(chain: list[Segment]) -> None:
    found = limit(chain)
    lines = [segment.line for segment in chain if segment.line is not None]

    assert found.line == min(lines, default=None)
    assert found.at_most == (len(lines) < len(chain))
    for index, segment in enumerate(chain):
        near = segment.line is not None and segment.line.gbs <= min(lines).gbs * 1.02
        assert (index in found.line_bottleneck) == near


@given(segments(), st.integers(0, 7), st.floats(1, 4))
def test_a_faster_segment_never_lowers_the_limit(chain: list[Segment], place: int, factor: float) -> None:
    index = place % len(chain)
    before = limit(chain)
    line = chain[index].line
    if line is None or before.line is None:
        return

    after = limit([*chain[:index], replace(chain[index], line=line * factor), *chain[index + 1 :]])

    assert after.line is not None
    assert after.line >= before.line


@given(segments())
def test_the_grade_of_a_route_is_that_of_its_weakest_segment(chain: list[Segment]) -> None:
    assert limit(chain).grade is min(segment.grade for segment in chain)


@given(segments())
def test_the_next_limit_binds_where_the_bottleneck_is_endless(chain: list[Segment]) -> None:
    found = limit(chain)
    endless = Bandwidth.gigabytes(10**6)

    relaxed = limit(
        [
            replace(segment, line=endless) if index in found.line_bottleneck else segment
            for index, segment in enumerate(chain)
        ]
    )

    assert found.next_line == (None if relaxed.line in (None, endless) else relaxed.line)


@pytest.mark.parametrize("name", NAMES)
def test_a_pair_has_the_same_figures_both_ways(name: str) -> None:
    topology = machine(name)
    first = [each.id for each in topology.components(Kind.ACCELERATOR)][:4]

    for a, b in combinations(first, 2):
        there = sorted((str(route.transport), route.limit.line, route.via) for route in routes(topology, a, b))
        back = sorted((str(route.transport), route.limit.line, route.via) for route in routes(topology, b, a))
        assert there == back


@pytest.mark.parametrize("name", NAMES)
def test_every_route_is_a_chain_of_segments(name: str) -> None:
    topology = machine(name)
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR)]
    nics = [each.id for each in topology.components(Kind.NIC)]

    for target in (*accelerators[1:3], *nics[:2], *nics[-1:], "remote", "host"):
        for route in routes(topology, accelerators[0], target):
            assert route.segments
            assert route.segments[0].source == route.source
            for first, second in pairwise(route.segments):
                ends = (first.target, second.source)
                assert first.target == second.source or all(_on_the_cpu(topology, end) for end in ends)


def _on_the_cpu(topology: Topology, name: str) -> bool:
    """A root complex, its NUMA node and its socket are one place for a route: what they cost is the crossing."""
    parts = name.removeprefix("remote:").split("+")
    return all(topology.component(part).kind in (Kind.ROOT_COMPLEX, Kind.NUMA, Kind.SOCKET) for part in parts)


@pytest.mark.parametrize("name", NAMES)
def test_every_machine_answers_every_question(name: str) -> None:
    topology = machine(name)
    analysis = analyze(topology)
    accelerators = sum(1 for _ in topology.components(Kind.ACCELERATOR))
    nics = sum(1 for _ in topology.components(Kind.NIC))

    assert len(analysis.pairs) == accelerators * (accelerators - 1) // 2 + accelerators * nics
    assert len(analysis.remote) == accelerators
    assert all(pair.route is not None and pair.route.limit.line is not None for pair in analysis.pairs)
    assert all(remote.route is not None and remote.route.limit.line is not None for remote in analysis.remote)


@pytest.mark.parametrize("name", NAMES)
def test_usable_never_exceeds_line(name: str) -> None:
    for pair in analyze(machine(name)).pairs:
        for segment in pair.route.segments if pair.route else ():
            if segment.line is not None and segment.usable is not None:
                assert segment.usable.low <= segment.usable.typical <= segment.usable.high <= segment.line


@settings(max_examples=20)
@given(st.sampled_from(NAMES), st.data())
def test_names_of_a_machine_are_understood_in_any_case(name: str, data: st.DataObject) -> None:
    topology = machine(name)
    named = [each.id for each in topology.components(Kind.ACCELERATOR)]
    a, b = data.draw(st.permutations(named))[:2]

    assert routes(topology, a.lower(), b)[0].source == a
