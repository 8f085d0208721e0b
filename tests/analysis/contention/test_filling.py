"""Progressive filling against a linear program, and what must hold of every fair sharing."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from toposcope.analysis.contention.filling import fair_shares

CLOSE = 1e-6


@st.composite
def machines(draw: st.DrawFn) -> tuple[list[list[int]], list[float]]:
    """Draw flows over links: each passes one to five of them."""
    capacities = draw(st.lists(st.floats(0.5, 500.0), min_size=1, max_size=10))
    links = st.integers(0, len(capacities) - 1)
    flows = draw(st.lists(st.lists(links, min_size=1, max_size=5, unique=True), min_size=1, max_size=12))
    return flows, capacities


def by_linear_programs(flows: list[list[int]], capacities: list[float]) -> list[float]:
    """Find the max-min rates by definition: raise the least rate as far as it goes, fix whom that holds, go on."""
    fixed: dict[int, float] = {}
    while len(fixed) < len(flows):
        level = _raise(flows, capacities, fixed, None)
        held = [
            flow
            for flow in range(len(flows))
            if flow not in fixed and _raise(flows, capacities, fixed, (flow, level)) <= level + CLOSE
        ]
        fixed |= dict.fromkeys(held, level)
    return [fixed[flow] for flow in range(len(flows))]


def _raise(
    flows: list[list[int]], capacities: list[float], fixed: dict[int, float], one: tuple[int, float] | None
) -> float:
    """Maximise the common rate of the open flows, or one flow's while the others keep at least a rate."""
    size = len(flows)
    goal = [0.0] * size + [0.0]
    goal[size if one is None else one[0]] = -1.0
    rows = [[float(links.count(link)) for links in flows] + [0.0] for link in range(len(capacities))]
    bounds: list[tuple[float, float | None]] = []
    limits = list(capacities)
    for flow in range(size):
        if flow in fixed:
            bounds.append((max(fixed[flow] - 1e-9, 0.0), fixed[flow]))
            continue
        bounds.append((0.0 if one is None else max(one[1] - 1e-9, 0.0), None))
        if one is None:
            rows.append([-1.0 if each == flow else 0.0 for each in range(size)] + [1.0])
            limits.append(0.0)
    result = linprog(goal, A_ub=rows, b_ub=limits, bounds=[*bounds, (0.0, None)], method="highs")
    assert result.success, result.message
    return -float(result.fun)


@settings(max_examples=60, deadline=None)
@given(machines())
def test_shares_are_those_of_the_linear_programs(machine: tuple[list[list[int]], list[float]]) -> None:
    flows, capacities = machine

    rates, _ = fair_shares(flows, capacities)

    assert rates == pytest.approx(by_linear_programs(flows, capacities), rel=1e-4, abs=1e-4)


@given(machines())
def test_no_link_carries_more_than_it_can(machine: tuple[list[list[int]], list[float]]) -> None:
    flows, capacities = machine

    rates, _ = fair_shares(flows, capacities)

    for link, capacity in enumerate(capacities):
        assert sum(rate * links.count(link) for rate, links in zip(rates, flows, strict=True)) <= capacity * (1 + 1e-9)


@given(machines())
def test_every_flow_is_held_by_a_full_link_on_which_none_gets_more(
    machine: tuple[list[list[int]], list[float]],
) -> None:
    flows, capacities = machine

    rates, held = fair_shares(flows, capacities)

    for flow, link in enumerate(held):
        assert link is not None
        assert link in flows[flow]
        users = [rate for rate, links in zip(rates, flows, strict=True) if link in links]
        assert sum(users) == pytest.approx(capacities[link])
        assert rates[flow] >= max(users) * (1 - 1e-9)


@given(machines(), st.data())
def test_a_faster_link_never_lowers_the_least_rate(
    machine: tuple[list[list[int]], list[float]], data: st.DataObject
) -> None:
    flows, capacities = machine
    faster = list(capacities)
    faster[data.draw(st.integers(0, len(capacities) - 1))] *= data.draw(st.floats(1.0, 10.0))

    before, after = (min(fair_shares(flows, each)[0]) for each in (capacities, faster))

    assert after >= before * (1 - 1e-9)


@given(machines(), st.randoms(use_true_random=False))
def test_the_order_of_flows_changes_nothing(machine: tuple[list[list[int]], list[float]], random) -> None:
    flows, capacities = machine
    order = list(range(len(flows)))
    random.shuffle(order)

    straight, mixed = (fair_shares(each, capacities)[0] for each in (flows, [flows[index] for index in order]))

    assert mixed == pytest.approx([straight[index] for index in order])


def test_what_the_held_flows_leave_goes_to_the_others() -> None:
    rates, held = fair_shares([[0, 1], [1], [1]], [10.0, 90.0])

    assert rates == [10.0, 40.0, 40.0]
    assert held == [0, 1, 1]


def test_a_link_passed_twice_counts_twice() -> None:
    assert fair_shares([[0, 0]], [30.0])[0] == [15.0]


def test_without_a_known_link_a_rate_has_no_bound() -> None:
    assert fair_shares([[], [0], [0]], [inf]) == ([inf, inf, inf], [None, None, None])


@pytest.mark.parametrize("count", [1, 2, 4, 16])
def test_one_link_carries_the_same_in_sum_for_any_number_of_flows(count: int) -> None:
    rates, _ = fair_shares([[0]] * count, [53.8])

    assert sum(rates) == pytest.approx(53.8)
