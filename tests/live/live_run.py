"""How long a whole live run takes beyond the interpreter and imports, with tools that answer at once.

    python -m tests.live.live_run [PROFILE]

Every tool that a live run may ask is there: a shell script that prints what the tool prints on the reference machine,
or nothing. The /sys is that machine's too. Prints the median of several runs, and of its parts.
"""

from __future__ import annotations

import io
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from tests.printing import machine
from tests.recordings_of import of_npu_text, of_nvidia_text
from tests.sys_tree import sys_tree
from toposcope import app
from toposcope.collectors import COLLECTORS, SOURCES
from toposcope.model import Kind, Topology
from toposcope.recording.live import collect
from toposcope.render.terminal.report import report

RUNS = 7


def fake_tools(folder: Path, topology: Topology) -> int:
    """Write a script for each tool; returns how many there are."""
    npus = any(each.id.startswith("NPU") for each in topology.components(Kind.ACCELERATOR))
    texts = of_npu_text(topology) if npus else of_nvidia_text(topology)
    cases: dict[str, list[str]] = {}
    for collector in COLLECTORS:
        for source in collector.sources:
            if source.command and source.command[0] != "cat":
                cases.setdefault(source.command[0], [])
    for number, (key, text) in enumerate(texts.items()):
        tool, *arguments = SOURCES[key].command
        (folder / f".{number}").write_text(text)
        cases[tool].append(f"'{' '.join(arguments)}') cat {folder / f'.{number}'};;")
    for tool, known in cases.items():
        path = folder / tool
        path.write_text(f'#!/bin/sh\ncase "$*" in {" ".join(known)} *) ;; esac\n')
        path.chmod(0o755)
    return len(cases)


def run(root: Path, known: app.Knowledge) -> dict[str, float]:
    """Make one live run, print it into memory, and return the seconds of each part."""
    used = _cpu_seconds()
    begun = time.perf_counter()
    recording = collect(sysroot=root)
    collected = time.perf_counter()
    loaded = app.assembled(recording, known)
    read = time.perf_counter()
    analysis = app.analyze(loaded)
    analyzed = time.perf_counter()
    screen = Console(file=io.StringIO(), width=100)
    for part in report(analysis, loaded.text_of, width=100):
        screen.print(part)
    ended = time.perf_counter()
    return {
        "whole": ended - begun,
        "collecting": collected - begun,
        "reading": read - collected,
        "analysis": analyzed - read,
        "screen": ended - analyzed,
        "CPU time with all tools": _cpu_seconds() - used,
    }


def _cpu_seconds() -> float:
    """Return the CPU time of this process and its children: what a busy machine does not stretch."""
    return sum(os.times()[:4])


def main(name: str = "a100-2-2-4-6-8-8") -> None:
    """Print the figures."""
    topology = machine(name)
    known = app.knowledge()
    with tempfile.TemporaryDirectory() as folder:
        root, tools = Path(folder) / "root", Path(folder) / "bin"
        root.mkdir()
        tools.mkdir()
        sys_tree(topology, root)
        count = fake_tools(tools, topology)
        os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"
        runs = [run(root, known) for _ in range(RUNS)]
    middle = {part: statistics.median(each[part] for each in runs) for part in runs[0]}
    parts = ", ".join(f"{part} {seconds:.3f} s" for part, seconds in middle.items())
    sys.stdout.write(f"{name}, {count} tools that answer at once, median of {RUNS} runs: {parts}\n")


if __name__ == "__main__":
    main(*sys.argv[1:2])
