"""What the screens of ``analyze`` and ``path`` show, kept whole, and what holds for any width and encoding."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tests.printing import lspci_vvv, machine, npu_topo, topo_m
from toposcope import app as topo_app
from toposcope.cli.main import app
from toposcope.render.pictures import pair_chart

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

PRINTED = {
    "nvidia-smi_topo_-m": topo_m(machine("dgx-h100")),
    "npu-smi_info_-t_topo": npu_topo(machine("910b-kunpeng-8")),
    "lspci_-D_-nn_-vvv": lspci_vvv(machine("a100-2-2-4-6-8-8"))[0],
}


def shown(*words: str, width: int = 120) -> str:
    done = CliRunner().invoke(app, list(words), env={"COLUMNS": str(width), "NO_COLOR": "1"})
    assert done.exit_code == 0, done.stderr
    return done.stdout


def recorded(folder: Path, name: str) -> str:
    (folder / name).write_text(PRINTED[name])
    return str(folder / name)


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_the_screen_of_one_output_is_the_one_kept(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert shown("analyze", recorded(tmp_path, name)) == snapshot


@pytest.mark.parametrize("name", ["l40s-2-2-4", "910b-x86-16", "gb200-nvl72-tray"])
def test_the_screen_of_a_reference_machine_is_the_one_kept(name: str, snapshot: SnapshotAssertion) -> None:
    assert shown("analyze", f"profile:{name}") == snapshot


def test_the_screen_of_a_path_is_the_one_kept(snapshot: SnapshotAssertion) -> None:
    assert shown("path", "profile:a100-2-2-4-6-8-8", "GPU0", "remote") == snapshot


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("name", ["dgx-h100", "910b-x86-16"])
def test_names_and_figures_of_the_matrix_are_never_folded(name: str, width: int) -> None:
    lines = shown("analyze", f"profile:{name}", width=width).splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("GB/s in one direction, line rate"))
    end = next(index for index, line in enumerate(lines) if line.startswith("What holds each path back"))
    matrix = [line for line in lines[start + 1 : end] if line.strip() and "─" not in line]

    accelerators = {line.split()[0] for line in matrix if not line.startswith(" ")}
    assert accelerators == {each.id for each in machine(name).components() if each.kind == "accelerator"}
    assert all(len(line) <= width for line in matrix)


MATRIX = """\
\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV18\tPIX\t0-31\t0
GPU1\tNV18\t X \tNODE\t0-31\t0
NIC0\tPIX\tNODE\t X \t\t

NIC Legend:

  NIC0: mlx5_0
"""


def pasted(folder: Path, text: str) -> str:
    (folder / "nvidia-smi_topo_-m").write_text(text)
    return str(folder / "nvidia-smi_topo_-m")


def test_what_keeps_a_figure_open_is_said_without_being_asked(tmp_path: Path) -> None:
    text = " ".join(shown("analyze", pasted(tmp_path, MATRIX)).split())

    assert "open: nvidia-smi_topo_-m:2: what one NVLink carries depends on the model (25 or 50 GB/s one way)" in text
    assert "`nvidia-smi -L` would settle it" in text


def test_the_drawing_is_silent_on_the_medium_of_a_port_that_nothing_tells(tmp_path: Path) -> None:
    text = shown("show", pasted(tmp_path, MATRIX))

    assert "port" in text
    assert "Eth" not in text
    assert "IB" not in text


def test_a_port_that_is_down_is_said_to_be_down_apart_from_those_that_are_up(tmp_path: Path) -> None:
    for card, word in enumerate(("DOWN", "UP", "UP")):
        (tmp_path / f"hccn_tool_-i_{card}_-link_-g").write_text(f"link status: {word}\n")
    text = " ".join(shown("analyze", str(tmp_path)).split())

    assert "nothing passes, the port of NPU0 is down" in text
    assert "NPU1 to a remote NPU: the limit is not known" in text


def test_a_figure_that_is_an_upper_limit_or_assumed_is_marked_in_the_heat_map(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    pasted(tmp_path / "host", topo_m(machine("dgx-h100")))
    (loaded,) = topo_app.load([str(tmp_path / "host")], topo_app.knowledge(), profile="dgx-h100")
    chart = pair_chart(topo_app.analyze(loaded))

    assert {cell.mark for cell in chart.cells if cell.figure is not None} == {"~"}
    assert chart.meaning.endswith("~ assumed")
    (whole,) = topo_app.load(["profile:dgx-h100"], topo_app.knowledge())
    assert {cell.mark for cell in pair_chart(topo_app.analyze(whole)).cells} == {""}


@pytest.mark.parametrize("command", [("analyze",), ("show",), ("path", "GPU0", "GPU1")])
def test_an_output_without_unicode_gets_ascii(command: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "toposcope", command[0], "profile:l40s-2-2-4", *command[1:]]
    done = subprocess.run(words, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
