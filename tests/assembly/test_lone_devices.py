"""A device shown alone, without the bridges above it, has the link that its own lines tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope import app
from toposcope.model import Kind, State

if TYPE_CHECKING:
    from pathlib import Path


def test_a_device_without_a_tree_has_its_link_judged(tmp_path: Path) -> None:
    (tmp_path / "lspci_-vvv_-s_01_00.0").write_text(
        "01:00.0 3D controller [0302]: NVIDIA Corporation XX100 [10de:2330]\n\tNUMA node: 0\n"
        "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
        "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
        "\t\tLnkSta:\tSpeed 16GT/s, Width x8\n"
    )

    (loaded,) = app.load([str(tmp_path / "lspci_-vvv_-s_01_00.0")], app.knowledge())

    (accelerator,) = loaded.topology.components(Kind.ACCELERATOR)
    (link,) = (each for each in loaded.topology.links_of(accelerator.id) if each.source == accelerator.id)
    assert (link.generation, link.width, link.max_generation, link.max_width) == (4, 8, 5, 16)
    assert link.state is State.DEGRADED
