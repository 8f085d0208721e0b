"""Accelerators that are slowed down, against those that only rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.analysis.rules.boards import fabric, note
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import clocks

if TYPE_CHECKING:
    from toposcope.model import Topology


def reasons(*of_each: str) -> Topology:
    topology = fabric(len(of_each))
    for index, words in enumerate(of_each):
        note(topology, f"GPU{index}", "clocks.active_reasons", words)
    return topology


def breaks_clock_capped() -> Topology:
    return reasons("none", "hw_slowdown,hw_thermal_slowdown")


def keeps_clock_capped() -> Topology:
    return reasons("gpu_idle", "none", "sync_boost")


def cannot_tell_clock_capped() -> Topology:
    topology = fabric(2)
    note(topology, "GPU0", "clocks.active_reasons", None, "unsupported")
    return topology


def test_only_the_one_that_is_slowed_down_is_named() -> None:
    (finding,) = clocks.check(breaks_clock_capped())

    assert finding.components == ("GPU1",)
    assert finding.severity is Severity.WARNING
    assert "hw_thermal_slowdown" in finding.message


def test_all_at_their_power_limit_is_full_load() -> None:
    assert list(clocks.check(reasons("sw_power_cap", "sw_power_cap"))) == []


def test_one_at_its_power_limit_is_information() -> None:
    assert [each.severity for each in clocks.check(reasons("sw_power_cap", "none"))] == [Severity.INFO]


@pytest.mark.parametrize(("watts", "found"), [("700.00 W", False), ("690.00 W", False), (350.0, True)])
def test_a_lower_power_limit_than_its_like_is_found(watts: object, *, found: bool) -> None:
    topology = fabric(3)
    for name, value in (("GPU0", "700.00 W"), ("GPU1", watts), ("GPU2", 700.0)):
        note(topology, name, "power.limit", value)
    named = [each.components for each in clocks.check(topology)]

    assert named == ([("GPU1",)] if found else [])
