"""Recordings in every wrapping: what is in them is the same, wherever it lies."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from tests.recording.fakes import (
    CONF,
    LIST_TEXT,
    MATRIX_TEXT,
    PORTS_TEXT,
    SOURCES,
    WIRE_TEXT,
    folder,
    member,
    tar_bytes,
    zip_bytes,
)
from toposcope.base import InputError, Origin
from toposcope.recording import Recording, read, text_of

FILES = {
    "boxtool_topo_-m": MATRIX_TEXT,
    "deep/er/boxtool_list.txt": LIST_TEXT,
    "notes/colours.log": WIRE_TEXT,
    "etc/box.conf": "a=1\n",
}
WANTED = {("box-matrix", MATRIX_TEXT), ("box-list", LIST_TEXT), ("wire", WIRE_TEXT), ("box-conf", "a=1\n")}


def one(path: Path, stdin: bytes | None = None) -> Recording:
    (recording,) = read([path], stdin=stdin, sources=SOURCES)
    return recording


def texts(recording: Recording) -> set[tuple[str, str]]:
    return {(capture.source, capture.text) for capture in recording.captures}


def test_a_folder_is_read_with_all_that_is_nested_in_it(tmp_path: Path) -> None:
    recording = one(folder(tmp_path / "box", FILES))

    assert texts(recording) == WANTED
    assert recording.problems == ()
    assert {capture.file for capture in recording.captures} == set(FILES)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_is_read_whatever_packs_it(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "box.bin"
    path.write_bytes(tar_bytes(FILES, mode=mode))

    recording = one(path)

    assert texts(recording) == WANTED
    assert "box.bin!deep/er/boxtool_list.txt" in {capture.file for capture in recording.captures}


def test_a_tar_packed_with_zstandard_is_read(tmp_path: Path) -> None:
    path = tmp_path / "box.tar.zst"
    path.write_bytes(zstandard.compress(tar_bytes(FILES, mode="w")))

    assert texts(one(path)) == WANTED


def test_a_zip_is_read(tmp_path: Path) -> None:
    path = tmp_path / "box.zip"
    path.write_bytes(zip_bytes(FILES))

    assert texts(one(path)) == WANTED


def test_archives_within_archives_and_folders_are_opened(tmp_path: Path) -> None:
    root = folder(tmp_path / "all", {"a/in.zip": zip_bytes({"in.tar.gz": tar_bytes(FILES)})})

    assert texts(one(root)) == WANTED


def test_an_archive_on_standard_input_is_read() -> None:
    assert texts(one(Path("-"), tar_bytes(FILES))) == WANTED


def test_text_on_standard_input_is_read() -> None:
    recording = one(Path("-"), MATRIX_TEXT.encode())

    assert texts(recording) == {("box-matrix", MATRIX_TEXT)}
    assert recording.captures[0].file == "stdin"


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress], ids=["gz", "bz2", "xz", "zst"]
)
def test_a_single_packed_file_is_read_as_the_file(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "whatever.gz"
    path.write_bytes(pack(WIRE_TEXT.encode()))  # type: ignore[operator]

    assert texts(one(path)) == {("wire", WIRE_TEXT)}


def test_several_files_of_one_host_are_one_recording(tmp_path: Path) -> None:
    root = folder(tmp_path, {"m.txt": MATRIX_TEXT, "l.txt": LIST_TEXT})

    (recording,) = read([root / "m.txt", root / "l.txt"], sources=SOURCES)

    assert texts(recording) == {("box-matrix", MATRIX_TEXT), ("box-list", LIST_TEXT)}


def test_inputs_of_the_same_name_keep_their_paths_apart(tmp_path: Path) -> None:
    folder(tmp_path, {"a/x.txt": MATRIX_TEXT, "b/x.txt": LIST_TEXT})

    (recording,) = read([tmp_path / "a/x.txt", tmp_path / "b/x.txt"], sources=SOURCES)

    assert {capture.file for capture in recording.captures} == {str(tmp_path / "a/x.txt"), str(tmp_path / "b/x.txt")}


def test_the_order_of_captures_does_not_hang_on_the_wrapping(tmp_path: Path) -> None:
    path = tmp_path / "box.tar"
    path.write_bytes(tar_bytes(dict(reversed(FILES.items())), mode="w"))

    in_archive = one(path)

    in_folder = one(folder(tmp_path / "box", FILES))
    assert [c.source for c in in_archive.captures] == [c.source for c in in_folder.captures]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_a_text_in_another_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "m.txt"
    path.write_bytes(MATRIX_TEXT.encode(encoding))

    assert texts(one(path)) == {("box-matrix", MATRIX_TEXT)}


def test_line_ends_and_colours_of_a_terminal_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    path.write_bytes(b"\x1b[4m" + MATRIX_TEXT.replace("\n", "\x1b[0m\r\r\n").encode())

    assert texts(one(path)) == {("box-matrix", MATRIX_TEXT)}


def test_the_evidence_line_of_an_origin_is_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "paste.txt"
    path.write_text(f"Hello,\nsee below.\n\n{MATRIX_TEXT}\nThanks\n")
    recording = one(path)
    lines = path.read_text().splitlines()

    (capture,) = recording.captures

    assert capture.first_line == 4
    for number in range(4, 7):
        assert text_of(recording, Origin("box-matrix", "paste.txt", number)) == lines[number - 1]
    assert text_of(recording, Origin("box-matrix", "paste.txt", 1)) is None
    assert text_of(recording, Origin("box-matrix", "other.txt", 4)) is None
    assert text_of(recording, Origin("profile", "box")) is None


def test_an_argument_is_taken_from_the_file_name(tmp_path: Path) -> None:
    recording = one(folder(tmp_path, {"boxtool_ports_-b_one": PORTS_TEXT}))

    assert recording.captures[0].argument == "one"


@pytest.mark.parametrize(
    "name",
    [
        "boxtool_topo_-m",
        "boxtool topo -m.txt",
        "boxtool_topo_-m@v3.7.0",
        "boxtool_topo_-m.partial",
        "node7_boxtool_topo_-m.log",
        "01-boxtool_topo_-m.out",
        "boxtool_topo_-m (1).txt",
        "boxtool-topo-m.txt",
        "boxtool_commands/boxtool_topo_-m",
    ],
)
def test_a_name_tells_the_source_in_many_spellings(tmp_path: Path, name: str) -> None:
    recording = one(folder(tmp_path / "box", {name: "no line by which to know it\n"}))

    assert [capture.source for capture in recording.captures] == ["box-matrix"]


def test_a_name_that_goes_on_is_another_name(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        one(folder(tmp_path / "box", {"boxtool_topo_-mp": "nothing\n"}))


def test_content_wins_over_a_name_that_cannot_be_right(tmp_path: Path) -> None:
    recording = one(folder(tmp_path / "box", {"boxtool_list": MATRIX_TEXT}))

    assert texts(recording) == {("box-matrix", MATRIX_TEXT)}


def test_a_source_without_a_known_first_line_is_told_by_its_path_alone(tmp_path: Path) -> None:
    recording = one(folder(tmp_path / "box", {"copy/etc/box.conf": MATRIX_TEXT}))

    assert [capture.source for capture in recording.captures] == [CONF.key]


def test_a_link_lends_its_name_to_the_file(tmp_path: Path) -> None:
    root = folder(tmp_path / "box", {"data/1.bin": "unknowable\n"})
    (root / "boxtool_list").symlink_to("data/1.bin")

    recording = one(root)

    assert [(c.source, c.file) for c in recording.captures] == [("box-list", "data/1.bin")]


def test_files_of_no_known_tool_are_named_and_the_many_are_counted(tmp_path: Path) -> None:
    root = folder(tmp_path / "box", {f"poem{i:03}.txt": f"verse {i}\n" for i in range(50)} | {"m.txt": MATRIX_TEXT})

    recording = one(root)

    assert len(recording.problems) == 21
    assert recording.problems[0].text == "verse 0"
    assert recording.problems[-1].message.startswith("30 more files")


def test_a_json_text_that_quotes_an_output_is_not_cut(tmp_path: Path) -> None:
    quoted = '{\n"text":\n' + MATRIX_TEXT + "}\n"

    recording = one(folder(tmp_path / "box", {"quote.json": quoted, "boxtool_list": LIST_TEXT}))

    assert [capture.source for capture in recording.captures] == ["box-list"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "an empty file"),
        (b" \n\n", "an empty file"),
        (b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 20, "binary"),
        (b"once upon a time\n", "no output of a known tool (line 1: once upon a time)"),
    ],
)
def test_an_unusable_file_is_an_error_that_says_what_and_what_to_do(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "input"
    path.write_bytes(content)

    with pytest.raises(InputError, match="Give the output of boxtool") as caught:
        one(path)

    assert str(path) in str(caught.value)
    assert said in str(caught.value)
    assert caught.value.problems


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory"):
        one(tmp_path / "nowhere")


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing in it"):
        one(tmp_path)


def test_empty_standard_input_is_an_error() -> None:
    with pytest.raises(InputError, match="standard input: an empty file"):
        one(Path("-"), b"")


def test_a_sosreport_is_read_by_its_names_and_its_logs_are_left_alone(tmp_path: Path) -> None:
    files = {
        "sos_commands/box/boxtool_topo_-m": MATRIX_TEXT,
        "sos_commands/net/wire_probe_-a": WIRE_TEXT,
        "sos_commands/net/other_tool_-x": LIST_TEXT,
        "sos_commands/net/nvidia-bug-report.log": f"{'_' * 44}\n\n/usr/bin/boxtool list\n\n{LIST_TEXT}",
        "var/log/messages": LIST_TEXT,
        "etc/box.conf": "a=1\n",
        "etc/other.conf": WIRE_TEXT,
    }
    links = [member("sosreport-x/topo", tarfile.SYMTYPE, "sos_commands/box/boxtool_topo_-m")]
    path = tmp_path / "sosreport-x.tar.xz"
    path.write_bytes(tar_bytes({f"sosreport-x/{name}": text for name, text in files.items()}, mode="w:xz", extra=links))

    recording = one(path)

    assert [(c.source, c.file.rpartition("/")[2]) for c in recording.captures] == [
        ("box-matrix", "boxtool_topo_-m"),
        ("box-list", "nvidia-bug-report.log"),
        ("box-conf", "box.conf"),
        ("wire", "wire_probe_-a"),
    ]
    assert recording.problems == ()


@pytest.mark.parametrize("name", ["var", "etc", "usr"])
def test_the_name_of_the_input_itself_hides_nothing(tmp_path: Path, name: str) -> None:
    assert texts(one(folder(tmp_path / name, {"paste.txt": LIST_TEXT}))) == {("box-list", LIST_TEXT)}


def test_an_empty_file_is_an_answer_where_silence_tells(tmp_path: Path) -> None:
    silent = tuple(replace(each, silence_tells=each.key == "box-list") for each in SOURCES)
    (tmp_path / "boxtool_list.txt").write_text("\n")
    (tmp_path / "boxtool_topo_-m").write_text("")
    (recording,) = read([tmp_path], sources=silent)

    assert [(each.source, each.text) for each in recording.captures] == [("box-list", "")]
    assert any("an empty file" in each.message for each in recording.problems)
