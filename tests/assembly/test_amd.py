"""AMD's words: who is joined by how many links is said only where the model tells it."""

from __future__ import annotations

from tests.collectors.test_rocm_smi import showtopo, topology
from tests.prediction.wiring import lookup
from toposcope.assembly import assemble
from toposcope.base import Capture, Origin
from toposcope.collectors.records import Accelerator, Reading
from toposcope.collectors.rocm_smi import parse
from toposcope.model import Medium, Reach
from toposcope.model.placement import reach

OTHER = Origin("lspci", "lspci.txt", 1)


def machine(text, source, *more):
    return assemble(Reading((*parse(Capture(source, "some.txt", text)).records, *more)), lookup(), ())


def mesh(count, model=None):
    types = [[0 if a == b else "XGMI" for b in range(count)] for a in range(count)]
    named = [Accelerator(OTHER, f"GPU{index}", model) for index in range(count)] if model else []
    return machine(showtopo(types, [[1] * count] * count), "rocm-smi-showtopo", *named)


def test_the_library_is_that_of_the_vendor():
    assert mesh(2).figures.library.name == "RCCL"


def test_a_full_mesh_of_a_model_has_its_links():
    link = mesh(8, "Instinct MI300X").link("GPU0", "GPU7")
    assert (link.medium, link.count, link.line.gbs) == (Medium.XGMI, 1, 64)
    link = mesh(4, "Instinct MI300A").link("GPU0", "GPU3")
    assert (link.count, link.line.gbs) == (2, 128)


def test_links_are_not_counted_where_pairs_may_be_relayed():
    assert mesh(8).link("GPU0", "GPU7").line is None
    assert mesh(8, "Instinct MI250X").link("GPU0", "GPU7").count is None


def test_two_hops_are_one_node_and_three_are_two():
    types = [[0 if a == b else "PCIE" for b in range(3)] for a in range(3)]
    topology_ = machine(showtopo(types, [[0, 2, 3], [2, 0, 3], [3, 3, 0]]), "rocm-smi-showtopo")
    assert reach(topology_, "GPU0", "GPU1") is Reach.NUMA
    assert reach(topology_, "GPU0", "GPU2") is Reach.SOCKET


def test_addresses_of_amd_smi_join_the_devices():
    text = topology(["0000:0c:00.0", "0000:22:00.0"], [["SELF", "XGMI"], ["XGMI", "SELF"]], [[0, 1], [1, 0]])
    found = machine(text, "amd-smi-topology")
    assert [each.pci for each in found.components() if each.id.startswith("GPU")] == ["0000:0c:00.0", "0000:22:00.0"]
