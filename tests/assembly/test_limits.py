"""Structures that no machine has, and names that look like others' ids: all is read or reported, nothing runs away."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from toposcope import app
from toposcope.assembly.limits import MAX_ACCELERATORS, MAX_DEPTH, MAX_NICS, MAX_NUMA_NODES
from toposcope.base import InputError
from toposcope.model import Kind
from toposcope.render.documents import analysis_document
from toposcope.render.schema import to_json
from toposcope.render.terminal.report import report

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

GPU = "3D controller [0302]: NVIDIA Corporation XX100 [10de:2330]"
NIC = "Ethernet controller [0200]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]"
BRIDGE = "PCI bridge [0604]: Example Port [1d00:0001]"
LSPCI, TOPO = "lspci_-D_-nn_-vvv", "nvidia-smi_topo_-m"


def shown(path: Path, name: str, text: str, more: Iterable[str] = ()) -> app.Loaded:
    """Read a text, and ``more`` files beside it, and write all that can be told of it."""
    (path / name).write_text(text)
    (loaded,) = app.load([str(path / each) for each in (name, *more)], app.knowledge())
    analysis = app.analyze(loaded)
    to_json(analysis_document(analysis, loaded.text_of))
    screen = Console(file=io.StringIO(), width=100, color_system=None, markup=False)
    for part in report(analysis, loaded.text_of, width=100):
        screen.print(part)
    for form in ("json", "dot", "mermaid", "graphml"):
        app.export(loaded, form)
    return loaded


def messages(loaded: app.Loaded) -> str:
    return "\n".join(problem.message for problem in loaded.topology.problems)


def count(loaded: app.Loaded, kind: Kind) -> int:
    return sum(1 for _ in loaded.topology.components(kind))


def address(number: int) -> str:
    return f"{number >> 16:04x}:{number >> 8 & 255:02x}:{number >> 3 & 31:02x}.{number & 7}"


def listing(*devices: tuple[str, int]) -> str:
    """Print so many devices of each kind, each kind on buses of its own."""
    return "".join(
        f"{address((at << 20) + n)} {name}\n" for at, (name, many) in enumerate(devices) for n in range(many)
    )


def bridge(place: str, secondary: int) -> str:
    buses = f"primary={place[5:7]}, secondary={secondary:02x}, subordinate=ff, sec-latency=0"
    return f"{place} {BRIDGE}\n\tBus: {buses}\n"


def matrix(labels: Iterable[str]) -> str:
    names = list(labels)
    rows = (f"{row}\t" + "\t".join("X" if i == j else "NODE" for j in range(len(names))) for i, row in enumerate(names))
    return "\n".join(["\t" + "\t".join([*names, "CPU Affinity", "NUMA Affinity"]), *(f"{r}\t0-1\t0" for r in rows), ""])


def test_bridges_nested_deeper_than_any_can_be_are_cut_and_reported(tmp_path: Path) -> None:
    chain = "\n".join(bridge(f"0000:{bus:02x}:00.0", bus + 1) for bus in range(254))

    loaded = shown(tmp_path, LSPCI, f"{chain}\n0000:fe:00.0 {GPU}\n")

    assert count(loaded, Kind.ACCELERATOR) == 1
    assert f"more than {MAX_DEPTH}" in messages(loaded)


def test_thousands_of_bridges_in_one_path_are_cut_and_reported(tmp_path: Path) -> None:
    places = [f"{bus:02x}:{slot:02x}.0" for slot in range(16) for bus in range(256)]
    paths = "\n".join(f"{'/'.join(places[max(at - 2, 0) : at + 1])} {BRIDGE}" for at in range(1, len(places)))

    loaded = shown(tmp_path, "lspci_-PP_-nn", f"{paths}\n{places[-1]}/00:1f.7 {GPU}\n")

    assert count(loaded, Kind.ACCELERATOR) == 1
    assert f"more than {MAX_DEPTH}" in messages(loaded)


@pytest.mark.parametrize("round_of", [1, 2, 3, 200])
def test_bridges_that_lead_back_to_themselves_are_reported(tmp_path: Path, round_of: int) -> None:
    circle = "\n".join(bridge(f"0000:{bus:02x}:00.0", bus % round_of + 1) for bus in range(1, round_of + 1))

    loaded = shown(tmp_path, LSPCI, f"{circle}\n0000:01:01.0 {GPU}\n")

    assert count(loaded, Kind.ACCELERATOR) == 1
    if round_of > 1:
        assert "lead back to it" in messages(loaded)


def test_more_accelerators_than_a_host_has_are_left_out_and_reported(tmp_path: Path) -> None:
    loaded = shown(tmp_path, LSPCI, listing((GPU, MAX_ACCELERATORS + 5)))

    assert count(loaded, Kind.ACCELERATOR) == MAX_ACCELERATORS
    assert count(loaded, Kind.OTHER) == 5
    assert f"more than {MAX_ACCELERATORS}" in messages(loaded)


def test_virtual_functions_are_the_first_nics_to_be_left_out(tmp_path: Path) -> None:
    virtual = NIC.replace("[ConnectX-7]", "[ConnectX Family mlx5Gen Virtual Function]")

    loaded = shown(tmp_path, LSPCI, listing((virtual, MAX_NICS), (GPU, 2), (NIC, 4)))

    names = [nic.model for nic in loaded.topology.components(Kind.NIC)]
    assert len(names) == MAX_NICS
    assert sum("Virtual" not in (name or "") for name in names) == 4
    assert "NIC512 and 3 more are left out" in messages(loaded)


def test_more_numa_nodes_than_a_host_has_are_left_out_and_reported(tmp_path: Path) -> None:
    text = "".join(f"{address(8 * n)} {GPU if n < 2 else BRIDGE}\n\tNUMA node: {n}\n" for n in range(2000))

    loaded = shown(tmp_path, LSPCI, text)

    assert count(loaded, Kind.NUMA) == MAX_NUMA_NODES
    assert f"more than {MAX_NUMA_NODES} NUMA nodes" in messages(loaded)


def test_a_hundred_thousand_devices_are_all_there(tmp_path: Path) -> None:
    many = 100_000 if os.environ.get("TOPOSCOPE_SLOW") else 10_000

    loaded = shown(tmp_path, LSPCI, listing(("System peripheral [0880]: Example Thing [1d00:0003]", many), (GPU, 2)))

    assert count(loaded, Kind.OTHER) == many
    assert count(loaded, Kind.ACCELERATOR) == 2


def test_a_header_of_ten_thousand_accelerators_is_refused_with_its_number(tmp_path: Path) -> None:
    (tmp_path / TOPO).write_text("\t" + "\t".join(f"GPU{n}" for n in range(10_000)) + "\nGPU0\tX" + "\tSYS" * 9_999)

    with pytest.raises(InputError) as refused:
        app.load([str(tmp_path / TOPO)], app.knowledge())

    assert any(
        "10000 devices" in problem.message or "too long" in problem.message for problem in refused.value.problems
    )


def test_thousands_of_ports_are_reported_and_kept_as_facts(tmp_path: Path) -> None:
    port = "\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n"
    text = "".join(f"CA 'mlx5_{n}'\n\tCA type: MT4129\n\tNumber of ports: 1\n{port}" for n in range(3000))

    loaded = shown(tmp_path, "ibstat", text)

    assert count(loaded, Kind.NIC) == MAX_NICS
    assert f"more than {MAX_NICS}" in messages(loaded)


@pytest.mark.parametrize(
    "names",
    [
        ["network", "CPU0", "NUMA0", "NODE", "host", "remote", "memory-CPU0"],
        ["SW0", "NVSW0", "SW.GPU0", "RC0", "guest", "pci0000:00", "0000:00:00.0"],
        ["GPU0/p1", "NIC0/p1", "NIC1", "NIC1/p1", "GPU1", "GPU0", "NIC0"],
        ["mlx5_0", "mlx5_0", "mlx5_0/p1", "mlx5_0", "-", "--help", "<b>"],
    ],
)
def test_names_that_are_ids_of_others_make_no_one_else(tmp_path: Path, names: list[str]) -> None:
    legend = "".join(f"  NIC{at}: {name}\n" for at, name in enumerate(names))
    text = matrix(["GPU0", "GPU1", *(f"NIC{at}" for at in range(len(names)))]) + f"\nNIC Legend:\n\n{legend}"

    loaded = shown(tmp_path, TOPO, text)

    assert [nic.name for nic in loaded.topology.components(Kind.NIC)] == names
    assert count(loaded, Kind.ACCELERATOR) == 2
    assert count(loaded, Kind.NETWORK) == 1


@pytest.mark.parametrize("labels", [["network", "remote0"], ["host0", "mlx5_0"], ["net0", "cpu0"]])
def test_columns_called_like_ids_are_nics(tmp_path: Path, labels: list[str]) -> None:
    loaded = shown(tmp_path, TOPO, matrix(["GPU0", "GPU1", *labels]))

    assert count(loaded, Kind.ACCELERATOR) == 2
    assert count(loaded, Kind.NETWORK) <= 1


def test_an_accelerator_printed_twice_is_one_and_reported(tmp_path: Path) -> None:
    loaded = shown(tmp_path, TOPO, matrix(["GPU0", "GPU1", "GPU0"]))

    assert count(loaded, Kind.ACCELERATOR) <= 3
    assert loaded.topology.problems


@pytest.mark.parametrize("speed", ["1e308", "9" * 400, "0", "99999999", "-1", "nan"])
@pytest.mark.parametrize("width", ["0", "999999", "9" * 400, "-1"])
def test_speeds_and_widths_beyond_all_reason_give_no_figure(tmp_path: Path, speed: str, width: str) -> None:
    link = f"\tCapabilities: [60] Express (v2) Endpoint\n\t\tLnkCap:\tPort #0, Speed {speed}GT/s, Width x{width}\n"
    text = f"0000:ff:1f.7 {GPU}\n\tNUMA node: 1000000000\n{link}\t\tLnkSta:\tSpeed {speed}GT/s, Width x{width}\n"

    loaded = shown(tmp_path, LSPCI, bridge("0000:00:00.0", 255) + "\n" + text)

    assert count(loaded, Kind.ACCELERATOR) == 1
    assert all(link.line is None or link.line.gbs < 1000 for link in loaded.topology.links())


def test_an_accelerator_below_another_in_the_pcie_tree_and_linked_to_it_is_a_clash(tmp_path: Path) -> None:
    bridges = bridge("0000:00:01.0", 1) + "\n" + bridge("0000:01:00.0", 2).replace(BRIDGE, GPU)
    (tmp_path / LSPCI).write_text(f"{bridges}\n0000:02:00.0 {GPU}\n")

    loaded = shown(tmp_path, TOPO, matrix(["GPU0", "GPU1"]).replace("NODE", "NV4"), more=[LSPCI])

    assert "linked by pcie already: their nvlink is left out" in messages(loaded)
