"""Live runs against commands that do what broken tools do."""

from __future__ import annotations

import os
import re
import threading
import time
from pathlib import Path

import pytest

from tests.recording.fakes import BOX, FAKES, LIST_TEXT, MATRIX_TEXT, nothing
from toposcope.collectors import Collector, Source, cpu
from toposcope.collectors import sysfs as sysfs_tool
from toposcope.recording import Outcome, Recording, limits, process, read
from toposcope.recording.live import collect
from toposcope.recording.process import Ran, run
from toposcope.recording.write import write

LIMIT_S = 20.0
AT = "2026-01-02T03:04:05+00:00"


class FakeHost:
    """Answers commands from a table; what is not in it is absent."""

    def __init__(self, answers: dict[str, str | Ran | BaseException]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def __call__(self, words: object, **_limits: object) -> Ran:
        line = " ".join(words)  # type: ignore[call-overload]
        self.asked.append(line)
        answer = self.answers.get(line, Ran(Outcome.ABSENT))
        if isinstance(answer, BaseException):
            raise answer
        return Ran(Outcome.DONE, answer.encode(), 0) if isinstance(answer, str) else answer


def recorded(host: FakeHost, tmp_path: Path, collectors: tuple[Collector, ...] = FAKES, **more: object) -> Recording:
    return collect(runner=host, sysroot=tmp_path, host="here", time=AT, root=False, collectors=collectors, **more)  # type: ignore[arg-type]


def script(folder: Path, name: str, body: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def ran(path: str, timeout_s: float = LIMIT_S) -> Ran:
    return run((path,), timeout_s=timeout_s, stop=threading.Event())


def test_a_run_gives_one_capture_a_command_named_after_it(tmp_path: Path) -> None:
    recording = recorded(FakeHost({"boxtool topo -m": MATRIX_TEXT, "boxtool list": LIST_TEXT}), tmp_path)

    assert [(c.source, c.file, c.text) for c in recording.captures] == [
        ("box-matrix", "boxtool_topo_-m", MATRIX_TEXT),
        ("box-list", "boxtool_list", LIST_TEXT),
    ]
    assert (recording.host, recording.time) == ("here", AT)
    assert recording.made_by is not None
    assert recording.made_by.startswith("toposcope ")


def test_placeholders_are_filled_from_the_records_of_the_first_stage(tmp_path: Path) -> None:
    host = FakeHost(
        {"boxtool list": LIST_TEXT, "boxtool ports -b one": "Ports of one\n", "boxtool ports -b two": "x\n"}
    )

    recording = recorded(host, tmp_path)

    ports = [(c.file, c.argument) for c in recording.captures if c.source == "box-ports"]
    assert ports == [("boxtool_ports_-b_one", "one"), ("boxtool_ports_-b_two", "two")]


def test_a_value_that_is_no_name_is_never_put_into_a_command(tmp_path: Path) -> None:
    text = "Boxes of this host:\nbox --help\nbox ../../x\nbox a;b\nbox good\n"

    host = FakeHost({"boxtool list": text})
    recorded(host, tmp_path)

    assert [line for line in host.asked if "ports" in line] == ["boxtool ports -b good"]


def test_an_absent_tool_is_noted_and_no_problem(tmp_path: Path) -> None:
    recording = recorded(FakeHost({}), tmp_path)

    assert {command.outcome for command in recording.commands} == {Outcome.ABSENT}
    assert recording.captures == ()
    assert recording.problems == ()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Ran(Outcome.REFUSED, b"", 1, "permission denied"), "boxtool topo -m was refused"),
        (Ran(Outcome.TIMED_OUT, b"ID", None, "", 10.0), "did not end within the time limit (10 s)"),
        (Ran(Outcome.EMPTY, b"", 0), "printed nothing"),
        (Ran(Outcome.DONE, MATRIX_TEXT.encode(), 9), "ended with exit code 9"),
        (Ran(Outcome.DONE, MATRIX_TEXT.encode(), None, truncated=True), "only its beginning is kept"),
    ],
)
def test_what_went_wrong_is_a_problem_now_and_when_the_recording_is_read(
    tmp_path: Path, answer: Ran, said: str
) -> None:
    recording = recorded(FakeHost({"boxtool topo -m": answer, "boxtool list": LIST_TEXT}), tmp_path)
    write(recording, tmp_path / "r.tar")

    (again,) = read([tmp_path / "r.tar"], sources=BOX.sources)

    for each in (recording, again):
        assert [said in problem.message for problem in each.problems] == [True]


def test_a_source_that_wants_root_says_so_where_it_was_not(tmp_path: Path) -> None:
    host = FakeHost({"boxtool list": LIST_TEXT, "boxtool ports -b one": "Ports of one\n"})

    recording = recorded(host, tmp_path)

    assert [p.message for p in recording.problems] == ["boxtool ports -b one was not run as root: it may show less"]


def test_files_of_the_host_are_read_below_the_root_and_keep_their_path(tmp_path: Path) -> None:
    host = FakeHost({f"cat {tmp_path}/etc/box.conf": "a=1\n"})

    recording = recorded(host, tmp_path)

    assert [(c.source, c.file) for c in recording.captures] == [("box-conf", "etc/box.conf")]


def test_ctrl_c_returns_what_was_collected_and_names_what_was_not(tmp_path: Path) -> None:
    states: list[tuple[str, str]] = []

    def progress(key: str, state: str) -> None:
        states.append((key, state))
        if state == "done":
            raise KeyboardInterrupt

    recording = recorded(FakeHost({"boxtool list": LIST_TEXT}), tmp_path, progress=progress)

    assert [capture.source for capture in recording.captures] == ["box-list"]
    assert ("box-list", "done") in states


def test_progress_is_told_of_each_source(tmp_path: Path) -> None:
    states: list[tuple[str, str]] = []

    recorded(
        FakeHost({"boxtool topo -m": MATRIX_TEXT}), tmp_path, progress=lambda key, state: states.append((key, state))
    )

    assert ("box-matrix", "running") in states
    assert ("box-matrix", "done") in states
    assert ("wire", "absent") in states


def test_output_that_is_no_text_is_not_kept(tmp_path: Path) -> None:
    host = FakeHost({"boxtool topo -m": Ran(Outcome.DONE, bytes(range(256)) * 40, 0)})

    recording = recorded(host, tmp_path)

    assert recording.captures == ()
    assert [c.error for c in recording.commands if c.outcome is Outcome.DONE] == ["its output is no text"]


def test_two_commands_of_one_name_get_files_of_their_own(tmp_path: Path) -> None:
    pattern = re.compile("x")
    twins = Collector("t", tuple(Source(f"t{i}", nothing, pattern, None, ("t", "a")) for i in range(2)))

    recording = recorded(FakeHost({"t a": "x\n"}), tmp_path, (twins,))

    assert sorted(capture.file for capture in recording.captures) == ["t_a", "t_a~2"]


def test_a_command_runs_without_a_shell_in_plain_words_and_without_input(tmp_path: Path) -> None:
    path = script(tmp_path, "show", 'echo "$LC_ALL $# $1"; cat')

    answer = run((path, "$(echo hi); ls"), timeout_s=LIMIT_S, stop=threading.Event())

    assert answer.output == b"C 1 $(echo hi); ls\n"
    assert (answer.outcome, answer.exit_code) == (Outcome.DONE, 0)


def test_a_tool_beside_the_path_is_found(tmp_path: Path) -> None:
    assert "/usr/sbin" in process.environment({"PATH": "/x"})["PATH"].split(":")
    assert process.environment({"PATH": "/x"})["PATH"].startswith("/x:")


def test_a_command_that_hangs_is_killed_at_the_limit_with_its_children(tmp_path: Path) -> None:
    path = script(tmp_path, "hang", f"sleep 1000 & echo $! > {tmp_path}/child; echo begun; sleep 1000")

    answer = ran(path, 0.5)

    assert (answer.outcome, answer.output) == (Outcome.TIMED_OUT, b"begun\n")
    child = Path("/proc", (tmp_path / "child").read_text().strip())
    assert any(is_gone(child) or time.sleep(0.1) for _ in range(100))


def is_gone(process: Path) -> bool:
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_command_that_ignores_signals_is_killed(tmp_path: Path) -> None:
    assert (
        ran(script(tmp_path, "deaf", "trap '' TERM INT HUP\nwhile :; do sleep 0.1; done"), 0.5).outcome
        is Outcome.TIMED_OUT
    )


def test_a_command_that_closes_its_output_and_stays_is_killed(tmp_path: Path) -> None:
    assert ran(script(tmp_path, "silent", "exec >&- 2>&-\nsleep 1000"), 0.5).outcome is Outcome.TIMED_OUT


def test_a_child_that_keeps_the_pipe_open_is_not_waited_for(tmp_path: Path) -> None:
    answer = ran(script(tmp_path, "fork", "sleep 1000 &\necho done"))

    assert (answer.outcome, answer.output, answer.exit_code) == (Outcome.DONE, b"done\n", 0)
    assert answer.duration_s < LIMIT_S


def test_a_flood_is_cut_at_a_whole_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_OUTPUT", limits.MIB)

    answer = ran(script(tmp_path, "flood", "yes 'wire 1: red' | head -c 100000000"))

    assert answer.truncated
    assert len(answer.output) <= limits.MAX_FLOOD
    assert answer.output.endswith(b"wire 1: red\n")


def test_a_flood_of_errors_is_not_kept(tmp_path: Path) -> None:
    answer = ran(script(tmp_path, "complain", "yes oh | head -c 3000000 >&2; echo fine"))

    assert (answer.output, answer.error) == (b"fine\n", "oh")


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("exit 0", Outcome.EMPTY),
        ("exit 1", Outcome.EMPTY),
        ("echo no >&2; exit 1", Outcome.DONE),
        ("echo '  '", Outcome.EMPTY),
        ("echo 'Operation not permitted' >&2; exit 1", Outcome.REFUSED),
        ("echo 'must be root'; exit 3", Outcome.REFUSED),
        ("echo 'no devices' ; exit 6", Outcome.DONE),
        ("kill -9 $$", Outcome.DONE),
    ],
)
def test_an_end_is_told_for_what_it_is(tmp_path: Path, body: str, outcome: Outcome) -> None:
    assert ran(script(tmp_path, "tool", body)).outcome is outcome


def test_what_cannot_be_run_is_absent_or_refused(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.write_text("#!/bin/sh\n")
    locked.chmod(0o644)
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"\x00\x01\x02")
    garbage.chmod(0o755)

    assert ran(str(tmp_path / "none")).outcome is Outcome.ABSENT
    assert ran(str(locked)).outcome is Outcome.REFUSED
    assert ran(str(garbage)).outcome is Outcome.ABSENT
    assert ran("nul\0byte").outcome is Outcome.ABSENT


def test_a_run_that_is_to_stop_ends_its_commands(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()

    answer = run((script(tmp_path, "hang", "sleep 1000"),), timeout_s=LIMIT_S, stop=stop)

    assert answer.outcome is Outcome.STOPPED


def test_real_commands_on_the_path_are_found_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(
        tmp_path,
        "boxtool",
        f"test \"$1\" = list && printf '{LIST_TEXT}'\nexit 0".replace("\n", "\\n", LIST_TEXT.count("\n")),
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    recording = collect(sysroot=tmp_path, collectors=FAKES, timeout=LIMIT_S, host="h", time=AT, root=True)

    assert [(c.source, c.text) for c in recording.captures] == [("box-list", LIST_TEXT)]


def test_a_masked_sys_is_a_problem_that_says_what_is_lost_and_what_to_ask_for(tmp_path: Path) -> None:
    recording = recorded(FakeHost({}), tmp_path, (sysfs_tool.COLLECTOR,))

    said = " ".join(problem.message for problem in recording.problems)
    assert "no PCIe tree" in said
    assert "`lspci -D -nn -vvv` of the host" in said
    assert {c.source: c.outcome for c in recording.commands} == dict.fromkeys(
        ("sysfs-pci", "sysfs-net", "sysfs-numa"), Outcome.EMPTY
    )


def test_of_the_environment_only_what_concerns_devices_and_libraries_is_kept(tmp_path: Path) -> None:
    environ = {"CUDA_VISIBLE_DEVICES": "1,0", "SECRET_TOKEN": "x", "NCCL_DEBUG": "a\nb", "NCCL_P2P_LEVEL": "SYS"}

    recording = recorded(FakeHost({}), tmp_path, (cpu.COLLECTOR,), environ=environ)

    assert [c.text for c in recording.captures if c.source == "env"] == [
        "CUDA_VISIBLE_DEVICES=1,0\nNCCL_P2P_LEVEL=SYS\n"
    ]


def test_a_tool_that_hangs_whatever_it_is_asked_is_not_asked_for_ever(tmp_path: Path) -> None:
    pattern = re.compile("x")
    many = Collector("m", tuple(Source(f"m{i}", nothing, pattern, None, ("m", str(i))) for i in range(200)))
    host = FakeHost({f"m {i}": Ran(Outcome.TIMED_OUT, duration_s=10.0) for i in range(200)})

    recording = recorded(host, tmp_path, (many,))

    assert len(host.asked) < 60
    assert len(recording.commands) == 200
    assert {command.outcome for command in recording.commands} == {Outcome.TIMED_OUT}
    assert any("was not tried, since the tool hung" in problem.message for problem in recording.problems)


def test_one_command_that_answers_shows_that_its_tool_does(tmp_path: Path) -> None:
    pattern = re.compile("x")
    many = Collector("m", tuple(Source(f"m{i}", nothing, pattern, None, ("m", str(i))) for i in range(200)))
    host = FakeHost({f"m {i}": "fine\n" if i == 0 else Ran(Outcome.TIMED_OUT, duration_s=1.0) for i in range(200)})

    recorded(host, tmp_path, (many,))

    assert len(host.asked) == 200
