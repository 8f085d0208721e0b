"""``toposcope rules``, ``affinity``, and the choice of rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from typer.testing import CliRunner

from tests.printing import machine, topo_m
from toposcope.analysis.rules import RULES
from toposcope.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

RUNNER = CliRunner()


def run(*words: str) -> Any:
    return RUNNER.invoke(app, list(words))


def valid(name: str, *words: str) -> Any:
    found = json.loads(run(*words).stdout)
    jsonschema.validate(found, json.loads(run("schema", name).stdout))
    return found


def test_every_rule_is_listed_and_shown() -> None:
    assert [each["rule"] for each in valid("rules", "rules", "list", "--json")["rules"]] == [
        each.name for each in RULES
    ]
    shown = run("rules", "show", "acs-redirect")
    assert shown.exit_code == 0
    assert "setpci" in shown.stdout
    assert "NVIDIA/nccl#489" in shown.stdout


def test_an_unknown_rule_names_near_ones() -> None:
    done = run("rules", "show", "acs-redirekt")

    assert done.exit_code == 2
    assert "acs-redirect" in done.stderr


@pytest.fixture
def pasted(tmp_path: Path) -> Path:
    path = tmp_path / "nvidia-smi_topo_-m"
    path.write_text(topo_m(machine("a800-8")))
    return path


def test_rules_are_chosen_and_left_out(pasted: Path) -> None:
    def rules(*words: str) -> set[str]:
        return {each["rule"] for each in json.loads(run("analyze", str(pasted), "--json", *words).stdout)["findings"]}

    every = rules()
    assert every
    one = min(every)
    assert rules("--only", one) == {one}
    assert rules("--skip", one) == every - {one}
    assert run("analyze", str(pasted), "--only", "nothing").exit_code == 2


@pytest.mark.parametrize("form", ["table", "env", "numactl", "slurm"])
def test_bindings_are_printed_in_each_form(pasted: Path, form: str) -> None:
    done = run("affinity", str(pasted), "--format", form)

    assert done.exit_code == 0
    assert "7" in done.stdout
    valid("affinity", "affinity", str(pasted), "--json")


def test_a_form_that_there_is_not_is_wrong_usage(pasted: Path) -> None:
    assert run("affinity", str(pasted), "--format", "yaml").exit_code == 2
