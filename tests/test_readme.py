"""What the README shows is what the commands print. TOPOSCOPE_UPDATE_README=1 writes it anew."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from toposcope.cli.main import app

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"```console\n\$ toposcope (?P<words>[^\n]*)\n(?P<printed>.*?)```", re.DOTALL)


def _printed(match: re.Match[str]) -> str:
    done = CliRunner().invoke(app, shlex.split(match["words"]), env={"COLUMNS": None})
    assert done.exit_code == 0, done.stderr
    lines = (line.rstrip() for line in done.stdout.splitlines())
    return f"```console\n$ toposcope {match['words']}\n" + "\n".join(lines) + "\n```"


def test_the_readme_shows_what_is_printed() -> None:
    text = README.read_text()
    fresh = BLOCK.sub(_printed, text)
    if os.environ.get("TOPOSCOPE_UPDATE_README"):
        README.write_text(fresh)

    assert README.read_text() == fresh
    assert BLOCK.search(text)


def test_every_picture_of_the_readme_is_there() -> None:
    for name in re.findall(r"\]\((docs/[^)]+)\)", README.read_text()):
        assert (README.parent / name).is_file()
