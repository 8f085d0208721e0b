"""Records of one device are joined, whatever order a program of the runtime numbers the devices in."""

from __future__ import annotations

import pytest

from toposcope.assembly.agreement import disagreements, other_models
from toposcope.assembly.evidence import Evidence, unjoined
from toposcope.base import Origin
from toposcope.collectors.records import Accelerator, Matrix, PciDevice, Reading

SMI = Origin("nvidia-smi-L", "smi.txt", 1)
TEST = Origin("nvbandwidth", "nvbandwidth.txt", 1)
OTHER = Origin("lspci", "lspci.txt", 1)
LOG = Origin("nccl-log", "job.log", 1)
BRIDGE = "0000:1a:00.0"
FIRST, SECOND = "0000:1b:00.0", "0000:43:00.0"


def models(*records):
    evidence = Evidence.of(Reading(records))
    assert list(disagreements(evidence)) == []
    return {label: each.model for label, each in evidence.accelerators.items()}


def listed(label, model, pci=None):
    return Accelerator(TEST, label, model, pci, by_runtime=True)


def matrix(*labels):
    return Matrix(labels, (), (), (), SMI)


def test_an_address_decides_which_device_a_program_speaks_of():
    known = Accelerator(SMI, "GPU0", None, FIRST), Accelerator(SMI, "GPU1", None, SECOND)
    assert models(*known, listed("GPU0", "L4", SECOND)) == {"GPU0": None, "GPU1": "L4"}


def test_a_number_counts_where_no_address_is_known():
    assert models(matrix("GPU0", "GPU1"), listed("GPU1", "L4", SECOND)) == {"GPU1": "L4"}
    evidence = Evidence.of(Reading((matrix("GPU0", "GPU1"), listed("GPU1", "L4", SECOND))))
    assert evidence.accelerators["GPU1"].pci is None


def test_a_device_of_another_address_or_beyond_the_matrix_is_left_out():
    known = Accelerator(SMI, "GPU0", None, FIRST)
    assert models(known, listed("GPU0", "L4", SECOND)) == {"GPU0": None}
    assert models(matrix("GPU0"), listed("GPU7", "L4")) == {}


def test_the_vendors_tool_goes_first():
    known = Accelerator(SMI, "GPU0", "NVIDIA L4", FIRST)
    assert models(known, listed("GPU0", "Graphics Device", FIRST)) == {"GPU0": "NVIDIA L4"}


def test_programs_alone_name_the_devices():
    assert models(listed("GPU0", "L4", FIRST), listed("GPU1", "L4", SECOND)) == {"GPU0": "L4", "GPU1": "L4"}


def test_numbers_tell_nothing_where_the_models_differ():
    assert models(matrix("GPU0", "GPU1"), listed("GPU0", "A100"), listed("GPU1", "T4")) == {}


def test_beside_a_pcie_tree_programs_name_no_devices():
    tree = PciDevice(FIRST, OTHER, class_code="0302", at_root=True)
    assert models(tree, listed("GPU0", "L4"), listed("GPU3", "L4", SECOND)) == {}


def test_one_number_of_two_runs_is_not_one_device():
    assert models(listed("GPU0", "L4", FIRST), listed("GPU0", "T4", SECOND)) == {"GPU0": "L4"}


def pictured(*more):
    """What is left of the tree that a log pictures, beside what other tools say."""
    gpu = PciDevice(FIRST, LOG, parent=BRIDGE, class_code="0302")
    bridge = PciDevice(BRIDGE, LOG, at_root=True, class_code="0604", port_type="Upstream Port")
    return [each.parent for each in Evidence.of(Reading((bridge, gpu, *more))).devices.values() if each.parent]


def test_a_pictured_tree_counts_where_no_tool_shows_one():
    assert pictured() == [BRIDGE]
    assert pictured(PciDevice(SECOND, OTHER, name="a slot without a tree")) == [BRIDGE]
    assert pictured(PciDevice("0000:00:01.0", OTHER, secondary=0x1B)) == []


def test_a_pictured_tree_gives_way_to_labels_that_it_cannot_be_joined_to():
    assert pictured(matrix("GPU0", "GPU1")) == []
    assert pictured(Accelerator(SMI, "GPU0"), Accelerator(SMI, "GPU1")) == []
    assert pictured(Accelerator(SMI, "GPU0")) == [BRIDGE]
    assert pictured(Accelerator(SMI, "GPU0", pci=FIRST), Accelerator(SMI, "GPU1", pci=SECOND)) == [BRIDGE]


def test_a_pictured_tree_that_gave_way_to_labels_is_told():
    gpu = PciDevice(FIRST, LOG, at_root=True, class_code="0302")

    def told(*more):
        reading = Reading((gpu, *more))
        return [problem.origin for problem in unjoined(reading, Evidence.of(reading))]

    assert told(matrix("GPU0", "GPU1")) == [LOG]
    assert told() == []
    assert told(matrix("GPU0", "GPU1"), PciDevice(SECOND, OTHER, at_root=True)) == []


@pytest.mark.parametrize(
    ("known", "program", "clash"),
    [
        ((Accelerator(SMI, "GPU0", "NVIDIA L4", FIRST),), listed("GPU0", "T4", FIRST), True),
        ((Accelerator(SMI, "GPU0", "NVIDIA L4", FIRST),), listed("GPU0", "L4", FIRST), False),
        ((Accelerator(SMI, "GPU0", "NVIDIA A100-SXM...", FIRST),), listed("GPU3", "A100-SXM4-40GB", FIRST), False),
        ((Accelerator(SMI, "GPU0", "NVIDIA L4"),), listed("GPU0", "T4"), True),
        ((Accelerator(SMI, "GPU0", "NVIDIA L4", FIRST),), listed("GPU0", "T4", SECOND), False),
        ((Accelerator(SMI, "GPU0", "L4"), Accelerator(SMI, "GPU1", "T4")), listed("GPU0", "T4"), False),
    ],
)
def test_a_program_that_lists_another_model_contradicts(known, program, clash):
    found = list(other_models(Evidence.of(Reading((*known, program)))))
    assert [problem.other for problem in found] == ([TEST] if clash else [])
