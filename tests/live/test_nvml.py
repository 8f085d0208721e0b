"""The real pynvml, asked by a live run, against a library that plays hosts: healthy, sick, old and cut into slices."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from tests.live import nvml_hosts as hosts
from tests.live.nvml_hosts import needs_compiler
from tests.printing import machine
from tests.sys_tree import sys_tree
from toposcope import app
from toposcope.collectors import cpu, nvml, sysfs
from toposcope.model import FactStatus, Kind, Medium, State
from toposcope.recording import Outcome, Recording
from toposcope.recording.live import collect
from toposcope.render.terminal.report import report

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.app import Loaded

pytestmark = needs_compiler


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("nvml")
    return {"new": hosts.library(root), "old": hosts.library(root, old=True)}


@pytest.fixture
def play(libraries: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that records a host which the library plays."""

    def recorded(answers: hosts.Answers, driver: str = "new", **environ: str) -> Recording:
        (tmp_path / "host").write_text(hosts.written(answers))
        monkeypatch.setenv("FAKE_NVML", str(tmp_path / "host"))
        monkeypatch.setenv("LD_LIBRARY_PATH", str(libraries[driver]))
        collectors = (nvml.COLLECTOR, sysfs.COLLECTOR, cpu.COLLECTOR) if environ else (nvml.COLLECTOR,)
        return collect(sysroot=tmp_path, collectors=collectors, host="h", environ=environ)

    return recorded


@pytest.fixture(scope="module")
def known() -> app.Knowledge:
    return app.knowledge()


def value(loaded: Loaded, component: str, name: str) -> object:
    fact = loaded.topology.fact(component, name)
    return None if fact is None else fact.value


def test_a_healthy_host_with_nvswitches_is_found_whole(play, known: app.Knowledge) -> None:
    loaded = app.assembled(play(hosts.a100()), known)

    gpus = list(loaded.topology.components(Kind.ACCELERATOR))
    assert [(gpu.id, gpu.pci, gpu.numa) for gpu in gpus] == [
        (f"GPU{i}", f"0000:{0x10 + i:02x}:00.0", i // 4) for i in range(8)
    ]
    assert {gpu.model for gpu in gpus} == {"A100 SXM4 80GB"}
    for gpu in gpus:
        links = [link for link in loaded.topology.links_of(gpu.id) if link.medium is Medium.NVLINK]
        assert sum(link.count or 0 for link in links) == 12
        assert sum(link.line.gbs for link in links if link.line) == pytest.approx(300)
    (route, *_) = app.routes(loaded, "GPU0", "GPU5")
    assert route.limit.line is not None
    assert (route.transport, route.limit.line.gbs) == ("nvlink", pytest.approx(300))
    assert loaded.topology.problems == []


def test_what_only_the_library_knows_is_a_fact(play, known: app.Knowledge) -> None:
    loaded = app.assembled(play(hosts.a100()), known)

    assert value(loaded, "host", "driver.nvidia") == "550.54.15"
    assert value(loaded, "GPU3", "cpus") == "0-7"
    assert value(loaded, "GPU3", "counter.pcie.replays") == 0
    assert value(loaded, "GPU3", "fabric.clique") == 7
    assert value(loaded, "GPU3", "minor_number") == 3


@pytest.mark.parametrize("newest", ["0x3000028", "0x2000024"])
def test_the_fabric_is_asked_for_in_the_form_that_the_driver_knows(play, known: app.Knowledge, newest: str) -> None:
    loaded = app.assembled(play(hosts.a100() | {"fabric_version": newest, "gpu.*.fabric_state": 3}), known)

    assert value(loaded, "GPU0", "fabric.state") == "Completed"


def test_gpus_without_links_have_none(play, known: app.Knowledge) -> None:
    loaded = app.assembled(play(hosts.l40s()), known)

    assert [gpu.model for gpu in loaded.topology.components(Kind.ACCELERATOR)] == ["L40S"] * 4
    assert not [link for link in loaded.topology.links() if link.medium is Medium.NVLINK]
    assert loaded.topology.relations("GPU0", "GPU1")[0].word == "NODE"
    assert loaded.topology.relations("GPU0", "GPU2")[0].word == "SYS"


@pytest.mark.parametrize("how", ["gpu.3", "gpu.3.handle"])
def test_a_lost_gpu_is_reported_and_the_others_are_read(play, known: app.Knowledge, how: str) -> None:
    loaded = app.assembled(play({how: hosts.LOST} | hosts.a100()), known)

    assert value(loaded, "GPU3", "health") == "NVML_ERROR_GPU_IS_LOST"
    others = [gpu for gpu in loaded.topology.components(Kind.ACCELERATOR) if gpu.id != "GPU3"]
    assert [gpu.pci for gpu in others] == [f"0000:{0x10 + i:02x}:00.0" for i in range(8) if i != 3]
    assert "GPU3" in loaded.topology


def test_what_an_old_driver_does_not_know_is_unsupported_and_not_absent(play, known: app.Knowledge) -> None:
    loaded = app.assembled(play(hosts.a100(), "old"), known)

    for name in ("gpu_numa_id", "fabric.state", "clocks.active_reasons", "addressing_mode"):
        fact = loaded.topology.fact("GPU0", name)
        assert fact is not None, name
        assert fact.status is FactStatus.UNSUPPORTED, name
    links = [link for link in loaded.topology.links_of("GPU0") if link.medium is Medium.NVLINK]
    assert sum(link.count or 0 for link in links) == 12


def test_a_call_that_fails_is_unreadable_and_its_error_kept(play, known: app.Knowledge) -> None:
    recording = play({"gpu.2.pcie_replays": "!999"} | hosts.a100())
    loaded = app.assembled(recording, known)

    fact = loaded.topology.fact("GPU2", "counter.pcie.replays")
    assert fact is not None
    assert fact.status is FactStatus.UNREADABLE
    assert "NVML_ERROR_UNKNOWN" in recording.captures[0].text


def test_slices_stand_below_their_gpu_and_reach_no_peer(play, known: app.Knowledge) -> None:
    loaded = app.assembled(play(hosts.mig()), known)

    names = [gpu.id for gpu in loaded.topology.components(Kind.ACCELERATOR)]
    assert names == ["GPU0", "GPU1", "GPU0/0", "GPU0/1"]
    assert loaded.topology.parent("GPU0/1") == "GPU0"
    peers = [pair for pair in app.analyze(loaded).pairs if "/" in pair.source + pair.target]
    assert [pair for pair in peers if pair.route and pair.target.startswith("GPU")] == []
    assert value(loaded, "GPU0/1", "uuid") == "MIG-00000000-0000-4000-8000-0000000000a1"


def test_an_idle_gpu_is_no_narrow_one(play, known: app.Knowledge) -> None:
    idle = {"gpu.*.pcie_generation": 1, "gpu.*.performance_state": 8}
    loaded = app.assembled(play({**idle, **{k: v for k, v in hosts.l40s().items() if k not in idle}}), known)

    states = {link.state for link in loaded.topology.links() if link.medium is Medium.PCIE and not link.internal}
    assert State.DEGRADED not in states


def test_a_library_that_does_not_start_is_said(play) -> None:
    recording = play({"init": "!9"})

    assert "NVML_ERROR_DRIVER_NOT_LOADED" in recording.captures[0].text


def test_a_library_without_gpus_is_an_answer(play) -> None:
    recording = play({"gpus": 0})

    (command,) = recording.commands
    assert command.outcome is Outcome.DONE


def test_where_there_is_no_library_the_source_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))

    recording = collect(sysroot=tmp_path, collectors=(nvml.COLLECTOR,), host="h", environ={})

    if recording.commands[0].outcome is Outcome.DONE:
        pytest.skip("this host has a driver of its own")
    assert recording.commands[0].outcome is Outcome.ABSENT


def test_a_container_with_two_of_eight_gpus_says_what_it_does_not_see(play, known, tmp_path: Path) -> None:
    addresses = sys_tree(machine("a100-2-2-4-6-8-8"), tmp_path)
    answers = hosts.gpus(2, "NVIDIA A100-SXM4-80GB")
    answers |= {f"gpu.{i}.pci": f"0000{addresses[f'GPU{i + 5}'].upper()}" for i in range(2)}

    recording = play(answers, NVIDIA_VISIBLE_DEVICES="5,6", CUDA_VISIBLE_DEVICES="1")
    loaded = app.assembled(recording, known)

    gpus = {gpu.id: gpu.pci for gpu in loaded.topology.components(Kind.ACCELERATOR)}
    assert (gpus["GPU0"], gpus["GPU1"]) == (addresses["GPU5"], addresses["GPU6"])
    assert len(gpus) == 8
    analysis = app.analyze(loaded)
    messages = [finding.message for finding in analysis.findings if finding.rule == "hidden-accelerators"]
    assert "6 of 8 accelerators" in messages[0]
    assert "NVIDIA_VISIBLE_DEVICES=5,6" in messages[0]
    assert "GPU0" in messages[1]
    screen = Console(width=200, file=io.StringIO())
    for part in report(analysis, loaded.text_of, width=200):
        screen.print(part)
    rows = screen.file.getvalue().splitlines()  # type: ignore[attr-defined]  # a StringIO
    (row,) = (line for line in rows if line.startswith("GPU1 ") and "CUDA 0" in line)
    assert addresses["GPU6"] in row
    assert "GPU-00000000-0000-4000-8000-000000000001" in row
