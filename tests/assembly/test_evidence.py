"""Records of one device are joined, whatever order a program of the runtime numbers the devices in."""

from __future__ import annotations

from toposcope.assembly.agreement import disagreements
from toposcope.assembly.evidence import Evidence
from toposcope.base import Origin
from toposcope.collectors.records import Accelerator, Matrix, Reading

SMI = Origin("nvidia-smi-L", "smi.txt", 1)
TEST = Origin("nvbandwidth", "nvbandwidth.txt", 1)
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
