"""Where a matrix begins in a longer text."""

from __future__ import annotations

from toposcope.collectors.matrix.pattern import begins


def test_a_header_wrapped_over_many_lines_is_one() -> None:
    wrapped = "\n".join(["GPU0 GPU1", *(f"GPU{at} NIC{at}" for at in range(2, 40)), "CPU Affinity"])

    match = begins("GPU").match(wrapped)

    assert match is not None
    assert match[0] == wrapped


def test_a_thousand_headers_are_not_each_read_to_the_last() -> None:
    match = begins("GPU").match("\tGPU0\tGPU1\tCPU Affinity\n" * 1000)

    assert match is not None
    assert match[0].count("\n") <= 64
