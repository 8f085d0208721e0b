"""The layout of the wiring diagram: what is folded, what is counted, and that nothing lies on anything."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings

from tests import machines as hand_made
from tests.collectors.test_rocm_smi import showtopo
from tests.machines import MACHINES, Builder
from tests.render.geometry import faults, times_drawn
from tests.render.random_machines import machines
from toposcope.assembly import Lookup, assemble
from toposcope.base import Capture, Origin
from toposcope.collectors.rocm_smi import parse
from toposcope.model import Grade, Kind, Medium, Relation, State, Topology
from toposcope.profiles.store import load_catalogue
from toposcope.render.diagram import Box, Diagram, Edge, layout
from toposcope.render.diagram.sketch import Role
from toposcope.render.glyphs import TIMES

slow = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def box(diagram: Diagram, name: str) -> Box:
    return next(box for box in diagram.boxes if name in box.covers or box.id == name)


def edge(diagram: Diagram, a: str, b: str) -> Edge:
    return next(edge for edge in diagram.edges if {edge.a, edge.b} == {a, b})


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_lies_on_anything_in_the_reference_machines(machine) -> None:
    assert faults(layout(machine())) == []


@slow
@given(machines())
def test_nothing_lies_on_anything_in_any_machine(topology: Topology) -> None:
    assert faults(layout(topology)) == []


@slow
@given(machines())
def test_no_link_is_drawn_twice_and_all_links_between_drawn_things_are_drawn(topology: Topology) -> None:
    diagram = layout(topology)
    drawn = {name for box in diagram.boxes for name in box.covers}

    times = times_drawn(topology, diagram)

    assert [link for link, count in times.items() if count > 1] == []
    left_out = [link for link, count in times.items() if count == 0 and drawn.issuperset(link)]
    assert len(left_out) == 0 or any("across the tree" in note for note in diagram.notes)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_link_of_the_reference_machines_is_drawn_once(machine) -> None:
    topology = machine()
    drawn = {name for box in layout(topology).boxes for name in box.covers}

    times = times_drawn(topology, layout(topology))

    assert {count for link, count in times.items() if drawn.issuperset(link)} == {1}


@slow
@given(machines())
def test_every_device_is_in_exactly_one_box(topology: Topology) -> None:
    diagram = layout(topology)

    for component in topology.components(Kind.ACCELERATOR, Kind.NIC, Kind.STORAGE):
        assert sum(component.id in box.covers for box in diagram.boxes) == 1


@slow
@given(machines())
def test_ids_are_unique_and_edges_end_at_boxes(topology: Topology) -> None:
    diagram = layout(topology)
    names = [box.id for box in diagram.boxes] + [edge.id for edge in diagram.edges]

    assert len(names) == len(set(names))
    assert {end for edge in diagram.edges for end in (edge.a, edge.b)} <= set(names)


@slow
@given(machines())
def test_the_same_machine_gives_the_same_drawing(topology: Topology) -> None:
    assert layout(topology) == layout(topology)


def test_a_chain_of_bridges_is_one_edge_with_a_hop_count() -> None:
    diagram = layout(hand_made.workstation())

    wire = edge(diagram, "GPU0", "rc0")

    assert wire.hops == 2
    assert wire.passes == {"bridge0", "bridge1", "bridge2"}
    assert ("bridge0", "bridge1") in wire.covers
    assert wire.figure == "4.0"


def test_a_bridge_that_two_devices_share_stays() -> None:
    b = Builder()
    b.add("rc", Kind.ROOT_COMPLEX)
    b.add("bridge", Kind.PCIE_BRIDGE)
    b.pcie("bridge", "rc")
    b.accelerator("GPU0", "bridge")
    b.nic("NIC0", "bridge")

    assert box(layout(b.topology), "bridge").role is Role.BRIDGE


def test_the_inside_of_a_chip_has_no_figure() -> None:
    assert edge(layout(hand_made.a100()), "rc0", "socket0").figure == ""


@pytest.mark.parametrize(("count", "boxes"), [(4, 4), (5, 1)])
def test_more_than_four_alike_are_one_box(count: int, boxes: int) -> None:
    b = Builder()
    b.add("rc", Kind.ROOT_COMPLEX)
    for index in range(count):
        b.nic(f"NIC{index}", "rc", model="E810")

    nics = [box for box in layout(b.topology).boxes if box.role is Role.NIC]

    assert len(nics) == boxes
    assert sum(box.count or 0 for box in nics) == count


def test_accelerators_are_never_drawn_as_one() -> None:
    assert sum(box.role is Role.ACCELERATOR for box in layout(hand_made.two_boards()).boxes) == 16


def test_functions_of_one_card_are_one_box_with_its_ports_below() -> None:
    diagram = layout(hand_made.l40s())

    card = box(diagram, "NIC1")

    assert card.covers >= {"NIC0", "NIC1"}
    assert [edge.b for edge in diagram.edges if edge.kind == "port" and edge.a == card.id] == ["NIC0-port", "NIC1-port"]


def test_other_functions_are_counted_and_not_drawn() -> None:
    diagram = layout(hand_made.workstation())

    assert not any("audio" in box.covers for box in diagram.boxes)
    assert diagram.notes == ("not drawn: 1 other function",)


def test_nics_stand_beside_the_accelerators_of_their_switch() -> None:
    diagram = layout(hand_made.a100())

    order = sorted(["GPU0", "NIC0", "GPU1", "NIC1"], key=lambda name: box(diagram, name).rect.x)

    assert order == ["GPU0", "NIC0", "GPU1", "NIC1"]


def test_nics_without_an_accelerator_stand_outside() -> None:
    diagram = layout(hand_made.a100())
    xs = {name: box(diagram, name).rect.x for name in ("NIC8", "GPU0", "GPU7", "NIC9")}

    assert xs["NIC8"] < xs["GPU0"] < xs["GPU7"] < xs["NIC9"]
    assert "storage" in box(diagram, "NIC8").words


def test_an_accelerator_and_its_nic_are_framed_and_nearer_to_each_other_than_to_others() -> None:
    diagram = layout(hand_made.a100())
    gpu, nic, other = (box(diagram, name).rect for name in ("GPU0", "NIC0", "GPU1"))

    assert len(diagram.pairs) == 8
    assert [frame for frame in diagram.pairs if frame.meets(gpu)] == [
        frame for frame in diagram.pairs if frame.meets(nic)
    ]
    assert other.x - nic.right > 2 * (nic.x - gpu.right)
    assert not any(frame.meets(box(diagram, "NIC8").rect) for frame in diagram.pairs)


def test_a_nic_that_two_accelerators_share_stands_between_them() -> None:
    diagram = layout(hand_made.dgx_1v())

    order = sorted(["GPU0", "NIC0", "GPU1"], key=lambda name: box(diagram, name).rect.x)

    assert order == ["GPU0", "NIC0", "GPU1"]
    assert diagram.pairs == ()


def test_with_very_many_nics_those_of_one_accelerator_are_one_box() -> None:
    diagram = layout(hand_made.crowded())

    assert box(diagram, "NIC0").count == 4
    assert len(diagram.pairs) == 8


def test_a_bar_spans_the_nics_of_its_accelerators_too() -> None:
    diagram = layout(hand_made.a100())

    bar, last = box(diagram, "nvswitch").rect, box(diagram, "NIC7").rect

    assert (bar.x, bar.right) == (box(diagram, "GPU0").rect.x, last.right)


def test_a_stack_has_as_many_plates_as_there_are_switches() -> None:
    assert box(layout(hand_made.a100()), "nvswitch").plates == 6 - 1
    assert box(layout(hand_made.h100()), "nvswitch0").plates == 4 - 1
    assert box(layout(hand_made.superchip_tray()), "fabric0").plates == 6 - 1


def test_the_name_of_a_bar_stands_in_its_middle() -> None:
    bar = box(layout(hand_made.a100()), "nvswitch")

    assert bar.texts[0].x == pytest.approx(bar.rect.middle, abs=2)


def test_a_sum_says_what_it_is_made_of_and_sockets_how_they_are_linked() -> None:
    b = Builder()
    b.socket("CPU0")
    b.socket("CPU1")
    b.link("CPU0", "CPU1", Medium.SOCKET, 67.2, count=3, name="UPI")

    wire = edge(layout(b.topology), "CPU0", "CPU1")

    assert (wire.figure, wire.details) == ("67.2", ("UPI", f"3 {TIMES} 22.4"))


def test_what_bears_an_id_alone_is_explained_in_its_box_or_below() -> None:
    wide, narrow = layout(hand_made.a100()), layout(hand_made.h100())

    assert "switch0  ·  PCIe switch" in [text.text for text in box(wide, "switch0").texts]
    assert "switch0 … switch7: PCIe switches" in [text.text for text in narrow.note_texts]


def test_an_assumed_figure_is_marked_only_among_others() -> None:
    mixed, all_alike = layout(hand_made.dgx_1v()), layout(hand_made.superchip_tray())

    assert [wire.id for wire in mixed.edges if wire.hedged] == ["socket0--socket1"]
    assert not any(wire.hedged for wire in all_alike.edges)
    assert all_alike.headings[2].text.endswith("every figure is assumed")


@pytest.mark.parametrize("machine", MACHINES)
def test_no_text_is_smaller_than_can_be_read(machine) -> None:
    diagram = layout(machine())
    texts = [text for one in diagram.boxes for text in one.texts]
    texts += [text for one in diagram.edges if one.label for text in one.label.texts]

    assert min(text.size for text in (*texts, *diagram.headings, *diagram.note_texts)) >= 9.5


def test_a_host_of_eight_fitted_to_a_screen_keeps_its_small_print_at_eleven_pixels() -> None:
    assert 9.5 * 1568 / layout(hand_made.a100()).width >= 11


def test_layers_come_in_order() -> None:
    diagram = layout(hand_made.a100())
    tops = [
        box(diagram, name).rect.y
        for name in ("memory-socket0", "socket0", "rc0", "switch0", "GPU0", "nvswitch", "network")
    ]

    assert tops == sorted(tops)
    assert len(set(tops)) == len(tops)


def test_sockets_are_halves_with_their_link_between() -> None:
    diagram = layout(hand_made.a100())
    left, right, wire = box(diagram, "socket0").rect, box(diagram, "socket1").rect, edge(diagram, "socket0", "socket1")

    assert {x for x, _ in wire.points} == {left.right, right.x}
    assert wire.figure == "62.4"


def test_switches_with_the_same_accelerators_are_one_bar_and_their_links_add_up() -> None:
    diagram = layout(hand_made.h100())

    bar = box(diagram, "nvswitch3")

    assert bar.count == 4
    assert edge(diagram, "GPU0", bar.id).figure == "450"
    assert edge(diagram, "GPU0", bar.id).details == (f"18 {TIMES} 25.0",)


def test_an_unknown_number_is_shown_as_a_question() -> None:
    diagram = layout(hand_made.matrix_only())

    assert box(diagram, "switch0").count is None
    assert "?" in box(diagram, "switch0").words[0]
    assert "?" in box(diagram, "nvswitch").words[0]


def test_a_full_mesh_is_a_bar_with_the_figure_of_one_link() -> None:
    diagram = layout(hand_made.hccs_mesh())

    wire = edge(diagram, "NPU0", "mesh-hccs-NPU0")

    assert (wire.figure, wire.unit) == ("7 \N{MULTIPLICATION SIGN} 28.0", "28.0")
    assert len(box(diagram, "mesh-hccs-NPU0").links) == 28


def test_a_partial_mesh_is_arcs_with_a_figure_each() -> None:
    arcs = [edge for edge in layout(hand_made.dgx_1v()).edges if edge.curve]

    assert len(arcs) == 16
    assert all(arc.label for arc in arcs)
    assert sorted({arc.figure for arc in arcs}) == ["25.0", "50.0"]


def test_the_odd_pairs_of_a_mesh_stand_out() -> None:
    diagram = layout(hand_made.xgmi_mesh())

    arcs = [edge for edge in diagram.edges if edge.curve]

    assert [(arc.id, arc.state) for arc in arcs] == [("GPU2--GPU5", State.DEGRADED)]
    assert "no XGMI link between GPU1 and GPU6" in diagram.notes


@pytest.mark.parametrize(
    ("word", "note"),
    [
        (None, "nothing tells the links between"),
        ("XXXX", "nothing tells the links between"),
        ("XGMI", "no XGMI link between"),
    ],
)
def test_no_link_is_denied_where_the_matrix_tells_nothing_of_the_pair(word: str | None, note: str) -> None:
    topology = hand_made.xgmi_mesh()
    names = [each.id for each in topology.components(Kind.ACCELERATOR)]
    for a, b in combinations(names, 2):
        found = word if {a, b} == {"GPU1", "GPU6"} else "XGMI"
        if found is not None:
            topology.relate(Relation(a, b, found, Origin("some", "some.txt", 3)))

    assert [each for each in layout(topology).notes if "GPU6" in each] == [f"{note} GPU1 and GPU6"]


def test_fabric_switches_outside_lie_below_the_frame_of_the_host() -> None:
    diagram = layout(hand_made.superchip_tray())

    assert diagram.frame is not None
    assert box(diagram, "fabric0").rect.y > diagram.frame.bottom
    assert box(diagram, "fabric17").count == 18


def test_a_guest_says_that_its_tree_is_not_known() -> None:
    diagram = layout(hand_made.guest())

    assert box(diagram, "unseen").role is Role.UNSEEN
    assert box(diagram, "GPU0").parent == "unseen"


def test_a_degraded_link_says_what_it_could_be() -> None:
    wire = edge(layout(hand_made.h100()), "GPU5", "switch5")

    assert wire.state is State.DEGRADED
    assert wire.details == ("Gen5 x8", "of Gen5 x16")


def test_a_nic_that_hangs_on_an_accelerator_stands_at_its_side() -> None:
    b = Builder()
    b.add("rc", Kind.ROOT_COMPLEX)
    b.accelerator("GPU0", "rc")
    b.nic("NIC0", "GPU0")
    diagram = layout(b.topology)

    wire = edge(diagram, "NIC0", "GPU0")

    assert wire.kind == "side"
    assert {y for _, y in wire.points} == {wire.points[0][1]}


def test_thicker_lines_carry_more() -> None:
    diagram = layout(hand_made.a100())
    fabric, pcie, port = (
        edge(diagram, *ends) for ends in (("GPU0", "nvswitch"), ("GPU0", "switch0"), ("NIC8-port", "network"))
    )

    assert fabric.width_class > pcie.width_class > port.width_class


def test_empty_numa_nodes_are_dropped_where_they_are_many() -> None:
    b = Builder()
    b.socket("CPU0")
    for index in range(34):
        b.numa(f"NUMA{index}", "CPU0")
    b.accelerator("GPU0", "NUMA3")

    drawn = {name for box in layout(b.topology).boxes for name in box.covers}

    assert drawn == {"CPU0", "NUMA3", "GPU0"}


def test_an_empty_machine_says_so() -> None:
    assert layout(Topology()).notes == ("nothing to draw: no component was found",)


def test_the_figure_of_a_wire_with_an_unknown_part_is_an_upper_bound() -> None:
    b = Builder()
    b.add("rc", Kind.ROOT_COMPLEX)
    b.add("bridge", Kind.PCIE_BRIDGE)
    b.link("bridge", "rc", Medium.PCIE, None, upward=True)
    b.accelerator("GPU0", "bridge")

    assert edge(layout(b.topology), "GPU0", "rc").figure == "≤ 31.5"


def test_trunks_read_from_either_side_are_one_edge() -> None:
    b = Builder()
    for board, names in enumerate((["GPU0", "GPU1"], ["GPU2", "GPU3"])):
        for name in names:
            b.accelerator(name, None)
        for chip in range(2):
            b.switched(f"chip{board}.{chip}", names, 1, 25)
    b.link("chip0.0", "chip1.0", Medium.NVLINK, 200, count=8)
    b.link("chip1.1", "chip0.1", Medium.NVLINK, 200, count=8)

    trunks = [edge for edge in layout(b.topology).edges if edge.kind == "trunks"]

    assert [(trunk.figure, trunk.details) for trunk in trunks] == [("400", (f"16 {TIMES} 25.0",))]


def test_a_network_reached_over_two_media_is_one_edge() -> None:
    b = Builder()
    b.add("rc", Kind.ROOT_COMPLEX)
    for index in range(6):
        b.nic(f"NIC{index}", "rc", model="E810")
        b.port(f"NIC{index}", 100, Medium.ETHERNET if index % 2 else Medium.INFINIBAND)

    diagram = layout(b.topology)

    assert edge(diagram, "NIC0-port", "network").figure == "6 \N{MULTIPLICATION SIGN} 12.5"
    assert len({edge.id for edge in diagram.edges}) == len(diagram.edges)


def test_a_mesh_of_which_only_the_words_are_known_has_no_number_of_links() -> None:
    types: list[list[object]] = [[0 if a == b else "XGMI" for b in range(4)] for a in range(4)]
    capture = Capture("rocm-smi-showtopo", "topo.txt", showtopo(types, [[1] * 4] * 4))
    diagram = layout(assemble(parse(capture), Lookup(load_catalogue()), ()))

    lines = {line for box in diagram.boxes for line in box.words}

    assert {"xGMI between all pairs", "number of links not known"} <= lines


def test_an_accelerator_of_which_every_link_differs_has_arcs_alone() -> None:
    b = Builder(Topology())
    names = [f"NPU{index}" for index in range(10)]
    for name in names:
        b.add(name, Kind.ACCELERATOR)
    b.mesh(names[:9], Medium.HCCS, 28)
    for name in names[:9]:
        b.link(name, names[9], Medium.HCCS, 7)

    diagram = layout(b.topology)

    assert not [edge for edge in diagram.edges if "NPU9" in edge.id and "mesh" in edge.id]
    assert len([edge for edge in diagram.edges if "NPU9" in edge.id]) == 9


def test_a_way_between_numa_nodes_that_nothing_measures_is_not_drawn_as_the_inside_of_a_chip() -> None:
    b = Builder()
    for node in ("NUMA0", "NUMA1"):
        b.add(node, Kind.NUMA)
        b.add(f"rc.{node}", Kind.ROOT_COMPLEX)
        b.link(f"rc.{node}", node, Medium.ROOT_COMPLEX, upward=True, internal=True)
        b.accelerator(f"GPU{node[-1]}", f"rc.{node}")
    b.link("NUMA0", "NUMA1", Medium.NUMA, grade=Grade.UNKNOWN)

    (wire,) = [each for each in layout(b.topology).edges if each.medium is Medium.NUMA]
    assert (wire.figure, wire.on_chip) == ("?", False)
