"""A brief run of the fuzzer, over printed texts and over the corpus, and numbers that no tool prints, one at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.fuzz_recordings import corpus_seeds, inputs, printed_seeds, run, table
from tests.shared import CORPUS, needs_shared
from toposcope import app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from tests.fuzz_recordings import Files, Seed

BRIEF = 50
LIMIT = 30.0  # a fault here is a hang; how fast a machine is does not matter
ODD_NUMBERS = (
    b"9" * 5000,
    b"99999999999999999999",
    "\N{SUPERSCRIPT TWO}".encode(),
    "\N{ARABIC-INDIC DIGIT FOUR}".encode(),
)
_NUMBER = re.compile(rb"\d+")
_SHAPE = re.compile(rb"[0-9a-f]*\d[0-9a-f]*")


def test_damaged_printed_texts_are_read_or_refused(tmp_path: Path) -> None:
    tally = run(inputs(printed_seeds(), "brief", BRIEF), limit=LIMIT, folder=tmp_path, every=10)

    assert not tally.faults, table(tally)
    assert tally.read
    assert tally.inputs == tally.read + tally.refused == BRIEF


@needs_shared
def test_damaged_real_texts_are_read_or_refused(tmp_path: Path) -> None:
    seeds = corpus_seeds([CORPUS / folder for folder in ("nvidia", "ascend", "pci")])

    tally = run(inputs(seeds, "brief", BRIEF), limit=LIMIT, folder=tmp_path, every=10)

    assert not tally.faults, table(tally)
    assert tally.read


def odd_numbers(seeds: list[Seed]) -> Iterator[tuple[int, Files]]:
    """Put odd numbers, one at a time, in the place of each number of each line that is unlike those before it."""
    seen: set[tuple[str, bytes]] = set()
    number = 0
    for seed in seeds:
        lines = seed.data.split(b"\n")
        for at, line in enumerate(lines):
            kind = seed.name, _SHAPE.sub(b"0", line)
            if kind in seen:
                continue
            seen.add(kind)
            for match in list(_NUMBER.finditer(line))[:4]:
                for odd in ODD_NUMBERS:
                    changed = line[: match.start()] + odd + line[match.end() :]
                    number += 1
                    yield number, ((seed.name, b"\n".join([*lines[:at], changed, *lines[at + 1 :]])),)


def test_no_number_is_too_long_or_too_odd(tmp_path: Path) -> None:
    seeds = [seed for seed in printed_seeds() if seed.recording in ("a100-pcie-4", "910b-kunpeng-8")]

    tally = run(odd_numbers(seeds), limit=LIMIT, folder=tmp_path, every=1000)

    assert not tally.faults, table(tally)
    assert tally.read > 100


def test_a_traceback_is_found_with_its_place_and_its_input_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(app, "analyze_topology", broken)
    seed = printed_seeds()[0]

    tally = run(iter([(7, ((seed.name, seed.data),))]), limit=LIMIT, folder=tmp_path, keep=tmp_path / "kept")

    (place,) = tally.faults
    assert place.startswith("ValueError at app.py:")
    assert "no such thing" in table(tally)
    (kept,) = (tmp_path / "kept").glob(f"*/input/{seed.name}")
    assert kept.read_bytes() == seed.data


def test_a_hang_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(app, "analyze_topology", endless)
    seed = printed_seeds()[0]

    tally = run(iter([(7, ((seed.name, seed.data),))]), limit=0.3, folder=tmp_path)

    assert "TooSlowError" in table(tally)


def test_the_same_seed_gives_the_same_inputs() -> None:
    seeds = printed_seeds()[:4]

    assert list(inputs(seeds, "s", 5)) == list(inputs(seeds, "s", 5))
    assert list(inputs(seeds, "s", 2, first=3)) == list(inputs(seeds, "s", 5))[3:]
    assert list(inputs(seeds, "s", 5)) != list(inputs(seeds, "t", 5))
