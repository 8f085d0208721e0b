"""The drawing for terminals: exact where it is small, and never wider or stranger than was asked for."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import machines
from tests.render.random_machines import machines as any_machines
from toposcope.model import Kind, Topology
from toposcope.render.box_drawing import draw
from toposcope.render.box_drawing.grid import Grid, Stroke, cells, fit
from toposcope.render.diagram import Marking, layout
from toposcope.render.glyphs import TIMES

slow = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

WORKSTATION = f"""\
desk
1 socket  ·  1 {TIMES} RTX 4090  ·  1 NIC

┌─────────────────────┐
│ socket0 · numa0     │
│ memory-socket0 83.2 ├─ rc0 ─┬─ 4.0 Gen1 x16 2 hops ─ GPU0 01:00.0
│                     │       ├──────── 0.50 Gen2 x1 ─ NIC0 enp5s0 ────── 2.5G Eth ─── 0.31 ── network
│                     │       └───────── 7.9 Gen4 x4 ─ disk0
└─────────────────────┘

not drawn: 1 other function
figures: GB/s one direction, ? not known
"""

LIST = """\
l40s-4
2 sockets  -  4 x L40S  -  4 NICs

socket0 - numa0
+ rc-n0 - NIC0, NIC1 mlx5_0, mlx5_1  31.5 Gen4 x16  [2 x 200G Eth 25.0]
+ rc0 - GPU0  31.5 Gen4 x16
+ rc1 - GPU1  31.5 Gen4 x16
socket1 - numa1
+ rc2 - GPU2  31.5 Gen4 x16
+ rc3 - GPU3  31.5 Gen4 x16
+ rc-n1 - NIC2, NIC3 mlx5_2, mlx5_3  31.5 Gen4 x16  [2 x 200G Eth 25.0]
network: 25.0 to NIC0 ... NIC3

socket0 to socket1: ?
figures: GB/s one direction, ? not known
"""


def drawn(topology: Topology, **how) -> str:
    return "\n".join(draw(layout(topology), **how)) + "\n"


def test_a_wide_terminal_gets_boxes_and_wires() -> None:
    assert drawn(machines.workstation(), width=110) == WORKSTATION


def test_a_narrow_terminal_gets_a_list() -> None:
    assert drawn(machines.l40s(), width=80, ascii_only=True) == LIST


def test_a_host_of_eight_fits_into_a_hundred_columns_as_a_diagram() -> None:
    for machine in (machines.a100, machines.h100, machines.hccs_mesh, machines.xgmi_mesh):
        assert drawn(machine(), width=100).count("┌") >= 2


def test_wires_that_cross_a_bar_do_not_join_it() -> None:
    lines = draw(layout(machines.a100()), width=120)

    assert sum("╫" in line and "NIC" in line for line in lines) == 8
    assert sum(line.count("╣") + line.count("╝") for line in lines) == 8


def test_a_mesh_says_in_words_who_is_joined() -> None:
    assert "NVLink 25.0: GPU1 GPU2, 50.0: GPU3 GPU4" in drawn(machines.dgx_1v(), width=150)


def test_the_bottleneck_stands_between_marks() -> None:
    marking = Marking(bottleneck=[("NIC0-port", "network")], caption="the port, 25.0 GB/s")

    text = drawn(machines.a100(), width=120, marking=marking)

    assert text.count("▸25.0◂") == 1
    assert "the port, 25.0 GB/s" in text
    assert ">25.0<" in drawn(machines.a100(), width=80, ascii_only=True, marking=marking)


@slow
@given(any_machines(), st.integers(40, 200), st.sampled_from(["ascii", "unicode"]))
def test_no_line_is_wider_than_asked_for_and_none_has_control_codes(
    topology: Topology, width: int, characters: str
) -> None:
    ascii_only = characters == "ascii"
    lines = draw(layout(topology), width=width, ascii_only=ascii_only)

    assert max(map(cells, lines)) <= width
    assert all(line.isprintable() for line in lines)
    assert not ascii_only or all(line.isascii() for line in lines)


@slow
@given(any_machines())
def test_every_accelerator_is_named_in_both_forms(topology: Topology) -> None:
    names = [component.id for component in topology.components(Kind.ACCELERATOR)]

    for width in (90, 400):
        words = " ".join(draw(layout(topology), width=width)).replace(",", " ").split()
        assert [name for name in names if name not in words] == []


def test_what_hangs_on_an_accelerator_says_so() -> None:
    b = machines.Builder()
    b.add("RC0", Kind.ROOT_COMPLEX)
    b.accelerator("GPU0", "RC0")
    b.nic("NIC0", "GPU0")

    text = drawn(b.topology, width=100)

    assert "NIC0 on GPU0" in text
    assert "NIC0 to GPU0: 31.5 Gen4 x16" in text


def test_an_empty_machine_says_so() -> None:
    assert "nothing to draw" in drawn(Topology(), width=100)


def test_lines_join_and_cross_by_themselves() -> None:
    grid = Grid()
    grid.level(0, 4, 1)
    grid.upright(2, 0, 2, Stroke.DOUBLE)
    grid.upright(0, 1, 2)
    grid.level(4, 6, 1, Stroke.DASHED)

    assert list(grid.lines()) == ["  ║", "┌─╫──╌╌", "│ ║"]


def test_wide_characters_take_two_columns() -> None:
    grid = Grid()
    grid.text(0, 0, "机器")
    grid.text(4, 0, "!")

    assert list(grid.lines()) == ["机器!"]
    assert cells("机器!") == 5
    assert fit("机器机器", 5) == "机器…"
