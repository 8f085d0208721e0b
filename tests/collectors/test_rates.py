"""Rates in every spelling become one direction's bandwidth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth
from toposcope.collectors.rates import LANE_GBPS, gigabits, kernel_rate, megabits, named_rate


@pytest.mark.parametrize(
    ("text", "gbps", "lanes"),
    [
        ("400 Gb/sec (4X NDR)", 400, 4),
        ("2.5 Gb/sec (1X SDR)", 2.5, 1),
        ("100 Gb/sec", 100, None),
        ("200 Gb/sec (2X NDR)", 200, 2),
    ],
)
def test_kernel_rates(text, gbps, lanes):
    assert kernel_rate(text) == (Bandwidth.gigabits(gbps), lanes)


@pytest.mark.parametrize("text", ["", "fast", "Gb/sec", "0 Gb/sec (4X HDR)", "Unknown"])
def test_no_rate_is_none(text):
    assert kernel_rate(text)[0] is None


@given(st.integers(1, 800_000))
def test_megabits_round_trip(number):
    assert megabits(f"{number}Mb/s") == Bandwidth.gigabits(number / 1000)
    assert megabits(f"{number} Mbps") == Bandwidth.gigabits(number / 1000)


@pytest.mark.parametrize("text", ["Unknown!", "Unknown! (255)", "", "4294967295Mb/s", "0Mb/s"])
def test_an_unknown_speed_is_none(text):
    assert megabits(text) is None


@pytest.mark.parametrize(
    ("name", "gbps"), [("100G", 100), ("200GbE", 200), ("25000Mb/s", 25), ("2.5G", 2.5), ("50G_1X", 50)]
)
def test_names_of_rates(name, gbps):
    assert named_rate(name) == Bandwidth.gigabits(gbps)


@given(st.sampled_from(sorted(LANE_GBPS)), st.sampled_from((1, 2, 4, 8)))
def test_a_lane_is_multiplied(name, lanes):
    assert named_rate(f"IB-{name}", lanes) == named_rate(name, lanes) == Bandwidth.gigabits(LANE_GBPS[name] * lanes)


def test_a_lane_without_their_number_is_no_rate():
    assert named_rate("IB-NDR") is None


@pytest.mark.parametrize("text", ["nan", "inf", "-5", "x", "1e9"])
def test_what_no_port_carries_is_none(text):
    assert gigabits(text) is None
