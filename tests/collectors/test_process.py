"""Where a process may run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.process import COLLECTOR, parse_status, parse_taskset

STATUS = (
    "Name:\tcat\nUmask:\t0022\nState:\tR (running)\n"
    "Cpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\nMems_allowed_list:\t0\n"
)


def values(parse, text):
    reading = parse(Capture("proc-status", "f", text))
    return {each.name: each.value for each in reading.records}, reading.problems


def test_a_status_tells_cpus_and_nodes() -> None:
    assert values(parse_status, STATUS) == ({"process.cpus": "0-3,8", "process.mems": "0"}, ())


def test_a_list_that_is_none_is_reported() -> None:
    found, problems = values(parse_status, STATUS.replace("0-3,8", "none"))
    assert found == {"process.mems": "0"}
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("line", "cpus"),
    [
        ("pid 4711's current affinity list: 0-15,32-47", "0-15,32-47"),
        ("pid 4711's current affinity mask: ff0f", "0-3,8-15"),
        ("pid 4711's current affinity mask: f,00000000", "32-35"),
    ],
)
def test_taskset_prints_a_list_or_a_mask(line: str, cpus: str) -> None:
    assert values(parse_taskset, f"{line}\n") == ({"process.cpus": cpus}, ())


def test_the_new_affinity_counts_where_taskset_changed_it() -> None:
    text = "pid 1's current affinity list: 0-7\npid 1's new affinity list: 4-7\n"
    assert values(parse_taskset, text)[0] == {"process.cpus": "4-7"}


def test_sources_are_known_by_name_and_content() -> None:
    status, taskset = COLLECTOR.sources
    assert status.begins is not None
    assert taskset.begins is not None
    assert status.begins.match(STATUS)
    assert status.named.match("cat /proc/1234/status")
    assert taskset.named.match("taskset -cp 1234")


@given(st.text())
def test_no_text_makes_them_raise(text: str) -> None:
    values(parse_status, f"Cpus_allowed_list:\t{text}")
    values(parse_taskset, f"pid 1's current affinity mask: {text}")
