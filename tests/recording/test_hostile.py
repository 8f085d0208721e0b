"""Input that means harm or is broken: nothing is written, nothing outside is read, nothing hangs, limits hold."""

from __future__ import annotations

import gzip
import os
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recording.fakes import LIST_TEXT, MATRIX_TEXT, SOURCES, WIRE_TEXT, folder, member, tar_bytes, zip_bytes
from toposcope.base import InputError
from toposcope.recording import Recording, archive, files, limits, read
from toposcope.recording import folder as folders

GOOD = {"boxtool_list": LIST_TEXT}


def one(path: Path, stdin: bytes | None = None) -> Recording:
    (recording,) = read([path], stdin=stdin, sources=SOURCES)
    return recording


def messages(recording: Recording) -> str:
    return "\n".join(f"{problem.origin}: {problem.message}" for problem in recording.problems)


@pytest.mark.parametrize("name", ["/etc/box.conf", "./etc/box.conf", "a/../etc/box.conf"])
def test_names_in_an_archive_are_brought_inside_it(name: str) -> None:
    recording = one(Path("-"), tar_bytes({name: "a=1\n"}))

    assert recording.captures[0].file == "stdin!etc/box.conf"


@pytest.mark.parametrize("pack", [tar_bytes, zip_bytes], ids=["tar", "zip"])
def test_a_name_that_leads_out_is_refused_with_a_problem(pack: object) -> None:
    recording = one(Path("-"), pack({"../../boxtool_topo_-m": MATRIX_TEXT, **GOOD}))  # type: ignore[operator]

    assert [capture.source for capture in recording.captures] == ["box-list"]
    assert "refused: the name leads out of the archive" in messages(recording)


def test_links_in_an_archive_lead_nowhere_but_into_it() -> None:
    extra = [
        member("wire_probe_-a", tarfile.SYMTYPE, "data/1"),
        member("boxtool_topo_-m", tarfile.SYMTYPE, "/etc/passwd"),
        member("boxtool_ports_-b_x", tarfile.SYMTYPE, "../../../etc/passwd"),
        member("loop", tarfile.SYMTYPE, "loop"),
    ]

    recording = one(Path("-"), tar_bytes({"data/1": "nothing to know it by\n", **GOOD}, extra=extra))

    assert {(c.source, c.file) for c in recording.captures} == {
        ("wire", "stdin!data/1"),
        ("box-list", "stdin!boxtool_list"),
    }


def test_fifos_and_devices_in_an_archive_are_skipped_with_a_problem() -> None:
    extra = [member("boxtool_topo_-m", tarfile.FIFOTYPE), member("wire_probe_-a", tarfile.CHRTYPE)]

    recording = one(Path("-"), tar_bytes(GOOD, extra=extra))

    assert messages(recording).count("not a regular file") == 2


def test_a_fifo_on_disk_is_neither_opened_nor_waited_for(tmp_path: Path) -> None:
    root = folder(tmp_path / "box", GOOD)
    os.mkfifo(root / "boxtool_topo_-m")

    recording = one(root)

    assert "boxtool_topo_-m: not read: not a regular file" in messages(recording)
    with pytest.raises(InputError, match="not a folder or a regular file"):
        one(root / "boxtool_topo_-m")


def test_a_link_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    outside = folder(tmp_path / "outside", {"secret": MATRIX_TEXT, "more/wire": WIRE_TEXT})
    root = folder(tmp_path / "box", GOOD)
    (root / "boxtool_topo_-m").symlink_to(outside / "secret")
    (root / "more").symlink_to(outside / "more")
    (root / "circle").symlink_to(root)

    recording = one(root)

    assert [capture.source for capture in recording.captures] == ["box-list"]


def test_a_bomb_ends_at_the_limit_and_what_came_before_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 4 * limits.MIB)
    bomb = tar_bytes({**GOOD, "var/zeros": b"\0" * (16 * limits.MIB), "wire_probe_-a": WIRE_TEXT})

    recording = one(Path("-"), bomb)

    assert [capture.source for capture in recording.captures] == ["box-list"]
    assert "unpacks to more than 4 MiB" in messages(recording)


def test_a_packed_file_that_grows_beyond_the_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", limits.MIB)

    with pytest.raises(InputError, match="unpacks to more than 1 MiB"):
        one(Path("-"), gzip.compress(b"wire 1: x\n" * limits.MIB))


def test_a_member_beyond_the_limit_is_named_and_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_MEMBER", limits.MIB)
    big = WIRE_TEXT * 60_000

    for data in (tar_bytes({"wire_probe_-a": big, **GOOD}), zip_bytes({"wire_probe_-a": big, **GOOD})):
        recording = one(Path("-"), data)

        assert [capture.source for capture in recording.captures] == ["box-list"]
        assert "not read: longer than 1 MiB" in messages(recording)


def test_the_total_of_text_is_limited_and_named_files_come_before_strays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_TEXT", 3000)
    monkeypatch.setattr(limits, "MAX_STRAY_TEXT", 1000)
    monkeypatch.setattr(limits, "MAX_MEMBER", 2000)
    root = folder(tmp_path, {"a.txt": "x\n" * 400, "b.txt": "x\n" * 400, "boxtool_list": LIST_TEXT})

    recording = one(root)

    assert [capture.source for capture in recording.captures] == ["box-list"]
    assert "b.txt: not read: more than 0 MiB of text in files whose name tells no command" in messages(recording)


def test_members_beyond_the_limit_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_MEMBERS", 10)

    recording = one(Path("-"), tar_bytes({**GOOD, **{f"x{i}": "x" for i in range(20)}}))

    assert "more than 10 members: the rest is not read" in messages(recording)


def test_folders_beyond_the_depth_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_DEPTH", 3)
    root = folder(tmp_path, {**GOOD, "1/2/3/4/5/wire_probe_-a": WIRE_TEXT})

    assert "more than 3 folders deep" in messages(one(root))


def test_archives_beyond_the_nesting_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_NESTING", 2)
    deep = tar_bytes({"c.tar": tar_bytes({"wire_probe_-a": WIRE_TEXT})})

    recording = one(Path("-"), tar_bytes({**GOOD, "b.tar": deep}))

    assert "archives more than 2 deep" in messages(recording)


def test_an_archive_cut_short_gives_what_was_whole(tmp_path: Path) -> None:
    data = tar_bytes({**GOOD, "noise": os.urandom(100_000)})
    path = tmp_path / "cut.tar.gz"
    path.write_bytes(data[: len(data) // 2])

    recording = one(path)

    assert [capture.source for capture in recording.captures] == ["box-list"]
    assert "damaged archive, read up to here" in messages(recording)


def test_a_locked_file_is_named(tmp_path: Path) -> None:
    root = folder(tmp_path, {**GOOD, "wire_probe_-a": WIRE_TEXT})
    (root / "wire_probe_-a").chmod(0)

    recording = one(root)

    if os.geteuid() == 0:
        assert len(recording.captures) == 2
    else:
        assert "wire_probe_-a: cannot be read: Permission denied" in messages(recording)


def test_nothing_is_written_while_an_archive_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.tar.gz"
    path.write_bytes(tar_bytes({**GOOD, "deep/er/x": "x"}, extra=[member("l", tarfile.SYMTYPE, "boxtool_list")]))
    monkeypatch.chdir(tmp_path)

    one(path)

    assert [item.name for item in tmp_path.iterdir()] == ["in.tar.gz"]


@given(st.binary(min_size=1), st.sampled_from(["gz", "bz2", "xz", ""]), st.integers(0, 2000), st.integers(0, 255))
def test_no_damage_to_an_archive_is_worse_than_an_input_error(junk: bytes, kind: str, place: int, byte: int) -> None:
    data = bytearray(tar_bytes({**GOOD, "junk": junk}, mode=f"w:{kind}"))
    data[place % len(data)] = byte

    with suppress(InputError):
        read([Path("-")], stdin=bytes(data), sources=SOURCES)


@given(st.integers(0, 500), st.integers(0, 255))
def test_no_damage_to_a_zip_is_worse_than_an_input_error(place: int, byte: int) -> None:
    data = bytearray(zip_bytes({**GOOD, "wire_probe_-a": WIRE_TEXT}))
    data[place % len(data)] = byte

    with suppress(InputError):
        read([Path("-")], stdin=bytes(data), sources=SOURCES)
