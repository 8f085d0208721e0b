"""A superchip sits on its CPU: by the model where the words alone place it, beside a PCIe tree that a tool shows."""

from __future__ import annotations

from tests.prediction.wiring import lookup
from toposcope.analysis import routes
from toposcope.assembly import assemble
from toposcope.base import Origin
from toposcope.collectors.records import Accelerator, Cell, Matrix, MatrixRow, PciDevice, PciLink, Reading
from toposcope.model import Medium, Reach
from toposcope.model.placement import reach

SMI = Origin("nvidia-smi-topo-m", "topo.txt", 1)
TREE = Origin("lspci-vvv", "lspci.txt", 1)
LABELS = ("GPU0", "NIC0")


def matrix(word):
    cells = (Cell("GPU0", "NIC0", word, SMI), Cell("NIC0", "GPU0", word, SMI))
    rows = (MatrixRow("GPU0", "0-71", "0", None, SMI), MatrixRow("NIC0", None, None, None, SMI))
    return Matrix(LABELS, cells, rows, (("NIC0", "mlx5_0"),), SMI)


def machine(model, *more):
    return assemble(Reading((matrix("NODE"), Accelerator(SMI, "GPU0", model), *more)), lookup(), ())


def host_copy(topology):
    (route, *_) = routes(topology, "GPU0", "host")
    return route


def test_copies_of_host_memory_go_over_the_link_to_the_cpu():
    route = host_copy(machine("NVIDIA GH200 480GB"))
    assert [each.medium for each in route.segments] == [Medium.C2C]
    assert route.limit.line.gbs == 450


def test_another_model_hangs_on_pcie():
    assert Medium.C2C not in {each.medium for each in host_copy(machine("NVIDIA H100 PCIe")).segments}


def test_a_tree_that_a_tool_shows_stays_beside_it():
    """GPU and NIC below one switch meet there, whatever the GPU's link to its CPU is."""
    wide = PciLink(32.0, 16)
    bridges = {"0000:01:00.0": (None, "Upstream Port"), "0000:02:00.0": ("0000:01:00.0", "Downstream Port")}
    bridges |= {"0000:02:01.0": ("0000:01:00.0", "Downstream Port")}
    below = {"numa": 0, "status": wide}
    root = PciDevice("0000:00:01.0", TREE, class_code="0604", at_root=True, port_type="Root Port", numa=0)
    tree = [
        root,
        *(
            PciDevice(address, TREE, parent or root.address, class_code="0604", port_type=port, numa=0, status=wide)
            for address, (parent, port) in bridges.items()
        ),
        PciDevice("0000:03:00.0", TREE, "0000:02:00.0", class_code="0302", pci_id="10de:2342", **below),
        PciDevice("0000:04:00.0", TREE, "0000:02:01.0", class_code="0207", name="Mellanox", **below),
    ]
    topology = assemble(Reading(tuple(tree)), lookup(), ())
    assert reach(topology, "GPU0", "NIC0") is Reach.SAME_SWITCH
    assert topology.link("GPU0", "NUMA0").medium is Medium.C2C
    assert [each.medium for each in host_copy(topology).segments] == [Medium.C2C]
