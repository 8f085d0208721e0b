"""The collecting script, run by the plainest shells there are, and its tar read back."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from toposcope.collectors import COLLECTORS, SOURCES
from toposcope.collectors.cpu.kernel import is_wanted_variable
from toposcope.recording import Outcome, Recording, read, sysfs
from toposcope.recording.disk_tree import DiskTree
from toposcope.recording.script import script

SHELLS = {"dash": ("dash",), "busybox": ("busybox", "sh")}
MATRIX = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV12\t0-3\t0\nGPU1\tNV12\t X \t0-3\t0\n"
LIMIT_S = 2

each_shell = pytest.mark.parametrize(
    "shell",
    [
        pytest.param(words, id=name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"no {name} here"))
        for name, words in SHELLS.items()
    ],
)


def tool(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def recorded(shell: tuple[str, ...], root: Path, *, sysroot: Path | None = None, **env: str) -> Recording:
    """Run the script as ssh would, from standard input, with the tools in ``root/bin``, and read its tar."""
    temporary = root / "tmp"
    temporary.mkdir(exist_ok=True)
    (root / "none").mkdir(exist_ok=True)
    node = root / "node.tar"
    with node.open("wb") as out:
        done = subprocess.run(
            [*shell, "-s"],
            input=script().encode(),
            stdout=out,
            stderr=subprocess.PIPE,
            env={
                "PATH": f"{root / 'bin'}:/usr/bin:/bin",
                "TMPDIR": str(temporary),
                "TIMEOUT": str(LIMIT_S),
                "SYSROOT": str(sysroot or root / "none"),
                **env,
            },
            check=False,
            timeout=120,
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(temporary.iterdir()) == []
    (recording,) = read([node])
    return recording


def outcome(recording: Recording, key: str) -> Outcome:
    return next(command.outcome for command in recording.commands if command.source == key)


def small_sys(root: Path) -> Path:
    """Make a tree with every kind of thing: links, files of many lines, binaries, empty folders, odd blanks."""
    device = root / "sys/devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0"
    device.mkdir(parents=True)
    (device / "vendor").write_text("0x1abc\n")
    (device / "resource").write_text("0x1 0x2  0x3\n0x4\t0x5 0x6\n")
    (device / "config").write_bytes(bytes(range(256)))
    (device / "label").write_text("no newline * at $HOME `end`\\n")
    for address, path in (("0000:3b:00.0", device), ("0000:3a:01.0", device.parent)):
        link = root / "sys/bus/pci/devices" / address
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(path, link.parent))
    (device / "driver").symlink_to("../../../../bus/pci/drivers/some")
    port = root / "sys/class/infiniband/mlx5_0/ports/1"
    port.mkdir(parents=True)
    (port / "rate").write_text("200 Gb/sec (4X HDR)\n")
    (port / "counters").mkdir()
    (port / "counters/symbol_error").write_text("7\n")
    (root / "sys/class/iommu").mkdir()
    (root / "proc/sys/kernel").mkdir(parents=True)
    (root / "proc/sys/kernel/hostname").write_text("node-a\n")
    return root


@each_shell
def test_the_script_writes_of_a_tree_what_a_live_run_writes(shell: tuple[str, ...], tmp_path: Path) -> None:
    root = small_sys(tmp_path / "root")

    recording = recorded(shell, tmp_path, sysroot=root)

    wanted = sysfs.texts(DiskTree(root))
    found = {capture.source: capture.text for capture in recording.captures if capture.source.startswith("sysfs")}
    assert {key: text.splitlines() for key, text in found.items()} == {
        key: text.splitlines() for key, text in wanted.items()
    }


@each_shell
def test_outputs_are_recorded_and_read_back_under_their_sources(shell: tuple[str, ...], tmp_path: Path) -> None:
    tool(tmp_path / "bin", "nvidia-smi", f'[ "$1 $2" = "topo -m" ] && printf \'{MATRIX}\'; [ "$1" = topo ]')

    recording = recorded(shell, tmp_path, CUDA_VISIBLE_DEVICES="1,0", HOME="/home/someone")

    texts = {capture.source: capture.text for capture in recording.captures}
    assert texts["nvidia-smi-topo-m"] == MATRIX
    assert texts["env"] == "CUDA_VISIBLE_DEVICES=1,0\n"
    assert recording.host == os.uname().nodename
    assert recording.made_by is not None
    assert recording.as_root == (os.geteuid() == 0)


@each_shell
def test_what_became_of_a_command_is_told(shell: tuple[str, ...], tmp_path: Path) -> None:
    fakes = tmp_path / "bin"
    tool(fakes, "npu-smi", "echo 'only for \"root\": Permission denied' >&2; exit 1")
    tool(fakes, "ibstat", "exit 0")
    tool(fakes, "ibstatus", "echo some; exit 3")
    tool(fakes, "journalctl", "exit 1")
    tool(fakes, "mst", "exec yes 'a line of a flood'")

    recording = recorded(shell, tmp_path)

    by_source = {command.source: command for command in recording.commands}
    assert by_source["npu-smi-info"].outcome is Outcome.REFUSED
    assert by_source["npu-smi-info"].error == 'only for "root": Permission denied'
    assert by_source["ibstat"].outcome is Outcome.EMPTY
    assert by_source["kernel-log"].outcome is Outcome.EMPTY
    assert (by_source["ibstatus"].outcome, by_source["ibstatus"].exit_code) == (Outcome.DONE, 3)
    assert by_source["mst-status"].truncated
    assert outcome(recording, "show-gids") is Outcome.ABSENT


@each_shell
def test_a_tool_that_hangs_ends_at_the_limit_with_its_children(shell: tuple[str, ...], tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    body = f"echo $$ >>{pids}; sleep 1000 & echo $! >>{pids}; echo begun; trap '' TERM INT; sleep 1000"
    tool(tmp_path / "bin", "nvidia-smi", body)
    begun = time.monotonic()

    recording = recorded(shell, tmp_path)

    assert time.monotonic() - begun < 10 * LIMIT_S, "thirteen commands of one tool hang at the same time"
    assert outcome(recording, "nvidia-smi-topo-m") is Outcome.TIMED_OUT
    assert outcome(recording, "uname") is Outcome.DONE
    left = [pid for pid in pids.read_text().split() if _runs(int(pid))]
    assert left == []


@each_shell
def test_a_child_that_outlives_its_command_is_ended(shell: tuple[str, ...], tmp_path: Path) -> None:
    tool(tmp_path / "bin", "ibstat", f"sleep 1000 & echo $! >{tmp_path}/child; echo fine")

    recording = recorded(shell, tmp_path)

    assert outcome(recording, "ibstat") is Outcome.DONE
    assert not _runs(int((tmp_path / "child").read_text()))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@each_shell
def test_devices_are_found_and_asked_about_one_by_one(shell: tuple[str, ...], tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in (0, 3):
        (root / "dev").mkdir(parents=True, exist_ok=True)
        (root / f"dev/davinci{number}").touch()
    (root / "dev/davinci_manager").touch()
    (root / "sys/class/net/eth7/device").mkdir(parents=True)
    (root / "sys/class/net/lo").mkdir(parents=True)
    tool(tmp_path / "bin", "hccn_tool", 'echo "asked $*"')
    tool(tmp_path / "bin", "ethtool", 'echo "asked $*"')
    mapping = "\tNPU ID  Chip ID  Chip Logic ID  Chip Name\n\t4  0  0  Ascend 910B\n\t4  1  -  Mcu\n"
    tool(tmp_path / "bin", "npu-smi", f'case "$*" in "info -m") printf \'{mapping}\' ;; *) echo "asked $*" ;; esac')

    recording = recorded(shell, tmp_path, sysroot=root)

    asked = {(each.source, each.argument): each.text.strip() for each in recording.captures}
    assert asked["hccn-link", "0"] == "asked -i 0 -link -g"
    assert asked["hccn-link", "3"] == "asked -i 3 -link -g"
    assert asked["ethtool", "eth7"] == "asked eth7"
    assert asked["npu-smi-info-hccs", "4"] == "asked info -t hccs -i 4 -c 0"
    assert asked["npu-smi-info-hccs-1", "4"] == "asked info -t hccs -i 4 -c 1"
    assert {argument for key, argument in asked if key == "ethtool"} == {"eth7"}


def test_every_command_of_every_collector_is_in_the_script() -> None:
    text = script()

    asked = set(re.findall(r"^ +ask (\S+)", text, re.MULTILINE))

    assert asked == {source.key for collector in COLLECTORS for source in collector.sources if source.command}


def test_the_script_keeps_the_variables_that_a_live_run_keeps() -> None:
    pattern = re.search(r"grep -E '\^\((.*)\)=\[", script())

    assert pattern is not None
    for name in (
        "NCCL_P2P_LEVEL",
        "CUDA_VISIBLE_DEVICES",
        "AWS_SECRET_ACCESS_KEY",
        "PATH",
        "CUDA_DEVICE_ORDER",
        "XNCCL_A",
    ):
        assert (re.fullmatch(pattern[1], name) is not None) == is_wanted_variable(name)


def test_no_name_in_the_tar_is_too_long() -> None:
    names = re.findall(r"^ +ask \S+ (?:null|\S+) (\S+)", script(), re.MULTILINE)

    assert len(names) > len(SOURCES) / 4
    assert all(len(name.replace('"${value}"', "x" * 40)) <= 102 for name in names)


@each_shell
def test_a_terminal_gets_no_tar(shell: tuple[str, ...]) -> None:
    if not shutil.which("script"):
        pytest.skip("no script here to make a terminal with")
    path = Path(__file__).parents[2] / "toposcope/recording/collect.sh"

    done = subprocess.run(
        ["script", "-qec", f"{' '.join(shell)} {path}", "/dev/null"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "send it to a file" in done.stdout
