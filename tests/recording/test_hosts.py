"""Several hosts in one input: each is a recording, and none is mixed with another in silence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.recording.fakes import (
    FAR_TEXT,
    LIST_TEXT,
    MATRIX_TEXT,
    PORTS_TEXT,
    SOURCES,
    WIRE_TEXT,
    folder,
    nothing,
    tar_bytes,
)
from toposcope.base import InputError
from toposcope.collectors import Source
from toposcope.recording import Recording, read

if TYPE_CHECKING:
    from pathlib import Path

OTHER_LIST = LIST_TEXT.replace("two", "three")


def hosts(recordings: tuple[Recording, ...]) -> dict[str | None, list[str]]:
    return {recording.host: sorted(c.source for c in recording.captures) for recording in recordings}


def test_folders_with_the_same_outputs_are_hosts_named_by_the_folder(tmp_path: Path) -> None:
    root = folder(tmp_path, {"n1/list.txt": LIST_TEXT, "n1/wire.txt": WIRE_TEXT, "n2/list.txt": OTHER_LIST})

    recordings = read([root], sources=SOURCES)

    assert hosts(recordings) == {"n1": ["box-list", "wire"], "n2": ["box-list"]}


def test_folders_whose_outputs_do_not_overlap_are_one_host(tmp_path: Path) -> None:
    root = folder(tmp_path, {"pci/wire.txt": WIRE_TEXT, "net/list.txt": LIST_TEXT, "matrix.txt": MATRIX_TEXT})

    recordings = read([root], sources=SOURCES)

    assert hosts(recordings) == {None: ["box-list", "box-matrix", "wire"]}


def test_outputs_for_different_devices_do_not_overlap(tmp_path: Path) -> None:
    root = folder(
        tmp_path, {"a/boxtool_ports_-b_one": PORTS_TEXT, "b/boxtool_ports_-b_two": PORTS_TEXT.replace("up", "down")}
    )

    assert len(read([root], sources=SOURCES)) == 1


def test_nodes_of_a_cluster_that_print_the_same_are_hosts_all_the_same(tmp_path: Path) -> None:
    root = folder(tmp_path, {"a/list.txt": LIST_TEXT, "b/list.txt": LIST_TEXT, "b/wire.txt": WIRE_TEXT})

    assert hosts(read([root], sources=SOURCES)) == {"a": ["box-list"], "b": ["box-list", "wire"]}


def test_archives_of_several_hosts_in_a_folder_are_named_by_the_archive(tmp_path: Path) -> None:
    root = folder(
        tmp_path,
        {
            "alpha.tar.gz": tar_bytes({"rec/list.txt": LIST_TEXT, "rec/wire.txt": WIRE_TEXT}),
            "beta.tar.gz": tar_bytes({"rec/list.txt": OTHER_LIST}),
        },
    )

    assert hosts(read([root], sources=SOURCES)) == {"alpha": ["box-list", "wire"], "beta": ["box-list"]}


def test_two_paths_with_the_same_outputs_are_two_hosts(tmp_path: Path) -> None:
    folder(tmp_path, {"x/list.txt": LIST_TEXT, "y/list.txt": OTHER_LIST})

    assert set(hosts(read([tmp_path / "x", tmp_path / "y"], sources=SOURCES))) == {"x", "y"}


def test_a_system_tree_is_one_host_however_its_folders_overlap(tmp_path: Path) -> None:
    root = folder(tmp_path, {"sos_commands/a/boxtool_list": LIST_TEXT, "sos_commands/b/boxtool_list": OTHER_LIST})

    (recording,) = read([root], sources=SOURCES)

    assert len(recording.captures) == 2


def test_prompts_of_two_hosts_with_the_same_command_are_two_recordings(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(
        f"root@hosta:~# boxtool list\n{LIST_TEXT}$ wire_probe -a\n{WIRE_TEXT}[root@hostb ~]# boxtool list\n{OTHER_LIST}"
    )

    assert hosts(read([path], sources=SOURCES)) == {"hosta": ["box-list", "wire"], "hostb": ["box-list"]}


def test_prompts_of_two_names_without_overlap_are_one_host_and_a_problem_says_so(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(f"root@hosta:~# boxtool list\n{LIST_TEXT}root@c0ffee:/# wire_probe -a\n{WIRE_TEXT}")

    (recording,) = read([path], sources=SOURCES)

    assert recording.host == "hosta"
    assert [problem.message for problem in recording.problems] == [
        "prompts name hosta, c0ffee: read as one host, since no output appears twice"
    ]


def test_one_prompt_names_the_host(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(f"{MATRIX_TEXT}[root@hosta ~]# boxtool list\n{LIST_TEXT}")

    assert hosts(read([path], sources=SOURCES)) == {"hosta": ["box-list", "box-matrix"]}


def test_two_matrices_that_disagree_in_one_file_are_two_recordings_named_by_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "issue.txt"
    path.write_text(f"{MATRIX_TEXT}\n{LIST_TEXT}\n{FAR_TEXT}\n{WIRE_TEXT}")

    recordings = read([path], sources=SOURCES)

    assert hosts(recordings) == {"issue.txt:1": ["box-list", "box-matrix"], "issue.txt:9": ["box-matrix", "wire"]}


def test_two_matrices_that_agree_are_one_host(tmp_path: Path) -> None:
    path = tmp_path / "issue.txt"
    path.write_text(f"$ boxtool topo -m\n{MATRIX_TEXT}\n$ boxtool topo -m\n{MATRIX_TEXT} \n")

    (recording,) = read([path], sources=SOURCES)

    assert recording.host is None


def test_files_of_hosts_whose_matrices_disagree_go_by_their_prefix(tmp_path: Path) -> None:
    root = folder(
        tmp_path,
        {
            "n1_topo.txt": MATRIX_TEXT,
            "n1_list.txt": LIST_TEXT,
            "n2_topo.txt": FAR_TEXT,
            "n2_wire.txt": WIRE_TEXT,
        },
    )

    recordings = read([root], sources=SOURCES)

    assert hosts(recordings) == {"n1_topo.txt": ["box-list", "box-matrix"], "n2_topo.txt": ["box-matrix", "wire"]}


def test_what_belongs_to_none_of_several_hosts_is_a_recording_of_its_own(tmp_path: Path) -> None:
    root = folder(tmp_path, {"n1_topo.txt": MATRIX_TEXT, "n2_topo.txt": FAR_TEXT, "list.txt": LIST_TEXT})

    assert hosts(read([root], sources=SOURCES))[None] == ["box-list"]


def test_a_name_of_a_host_before_every_line_tells_the_hosts(tmp_path: Path) -> None:
    path = tmp_path / "pdsh.txt"
    path.write_text("".join(f"{host}: {line}\n" for host in ("n1", "n2") for line in MATRIX_TEXT.splitlines()))

    recordings = read([path], sources=SOURCES)

    assert [(r.host, r.captures[0].first_line) for r in recordings] == [("n1", 1), ("n2", 4)]


def test_lines_of_hosts_that_are_mixed_are_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "pdsh.txt"
    path.write_text("".join(f"{host}: {line}\n" for line in MATRIX_TEXT.splitlines() for host in ("n1", "n2")))

    with pytest.raises(InputError):
        read([path], sources=SOURCES)


@pytest.mark.parametrize("title", ["----------------\n{}\n----------------\n", "{} | CHANGED | rc=0 >>\n"])
def test_titles_of_tools_for_many_hosts_name_the_host(tmp_path: Path, title: str) -> None:
    path = tmp_path / "all.txt"
    path.write_text(f"{title.format('n1')}{MATRIX_TEXT}{title.format('n[2-4]' if '---' in title else 'n2')}{FAR_TEXT}")

    recordings = read([path], sources=SOURCES)

    assert [recording.host for recording in recordings] == ["n1", "n[2-4]" if "---" in title else "n2"]


@pytest.mark.parametrize(
    ("source", "text"), [("hostname", "box7\n"), ("uname", "Linux box7 6.1.0 #1 SMP x86_64 GNU\n")]
)
def test_the_host_is_named_by_what_it_printed(tmp_path: Path, source: str, text: str) -> None:
    named = Source(source, nothing, re.compile(source))
    root = folder(tmp_path, {source: text, "boxtool_list": LIST_TEXT})

    (recording,) = read([root], sources=(*SOURCES, named))

    assert recording.host == "box7"
