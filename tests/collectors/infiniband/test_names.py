"""Names that belong together: ibdev2netdev, rdma link, show_gids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.infiniband import names
from toposcope.collectors.records import NetworkPort, NicName, Setting

RDMA = st.from_regex(r"[a-z]{2,6}[0-9]{0,2}(?:_bond)?_[0-9]{1,3}", fullmatch=True)
NETDEV = st.from_regex(r"[a-z]{2,4}[0-9]{1,3}(?:s[0-9]{1,2})?(?:f[0-9])?(?:np[01])?", fullmatch=True)
NICS = st.lists(st.tuples(RDMA, NETDEV, st.integers(1, 4), st.integers(0, 255), st.booleans()), min_size=1, max_size=16)


def read(parse, text):
    reading = parse(Capture("x", "f", text))
    assert reading.problems == ()
    return reading.records


def of(kind, records):
    return [record for record in records if isinstance(record, kind)]


@given(NICS)
def test_ibdev2netdev_in_both_forms(nics):
    short = "".join(f"{rdma} port {port} ==> {net} ({'Up' if up else 'Down'})\n" for rdma, net, port, _, up in nics)
    long = "".join(
        f"0000:{bus:02x}:00.0 {rdma} (MT0001 - ABC123) Card (with) brackets, port of two{' ' * 90}fw 1.2.3 port {port} "
        f"({'ACTIVE' if up else 'DOWN  '}) ==> {net} ({'Up' if up else 'Down'})\n"
        for rdma, net, port, bus, up in nics
    )
    expected = [(rdma, net, None, port) for rdma, net, port, _, _ in nics]
    found = of(NicName, read(names.parse_ibdev2netdev, short))
    assert [(name.rdma, name.netdev, name.pci, name.port) for name in found] == expected
    found = of(NicName, read(names.parse_ibdev2netdev, long))
    assert [(name.rdma, name.netdev, name.port) for name in found] == [(r, n, p) for r, n, _, p in expected]
    assert [name.pci for name in found] == [f"0000:{bus:02x}:00.0" for *_, bus, _ in nics]
    states = {port.device: port.state for port in of(NetworkPort, read(names.parse_ibdev2netdev, short))}
    assert set(states.values()) <= {"Up", "Down"}


def test_a_device_without_a_netdev_still_has_its_function():
    (name, port, *settings) = read(
        names.parse_ibdev2netdev, "0000:3b:00.0 mlx5_0 (MT1 - NA)  fw 1.2.3 port 1 (DOWN  ) ==> \n"
    )
    assert (name.netdev, name.pci, port.state) == (None, "0000:3b:00.0", "DOWN")
    assert {setting.name for setting in settings} == {"model", "firmware.version"}


def test_rdma_link_of_both_generations():
    text = """\
link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0 netdev_index 3
2/1: mlx5_1/1: subnet_prefix fe80:0000:0000:0000 lid 4 sm_lid 1 lmc 0 state DOWN physical_state POLLING
link rocep3s0/1 state DOWN physical_state DISABLED
"""
    records = read(names.parse_rdma_link, text)
    assert [(n.rdma, n.netdev, n.port) for n in of(NicName, records)] == [("mlx5_0", "eth0", 1)]
    ports = [(p.device, p.port, p.state, p.physical_state) for p in of(NetworkPort, records)]
    assert ports == [
        ("mlx5_0", 1, "ACTIVE", "LINK_UP"),
        ("mlx5_1", 1, "DOWN", "POLLING"),
        ("rocep3s0", 1, "DOWN", "DISABLED"),
    ]


def test_rdma_dev_tells_the_firmware():
    text = "0: mlx5_0: node_type ca fw 20.1.2 node_guid 0200:0000:0000:0001 sys_image_guid 0200:0000:0000:0001\n"
    assert [(s.subject, s.name) for s in of(Setting, read(names.parse_rdma_link, text))] == [
        ("mlx5_0", "firmware.version"),
        ("mlx5_0", "guid.node"),
    ]


GIDS = """\
DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV
---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---
mlx5_0\t1\t0\tfe80:0000:0000:0000:0200:00ff:fe00:0001\t\t\tv1\teth0
mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:c000:0201\t192.0.2.1  \tv2\teth0
n_gids_found=2
"""


def test_show_gids_names_address_and_index():
    records = read(names.parse_show_gids, GIDS)
    assert {(n.rdma, n.netdev, n.port) for n in of(NicName, records)} == {("mlx5_0", "eth0", 1)}
    assert [port.address for port in of(NetworkPort, records)] == ["192.0.2.1"]
    assert [(s.subject, s.name) for s in of(Setting, records)] == [("mlx5_0/1", "gid.0"), ("mlx5_0/1", "gid.3")]


def test_a_line_cut_short_is_reported():
    reading = names.parse_ibdev2netdev(Capture("x", "f", "mlx5_0 port 1 ==> eth0 (Up)\nmlx5_1 po\n"))
    assert [problem.text for problem in reading.problems] == ["mlx5_1 po"]


def test_capabilities_below_a_link_are_no_loss():
    text = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n    caps: <CM, IP_BASED_GIDS>\n"
    assert len(read(names.parse_rdma_link, text)) == 2
