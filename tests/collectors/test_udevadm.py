"""udevadm: the exported database, one device, and the walk over attributes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.records import NicName, PciDevice, PciLink
from toposcope.collectors.udevadm.properties import parse

ADDRESSES = st.builds(
    "{:04x}:{:02x}:{:02x}.{}".format, st.just(0), st.integers(0, 255), st.integers(0, 31), st.integers(0, 7)
)


def read(text):
    return parse(Capture("udevadm", "f", text))


def block(path, *, letters=True, **fields):
    lines = [f"P: {path}"]
    if letters:
        lines += ["M: x", "R: 0", "U: pci", "L: 0", "S: disk/by-path/x"]
    return "\n".join([*lines, f"E: DEVPATH={path}", *(f"E: {name}={value}" for name, value in fields.items())]) + "\n\n"


@given(st.lists(ADDRESSES, min_size=1, max_size=9, unique=True), st.booleans(), st.data())
def test_what_is_printed_is_read(addresses, letters, data):
    chains, text = [], ""
    for address in addresses:
        above = data.draw(st.sampled_from([(), *chains]))
        chains.append((*above, address))
        path = "/devices/pci0000:00/" + "/".join(chains[-1])
        text += block(
            path,
            letters=letters,
            PCI_CLASS="30200",
            PCI_ID="1ABC:2D3E",
            PCI_SUBSYS_ID="0000:0000",
            SUBSYSTEM="pci",
            DRIVER="x",
        )
    reading = read(text)
    assert reading.problems == ()
    assert [(d.address, d.parent, d.at_root) for d in reading.records] == [
        (chain[-1], chain[-2] if len(chain) > 1 else None, len(chain) == 1) for chain in chains
    ]
    device = reading.records[0]
    assert (device.class_code, device.pci_id, device.subsystem_id, device.driver) == ("0302", "1abc:2d3e", None, "x")


def test_names_of_nics_and_nothing_of_usb_or_disks():
    path = "/devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0"
    text = block(f"{path}/net/eth0", SUBSYSTEM="net", INTERFACE="eth0")
    text += block(f"{path}/infiniband/mlx5_0", SUBSYSTEM="infiniband", NAME="mlx5_0")
    text += block("/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/net/usb0", SUBSYSTEM="net")
    text += block(f"{path}/nvme/nvme0", SUBSYSTEM="nvme") + block("/devices/virtual/net/lo", SUBSYSTEM="net")
    reading = read(text)
    assert reading.problems == ()
    assert [(n.rdma, n.netdev, n.pci) for n in reading.records if isinstance(n, NicName)] == [
        (None, "eth0", "0000:3b:00.0"),
        ("mlx5_0", None, "0000:3b:00.0"),
    ]
    assert len(reading.records) == 2


def test_the_name_is_of_vendor_and_device():
    text = block(
        "/devices/pci0000:00/0000:00:01.0",
        PCI_CLASS="60400",
        ID_VENDOR_FROM_DATABASE="Acme",
        ID_MODEL_FROM_DATABASE="Port 1",
    )
    assert read(text).records[0].name == "Acme Port 1"


def test_a_walk_gives_attributes_and_parents():
    text = """
Udevadm info starts with the device specified by the devpath and then
walks up the chain of parent devices.

  looking at device '/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0':
    KERNEL=="0000:3b:00.0"
    SUBSYSTEM=="pci"
    DRIVER=="nvidia"
    ATTR{class}=="0x030200"
    ATTR{numa_node}=="1"
    ATTR{current_link_speed}=="16.0 GT/s PCIe"
    ATTR{current_link_width}=="8"

  looking at parent device '/devices/pci0000:3a/0000:3a:00.0':
    KERNELS=="0000:3a:00.0"
    DRIVERS=="pcieport"
    ATTRS{class}=="0x060400"
"""
    reading = read(text)
    assert reading.problems == ()
    device, port = (record for record in reading.records if isinstance(record, PciDevice))
    assert (device.address, device.parent, device.numa, device.driver) == ("0000:3b:00.0", "0000:3a:00.0", 1, "nvidia")
    assert device.status == PciLink(16.0, 8)
    assert (port.at_root, port.class_code, port.driver) == (True, "0604", "pcieport")


def test_a_line_of_no_form_inside_is_reported():
    text = block("/devices/pci0000:00/0000:00:01.0").rstrip() + "\nwhat\n" + block("/devices/pci0000:00/0000:00:02.0")
    assert [problem.text for problem in read(text).problems] == ["what"]
