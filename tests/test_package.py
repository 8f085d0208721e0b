"""The package as a whole: contracts, types, lint, a light start, and the wheel in an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def _run(*words: str, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=cwd, capture_output=True, text=True, check=False, env={**os.environ, **env}, timeout=600
    )


def test_the_layers_hold() -> None:
    script = Path(sys.executable).with_name("lint-imports")

    done = _run(str(script))

    assert done.returncode == 0, done.stdout


def test_the_types_hold() -> None:
    done = _run(sys.executable, "-m", "mypy")

    assert done.returncode == 0, done.stdout


def test_the_lint_holds() -> None:
    done = _run(sys.executable, "-m", "ruff", "check", "--no-cache", ".")

    assert done.returncode == 0, done.stdout


def test_the_format_holds() -> None:
    done = _run(sys.executable, "-m", "ruff", "format", "--check", "--no-cache", ".")

    assert done.returncode == 0, done.stdout


def test_help_and_version_load_nothing_heavy() -> None:
    for option in ("--help", "--version"):
        code = (
            "import sys\nfrom toposcope.cli.main import app\n"
            f"sys.argv = ['toposcope', {option!r}]\n"
            "try:\n    app()\nexcept SystemExit:\n    pass\n"
            "print('LOADED', *sorted({'networkx', 'matplotlib', 'numpy', 'scipy', 'pynvml'} & set(sys.modules)))"
        )

        done = _run(sys.executable, "-c", code)

        assert done.stdout.splitlines()[-1].split() == ["LOADED"], done.stdout + done.stderr


def test_analysis_and_render_name_no_vendor() -> None:
    vendors = ("nvidia", "ascend", "huawei")
    files = [*(ROOT / "toposcope/render").rglob("*.py"), *(ROOT / "toposcope/analysis").glob("*.py")]

    named = [str(path) for path in files for vendor in vendors if vendor in path.read_text().lower()]

    assert named == []


def test_the_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    built = _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path / "dist"))
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty/bin/python"
    installed = _run(str(python), "-m", "pip", "install", "-q", "--no-deps", "--no-index", str(wheel), cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr

    # The dependencies come from the environment of the tests; the package and its profiles from the wheel alone.
    done = _run(
        str(tmp_path / "empty/bin/toposcope"),
        "profiles",
        "list",
        cwd=tmp_path,
        PYTHONPATH=sysconfig.get_paths()["purelib"],
    )

    assert done.returncode == 0, done.stderr
    assert "a100-2-2-4-6-8-8" in done.stdout
    where = _run(
        str(python),
        "-c",
        "import toposcope, toposcope.profiles.folders as f; print(toposcope.__file__); print(f.shipped())",
        cwd=tmp_path,
        PYTHONPATH=sysconfig.get_paths()["purelib"],
    )
    assert all(line.startswith(str(tmp_path)) for line in where.stdout.splitlines()), where.stdout
