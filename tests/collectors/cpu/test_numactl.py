"""numactl: nodes with memory and distances, whole and as copies break them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.cpu.numactl import parse_hardware, parse_show
from toposcope.collectors.output_lines import cpu_list


def read(text):
    return parse_hardware(Capture("numactl-h", "numactl", text))


@st.composite
def machines(draw):
    numbers = sorted(draw(st.sets(st.integers(0, 255), min_size=1, max_size=12)))
    cpus = [sorted(draw(st.sets(st.integers(0, 400), max_size=50))) for _ in numbers]
    sizes = [draw(st.integers(0, 2_000_000)) for _ in numbers]
    distances = [[draw(st.integers(10, 255)) for _ in numbers] for _ in numbers]
    return list(zip(numbers, cpus, sizes, distances, strict=True))


def printed(machine, width=0):
    numbers = [number for number, *_ in machine]
    lines = [f"available: {len(machine)} nodes ({cpu_list(numbers)})"]
    for number, cpus, size, _ in machine:
        words = f"node {number} cpus:" + "".join(f" {cpu}" for cpu in cpus)
        lines += [words, f"node {number} size: {size} MB", f"node {number} free: {size // 2} MB"]
    lines += ["node distances:", "node " + "".join(f"{number:>4}" for number in numbers) + " "]
    lines += [f"{number:>3}: " + "".join(f"{value:>4}" for value in row) + " " for number, _, _, row in machine]
    return "\n".join(broken for line in lines for broken in wrapped(line, width)) + "\n"


def wrapped(line, width):
    """Break a line between words, as an editor or a forum does."""
    while width and len(line) > width and not line.startswith("available"):
        at = line.rfind(" ", 0, width)
        if at <= len("node 255 cpus:") or not line[at:].strip():
            break
        yield line[:at]
        line = line[at + 1 :].lstrip()
    yield line


@given(machines(), st.sampled_from((0, 60, 80)))
def test_what_is_printed_is_read_broken_or_not(machine, width):
    reading = read(printed(machine, width))
    assert reading.problems == ()
    found = [(node.node, node.cpus, node.memory_bytes, node.distances) for node in reading.records]
    assert found == [
        (number, cpu_list(cpus), size * 1_048_576, tuple(distances)) for number, cpus, size, distances in machine
    ]


def test_a_row_of_distances_cut_short_is_reported_and_not_used():
    reading = read("available: 1 nodes (0)\nnode 0 cpus: 0\nnode distances:\nnode   0   1\n  0:  10\n")
    assert reading.records[0].distances is None
    assert ["1 distances to 2 nodes" in problem.message for problem in reading.problems] == [True]


def test_missing_nodes_are_reported():
    (problem,) = read("available: 2 nodes (0-1)\nnode 0 cpus: 0 1\n").problems
    assert "1 of 2 nodes" in problem.message


def test_a_line_of_no_form_is_reported():
    assert [p.text for p in read("node 0 cpus: 0 1\nnode 0 cpus 2\nnode 0 size: 5 MB\n").problems] == ["node 0 cpus 2"]


def test_prose_after_the_output_is_nobodys_problem():
    assert read("node 0 cpus: 0 1\nnode 0 size: 5 MB\n\nAs you see, one node.\n").problems == ()


def test_the_policy_is_a_setting_of_the_host():
    text = "policy: bind\npreferred node: 0\nphyscpubind: 0 1 2 3 8 \ncpubind: 0 \n"
    text += "nodebind: 0 \nmembind: 0 1 \npreferred:\n"
    reading = parse_show(Capture("numactl-s", "f", text))
    assert reading.problems == ()
    assert {s.name: s.value for s in reading.records} == {
        "numactl.policy": "bind",
        "numactl.preferred_node": "0",
        "numactl.physcpubind": "0-3,8",
        "numactl.cpubind": "0",
        "numactl.nodebind": "0",
        "numactl.membind": "0-1",
    }
