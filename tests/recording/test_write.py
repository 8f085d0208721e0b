"""Recordings written and read again: the same evidence, in files that an editor can open."""

from __future__ import annotations

import json
import os
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recording.fakes import CONF, LIST_TEXT, MATRIX_TEXT, PORTS_TEXT, SOURCES, WIRE_TEXT, folder
from toposcope.base import Capture, UsageError
from toposcope.recording import Command, Outcome, Recording, read
from toposcope.recording.write import files_of, write

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-01-02T03:04:05+00:00"
RECORDING = Recording(
    host="box7",
    captures=(
        Capture("box-matrix", "boxtool_topo_-m", MATRIX_TEXT),
        Capture("box-list", "boxtool_list", LIST_TEXT),
        Capture("box-ports", "boxtool_ports_-b_one", PORTS_TEXT, argument="one"),
        Capture("box-conf", "etc/box.conf", "a=1\n"),
    ),
    made_by="toposcope 9",
    time=AT,
    commands=(
        Command("box-matrix", ("boxtool", "topo", "-m"), Outcome.DONE, 0, 0.25, "boxtool_topo_-m"),
        Command("box-list", ("boxtool", "list"), Outcome.DONE, 0, 0.5, "boxtool_list"),
        Command("box-ports", ("boxtool", "ports", "-b", "one"), Outcome.DONE, 0, 0.5, "boxtool_ports_-b_one", "one"),
        Command("box-conf", ("cat", "/etc/box.conf"), Outcome.DONE, 0, 0.5, "etc/box.conf"),
        Command("wire", ("wire_probe", "-a"), Outcome.ABSENT),
    ),
    as_root=True,
)


@pytest.mark.parametrize("name", ["r.tar.gz", "r.tgz", "r.tar", "r.tar.xz", "r.tar.bz2", "r.tar.zst", "plain"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    write(RECORDING, tmp_path / name, redact=False)

    (again,) = read([tmp_path / name], sources=SOURCES)

    wanted = {(c.source, c.text, c.argument) for c in RECORDING.captures}
    assert {(c.source, c.text, c.argument) for c in again.captures} == wanted
    assert (again.host, again.made_by, again.time, again.as_root) == ("box7", "toposcope 9", AT, True)
    assert {(c.source, c.outcome, c.words) for c in again.commands} == {
        (c.source, c.outcome, c.words) for c in RECORDING.commands
    }
    assert again.problems == ()


def test_the_manifest_is_the_first_member_and_says_what_was_run(tmp_path: Path) -> None:
    write(RECORDING, tmp_path / "r.tar.gz", redact=False)

    with tarfile.open(tmp_path / "r.tar.gz") as tar:
        first = tar.next()
        assert first is not None
        assert first.name == "manifest.json"
        file = tar.extractfile(first)
        assert file is not None
        manifest = json.load(file)
    assert manifest["schema"] == "toposcope.recording/1"
    assert manifest["commands"][0] == {
        "source": "box-matrix",
        "command": ["boxtool", "topo", "-m"],
        "outcome": "done",
        "argument": None,
        "exit_code": 0,
        "duration_s": 0.25,
        "file": "boxtool_topo_-m",
        "error": "",
        "truncated": False,
    }


def test_the_same_recording_gives_the_same_bytes(tmp_path: Path) -> None:
    write(RECORDING, tmp_path / "a.tar", redact=False)
    write(RECORDING, tmp_path / "b.tar", redact=False)

    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_a_file_of_the_manifest_is_taken_whole_whatever_is_in_it(tmp_path: Path) -> None:
    text = f"$ boxtool list\n{LIST_TEXT}"
    recording = Recording(None, (Capture("box-conf", "etc/box.conf", text),))
    write(recording, tmp_path / "r.tar", redact=False)

    (again,) = read([tmp_path / "r.tar"], sources=SOURCES)

    assert [(c.source, c.text) for c in again.captures] == [(CONF.key, text)]


def test_captures_that_shared_a_file_get_files_of_their_own() -> None:
    captures = (
        Capture("box-matrix", "a.tgz!x/paste.txt", MATRIX_TEXT),
        Capture("box-list", "a.tgz!x/paste.txt", LIST_TEXT, 9),
        Capture("wire", "a.tgz", WIRE_TEXT),
        Capture("wire", "../../etc/passwd", WIRE_TEXT),
        Capture("wire", "manifest.json", WIRE_TEXT),
    )

    names = list(files_of(Recording(None, captures)))

    assert names == ["manifest.json", "a.tgz/x/paste.txt", "a.tgz/x/paste.txt~2", "wire", "etc/passwd", "wire~2"]


@given(st.lists(st.text(min_size=1, max_size=30), max_size=6))
def test_no_name_leaves_the_recording_or_is_lost(names: list[str]) -> None:
    captures = tuple(Capture("wire", name, f"wire {i}: x\n") for i, name in enumerate(names))

    written = files_of(Recording(None, captures))

    assert len(written) == len(names) + 1
    for name in written:
        assert not name.startswith("/")
        assert ".." not in name.split("/")
        assert not any(other.startswith(f"{name}/") for other in written)


def test_a_regular_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "r.tar").write_text("old")

    write(RECORDING, tmp_path / "r.tar", redact=False)

    assert tarfile.is_tarfile(tmp_path / "r.tar")
    assert [item.name for item in tmp_path.iterdir()] == ["r.tar"]


def test_nothing_but_a_regular_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("precious")
    (tmp_path / "link.tar").symlink_to(tmp_path / "target")
    (tmp_path / "folder.tar").mkdir()
    os.mkfifo(tmp_path / "fifo.tar")
    folder(tmp_path / "full", {"x": "x"})

    for name in ("link.tar", "folder.tar", "fifo.tar", "full", "target"):
        with pytest.raises(UsageError, match=name):
            write(RECORDING, tmp_path / name, redact=False)

    assert (tmp_path / "target").read_text() == "precious"


def test_a_place_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: No such file or directory"):
        write(RECORDING, tmp_path / "nowhere" / "r.tar", redact=False)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "r.tar").write_text("old")

    def fail(*_args: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "addfile", fail)
    with pytest.raises(UsageError, match="No space left"):
        write(RECORDING, tmp_path / "r.tar", redact=False)

    assert [(item.name, item.read_text()) for item in tmp_path.iterdir()] == [("r.tar", "old")]


def test_zstd_without_its_package_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(RECORDING, tmp_path / "r.tar.zst", redact=False)
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)

    with pytest.raises(UsageError, match=r"pip install 'toposcope\[zstd\]'"):
        write(RECORDING, tmp_path / "s.tar.zst", redact=False)
    with pytest.raises(Exception, match=r"pip install 'toposcope\[zstd\]'"):
        read([tmp_path / "r.tar.zst"], sources=SOURCES)


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"schema": "toposcope.recording/1", "commands": 5}', '{"schema": "x"}']
)
def test_a_manifest_that_is_none_is_passed_over(tmp_path: Path, content: str) -> None:
    root = folder(tmp_path, {"manifest.json": content, "boxtool_list": LIST_TEXT})

    (recording,) = read([root], sources=SOURCES)

    assert [capture.source for capture in recording.captures] == ["box-list"]
    assert [problem.origin.file for problem in recording.problems] == ["manifest.json"]
