"""perfquery: counters of a port that its LID or the command names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.infiniband.perfquery import parse

TEXT = """\
# Port counters: Lid 75 port 1 (CapMask: 0x5A00)
PortSelect:......................1
CounterSelect:...................0x0000
SymbolErrorCounter:..............12
LinkErrorRecoveryCounter:........0
LinkDownedCounter:...............3
"""


def read(text: str, argument: str | None = None):
    reading = parse(Capture("perfquery", "f", text, argument=argument))
    return {(each.subject, each.name): each.value for each in reading.records}, reading.problems


def test_counters_stand_under_the_lid() -> None:
    found, problems = read(TEXT)

    assert problems == ()
    assert found == {
        ("lid 75", "counter.SymbolErrorCounter"): 12,
        ("lid 75", "counter.LinkErrorRecoveryCounter"): 0,
        ("lid 75", "counter.LinkDownedCounter"): 3,
    }


def test_the_command_names_device_and_port() -> None:
    found, _ = read(TEXT, "-C mlx5_2 -P 1")
    assert found["mlx5_2/1", "counter.LinkDownedCounter"] == 3


def test_two_ports_in_one_text() -> None:
    found, _ = read(TEXT + TEXT.replace("Lid 75", "Lid 76"))
    assert {subject for subject, _ in found} == {"lid 75", "lid 76"}


def test_a_line_that_is_no_counter_is_reported() -> None:
    assert len(read(TEXT.replace("LinkDowned", "Link Downed"))[1]) == 1


@given(st.text(), st.lists(st.sampled_from(TEXT.splitlines())))
def test_no_text_makes_it_raise(text: str, lines: list[str]) -> None:
    read("\n".join(lines) + text)
