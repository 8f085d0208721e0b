"""``toposcope doctor`` and ``collect-script``, as a user runs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
from typer.testing import CliRunner

from toposcope.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

RUNNER = CliRunner()


def test_the_doctors_json_follows_its_schema(tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["doctor", "--json", "--sysroot", str(tmp_path)])

    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads(RUNNER.invoke(app, ["schema", "doctor"]).stdout))
    assert {each["key"]: each["standing"] for each in found["sources"]}["sysfs-pci"] == "empty"


def test_the_doctor_names_what_to_do_about_a_masked_sys(tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["doctor", "--sysroot", str(tmp_path)])

    assert done.exit_code == 0, done.stderr
    assert "sysfs-pci" in done.stdout
    assert "give `lspci -D -nn -vvv` of the host" in " ".join(done.stdout.split())
