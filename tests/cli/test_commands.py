"""What each command prints, where, and with which exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from typer.testing import CliRunner

from tests.printing import MACHINES, lspci_vvv, machine, topo_m
from toposcope.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

RUNNER = CliRunner()
ESCAPE = "\x1b"


def run(*words: str, text: str | None = None) -> Result:
    return RUNNER.invoke(app, list(words), input=text)


def document(*words: str, text: str | None = None, code: int = 0) -> Any:
    done = run(*words, text=text)
    assert done.exit_code == code, done.stderr
    return json.loads(done.stdout)


def schema(name: str) -> Any:
    return document("schema", name)


@pytest.fixture
def pasted(tmp_path: Path) -> Path:
    path = tmp_path / "nvidia-smi_topo_-m"
    path.write_text(topo_m(machine("a800-8")))
    return path


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_every_profile_is_analyzed_to_its_schema(name: str) -> None:
    found = document("analyze", f"profile:{name}", "--json")

    jsonschema.validate(found, schema("analysis"))
    assert found["machine"]["profile"] == name


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_every_profile_is_exported_to_its_schema(name: str) -> None:
    jsonschema.validate(document("export", f"profile:{name}", "--to", "json"), schema("topology"))


@pytest.mark.parametrize(("src", "dst"), [("GPU0", "GPU1"), ("GPU0", "NIC3"), ("GPU0", "remote"), ("GPU0", "host")])
def test_every_path_follows_its_schema(src: str, dst: str) -> None:
    found = document("path", "profile:a100-2-2-4-6-8-8", src, dst, "--json")

    jsonschema.validate(found, schema("path"))
    assert (found["src"], found["dst"], found["library"]) == (src, dst, "NCCL 2.30")
    assert [route["default"] for route in found["routes"]].count(True) == 1


def test_a_pasted_matrix_is_analyzed_from_standard_input(pasted: Path) -> None:
    found = document("analyze", "-", "--json", text=pasted.read_text())

    jsonschema.validate(found, schema("analysis"))
    assert found["machine"]["candidates"] == ["a800-8"]
    assert len(found["machine"]["accelerators"]) == 8
    assert found["matrix"]["cells"]["GPU0"]["NIC0"] == "PXB"
    assert {(each["line_gbs"], each["grade"]) for each in found["remote"]} == {(25.0, "assumed")}


def test_two_folders_of_recordings_are_two_hosts(tmp_path: Path) -> None:
    for name in ("a800-8", "dgx-1v"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "nvidia-smi_topo_-m").write_text(topo_m(machine(name)))

    found = document("analyze", str(tmp_path), "--json")

    jsonschema.validate(found, schema("analyses"))
    assert [host["host"] for host in found["hosts"]] == ["a800-8", "dgx-1v"]


def test_one_of_several_hosts_is_asked_for_by_name(tmp_path: Path) -> None:
    for name in ("a800-8", "dgx-1v"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "nvidia-smi_topo_-m").write_text(topo_m(machine(name)))

    refused = run("path", str(tmp_path), "GPU0", "GPU1")
    found = document("path", str(tmp_path), "GPU0", "GPU1", "--host", "dgx-1v", "--json")

    assert refused.exit_code == 2
    assert "--host" in refused.stderr
    assert found["routes"]


UNUSABLE = {
    "an empty file": b"",
    "a binary": bytes(range(256)) * 40,
    "a header without rows": b"\tGPU0\tGPU1\tCPU Affinity\n",
    "another tool's text": b"total 12\ndrwxr-xr-x 2 root root 4096 Jan  1 00:00 .\n",
}


@pytest.mark.parametrize("content", UNUSABLE.values(), ids=list(UNUSABLE))
def test_what_cannot_be_used_is_refused_with_exit_code_3(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dump.txt"
    path.write_bytes(content)

    done = run("analyze", str(path))

    assert done.exit_code == 3
    assert done.stdout == ""
    assert "dump.txt" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", UNUSABLE.values(), ids=list(UNUSABLE))
def test_what_cannot_be_used_is_an_error_document_where_json_is_asked(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "dump.txt"
    path.write_bytes(content)

    found = document("analyze", str(path), "--json", code=3)

    jsonschema.validate(found, schema("error"))
    assert found["problems"]


def test_a_missing_path_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        done = run("analyze", str(path))

        assert done.exit_code == 3
        assert str(path) in done.stderr or path.name in done.stderr


def test_a_readable_part_beside_an_unreadable_one_is_analyzed(pasted: Path) -> None:
    (pasted.parent / "notes.bin").write_bytes(b"\x00\x01" * 100)

    found = document("analyze", str(pasted.parent), "--json")

    assert len(found["machine"]["accelerators"]) == 8
    assert any("notes.bin" in problem["file"] for problem in found["problems"])


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", "profile:a100-2-2-4-6-8"),
        ("analyze", "profile:a100-2-2-4-6-8-8,nic=300"),
        ("path", "profile:dgx-h100", "GPU0", "GPU9"),
        ("path", "profile:dgx-h100", "NIC0", "GPU0"),
        ("export", "profile:dgx-h100", "--to", "visio"),
        ("schema", "nothing"),
        ("analyze", "profile:dgx-h100", "--fail-on", "sometimes"),
        ("analyze",),
    ],
)
def test_wrong_usage_is_exit_code_2_and_says_what_would_be_right(words: tuple[str, ...]) -> None:
    done = run(*words)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.strip()


def test_an_unknown_profile_lists_near_names() -> None:
    assert "a100-2-2-4-6-8-8" in run("analyze", "profile:a100-2-2-4-6-8").stderr


def test_piped_output_has_no_escapes(pasted: Path) -> None:
    for words in (("analyze", str(pasted)), ("path", str(pasted), "GPU0", "remote"), ("profiles", "list")):
        assert ESCAPE not in run(*words).stdout


def test_ascii_output_is_ascii(pasted: Path) -> None:
    for words in (("analyze", str(pasted), "--ascii"), ("path", str(pasted), "GPU0", "remote", "--ascii")):
        assert run(*words).stdout.isascii()


def test_an_escape_in_a_device_name_never_reaches_the_terminal(tmp_path: Path) -> None:
    text, _ = lspci_vvv(machine("l40s-2-2-4"))
    (tmp_path / "lspci_-vvv").write_text(text.replace("XX100", "XX\x1b]0;owned\x07\x1b[31m100"))

    done = run("analyze", str(tmp_path), "--verbose")

    assert done.exit_code == 0
    assert ESCAPE not in done.stdout
    assert "\x07" not in done.stdout


@pytest.mark.parametrize("form", ["graphml", "dot", "mermaid"])
def test_other_exports_hold_every_component(form: str) -> None:
    done = run("export", "profile:l40s-2-2-4", "--to", form)

    assert done.exit_code == 0
    assert all(name in done.stdout for name in ("GPU0", "GPU3", "NIC2", "CPU1", "network"))


@pytest.mark.parametrize("width", ["80", "120"])
def test_a_machine_is_drawn_in_the_terminal(width: str) -> None:
    for option in ([], ["--ascii"]):
        done = RUNNER.invoke(app, ["show", "profile:a800-8", *option], env={"COLUMNS": width})

        assert done.exit_code == 0
        assert all(name in done.stdout for name in ("GPU0", "GPU7", "NIC3"))
        assert done.stdout.isascii() or not option


def test_a_difference_names_what_differs() -> None:
    found = document("diff", "profile:a800-8", "profile:a800-8", "--json")
    other = document("diff", "profile:a100-2-2-4-6-8-8", "profile:l40s-2-2-4", "--json")

    assert found["differences"] == []
    assert other["differences"]


def test_profiles_are_listed_as_objects_with_name_and_title() -> None:
    found = document("profiles", "list", "--json")

    assert {each["name"] for each in found} == set(MACHINES)
    assert all(each["title"] for each in found)


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_a_picture_is_drawn(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"machine.{suffix}"

    done = run("render", "profile:l40s-2-2-4", "-o", str(path), "--path", "GPU0", "remote")

    assert done.exit_code == 0, done.stderr
    assert path.stat().st_size > 1000


def test_the_exit_code_of_a_host_without_findings_is_0() -> None:
    assert run("analyze", "profile:dgx-h100", "--fail-on", "warning").exit_code == 0


def test_help_names_the_exit_codes() -> None:
    assert "Exit codes" in run("--help").stdout


def test_every_command_has_help() -> None:
    for words in (("analyze",), ("inspect",), ("path",), ("render",), ("record",), ("diff",), ("export",), ("schema",)):
        assert "Usage" in run(*words, "--help").stdout


@pytest.mark.parametrize("name", ["host.zip", "host.txt", "host.json"])
def test_a_recording_is_not_written_under_a_name_that_means_another_form(name: str, tmp_path: Path) -> None:
    recorded = tmp_path / "lspci"
    recorded.write_text(lspci_vvv(machine("a800-8"))[0])
    done = run("record", "--from", str(recorded), "-o", str(tmp_path / name))

    assert done.exit_code == 2
    assert "take .tar.gz" in done.stderr
    assert not (tmp_path / name).exists()


def test_a_number_that_nothing_shows_is_open_in_a_comparison(pasted: Path) -> None:
    paste = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n"
    (pasted.parent / "b").mkdir()
    (pasted.parent / "b" / "nvidia-smi_-L").write_text(paste)

    found = document("diff", str(pasted), str(pasted.parent / "b"), "--json")

    assert [each["b"] for each in found["differences"] if each["what"] in ("NUMA nodes", "sockets", "NICs")] == [
        None,
        None,
        None,
    ]


def test_remedies_name_addresses_or_say_that_one_is_to_be_put_in() -> None:
    text = run("analyze", "profile:l40s-2-2-4").stdout

    assert "lspci -s ADDRESS_OF_NIC0" in text
    assert "lspci -s NIC" not in text


@pytest.mark.parametrize("layer", ["nvlink", "pcie, ethernet"])
def test_a_layer_alone_is_drawn_and_said_by_the_legend(layer: str, tmp_path: Path) -> None:
    target = tmp_path / "topo.svg"
    done = run("render", "profile:a100-2-2-4-6-8-8", "-o", str(target), "--layer", layer)

    assert done.exit_code == 0, done.stderr
    text = target.read_text()
    assert (">NVLink<" in text, ">PCIe<" in text, ">socket link<" in text) == (
        layer == "nvlink",
        "pcie" in layer,
        False,
    )
    assert ">GPU7<" in text


@pytest.mark.parametrize("words", [("topo.svg", "copper"), ("page.html", "pcie")])
def test_a_layer_that_means_nothing_is_refused(words: tuple[str, str], tmp_path: Path) -> None:
    done = run("render", "profile:a100-2-2-4-6-8-8", "-o", str(tmp_path / words[0]), "--layer", words[1])

    assert done.exit_code == 2
    assert "--layer" in done.stderr


def test_thousands_of_problems_are_counted_and_not_poured_out() -> None:
    text = "\tGPU0\tGPU1\tCPU Affinity\n" * 3000

    done = run("analyze", "-", text=text)

    assert done.exit_code == 3
    assert len(done.stderr.splitlines()) < 40
    assert "more problems, which --json lists" in done.stderr
    assert len(document("analyze", "-", "--json", text=text, code=3)["problems"]) > 2000
