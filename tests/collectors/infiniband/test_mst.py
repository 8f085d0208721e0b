"""The table of mst status -v: names and nodes, with cells that stand empty."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.infiniband.mst import parse
from toposcope.collectors.records import NicName, PciDevice, Setting

HEAD = """\
MST modules:
------------
    MST PCI module is not loaded
PCI devices:
------------
"""
WIDTHS = (24, 30, 15, 16, 40, 6)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(("AcmeX7(rev:0)", "AcmeX6DX(rev:1)")),
        st.sampled_from(("/dev/mst/mt1_pciconf0", "/dev/mst/mt1_pciconf0.1", "NA")),
        st.builds(
            "{}{:02x}:00.{}".format, st.sampled_from(("", "0000:", "0001:")), st.integers(0, 255), st.integers(0, 7)
        ),
        st.sampled_from(("", "mlx5_0", "mlx5_bond_0", "rocep3s0")),
        st.sampled_from(("", "net-eth0", "net-ibp26s0", "net-bond0,net-eth1")),
        st.sampled_from(("", "0", "7", "-1")),
    ),
    max_size=12,
)


@given(ROWS)
def test_what_is_printed_is_read(rows):
    table = [("DEVICE_TYPE", "MST", "PCI", "RDMA", "NET", "NUMA"), *rows]
    text = HEAD + "".join(
        "".join(cell.ljust(width) for cell, width in zip(row, WIDTHS, strict=True)) + "\n" for row in table
    )
    reading = parse(Capture("mst-status", "f", text))
    assert reading.problems == ()
    expected = [
        (rdma or None, net.removeprefix("net-") or None, pci if pci.count(":") > 1 else f"0000:{pci}")
        for _, _, pci, rdma, nets, _ in rows
        for net in nets.split(",")
        if rdma or net
    ]
    assert [(n.rdma, n.netdev, n.pci) for n in reading.records if isinstance(n, NicName)] == expected
    nodes = [record.numa for record in reading.records if isinstance(record, PciDevice)]
    assert nodes == [int(node) for *_, node in rows if node.isdecimal()]
    masters = [record.value for record in reading.records if isinstance(record, Setting)]
    assert masters == [device for _, device, *_ in rows if device != "NA"]


def test_without_the_table_of_names_nothing_is_read():
    reading = parse(Capture("mst-status", "f", "MST modules:\n------------\n    MST PCI module loaded\n"))
    assert reading.records == ()
    assert reading.problems
