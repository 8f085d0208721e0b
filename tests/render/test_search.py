"""Finding what is to be marked, in a drawing that has folded much of it away."""

from __future__ import annotations

import pytest

from tests import machines
from toposcope.render.diagram import Marking, find_marked, layout
from toposcope.render.diagram.search import with_insides


def marked_edges(machine, *pairs: tuple[str, str]) -> frozenset[str]:
    return find_marked(layout(machine()), Marking(bottleneck=pairs)).bottleneck_edges


def test_a_link_is_found_in_either_direction() -> None:
    assert marked_edges(machines.a100, ("switch0", "GPU0")) == marked_edges(machines.a100, ("GPU0", "switch0"))


@pytest.mark.parametrize("pair", [("GPU0", "bridge2"), ("bridge1", "bridge0"), ("bridge0", "rc0")])
def test_a_link_in_a_folded_chain_marks_the_chain(pair: tuple[str, str]) -> None:
    assert marked_edges(machines.workstation, pair) == {"GPU0--rc0"}


def test_the_link_of_one_switch_marks_the_bundle_to_the_bar() -> None:
    assert marked_edges(machines.h100, ("GPU3", "nvswitch2")) == {"GPU3--nvswitch0"}


def test_a_pair_of_a_mesh_marks_both_stubs_and_the_bar() -> None:
    marked = find_marked(layout(machines.hccs_mesh()), Marking(bottleneck=[("NPU0", "NPU3")]))

    assert marked.bottleneck_edges == {"NPU0--mesh-hccs-NPU0", "NPU3--mesh-hccs-NPU0"}
    assert marked.bottleneck_boxes == {"mesh-hccs-NPU0"}


def test_a_link_inside_a_box_marks_the_box() -> None:
    assert find_marked(layout(machines.a100()), Marking(bottleneck=[("numa0", "socket0")])).bottleneck_boxes == {
        "socket0"
    }


def test_two_things_without_a_link_mark_the_way_between_them() -> None:
    assert marked_edges(machines.a100, ("rc0", "rc2")) == {"rc0--socket0", "socket0--socket1", "rc2--socket1"}


def test_the_second_function_of_a_card_is_found() -> None:
    assert marked_edges(machines.l40s, ("NIC1", "bridge0")) == {"NIC0--rc-n0"}


def test_names_that_are_not_drawn_mark_nothing() -> None:
    assert not find_marked(layout(machines.a100()), Marking(highlight=[("GPU77", "moon")]))


def test_the_ends_of_a_marked_edge_are_on_the_path() -> None:
    marked = find_marked(layout(machines.a100()), Marking(highlight=[("GPU0", "switch0")]))

    assert marked.boxes == {"GPU0", "switch0"}
    assert not marked.bottleneck_edges


def test_the_inside_of_a_card_is_on_the_path_that_enters_and_leaves_it() -> None:
    route = [("GPU5", "switch5"), ("NIC5", "switch5"), ("NIC5-port", "network")]

    diagram = layout(machines.h100())
    marked = with_insides(diagram, find_marked(diagram, Marking(highlight=route, bottleneck=route[-1:])))

    assert "NIC5--NIC5-port" in marked.edges
    assert "NIC4--NIC4-port" not in marked.edges
    assert marked.bottleneck_edges == {"NIC5-port--network"}
