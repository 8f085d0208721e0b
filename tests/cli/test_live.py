"""The commands that meet a real host: what they print, write and leave alone."""

from __future__ import annotations

import os
import tarfile
import time
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tests.printing import machine
from tests.sys_tree import sys_tree, write
from toposcope.cli.main import app
from toposcope.cli.progress import SHOWN, Running, waiting

if TYPE_CHECKING:
    from pathlib import Path

RUNNER = CliRunner()
NAME = "gpunode17"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """Make a copy of the tree of a host with a name of its own."""
    root = tmp_path / "root"
    sys_tree(machine("l40s-2-2-4"), root)
    write(root / "proc/sys/kernel/hostname", NAME)
    return root


def run(*words: str) -> str:
    done = RUNNER.invoke(app, list(words))
    assert done.exit_code == 0, done.stderr
    return done.stdout


def everything(path: Path) -> str:
    with tarfile.open(path) as tar:
        files = [file.read().decode() for member in tar if (file := tar.extractfile(member))]
        return "\n".join([*tar.getnames(), *files])


def test_inspect_shows_the_hosts_own_name_and_record_does_not_write_it(host: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.tar.gz"

    shown = run("inspect", "--sysroot", str(host))
    run("record", "--sysroot", str(host), "-o", str(made))

    assert shown.startswith(f"{NAME}:")
    assert NAME not in everything(made)
    assert "host-1" in everything(made)


def test_of_a_copy_nothing_of_this_host_is_recorded(
    host: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("lspci", "nvidia-smi", "hostname"):
        (tools / tool).write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho of-this-host\n")
        (tools / tool).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    made = tmp_path / "made.tar"

    run("record", "--sysroot", str(host), "--no-redact", "-o", str(made))

    assert not (tmp_path / "asked").exists()
    assert "CUDA_VISIBLE_DEVICES" not in everything(made)


def test_names_are_kept_where_that_is_asked_for(host: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.tar"

    run("record", "--sysroot", str(host), "--no-redact", "-o", str(made))

    assert NAME in everything(made)


def test_a_recording_with_names_is_written_anew_without_them(host: Path, tmp_path: Path) -> None:
    named, safe = tmp_path / "named.tar", tmp_path / "safe.tar"
    run("record", "--sysroot", str(host), "--no-redact", "-o", str(named))

    run("record", "--from", str(named), "-o", str(safe))

    assert NAME not in everything(safe)
    assert "4 x L40S" in run("analyze", str(safe))


def test_what_is_recorded_is_what_is_inspected(host: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.tar"
    run("record", "--sysroot", str(host), "--no-redact", "-o", str(made))

    lines = (run("inspect", "--sysroot", str(host)).splitlines(), run("analyze", str(made)).splitlines())

    assert lines[0][:8] == lines[1][:8]


def test_the_script_is_printed_as_it_is(tmp_path: Path) -> None:
    text = run("collect-script")

    assert text.startswith("#!/bin/sh\n")
    assert text.endswith("\nmain\n")
    assert "@" not in "".join(line for line in text.splitlines() if line.startswith("# Made by"))


def test_progress_names_what_has_run_longest_with_its_time() -> None:
    now = [0.0]
    running = Running(lambda: now[0])
    running.note("slow", "running")
    now[0] = 3.0
    running.note("quick", "running")
    now[0] = 5.0

    assert running.__rich__() == "collecting: slow 5 s, quick 2 s"
    running.note("slow", "timed-out")
    assert running.__rich__() == "collecting: quick 2 s"
    running.note("quick", "done")
    assert running.__rich__() == "collecting: done"


def test_progress_counts_what_it_does_not_name() -> None:
    running = Running(lambda: 0.0)
    for number in range(SHOWN + 2):
        running.note(f"source{number}", "running")
    running.note("source0", "running")

    assert running.__rich__().endswith(" and 2 more")
    running.note("source0", "done")
    assert "source0" in running.__rich__(), "its second command still runs"


@pytest.mark.parametrize(("terminal", "after", "shown"), [(True, 0.0, True), (True, 60.0, False), (False, 0.0, False)])
def test_what_takes_long_is_said_on_a_terminal_alone(
    *, terminal: bool, after: float, shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if terminal else "0")

    with waiting("reading the recording", after=after):
        time.sleep(0.3)

    assert ("reading the recording" in capsys.readouterr().err) is shown
