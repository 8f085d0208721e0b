"""``check``: a sentence first, a table, JSON by its schema, refusals on stderr."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from typer.testing import CliRunner

from tests.collectors.benchmarks import printers
from toposcope.cli.main import app

if TYPE_CHECKING:
    from click.testing import Result

RUNNER = CliRunner()
TITLE = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"


def run(*words: str) -> Result:
    return RUNNER.invoke(app, list(words))


def matrix(folder: Path, slow: set[int]) -> str:
    rows = [[None if i == j else 190.0 if slow & {i, j} else 380.0 for j in range(8)] for i in range(8)]
    path = folder / "p2p.txt"
    path.write_text(printers.p2p(TITLE, rows))
    return str(path)


def test_a_healthy_machine_is_said_to_be_normal_first(tmp_path: Path) -> None:
    done = run("check", "profile:dgx-h100", "--measured", matrix(tmp_path, set()))
    assert done.exit_code == 0
    assert done.stdout.startswith("Normal: each of 56 measurements is what its route should give")
    assert "\x1b" not in done.stdout


def test_a_slow_accelerator_is_named_first(tmp_path: Path) -> None:
    words = ["check", "profile:dgx-h100", "--measured", matrix(tmp_path, {6}), "--ascii"]
    done = RUNNER.invoke(app, words, env={"COLUMNS": "120"})
    sentence, found, table = done.stdout.partition("measured  ")
    assert found
    assert " ".join(sentence.split()).startswith("Not normal: 14 of 56")
    (row,) = [line for line in table.splitlines() if line.startswith("GPU0 to GPU6")]
    assert "| 190  |" in row
    assert "| 49%   | slow " in row
    assert "Suspect: GPU6" in " ".join(done.stdout.split())
    assert done.stdout.isascii()


def test_the_json_follows_its_schema(tmp_path: Path) -> None:
    done = run("check", "profile:dgx-h100", "--measured", matrix(tmp_path, {6}), "--json")
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads(run("schema", "check").stdout))
    assert found["schema"] == "toposcope.check/1"
    assert found["suspects"][0]["component"] == "GPU6"
    assert {each["health"] for each in found["measurements"]} == {"normal", "slow"}
    for each in found["measurements"]:
        expected = each["expected_gbs"]["typical"]
        assert each["share"] == pytest.approx(each["value_gbs"] / expected, abs=0.001)


def test_measurements_stand_in_the_recording_too(tmp_path: Path) -> None:
    names = [f"GPU{index}" for index in range(8)]
    rows = "".join(f"{a}\t" + "\t".join(" X " if a == b else "NV18" for b in names) + "\n" for a in names)
    (tmp_path / "nvidia-smi_topo_-m").write_text("\t" + "\t".join(names) + "\n" + rows)
    lines = (f"GPU {i}: NVIDIA H100 80GB HBM3 (UUID: GPU-{i:08x}-aaaa-bbbb-cccc-dddddddddddd)\n" for i in range(8))
    (tmp_path / "nvidia-smi_-L").write_text("".join(lines))
    matrix(tmp_path, set())
    done = run("check", str(tmp_path))
    assert done.stdout.startswith("Normal: each of 56")


@pytest.mark.parametrize("collective", ["all_reduce_perf", "rccl-tests_all_reduce_perf", "allreduce_perf"])
def test_the_file_s_name_tells_the_collective(tmp_path: Path, collective: str) -> None:
    path = tmp_path / f"{collective}.txt"
    path.write_text(printers.nccl_tests([(8 << 30, 272.0, 476.0)], ranks=8))
    found = json.loads(run("check", "profile:dgx-h100", "--measured", str(path), "--json").stdout)
    (measurement,) = found["measurements"]
    assert (measurement["collective"], measurement["health"]) == ("all_reduce", "normal")


def test_a_device_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = run("check", "profile:a100-pcie-4", "--measured", matrix(tmp_path, set()))
    assert "which this machine has not" in " ".join(done.stdout.split())


def test_no_measurement_is_a_refusal(tmp_path: Path) -> None:
    done = run("check", "profile:dgx-h100")
    assert done.exit_code == 2
    assert "--measured" in done.stderr
    (tmp_path / "lscpu.txt").write_text("Architecture: x86_64\nCPU(s): 8\n")
    done = run("check", "profile:dgx-h100", "--measured", str(tmp_path / "lscpu.txt"))
    assert done.exit_code == 3
    assert "holds no measurement" in done.stderr


def test_a_benchmark_may_come_by_standard_input(tmp_path: Path) -> None:
    text = Path(matrix(tmp_path, set())).read_text()
    done = RUNNER.invoke(app, ["check", "profile:dgx-h100", "--measured", "-"], input=text)
    assert done.stdout.startswith("Normal: each of 56 measurements")


def test_figures_of_devices_that_are_not_there_raise_a_doubt(tmp_path: Path) -> None:
    done = run("check", "profile:a100-pcie-4", "--measured", matrix(tmp_path, set()))
    assert "of devices that this machine has not" in " ".join(done.stdout.split())


def listed(addresses: list[str]) -> str:
    table = printers.nccl_tests([(8 << 30, 80.0, 140.0)], ranks=2)
    for at, address in enumerate(addresses):
        table = table.replace(f"[0000:{0x20 + at:02x}:00]", f"[{address}]")
    return table


@pytest.mark.parametrize("address", ["0x9b", "0000:9b:00"])
def test_a_run_on_another_machine_is_no_measurement_of_this_one(tmp_path: Path, address: str) -> None:
    (tmp_path / "nvidia-smi_topo_-m").write_text("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n")
    query = "index, name, pci.bus_id\n0, NVIDIA A30, 00000000:20:00.0\n1, NVIDIA A30, 00000000:21:00.0\n"
    (tmp_path / "nvidia-smi_--query-gpu=index,name,pci.bus_id_--format=csv").write_text(query)
    (tmp_path / "all_reduce_perf.txt").write_text(listed(["0000:20:00", address]))
    done = run("check", str(tmp_path))
    assert done.exit_code == 3, done.output
    assert "GPU1 at 0000:9b:00.0, which this machine has not" in " ".join(done.stderr.split())
    (tmp_path / "all_reduce_perf.txt").write_text(listed(["0000:20:00", "0000:21:00"]))
    assert run("check", str(tmp_path)).exit_code == 0


@pytest.mark.parametrize("beside", [True, False])
def test_a_benchmark_of_another_model_is_told(tmp_path: Path, beside: bool) -> None:  # noqa: FBT001 - a case
    folder = tmp_path / "host"
    folder.mkdir()
    gpus = "".join(f"GPU {at}: NVIDIA L4 (UUID: GPU-{at:08x}-aaaa-bbbb-cccc-dddddddddddd)\n" for at in range(2))
    (folder / "nvidia-smi_-L").write_text(gpus)
    taken = (folder if beside else tmp_path) / "p2pBandwidthLatencyTest.txt"
    devices = "".join(
        f"Device: {at}, NVIDIA A30, pciBusID: {at + 3}, pciDeviceID: 0, pciDomainID:0\n" for at in range(2)
    )
    head = "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
    taken.write_text(head + devices + printers.p2p(TITLE, [[None, 20.0], [20.0, None]]))
    done = run("check", str(folder), *(() if beside else ("--measured", str(taken))))
    assert "tells of NVIDIA L4" in " ".join(done.stdout.split())
