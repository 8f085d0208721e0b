"""Stand-ins: what names somebody is gone, equal things stay equal, and the topology reads as before."""

from __future__ import annotations

import ipaddress
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture, Problem, ProblemKind
from toposcope.base.origin import Origin
from toposcope.recording import Command, Outcome, Recording
from toposcope.recording.redaction import redacted


def text_of(text: str, *, host: str | None = None, source: str = "any") -> str:
    return redacted(Recording(host, (Capture(source, "f", text),))).captures[0].text


UNTOUCHED = [
    "0000:3b:00.0 3D controller: Some Vendor Device 2330 (rev a1)",
    "00000000:3B:00.0",
    "3b:00.0/01.0",
    "10000:81:00.0",
    "0-31,64-95",
    "10-11,12-13,14-15,16-17,18-19,20-21",
    "NUMA node0 CPU(s): 0-15",
    "node distances: 10 21",
    "12:34:56 up 3 days",
    "2026-01-02T03:04:05",
    "Driver Version: 535.161.08   CUDA Version: 12.2",
    "npu-smi 24.1.0.3                 Version: 24.1.0.3",
    "Firmware Version : 7.1.0.3",
    "VBIOS Version: 96.00.74.00",
    "Linux version 5.10.0-60.18.0.50.x86_64",
    "inet6 mask ffff:ffff:ffff:ffff::",
    "netmask 255.255.255.0, 127.0.0.1, 0.0.0.0",
    "link/ether 00:00:00:00:00:00 brd ff:ff:ff:ff:ff:ff",
    "GUID: 0x0000000000000000",
    "\tGPU0\tGPU1\tNIC0\tCPU Affinity",
    "LnkCap: Port #0, Speed 32GT/s, Width x16",
    "Serial Number : N/A",
    "Serial Attached SCSI controller: X",
    "ffffffff,00000000,ffffffff",
    "std::vector a::b",
    "user@",
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_names_nobody_is_left_as_it_is(text: str) -> None:
    assert text_of(text, host="node0") == text


@pytest.mark.parametrize(
    ("text", "secret", "shape"),
    [
        ("GPU-1a2b3c4d-1111-2222-3333-444455556666)", "1a2b3c4d", r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)"),
        ("ether 5c:ff:35:aa:bb:01 x", "aa:bb:01", r"ether [0-9a-f]{2}(:[0-9a-f]{2}){5} x"),
        ("MAC 5C-FF-35-AA-BB-01", "AA-BB-01", r"MAC [0-9A-F]{2}(-[0-9A-F]{2}){5}"),
        ("inet 192.168.17.4/24", "192.168.17", r"inet \d+\.\d+\.\d+\.4/24"),
        ("inet6 2a01:4f8:1:2::7/64", "2a01:4f8", r"inet6 2001:db8:[0-9a-f:]+/64"),
        ("inet6 fe80::5eff:35ff:feaa:bb01/64", "35ff", r"inet6 fe80::[0-9a-f:]+/64"),
        ("Node GUID: 0x5cff3503aabb0102", "5cff3503aabb0102", r"Node GUID: 0x[0-9a-f]{16}"),
        ("node_guid: 5cff:3503:aabb:0102", "aabb:0102", r"node_guid: [0-9a-f]{4}(:[0-9a-f]{4}){3}"),
        ('Switch "S-5cff3503aabb0102"', "5cff3503aabb0102", r'Switch "S-[0-9a-f]{16}"'),
        ("Device Serial Number 5c-ff-35-03-aa-bb-01-02", "aa-bb", r"Device Serial Number [0-9a-f]{2}(-[0-9a-f]{2}){7}"),
        ("Serial Number : 1652922098765", "1652922098765", r"Serial Number : \d{13}"),
        ("[SN] Serial number: MT2113X09876", "MT2113X09876", r"\[SN\] Serial number: XX\d{4}X\d{5}"),
        ("Asset Tag: RACK7-4411", "4411", r"Asset Tag: XXXX\d-\d{4}"),
        ("Vendor SN  : ABC98765", "ABC98765", r"Vendor SN  : XXX\d{5}"),
        ("<serial>1652922098765</serial>", "1652922098765", r"<serial>\d{13}</serial>"),
        ('"serial": {\n  "value": "1652922098765"\n}', "1652922098765", r'"serial": \{\n  "value": "\d{13}"\n\}'),
        ("[alice@gpunode17 ~]$ ls", "alice", r"\[user-1@host-1 ~\]\$ ls"),
        ("alice@gpunode17:~/x$ ls", "gpunode17", r"user-1@host-1:~/x\$ ls"),
        ("Linux gpunode17 5.15.0-91 x86_64", "gpunode17", r"Linux host-1 5\.15\.0-91 x86_64"),
        ("SysName:      leaf-sw-12", "leaf-sw-12", r"SysName:      host-1"),
        ("/home/alice/run.sh", "alice", r"/home/user-1/run\.sh"),
        ('Ca 1 "H-5cff3503aabb0102" # "gpunode17 mlx5_0"', "gpunode17", r'Ca 1 "H-[0-9a-f]{16}" # "host-1 mlx5_0"'),
    ],
)  # fmt: skip
def test_what_names_somebody_gets_a_stand_in_of_the_same_shape(text: str, secret: str, shape: str) -> None:
    hidden = text_of(text)

    assert secret not in hidden
    assert re.fullmatch(shape, hidden), hidden


def test_equal_things_stay_equal_in_every_spelling_and_file() -> None:
    recording = Recording(
        None,
        (
            Capture("a", "a", "Node GUID: 0x5cff3503aabb0102\nbase lid\n"),
            Capture("b", "b", "5cff:3503:aabb:0102\nfe80:0000:0000:0000:5cff:3503:aabb:0102\n"),
            Capture(
                "c",
                "c",
                "Device Serial Number 5c-ff-35-03-aa-bb-01-02\nswitchguid=0x5cff3503aabb0102(5cff3503aabb0102)\n",
            ),
            Capture("d", "d", "80:00:00:48:fe:80:00:00:00:00:00:00:5c:ff:35:03:aa:bb:01:02\n"),
        ),
    )

    texts = [capture.text for capture in redacted(recording).captures]

    plain = texts[0][len("Node GUID: 0x") :][:16]
    assert plain.startswith("0")
    grouped = ":".join(plain[i : i + 4] for i in range(0, 16, 4))
    assert texts[1] == f"{grouped}\nfe80:0000:0000:0000:{grouped}\n"
    dashed = "-".join(plain[i : i + 2] for i in range(0, 16, 2))
    assert texts[2] == f"Device Serial Number {dashed}\nswitchguid=0x{plain}({plain.lstrip('0')})\n"
    assert texts[3] == f"80:00:00:48:fe:80:00:00:00:00:00:00:{dashed.replace('-', ':')}\n"


def test_different_things_stay_different() -> None:
    uuid = "GPU-11111111-0000-0000-0000-00000000000"
    things = [f"{kind}{n}" for kind in ("5c:ff:35:00:00:0", "10.9.8.", uuid, "0x5cff35000000000") for n in (1, 2)]

    words = text_of(" ".join(things)).split()

    assert len(set(words)) == len(things)


def test_addresses_of_one_network_stay_in_one_network() -> None:
    one, two, other = text_of("172.16.5.10 172.16.5.11 172.16.6.10").split()

    assert one.rpartition(".")[0] == two.rpartition(".")[0] != other.rpartition(".")[0]
    assert [word.rpartition(".")[2] for word in (one, two, other)] == ["10", "11", "10"]


def test_an_ipv4_address_within_an_ipv6_one_gets_the_same_stand_in() -> None:
    plain, mapped = text_of("172.16.5.10 ::ffff:172.16.5.10").split()

    assert plain != "172.16.5.10"
    assert ipaddress.IPv6Address(mapped).ipv4_mapped == ipaddress.IPv4Address(plain)


def test_the_host_is_hidden_in_texts_names_commands_and_problems() -> None:
    recording = Recording(
        host="gpunode17.lab.local",
        captures=(Capture("a", "gpunode17/x_gpunode17.txt", "on gpunode17 and gpunode17.lab.local, not gpunode170"),),
        problems=(Problem(ProblemKind.UNREAD, Origin("a", "gpunode17/x"), "of gpunode17", "gpunode17"),),
        commands=(Command("a", ("ssh", "gpunode17"), Outcome.DONE, file="gpunode17/x", error="gpunode17: no"),),
    )

    hidden = redacted(recording)

    assert hidden.host == "host-1.example.org"
    assert hidden.captures[0].text == "on host-1 and host-1.example.org, not gpunode170"
    assert "gpunode17/" not in repr(hidden)
    assert "'gpunode17'" not in repr(hidden)


@pytest.mark.parametrize("host", ["node0", "gpu", "mlx5", "localhost", "eth0", "cpu0"])
def test_a_host_that_is_called_like_a_device_is_left_so_that_the_topology_is(host: str) -> None:
    text = f"path {host} stays\n"

    assert text_of(text, host=host) == text


def test_a_column_of_serial_numbers_is_hidden() -> None:
    text = "index, name, serial\n0, Box, 1652922098765\n1, Box, 1652922098766\n2, Box, [N/A]\n"

    hidden = text_of(text)

    assert "16529220" not in hidden
    assert hidden.splitlines()[3] == "2, Box, [N/A]"
    assert len({line.split(", ")[2] for line in hidden.splitlines()[1:3]}) == 2


def test_the_serial_number_in_a_configuration_space_is_blanked_and_nothing_else() -> None:
    space = bytearray(range(256)) + bytearray(256)
    space[0x100:0x104] = (0x0001 | 1 << 16 | 0x140 << 20).to_bytes(4, "little")
    space[0x140:0x144] = (0x0003 | 1 << 16).to_bytes(4, "little")
    space[0x144:0x14C] = b"\x02\x01\xbb\xaa\x03\x35\xff\x5c"
    line = f"/sys/bus/pci/devices/0000:3b:00.0\tconfig\t{space.hex()}\n"

    hidden = text_of(line)

    space[0x144:0x14C] = bytes(8)
    assert hidden == f"/sys/bus/pci/devices/0000:3b:00.0\tconfig\t{space.hex()}\n"


def test_hiding_twice_changes_no_line() -> None:
    text = "[alice@gpunode17 ~]$ ip addr\n  link/ether 5c:ff:35:aa:bb:01\n  inet 192.168.1.2/24\n"

    once = text_of(text)

    assert len(text_of(once).splitlines()) == len(once.splitlines()) == 3


@given(st.text(alphabet=st.sampled_from("0123456789abcdef:.-/ \n\tGPUserial=@~$#[]"), max_size=300))
def test_no_text_makes_it_raise_or_lose_a_line(text: str) -> None:
    assert text_of(text).count("\n") == text.count("\n")
