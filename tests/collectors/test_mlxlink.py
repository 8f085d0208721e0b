"""mlxlink of Ethernet and InfiniBand ports, of old and new releases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture
from toposcope.collectors.mlxlink import devices, parse
from toposcope.collectors.records import NetworkPort, NicName


def printed(fields, pad=32, *, colour=False):
    lines = ["", "Operational Info", "-" * 16]
    for key, value in fields.items():
        shown = f"\x1b[32m{value}\x1b[0m" if colour else value
        lines.append(f"{key.ljust(pad)}: {shown}")
    return "\n".join([*lines, "", "Tool Information", "-" * 16, f"{'MFT Version'.ljust(pad)}: 4.30", ""])


def read(text, argument="-d mlx5_1"):
    return parse(Capture("mlxlink", "f", text, argument=argument))


@given(
    st.sampled_from((25, 50, 100, 200, 400, 800)),
    st.sampled_from((1, 2, 4, 8)),
    st.sampled_from((32, 35)),
    st.booleans(),
)
def test_an_ethernet_port(gbps, lanes, pad, colour):
    fields = {"State": "Active", "Physical state": "LinkUp", "Speed": f"{gbps}G", "Width": f"{lanes}x", "FEC": "No FEC"}
    reading = read(printed(fields, pad, colour=colour))
    assert reading.problems == ()
    port, fec = reading.records
    assert (port.device, port.rate, port.width) == ("mlx5_1", Bandwidth.gigabits(gbps), lanes)
    assert (port.state, port.physical_state, port.link_layer) == ("Active", "LinkUp", "Ethernet")
    assert (fec.subject, fec.name, fec.value) == ("mlx5_1", "fec", "No FEC")


@pytest.mark.parametrize(
    ("speed", "width", "gbps"), [("IB-NDR", "4x", 400), ("IB-HDR", "2x", 100), ("IB-XDR", "4x", 800)]
)
def test_an_infiniband_port(speed, width, gbps):
    port = read(printed({"State": "Active", "Physical state": "LinkUp", "Speed": speed, "Width": width})).records[0]
    assert (port.rate, port.link_layer) == (Bandwidth.gigabits(gbps), "InfiniBand")


def test_the_fastest_enabled_speed_is_the_most():
    fields = {"State": "Active", "Enabled Link Speed (Ext.)": "0x7 (400G_4X,200G_2X,100G_1X)"}
    assert read(printed(fields)).records[0].max_rate == Bandwidth.gigabits(400)
    fields = {"State": "Active", "Enabled Link Speed": "0x1 (NDR,HDR,EDR)"}
    assert read(printed(fields)).records[0].max_rate == Bandwidth.gigabits(400)


@pytest.mark.parametrize(
    ("argument", "device", "number"),
    [
        ("-d mlx5_1", "mlx5_1", None),
        ("-d mlx5 1", "mlx5_1", None),
        ("-d mlx5 bond 0 -m", "mlx5_bond_0", None),
        ("-d mlx5_0 -p 2 -c", "mlx5_0", 2),
        ("-m -c --device 3b:00.0", "0000:3b:00.0", None),
        ("-d /dev/mst/mt4129_pciconf0 -p 1", "/dev/mst/mt4129_pciconf0", 1),
        ("mlx5_3", "mlx5_3", None),
    ],
)
def test_the_command_names_device_and_port(argument, device, number):
    port = read(printed({"State": "Active"}), argument).records[0]
    assert (port.device, port.port) == (device, number)


def test_a_port_without_a_name_is_reported():
    reading = read(printed({"State": "Active"}), None)
    assert [problem.message for problem in reading.problems] == ["which device this is of is not said"]


def test_what_is_not_applicable_is_unsupported():
    fields = {"State": "Disable", "Speed": "N/A", "Width": "N/A", "Recommendation": "N/A", "Raw Physical BER": "1E-10"}
    port, *others = read(printed(fields)).records
    assert (port.rate, port.width) == (None, None)
    assert {s.name: (s.value, s.status) for s in others} == {
        "recommendation": (None, "unsupported"),
        "ber.raw": ("1E-10", "value"),
    }


def test_counters_are_numbers():
    others = read(printed({"State": "Active", "Link Down Counter": "3", "Effective Physical Errors": "0"})).records[1:]
    assert {s.name: s.value for s in others} == {"counter.link_down": 3, "counter.effective_physical_errors": 0}


def test_devices_of_nvidia_are_asked_about():
    origin = read(printed({"State": "Active"})).records[0].origin
    records = [NicName(origin, rdma="mlx5_0"), NetworkPort("mlx5_1", origin), NetworkPort("hfi1_0", origin)]
    assert devices(records) == ("mlx5_0", "mlx5_1")
