"""Damages recordings and sees that each is read, analysed and shown, or refused: no traceback, no hang.

``python -m tests.fuzz_recordings`` takes the shared corpus, or with ``--printed`` what the tests' own printers print::

    python -m tests.fuzz_recordings --inputs 100000 --seed 1 --keep /tmp/faults [FILE or FOLDER ...]

A fault is any exception but a ToposcopeError, an input that takes more than ``--limit`` seconds of the processor, a
document that is not of its schema, or a control character on the terminal. The inputs of faults are kept, one for
each place in the code, and told in a table; the exit code is 1 where there are any.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from rich.console import Console

from tests.mutation import mutated
from tests.printing import MACHINES, lspci_vvv, machine, npu_topo, topo_m
from tests.shared import CORPUS
from toposcope import app
from toposcope.base import ToposcopeError
from toposcope.render.documents import analysis_document
from toposcope.render.html import page
from toposcope.render.schema import AnalysisDocument, json_schema, to_json
from toposcope.render.terminal.report import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jsonschema.protocols import Validator

MIB = 1024 * 1024
LARGEST = 4 * MIB
"""Bytes of a file that are taken; a bigger one is no text of a tool."""


class TooSlowError(BaseException):
    """An input took longer than the limit. No Exception, so that nothing on the way catches it."""


class DocumentError(Exception):
    """What was written of an input is not what it must be."""


@dataclass(frozen=True)
class Seed:
    """One whole text, the name of its file, which tells the command, and the recording that it is of."""

    name: str
    data: bytes
    recording: str = ""


Files = tuple[tuple[str, bytes], ...]
"""One input: names of files and what stands in them; the single name ``-`` is standard input."""


@dataclass
class Tally:
    """What came of the inputs: faults by their place, the first input of each, and how long the slowest took."""

    inputs: int = 0
    read: int = 0
    refused: int = 0
    slowest: tuple[float, str] = (0.0, "")
    faults: Counter[str] = field(default_factory=Counter)
    kept: dict[str, str] = field(default_factory=dict)


def corpus_seeds(paths: Sequence[Path]) -> list[Seed]:
    """Read the files below the paths."""
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [
        Seed(file.name, file.read_bytes(), str(file.parent))
        for file in files
        if file.is_file() and file.name != "expect.json" and 0 < file.stat().st_size < LARGEST
    ]


def printed_seeds() -> list[Seed]:
    """Print what the tools would print on every reference machine."""
    seeds: list[Seed] = []
    for name in sorted(MACHINES):
        topology = machine(name)
        ascend = any(component.id.startswith("NPU") for component in topology.components())
        matrix, command = (npu_topo, "npu-smi_info_-t_topo") if ascend else (topo_m, "nvidia-smi_topo_-m")
        with suppress(IndexError):  # a machine without words for its pairs
            seeds.append(Seed(command, matrix(topology).encode(), name))
        seeds.append(Seed("lspci_-vvv", lspci_vvv(topology)[0].encode(), name))
    return [seed for seed in seeds if seed.data.strip()]


@cache
def knowledge() -> app.Knowledge:
    return app.knowledge()


@cache
def validator() -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json_schema("analysis"))


def inputs(seeds: Sequence[Seed], seed: str, count: int, first: int = 0) -> Iterator[tuple[int, Files]]:
    """Yield numbered inputs: one text by its name, one on standard input, or the files of a recording and others."""
    others = [each.data for each in seeds]
    recordings: dict[str, list[Seed]] = {}
    for each in seeds:
        recordings.setdefault(each.recording, []).append(each)
    for number in range(first, first + count):
        random = Random(f"{seed}-{number}")  # noqa: S311 - the same seed must give the same inputs
        chosen = random.choice(seeds)
        kind = random.random()
        if kind < 0.7:
            yield number, (("-" if kind < 0.35 else chosen.name, mutated(chosen.data, others, random)),)
        else:
            yield number, tuple(_several(chosen, recordings[chosen.recording], seeds, random))


def _several(
    chosen: Seed, beside: Sequence[Seed], seeds: Sequence[Seed], random: Random
) -> Iterator[tuple[str, bytes]]:
    """Choose files of one recording, and sometimes of another machine; some are damaged."""
    others = [each.data for each in seeds]
    picked = {chosen.name: chosen} | {each.name: each for each in random.sample(beside, min(len(beside), 5))}
    if random.random() < 0.5:
        picked |= {each.name: each for each in random.sample(seeds, min(len(seeds), 2))}
    for name, each in picked.items():
        yield name, mutated(each.data, others, random) if random.random() < 0.6 else each.data[:200_000]


def tried(files: Files, folder: Path, *, whole: bool = False) -> bool:
    """Read, analyse and write one input; False where it was refused. ``whole`` shows it in every form, too."""
    paths = [folder / name for name, _ in files if name != "-"]
    for path, (_, data) in zip(paths, files, strict=False):
        path.write_bytes(data)
    given = [str(folder)] if len(paths) > 1 else [str(path) for path in paths] or ["-"]
    try:
        loaded = app.load(given, knowledge(), stdin=None if paths else files[0][1])
    except ToposcopeError as error:
        str(error)
        return False
    finally:
        for path in paths:
            path.unlink()
    for host in loaded:
        analysis = app.analyze(host)
        document = to_json(analysis_document(analysis, host.text_of))
        if whole:
            _shown(host, analysis, document)
    return True


def _shown(host: app.Loaded, analysis: app.Analysis, document: str) -> None:
    error = next(validator().iter_errors(json.loads(document)), None)
    if error is not None:
        raise DocumentError(f"{AnalysisDocument.__name__}: {error.message[:200]}")
    screen = Console(file=io.StringIO(), highlight=False, markup=False, emoji=False, width=100, color_system=None)
    for part in report(analysis, host.text_of, width=100):
        screen.print(part)
    text = screen.file.getvalue()  # type: ignore[attr-defined]
    if not text.replace("\n", "").isprintable():
        odd = next(letter for letter in text if letter != "\n" and not letter.isprintable())
        if ord(odd) < 32 or 127 <= ord(odd) < 160 or odd in "\u202e\u2028":
            raise DocumentError(f"the terminal gets {odd!r}")
    for form in ("json", "graphml", "dot", "mermaid"):
        app.export(host, form)
    page(analysis, host.text_of)


def run(
    given: Iterator[tuple[int, Files]], *, limit: float, folder: Path, keep: Path | None = None, every: int = 20
) -> Tally:
    """Try inputs; every so many are shown in all forms. Inputs of faults are written to ``keep``."""
    tally = Tally()
    previous = signal.signal(signal.SIGPROF, _too_slow)
    try:
        for number, files in given:
            tally.inputs += 1
            began = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, limit)
            try:
                done = tried(files, folder, whole=number % every == 0)
                signal.setitimer(signal.ITIMER_PROF, 0)
                tally.read += done
                tally.refused += not done
            except (Exception, TooSlowError) as error:  # noqa: BLE001 - this is what is looked for
                signal.setitimer(signal.ITIMER_PROF, 0)
                _note(tally, error, number, files, keep)
            tally.slowest = max(tally.slowest, (time.process_time() - began, f"{number} {files[0][0]}"))
    except KeyboardInterrupt:  # what was tried so far counts
        tally.inputs -= 1
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    return tally


def _too_slow(number: int, frame: object) -> None:
    raise TooSlowError


def place_of(error: BaseException) -> str:
    """Name the fault: its kind and the last lines of the project's own code."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "toposcope/" in frame.filename]
    if isinstance(error, RecursionError):
        frames = frames[:12][-1:]
    where = " < ".join(f"{frame.filename.rpartition('toposcope/')[2]}:{frame.lineno}" for frame in frames[:-3:-1])
    return f"{type(error).__name__} at {where}"


def _note(tally: Tally, error: BaseException, number: int, files: Files, keep: Path | None) -> None:
    place = place_of(error)
    tally.faults[place] += 1
    if place in tally.kept:
        return
    tally.kept[place] = f"{number} {files[0][0]}: {str(error)[:150]}"
    if keep is not None:
        kept = keep / hashlib.sha256(place.encode()).hexdigest()[:8]
        (kept / "input").mkdir(parents=True, exist_ok=True)
        for name, data in files:
            (kept / "input" / name).write_bytes(data)
        told = "".join(traceback.format_exception(error))
        (kept / "traceback.txt").write_text(f"{place}\n{number}\n{told[:6000]}\n...\n{told[-3000:]}")


def table(tally: Tally) -> str:
    """Write what came of a run."""
    head = (
        f"{tally.inputs} inputs: {tally.read} read, {tally.refused} refused, {tally.faults.total()} faults; "
        f"slowest {tally.slowest[0]:.2f} s ({tally.slowest[1]})"
    )
    lines = [head]
    lines += [f"{count:8}  {place}\n          {tally.kept[place]}" for place, count in tally.faults.most_common()]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders of whole texts; by default the corpus")
    parser.add_argument("--printed", action="store_true", help="take printed texts of reference machines")
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first input, to try one again")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds that one input may take")
    parser.add_argument("--every", type=int, default=20, help="show each so-manieth input in all forms")
    parser.add_argument("--memory", type=int, default=2048, help="MiB that the process may take")
    parser.add_argument("--keep", type=Path, help="a folder for the inputs of faults")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (given.memory * MIB, given.memory * MIB))
    warnings.simplefilter("error")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seeds = printed_seeds() if given.printed else corpus_seeds(given.paths or [CORPUS])
    if not seeds:
        parser.error("there is no text to damage: give files, or --printed")
    with tempfile.TemporaryDirectory() as folder:
        damaged = inputs(seeds, given.seed, given.inputs, given.first)
        tally = run(damaged, limit=given.limit, folder=Path(folder), keep=given.keep, every=given.every)
    print(table(tally))  # noqa: T201 - a script's output
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
