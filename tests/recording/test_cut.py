"""Pasted texts: which lines name a command, where one output ends and the next begins, what is prose."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recording.fakes import LIST_TEXT, MATRIX_TEXT, PORTS_TEXT, SOURCES, WIRE_TEXT
from toposcope.base import InputError
from toposcope.recording import Recording, read


def pasted(text: str) -> Recording:
    (recording,) = read([Path("-")], stdin=text.encode(), sources=SOURCES)
    return recording


def outputs(recording: Recording) -> list[tuple[str, str]]:
    captures = sorted(recording.captures, key=lambda capture: capture.first_line)
    return [(capture.source, capture.text.strip()) for capture in captures]


PROMPTS = [
    "$ {}",
    "# {}",
    "> {}",
    ">>> {}",
    "+ {}",
    "++ {}",
    "root@hosta:~# {}",
    "root@hosta:/data/run 1# {}",
    "[root@hosta ~]# {}",
    "[user@hosta ~]$ {}",
    "[10:20:30] user@hosta:~$ {}",
    "(base) user@hosta:~/x$ {}",
    "(venv) [user@hosta x]$ {}",
    "user@hosta ~ % {}",
    "hosta:~ # {}",
    "bash-4.4# {}",
    "sh-5.1$ {}",
    "\u276f {}",
    "\u279c  {}",
    "Output of {}",
    "Output of `{}`:",
    "The output of {}:",
    "*** {}",
    "=== {} ===",
    "--- {} ---",
    "### {}",
    "<summary>{}</summary>",
    "<details><summary>{}</summary>",
    "**{}**",
    "`{}`",
    "1. {}",
    "- {}",
    "{}",
    "{}:",
    "/usr/local/bin/{}",
    "$ sudo {}",
    "$ sudo -n /opt/box/bin/{}",
    "$ LC_ALL=C {}",
    "$ docker exec -it trainer {}",
    "$ ssh hostb {}",
    "$ cd /tmp; {}",
    "$ date && {}",
    "$ {} | tee out.txt",
    "____________________________________________\n\n/usr/bin/{}\n",
]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_line_that_names_a_command_begins_its_output(prompt: str) -> None:
    unknowable = "only the command tells what this is"
    text = f"{prompt.format('boxtool topo -m')}\n{unknowable}\n{prompt.format('wire_probe -a')}\n{unknowable} either\n"

    recording = pasted(text)

    assert outputs(recording) == [("box-matrix", unknowable), ("wire", f"{unknowable} either")]


def test_a_prompt_of_another_command_ends_an_output() -> None:
    recording = pasted(f"$ boxtool list\n{LIST_TEXT}$ uptime\n up 3 days\n$ wire_probe -a\n{WIRE_TEXT}")

    assert outputs(recording) == [("box-list", LIST_TEXT.strip()), ("wire", WIRE_TEXT.strip())]
    assert [(p.origin.line, p.text) for p in recording.problems] == [(6, "up 3 days")]


def test_an_unknown_command_may_print_a_known_output() -> None:
    recording = pasted(f"$ ./show_all.sh\n{MATRIX_TEXT}")

    assert outputs(recording) == [("box-matrix", MATRIX_TEXT.strip())]


def test_a_sentence_about_a_command_is_no_prompt() -> None:
    text = f"boxtool list shows that all is well.\n\n{MATRIX_TEXT}\nwire_probe -a is what I ran before\n"

    recording = pasted(text)

    assert [source for source, _ in outputs(recording)] == ["box-matrix"]
    assert [problem.origin.line for problem in recording.problems] == [1]


def test_outputs_are_cut_by_content_where_no_prompt_stands() -> None:
    recording = pasted(f"GPU Topology:\n{MATRIX_TEXT}\n{LIST_TEXT}\nmore talk\n\n{WIRE_TEXT}")

    assert [source for source, _ in outputs(recording)] == ["box-matrix", "box-list", "wire"]
    assert [problem.text for problem in recording.problems] == ["GPU Topology:"]


def test_prose_is_counted_once_a_stretch_with_its_first_line() -> None:
    recording = pasted(f"Hi all,\n\nlook:\n$ boxtool list\n{LIST_TEXT}$ \n\nBye\nnow\n$ wire_probe -a\n{WIRE_TEXT}")

    assert [(problem.origin.line, problem.text) for problem in recording.problems] == [(1, "Hi all,"), (10, "Bye")]


def test_a_command_run_twice_is_two_captures_of_one_host() -> None:
    recording = pasted(f"$ boxtool topo -m\n{MATRIX_TEXT}$ boxtool topo -m\n\n{MATRIX_TEXT}")

    assert [(c.source, c.first_line) for c in recording.captures] == [("box-matrix", 2), ("box-matrix", 7)]


def test_an_output_that_begins_anew_without_a_prompt_is_a_second_capture() -> None:
    recording = pasted(f"{MATRIX_TEXT}\n{MATRIX_TEXT}")

    assert [capture.first_line for capture in recording.captures] == [1, 5]


def test_lines_of_one_output_that_look_like_its_beginning_do_not_cut_it() -> None:
    recording = pasted(WIRE_TEXT)

    assert outputs(recording) == [("wire", WIRE_TEXT.strip())]


def test_the_argument_is_taken_from_the_prompt() -> None:
    recording = pasted(f"# boxtool ports -b two\n{PORTS_TEXT}")

    assert recording.captures[0].argument == "two"


def test_the_notes_of_a_bug_report_about_a_file_are_no_part_of_it() -> None:
    rule = "_" * 44
    text = (
        f"{rule}\n\n*** /etc/box.conf\n*** ls: -rw-r--r-- 1 root root 9 /etc/box.conf\na=1\n{rule}\n\n/sbin/other\nx\n"
    )

    recording = pasted(text)

    assert [(c.source, c.text, c.first_line) for c in recording.captures] == [("box-conf", "a=1\n", 5)]


def test_a_command_that_printed_nothing_gives_no_capture() -> None:
    recording = pasted(f"$ boxtool list\n$ wire_probe -a\n{WIRE_TEXT}")

    assert [source for source, _ in outputs(recording)] == ["wire"]


@given(
    st.lists(st.sampled_from([MATRIX_TEXT, LIST_TEXT, WIRE_TEXT, "prose\n", "$ ls\n", "\n", "[r@h ~]# boxtool list\n"]))
)
def test_every_capture_stands_in_the_text_where_it_says(pieces: list[str]) -> None:
    text = "".join(pieces)
    lines = text.split("\n")
    try:
        recordings = read([Path("-")], stdin=text.encode(), sources=SOURCES)
    except InputError:
        assert not {MATRIX_TEXT, LIST_TEXT, WIRE_TEXT} & set(pieces)
        return
    for recording in recordings:
        for capture in recording.captures:
            own = capture.text.split("\n")
            there = lines[capture.first_line - 1 : capture.first_line - 1 + len(own)]
            assert own[:-1] == there[: len(own) - 1]
            assert there[-1].startswith(own[-1])


@given(st.text())
def test_no_text_is_worse_than_an_input_error(text: str) -> None:
    with suppress(InputError):
        read([Path("-")], stdin=text.encode("utf-8", "surrogatepass"), sources=SOURCES)


@given(st.binary())
def test_no_bytes_are_worse_than_an_input_error(data: bytes) -> None:
    with suppress(InputError):
        read([Path("-")], stdin=data, sources=SOURCES)
