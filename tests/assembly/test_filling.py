"""What no tool showed comes from the model or the profile, and says so; what a tool printed keeps its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.printing import machine, topo_m
from toposcope import app
from toposcope.assembly.reference import NETWORK
from toposcope.model import Grade, Kind, Medium

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.model import Topology

LISTED = "".join(
    f"GPU {index}: NVIDIA H100 80GB HBM3 (UUID: GPU-0000000{index}-0000-4000-8000-000000000000)\n" for index in range(8)
)
BRIDGED = """\
\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV12\t0-31\t0
GPU1\tNV12\t X \t0-31\t0
"""
STATUS = "".join(
    f"GPU {index}: NVIDIA A100-SXM4-80GB (UUID: GPU-{index})\n"
    + "".join(f"\t Link {link}: 25 GB/s\n" for link in range(12))
    for index in range(2)
)


def loaded(folder: Path, files: dict[str, str], profile: str | None = None) -> Topology:
    for name, text in files.items():
        (folder / name).write_text(text)
    (found,) = app.load([str(folder)], app.knowledge(), profile=profile)
    return found.topology


def test_a_named_machine_gives_accelerators_that_hang_on_nothing_all_that_is_around_them(tmp_path: Path) -> None:
    topology = loaded(tmp_path, {"nvidia-smi_-L": LISTED}, profile="dgx-h100")
    reference = machine("dgx-h100")

    assert {each.id for each in topology.components()} == {each.id for each in reference.components()}
    ends = {(link.source, link.target): link.line for link in reference.links()}
    assert {(link.source, link.target): link.line for link in topology.links()} == ends
    assert all(topology.parent(each.id) == reference.parent(each.id) for each in reference.components())
    assert topology.link_grades() == {Grade.ASSUMED}


def test_accelerators_alone_get_no_machine_that_nobody_named(tmp_path: Path) -> None:
    assert not any(loaded(tmp_path, {"nvidia-smi_-L": LISTED}).components(Kind.ROOT_COMPLEX, Kind.NIC))


def test_a_named_machine_settles_the_figures_even_of_a_host_with_other_nics(tmp_path: Path) -> None:
    lines = topo_m(machine("dgx-h100")).splitlines()
    rows = [line for line in lines if not line.startswith("NIC7")]
    matrix = "\n".join("\t".join(cell for index, cell in enumerate(row.split("\t")) if index != 16) for row in rows)
    topology = loaded(tmp_path, {"nvidia-smi_topo_-m": matrix + "\n"}, profile="dgx-h100")

    assert topology.near
    lines_of = {link.line.gbs for link in topology.links() if link.medium is Medium.NVLINK and link.line}
    assert lines_of == {450.0}


def test_a_rate_that_the_link_status_prints_is_observed_at_its_line(tmp_path: Path) -> None:
    topology = loaded(tmp_path, {"nvidia-smi_topo_-m": BRIDGED, "nvidia-smi_nvlink_-s": STATUS})

    nvlinks = [link for link in topology.links() if link.medium is Medium.NVLINK]
    assert {link.grade for link in nvlinks} == {Grade.OBSERVED}
    assert {link.origin.source for link in nvlinks} == {"nvidia-smi-nvlink-s"}


def test_without_the_status_the_model_gives_the_figure(tmp_path: Path) -> None:
    names = "".join(f"GPU {index}: NVIDIA A100-SXM4-80GB (UUID: GPU-{index})\n" for index in range(2))
    topology = loaded(tmp_path, {"nvidia-smi_topo_-m": BRIDGED, "nvidia-smi_-L": names})

    assert {link.grade for link in topology.links() if link.medium is Medium.NVLINK} == {Grade.DERIVED}


@pytest.mark.parametrize(
    ("code", "medium", "grade"),
    [
        ("Infiniband controller [0207]", Medium.INFINIBAND, Grade.DERIVED),
        ("Ethernet controller [0200]", Medium.ETHERNET, Grade.DERIVED),
    ],
)
def test_a_card_without_a_port_record_speaks_what_its_class_says(
    code: str, medium: Medium, grade: Grade, tmp_path: Path
) -> None:
    text = f"01:00.0 {code}: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]\n\tNUMA node: 0\n"
    topology = loaded(tmp_path, {"lspci_-nn_-vvv": text})

    (nic,) = topology.components(Kind.NIC)
    inner = topology.link(nic.id, f"{nic.id}/p1")
    outer = topology.link(f"{nic.id}/p1", NETWORK)
    assert inner is not None
    assert outer is not None
    assert (inner.medium, inner.grade, outer.medium) == (medium, grade, medium)
