"""Network and RDMA devices of /sys: names, ports, bonds, counters."""

from __future__ import annotations

import pytest

from toposcope.base import Bandwidth, Capture
from toposcope.collectors.records import NetworkPort, NicName, Setting
from toposcope.collectors.sysfs.tree import parse

UEVENT = """\
/sys/class/net/eth0/device/uevent:DRIVER=x
/sys/class/net/eth0/device/uevent:PCI_SLOT_NAME=0000:3b:00.0
/sys/class/net/eth0/mtu:1500
"""
LISTED = """\
/sys/class/net:
total 0
lrwxrwxrwx 1 root root 0 Jan  1 00:00 eth0 -> ../../devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0/net/eth0
"""
PORT = "/sys/class/infiniband/mlx5_0/ports/1"


def read(text):
    return parse(Capture("sysfs-net", "sysfs-net", text))


def of(kind, text):
    return [record for record in read(text).records if isinstance(record, kind)]


def names(text):
    return [(name.rdma, name.netdev, name.pci, name.port) for name in of(NicName, text)]


@pytest.mark.parametrize(
    "text",
    [
        "/sys/class/net/eth0/device\t->\t../../../0000:3b:00.0\n",
        "/sys/class/net/eth0\t->\t../../devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0/net/eth0\n",
        UEVENT,
        "lrwxrwxrwx. 1 root root 0 Jan  1 00:00 /sys/class/net/eth0/device -> ../../../0000:3b:00.0\n",
        LISTED,
        LISTED.partition("\n")[2],
        "$ readlink -f /sys/class/net/eth0\n/sys/devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0/net/eth0\n",
    ],
)
def test_the_function_behind_a_netdev_is_found_in_every_form(text):
    assert names(text) == [(None, "eth0", "0000:3b:00.0", None)]
    assert read(text).problems == ()


def test_a_virtio_netdev_is_behind_the_function_of_its_path():
    text = "/sys/class/net/eth0\t->\t../../devices/pci0000:00/0000:00:03.0/virtio0/net/eth0\n"
    text += "/sys/class/net/eth0/device\t->\t../../../virtio0\n"
    assert names(text) == [(None, "eth0", "0000:00:03.0", None)]


def test_a_usb_adapter_is_not_named_after_its_host_controller():
    text = "/sys/class/net/usb0\t->\t../../devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/net/usb0\n"
    assert names(text) == []


def test_an_rdma_device_its_function_and_its_netdev():
    text = f"/sys/class/infiniband/mlx5_0/device\t->\t../../../0000:3b:00.0\n{PORT}\tgid_attrs/ndevs/0\teth0\n"
    assert names(text) == [("mlx5_0", None, "0000:3b:00.0", None), ("mlx5_0", "eth0", None, 1)]


@pytest.mark.parametrize("path", [PORT, "mlx5_0/ports/1", "/copy/sys/class/infiniband/mlx5_0/ports/1"])
def test_a_port_in_absolute_and_relative_paths(path):
    text = f"{path}/rate:400 Gb/sec (4X NDR)\n{path}/state:4: ACTIVE\n{path}/phys_state:5: LinkUp\n{path}/lid:0x1f\n"
    (port,) = of(NetworkPort, text)
    assert (port.device, port.port, port.rate, port.width) == ("mlx5_0", 1, Bandwidth.gigabits(400), 4)
    assert (port.state, port.physical_state) == ("4: ACTIVE", "5: LinkUp")
    assert [(s.subject, s.name, s.value) for s in of(Setting, text)] == [("mlx5_0/1", "lid", 31)]


def test_counters_are_settings_of_the_port():
    text = f"{PORT}/counters/link_downed:3\n{PORT}/hw_counters/out_of_sequence:7\n"
    assert [(s.subject, s.name, s.value) for s in of(Setting, text)] == [
        ("mlx5_0/1", "counter.link_downed", 3),
        ("mlx5_0/1", "counter.out_of_sequence", 7),
    ]


def test_counters_of_a_virtual_netdev_are_kept_only_if_they_count():
    text = "/sys/class/net/veth0\tmtu\t1500\n/sys/class/net/veth0\tstatistics/rx_errors\t0\n"
    assert of(Setting, text) == []
    assert len(of(Setting, text.replace("\t0\n", "\t5\n"))) == 1


def test_a_bond_has_members_and_a_bridge_has_none():
    text = (
        "/sys/class/net/bond0\tspeed\t200000\n/sys/class/net/bond0\tbonding/slaves\teth0 eth1\n"
        "/sys/class/net/bond0\tbonding/mode\t802.3ad 4\n"
        "/sys/class/net/eth0\tspeed\t100000\n/sys/class/net/eth0/master\t->\t../bond0\n"
        "/sys/class/net/eth2\tspeed\t-1\n/sys/class/net/eth2/master\t->\t../br0\n"
    )
    ports = {port.device: port for port in of(NetworkPort, text)}
    assert ports["bond0"].members == ("eth0", "eth1")
    assert ports["bond0"].rate == Bandwidth.gigabits(200)
    assert (ports["eth0"].bond, ports["eth2"].bond) == ("bond0", None)
    assert ports["eth2"].rate is None
    assert [(s.subject, s.name, s.value) for s in of(Setting, text)] == [("bond0", "bond.mode", "802.3ad 4")]


def test_a_member_is_known_without_its_bond():
    text = "/sys/class/net/eth0\tspeed\t100000\n/sys/class/net/eth0/master\t->\t../bond0\n"
    text += "/sys/class/net/eth0\tbonding_slave/state\tactive\n"
    assert of(NetworkPort, text)[0].bond == "bond0"


def test_a_node_read_through_a_nic_is_a_setting_of_the_nic():
    text = "/sys/class/net/eth0/device/numa_node:1\n/sys/class/infiniband/mlx5_0/device/local_cpulist:0-7\n"
    found = [(s.subject, s.name, s.value) for s in of(Setting, text)]
    assert found == [("eth0", "numa_node", 1), ("mlx5_0", "local_cpulist", "0-7")]


@pytest.mark.parametrize(
    "argument",
    ["/sys/class/infiniband/mlx5_{0..2}/device/numa_node", "/sys/class/infiniband/mlx5_{0,1,2}/device/numa_node"],
)
def test_braces_of_a_shell_are_written_out(argument):
    reading = parse(Capture("sysfs-net", "f", "1\n0\n3\n", argument=argument))
    assert reading.problems == ()
    assert [(s.subject, s.value) for s in reading.records] == [("mlx5_0", 1), ("mlx5_1", 0), ("mlx5_2", 3)]


def test_a_link_followed_by_the_command_is_told_by_its_answer():
    capture = Capture("sysfs-net", "f", "/sys/devices/pci0000:3a/0000:3b:00.0\n", argument="/sys/class/net/eth0/device")
    assert [(name.netdev, name.pci) for name in parse(capture).records] == [("eth0", "0000:3b:00.0")]


def test_two_spellings_of_one_link_are_no_clash():
    text = "/sys/class/net/eth0/device\t->\t../../../0000:3b:00.0\n"
    text += "/sys/class/net/eth0/device\t->\t/sys/devices/pci0000:3a/0000:3b:00.0\n"
    assert read(text).problems == ()
    assert names(text) == [(None, "eth0", "0000:3b:00.0", None)]
