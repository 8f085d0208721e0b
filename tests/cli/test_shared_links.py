"""``contend``, ``whatif`` and ``diff``: documents by their schemas, screens for people, refusals on stderr."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from typer.testing import CliRunner

from tests.printing import lspci_vvv, machine, topo_m
from toposcope.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

RUNNER = CliRunner()
ESCAPE = "\x1b"
A100 = "profile:a100-2-2-4-6-8-8"
EVERY = ("pairs", "rail", "ring", "tree", "all-to-all", "h2d", "d2h", "storage", "incast")


def run(*words: str) -> Result:
    return RUNNER.invoke(app, list(words))


def document(*words: str, schema: str) -> Any:
    done = run(*words, "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads(run("schema", schema).stdout))
    return found


@pytest.mark.parametrize("pattern", EVERY)
def test_every_pattern_follows_its_schema(pattern: str) -> None:
    found = document("contend", A100, "--pattern", pattern, schema="contention")

    assert set(found) == {"schema", "pattern", "among", "flows", "links", "busbw_gbs"}
    assert found["schema"] == "toposcope.contention/1"
    assert found["pattern"] == pattern
    assert found["among"] == [f"GPU{index}" for index in range(8)]
    assert set(found["flows"][0]) == {"src", "dst", "line_gbs", "usable_gbs", "limited_by"}
    assert set(found["links"][0]) == {"from", "to", "flows", "load_gbs", "capacity_gbs"}
    collective = pattern in ("ring", "tree", "all-to-all")
    assert (found["busbw_gbs"] is not None) == collective
    assert not collective or set(found["busbw_gbs"]) == {"line", "low", "typical", "high"}


def test_two_accelerators_behind_one_slot_are_told_so() -> None:
    found = document("contend", "profile:l40s-2-2-4", "--pattern", "rail", "--among", "GPU0,GPU1", schema="contention")

    assert [flow["line_gbs"] for flow in found["flows"]] == [15.7538, 15.7538]
    assert found["flows"][0]["limited_by"] == "PCIe Gen4 x16 (RC4 - NIC0)"
    assert found["links"][0] | {"load_gbs": 31.5077} == {
        "from": "RC4",
        "to": "NIC0",
        "flows": 2,
        "load_gbs": 31.5077,
        "capacity_gbs": 31.5077,
    }


def test_flows_may_be_named_one_by_one() -> None:
    found = document(
        "contend", "profile:aws-p4d", "--flow", "GPU0:remote", "--flow", "GPU1:remote", schema="contention"
    )

    assert [flow["line_gbs"] for flow in found["flows"]] == [6.25, 6.25]
    assert found["pattern"] == "flows"
    assert found["busbw_gbs"] is None


@pytest.mark.parametrize(
    "words",
    [
        ("contend", A100),
        ("contend", A100, "--pattern", "swirl"),
        ("contend", A100, "--flow", "GPU0"),
        ("contend", A100, "--pattern", "rail", "--among", "GPU0,GPU77"),
        ("contend", "profile:aws-p4d", "--pattern", "nvls"),
        ("whatif", A100),
        ("whatif", A100, "--set", "GPU0.width=wide"),
        ("whatif", A100, "--move", "NIC0"),
        ("whatif", A100, "--acs", "on"),
        ("whatif", A100, "--acs", "off"),
    ],
)
def test_what_has_no_meaning_is_wrong_usage(words: tuple[str, ...]) -> None:
    done = run(*words)

    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("toposcope: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("pattern", EVERY)
@pytest.mark.parametrize("name", ["l40s-2-2-4", "910b-kunpeng-8", "dgx-1v"])
def test_screens_are_plain_text(name: str, pattern: str) -> None:
    done = run("contend", f"profile:{name}", "--pattern", pattern, "--ascii")

    if done.exit_code == 2:
        assert pattern == "storage"
        return
    assert done.exit_code == 0
    assert ESCAPE not in done.stdout
    assert done.stdout.isascii()
    assert f"{pattern}: " in done.stdout
    assert ("Bus bandwidth" in done.stdout) == (pattern in ("ring", "tree", "all-to-all"))


def test_the_slowest_link_is_said_in_one_sentence() -> None:
    done = run("contend", "profile:aws-p4d", "--pattern", "rail")

    assert (
        "Slowest: 100 Gb/s port (NIC0/p1): 2 flows share 12.5 GB/s, 6.2 each; alone each would have 12.5."
    ) in " ".join(done.stdout.split())


def test_a_change_follows_its_schema() -> None:
    found = document("whatif", A100, "--set", "NIC0.rate=400G", schema="whatif")

    assert [change["after"] for change in found["changes"]] == ["400 Gb/s"]
    first = found["routes"][0]
    assert (first["src"], first["dst"]) == ("GPU0", "remote")
    assert (first["before"]["line_gbs"], first["after"]["line_gbs"]) == (25.0, 31.5077)


def test_the_greatest_loss_is_first() -> None:
    found = document("whatif", "profile:l40s-2-2-4", "--set", "GPU3.width=4", schema="whatif")

    ratios = [route["ratio"] for route in found["routes"] if route["ratio"] is not None]
    assert ratios[0] == min(ratios) < 0.5


def test_a_change_is_shown_before_and_after() -> None:
    done = run("whatif", "profile:aws-p4d", "--move", "NIC1:GPU0", "--ascii")

    assert done.exit_code == 0
    assert done.stdout.isascii()
    assert "NIC1, place: below SW1, now below SW0" in done.stdout
    assert "the greatest loss first" in done.stdout


def test_a_change_that_changes_no_route_says_so() -> None:
    done = run("whatif", A100, "--set", "NIC8.rate=400G")

    assert done.exit_code == 0
    assert "no route changes" in done.stdout


def test_two_machines_are_compared_by_questions() -> None:
    found = document("diff", A100, "profile:l40s-2-2-4", schema="diff")

    assert not found["same_machine"]
    assert found["changes"] == found["routes"] == []
    questions = {each["question"]: each for each in found["questions"]}
    assert questions["accelerator to accelerator"]["line_ratio"] == pytest.approx(9.52, abs=0.01)
    assert len(found["differences"]) < 20


def recorded(folder: Path, name: str, text: str) -> str:
    (folder / name).mkdir()
    (folder / name / "nvidia-smi_topo_-m").write_text(topo_m(machine("a800-8")))
    (folder / name / "lspci_-vvv").write_text(text)
    return str(folder / name)


def test_of_one_machine_at_two_times_what_changed_is_first(tmp_path: Path) -> None:
    text, _ = lspci_vvv(machine("a800-8"))
    blocks = text.split("\n\n")
    at = next(index for index, block in enumerate(blocks) if "A800" in block)
    blocks[at] = blocks[at].replace("LnkSta:\tSpeed 16GT/s, Width x16", "LnkSta:\tSpeed 16GT/s, Width x8")
    a, b = recorded(tmp_path, "monday", text), recorded(tmp_path, "friday", "\n\n".join(blocks))

    found = document("diff", a, b, schema="diff")
    done = run("diff", a, b)

    assert found["same_machine"]
    assert "x8" in found["changes"][0]["b"]
    assert found["differences"][0] == found["changes"][0]
    assert found["routes"]
    assert done.stdout.startswith("What changed")


def test_a_machine_compared_with_itself_shows_nothing() -> None:
    done = run("diff", A100, A100)

    assert done.exit_code == 0
    assert done.stdout == "no difference\n"


def test_an_odd_one_out_is_said_to_be_so() -> None:
    done = RUNNER.invoke(app, ["contend", "profile:dgx-h100", "--pattern", "pairs", "--among", "GPU0,GPU1,GPU2"])
    assert "GPU2 is left over: the number is odd" in done.stdout


def test_what_holds_a_flow_back_in_practice_is_named_where_it_is_a_crossing() -> None:
    done = RUNNER.invoke(app, ["contend", "profile:dgx-h100", "--flow", "GPU0:host:1"])
    assert "in practice UPI" in " ".join(done.stdout.split())


def redirecting(text: str) -> str:
    """Give every bridge of a printed tree an ACS that sends what passes up to the root."""
    capability = "\tCapabilities: [100 v1] Access Control Services\n"
    bits = "SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-"
    acs = f"{capability}\t\tACSCap:\t{bits}\n\t\tACSCtl:\t{bits}\n"
    blocks = (block.rstrip("\n") + "\n" for block in text.split("\n\n"))
    return "\n".join(block + acs if "PCI bridge" in block else block for block in blocks)


def test_changes_of_one_line_are_made_together_and_devices_go_by_their_names(tmp_path: Path) -> None:
    text, _ = lspci_vvv(machine("a800-8"))
    folder = recorded(tmp_path, "host", redirecting(text))
    changes = ("--set", "mlx5_0.rate=400G", "--set", "GPU3.width=8", "--move", "mlx5_1:GPU4", "--acs", "off")
    found = document("whatif", folder, *changes, schema="whatif")

    told = {(change["component"], change["after"]) for change in found["changes"]}
    assert ("NIC0/p1", "400 Gb/s") in told
    assert {name for name, _ in told} >= {"NIC1", "GPU3"}
    assert ("SW0", "off") in told
    ratios = [route["ratio"] for route in found["routes"] if route["ratio"] is not None]
    assert ratios == sorted(ratios)
    assert ratios[0] < 1
