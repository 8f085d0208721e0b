"""RDMA ports as ibstat, ibstatus and ibv_devinfo print them, whole and as copies damage them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture
from toposcope.collectors.infiniband import devinfo, ibstat
from toposcope.collectors.records import NetworkPort, Setting

LANES = {"EDR": 25.0, "HDR": 50.0, "NDR": 100.0, "XDR": 200.0}


@dataclass(frozen=True)
class Port:
    device: str
    number: int
    lane: str
    lanes: int
    up: bool
    layer: str
    lid: int

    @property
    def gbps(self):
        return LANES[self.lane] * self.lanes


NAMES = st.sampled_from(("mlx5_0", "mlx5_10", "mlx5_bond_0", "rocep59s0f1", "ibp3s0", "hfi1_0", "irdma0", "bnxt_re3"))
PORTS = st.lists(
    st.builds(
        Port,
        NAMES,
        st.integers(1, 2),
        st.sampled_from(sorted(LANES)),
        st.sampled_from((1, 2, 4)),
        st.booleans(),
        st.sampled_from(("InfiniBand", "Ethernet")),
        st.integers(0, 65535),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda port: port.device,
)


def as_ibstat(ports):
    lines = []
    for port in ports:
        lines += [
            f"CA '{port.device}'",
            "\tCA type: MT0001",
            "\tNumber of ports: 1",
            "\tFirmware version: 1.2.3",
            "\tHardware version: 0",
            "\tNode GUID: 0x0200000000000001",
            "\tSystem image GUID: 0x0200000000000001",
            f"\tPort {port.number}:",
            f"\t\tState: {'Active' if port.up else 'Down'}",
            f"\t\tPhysical state: {'LinkUp' if port.up else 'Polling'}",
            f"\t\tRate: {port.gbps:g}",
            f"\t\tBase lid: {port.lid}",
            "\t\tLMC: 0",
            "\t\tSM lid: 1",
            "\t\tCapability mask: 0x00010000",
            "\t\tPort GUID: 0x0200000000000002",
            f"\t\tLink layer: {port.layer}",
        ]
    return "\n".join(lines)


def as_ibstatus(ports):
    return "\n".join(
        f"Infiniband device '{port.device}' port {port.number} status:\n"
        f"\tdefault gid:\t fe80:0000:0000:0000:0200:0000:0000:0001\n\tbase lid:\t {port.lid:#x}\n\tsm lid:\t\t 0x1\n"
        f"\tstate:\t\t {'4: ACTIVE' if port.up else '1: DOWN'}\n"
        f"\tphys state:\t {'5: LinkUp' if port.up else '2: Polling'}\n"
        f"\trate:\t\t {port.gbps:g} Gb/sec ({port.lanes}X {port.lane})\n\tlink_layer:\t {port.layer}\n"
        for port in ports
    )


def as_devinfo(ports):
    return "\n".join(
        f"hca_id:\t{port.device}\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t1.2.3\n\tphys_port_cnt:\t\t\t1\n"
        "\tdevice_cap_flags:\t\t0x21361c36\n\t\t\t\t\tBAD_PKEY_CNTR\n\tmax_sge:\t\t\t30\n\txrc_odp_caps:\n"
        "\t\t\t\t\tNO SUPPORT\n\tmaximum available device memory:\t131072Bytes\n"
        f"\t\tport:\t{port.number}\n\t\t\tstate:\t\t\t{'PORT_ACTIVE (4)' if port.up else 'PORT_DOWN (1)'}\n"
        f"\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t1024 (3)\n\t\t\tport_lid:\t\t{port.lid}\n"
        f"\t\t\tlink_layer:\t\t{port.layer}\n\t\t\tactive_width:\t\t{port.lanes}X (2)\n"
        f"\t\t\tactive_speed:\t\t{LANES[port.lane]} Gbps (32)\n"
        f"\t\t\tphys_state:\t\t{'LINK_UP (5)' if port.up else 'POLLING (2)'}\n"
        "\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:0200:0000:0000:0001, RoCE v1\n"
        for port in ports
    )


def flattened(text):
    return "\n".join(line.strip() for line in text.split("\n"))


def blanked(text):
    return text.replace("\t", "        ") + "\r\n"


FORMS = [(as_ibstat, ibstat.parse), (as_ibstatus, ibstat.parse), (as_devinfo, devinfo.parse)]


@pytest.mark.parametrize(("form", "parse"), FORMS)
@pytest.mark.parametrize("damage", [str, flattened, blanked])
@given(ports=PORTS)
def test_what_is_printed_is_read(form, parse, damage, ports):
    reading = parse(Capture("x", "f", damage(form(ports))))
    assert reading.problems == ()
    found = [record for record in reading.records if isinstance(record, NetworkPort)]
    assert [(port.device, port.port, port.link_layer) for port in found] == [
        (p.device, p.number, p.layer) for p in ports
    ]
    assert [port.rate for port in found] == [Bandwidth.gigabits(port.gbps) for port in ports]
    assert ["ACTIVE" in port.state.upper() for port in found] == [port.up for port in ports]
    assert all(port.physical_state for port in found)
    if form is not as_ibstat:
        assert [port.width for port in found] == [port.lanes for port in ports]
    lids = [s.value for s in reading.records if isinstance(s, Setting) and s.name == "lid"]
    assert lids == [port.lid for port in ports]


def test_a_rate_in_brackets_tells_the_lanes():
    (port,) = ibstat.parse(Capture("ibstat", "f", "CA 'a_0'\nPort 1:\nState: Active\nRate: 40 (FDR10)\n")).records
    assert (port.rate, port.width) == (Bandwidth.gigabits(40), 4)


def test_a_port_asked_alone_is_named_by_the_command():
    text = "State: Active\nPhysical state: LinkUp\nRate: 100\n"
    capture = Capture("ibstat", "f", f"Port 1:\n{text}", argument="mlx5 bond 0 1")
    (port,) = ibstat.parse(capture).records
    assert (port.device, port.port, port.rate) == ("mlx5_bond_0", 1, Bandwidth.gigabits(100))


def test_a_device_that_failed_is_reported_and_the_others_stay():
    text = as_ibstat([Port("mlx5_0", 1, "HDR", 4, up=True, layer="InfiniBand", lid=1)])
    reading = ibstat.parse(Capture("ibstat", "f", f"{text}\nibpanic: [7] main: stat of IB device 'mlx5_8' failed: x\n"))
    assert [problem.message for problem in reading.problems] == ["the tool failed on mlx5_8"]
    assert sum(isinstance(record, NetworkPort) for record in reading.records) == 1


def test_a_rate_of_nonsense_is_reported():
    (problem,) = ibstat.parse(Capture("ibstat", "f", "CA 'a_0'\nPort 1:\nState: Active\nRate: fast\n")).problems
    assert problem.message == "no rate of a_0/1"


def test_a_port_cut_in_the_middle_keeps_what_was_printed():
    (port,) = ibstat.parse(Capture("ibstat", "f", "CA 'a_0'\n\tPort 1:\n\t\tState: Active\n\t\tPhys")).records
    assert (port.state, port.rate) == ("Active", None)


def test_without_verbose_there_is_no_rate():
    printed = as_devinfo([Port("a_0", 1, "NDR", 4, up=True, layer="InfiniBand", lid=3)])
    text = re.sub(r"\t*active_(?:width|speed):.*\n", "", printed)
    port = next(r for r in devinfo.parse(Capture("x", "f", text)).records if isinstance(r, NetworkPort))
    assert (port.rate, port.width, port.mtu) == (None, None, 1024)
