"""Lists of NICs and of visible accelerators, against where things hang."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails, set_port, set_variables
from toposcope.analysis.finding import Severity
from toposcope.analysis.rules import hca_list
from toposcope.model import State, Topology


def listed(value: str, **more: str) -> Topology:
    return set_variables(rails(), NCCL_IB_HCA=value, **more)


def breaks_hca_list() -> Topology:
    return listed("mlx5_0,mlx5_1")


def keeps_hca_list() -> Topology:
    return listed("mlx5")


def cannot_tell_hca_list() -> Topology:
    return rails()


def breaks_visible_order() -> Topology:
    return set_variables(rails(), CUDA_VISIBLE_DEVICES="3,2,1,0", UCX_NET_DEVICES="mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1")


def keeps_visible_order() -> Topology:
    return set_variables(rails(), CUDA_VISIBLE_DEVICES="0,1,2,3", UCX_NET_DEVICES="mlx5_0:1")


def cannot_tell_visible_order() -> Topology:
    """One visible accelerator has no order."""
    return set_variables(rails(), CUDA_VISIBLE_DEVICES="2")


def test_what_the_list_leaves_out_is_named_with_the_list_that_fits() -> None:
    (finding,) = hca_list.check_list(breaks_hca_list())

    assert "mlx5_2, mlx5_3" in finding.message
    assert [harm.source for harm in finding.harms] == ["GPU2", "GPU3"]
    assert finding.remedy == "export NCCL_IB_HCA==mlx5_0,mlx5_1,mlx5_2,mlx5_3"


@pytest.mark.parametrize(
    "value", ["=mlx5_0,mlx5_1,mlx5_2,mlx5_3", "mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1", "^mlx5_9", "mlx5_"]
)
def test_lists_that_fit_in_every_way_of_writing_them(value: str) -> None:
    assert list(hca_list.check_list(listed(value))) == []


def test_a_list_that_excludes_is_read_the_other_way_round() -> None:
    (finding,) = hca_list.check_list(listed("^mlx5_3"))

    assert [harm.source for harm in finding.harms] == ["GPU3"]


def test_only_accelerators_that_the_process_sees_count() -> None:
    assert list(hca_list.check_list(listed("=mlx5_0,mlx5_1", CUDA_VISIBLE_DEVICES="0,1"))) == []
    (finding,) = hca_list.check_list(listed("=mlx5_0", CUDA_VISIBLE_DEVICES="2"))
    assert [harm.source for harm in finding.harms] == ["GPU2"]


def test_a_name_that_no_device_has_and_a_port_that_is_down_are_named() -> None:
    topology = listed("mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_77")
    set_port(topology, "NIC1", state=State.DOWN, line=None)
    (finding,) = hca_list.check_list(topology)

    assert "mlx5_77" in finding.message
    assert "mlx5_1, whose port is down" in finding.message
    assert "mlx5_1" not in finding.remedy


def test_ethernet_among_infiniband_is_named() -> None:
    topology = listed("mlx5")
    for index in range(4):
        note(topology, f"NIC{index}-port", "link_layer", "Ethernet" if index == 1 else "InfiniBand")
    (finding,) = hca_list.check_list(topology)

    assert "mixes Ethernet and InfiniBand (mlx5_1" in finding.message


def test_an_order_that_only_a_deal_by_number_would_feel_is_information() -> None:
    (warned,) = hca_list.check_order(breaks_visible_order())
    (told,) = hca_list.check_order(set_variables(rails(), CUDA_VISIBLE_DEVICES="1,0"))

    assert warned.severity is Severity.WARNING
    assert told.severity is Severity.INFO
    assert "CUDA_VISIBLE_DEVICES=0,1,2,3" in warned.remedy


def test_devices_that_the_library_did_not_find_are_named() -> None:
    topology = rails()
    note(topology, "host", "nccl.hcas", "mlx5_0:1/IB mlx5_1:1/IB mlx5_2:1/IB")
    (finding,) = hca_list.check_list(topology)

    assert "not mlx5_3, nearest to GPU3" in finding.message
    assert [harm.source for harm in finding.harms] == ["GPU3"]


def test_a_list_of_devices_is_not_held_against_labels() -> None:
    topology = breaks_hca_list()
    for index in range(4):
        topology.add(replace(topology.component(f"NIC{index}"), name=f"NIC{index}", pci_id="15b3:1021"))
    assert list(hca_list.check_list(topology)) == []


def test_the_list_of_one_process_says_little_of_the_others() -> None:
    (finding,) = hca_list.check_list(set_variables(rails(), UCX_NET_DEVICES="mlx5_0:1"))

    assert finding.severity is Severity.INFO
