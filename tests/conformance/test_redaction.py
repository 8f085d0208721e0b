"""No identifier of the corpus survives redaction, and what is left is the same machine.

Identifiers are found here by patterns of this test's own. The corpus holds few real ones, many are counted stand-ins
already: so each is replaced first by a random one of the same shape, the same everywhere, as if the recording came
from another site. None of those may be left in any text, name, command or problem.
"""

from __future__ import annotations

import ipaddress
import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.printing import LOOKUP
from tests.shared import cases, needs_shared
from toposcope.assembly import assemble
from toposcope.base import InputError
from toposcope.recording import Recording, parse, read
from toposcope.recording.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toposcope.model import Topology

pytestmark = needs_shared

FOLDERS = ("nvidia", "ascend", "pci", "fabric", "rocm", "vendors")
CASES = [case for folder in FOLDERS for case in cases(folder)]

UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
MAC = re.compile(r"(?<![\w:.-])[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?![\w:.-])", re.IGNORECASE)
GUID = re.compile(r"\b0x([0-9a-f]{16})\b|(?<![\w:])([0-9a-f]{4}(?::[0-9a-f]{4}){3})(?![\w:])", re.IGNORECASE)
IPV4 = re.compile(
    r"(?:inet|address|ipaddr|addr|gateway|ip)[ :=_0-9a-z]{0,12}?\b((?:\d{1,3}\.){3}\d{1,3})\b", re.IGNORECASE
)
SERIAL = re.compile(r"\bserial(?: ?number| ?num| ?no)?\s*[:=|]\s*([A-Z0-9][A-Z0-9.-]{6,})", re.IGNORECASE)
HOST = re.compile(r"^\[?[a-z_][\w.-]{1,20}@([\w.-]{4,40})[ :][^\n]{0,60}[#$]", re.MULTILINE)
HEX = re.compile(r"[0-9a-f:-]+", re.IGNORECASE)
IPV4_ALONE = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
NO_NAME = re.compile(
    r"(?:localhost|localdomain|node|server|host|ubuntu|none|unknown|default|system|linux|gpu|npu)[-_.]?\d*",
    re.IGNORECASE,
)
"""Names that name nobody."""


def recordings_of(case: Path) -> tuple[Recording, ...]:
    try:
        return read([case / "input" if (case / "input").is_dir() else case])
    except InputError:
        pytest.skip("no output of a known tool")


def identifiers(text: str) -> Iterator[str]:
    for match in UUID.finditer(text):
        if match[0].strip("0-"):
            yield match[0]
    for match in MAC.finditer(text):
        if set(match[0].lower()) - set("0:-") and set(match[0].lower()) - set("f:-"):
            yield match[0]
    for match in GUID.finditer(text):
        value = match[1] or match[2]
        if value.strip("0:").lower().strip("f:") and sum(c != "0" for c in value) > 4:
            yield value
    for match in IPV4.finditer(text):
        if _is_of_somebody(match[1]):
            yield match[1]
    for pattern in (SERIAL, HOST):
        yield from (
            m[1] for m in pattern.finditer(text) if any(c.isdigit() for c in m[1]) and not NO_NAME.fullmatch(m[1])
        )


def _is_of_somebody(text: str) -> bool:
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_multicast or int(address) >> 24 in (0, 255))


def shown(recording: Recording) -> str:
    """Return all that a written recording holds, as one text."""
    parts = [recording.host or ""]
    for capture in recording.captures:
        parts += [capture.file, capture.text, capture.argument or ""]
    for command in recording.commands:
        parts += [*command.words, command.file or "", command.error]
    for problem in recording.problems:
        parts += [problem.message, problem.text, problem.origin.file]
    return "\n".join(parts)


def from_another_site(recording: Recording, *, seed: str) -> tuple[Recording, set[str]]:
    """Return the recording with random identifiers in the place of its own, and those that it has now."""
    chance = random.Random(seed)  # noqa: S311 - no secret is made here
    found = sorted(
        {name for capture in recording.captures for name in identifiers(capture.text)}, key=len, reverse=True
    )
    others: dict[str, str] = {}
    for name in found:
        others.setdefault(name, _like(name, chance))
    if not found:
        return recording, set()
    anyone = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, found))})(?![A-Za-z0-9])")
    captures = tuple(
        replace(capture, text=anyone.sub(lambda match: others[match[0]], capture.text))
        for capture in recording.captures
    )
    return replace(recording, captures=captures), {other for name, other in others.items() if other != name}


def _like(name: str, chance: random.Random) -> str:
    """Return a random identifier of the same shape."""
    if IPV4_ALONE.fullmatch(name):
        return ".".join(str(chance.randrange(11, 200)) for _ in range(4))
    letters = "abcdef" if HEX.fullmatch(name) else "ghjkmnpqrstuvwxyz"
    return "".join(_character(character, letters, chance) for character in name)


def _character(character: str, letters: str, chance: random.Random) -> str:
    if character.isdigit():
        return chance.choice("123456789")
    other = chance.choice(letters)
    return (other.upper() if character.isupper() else other) if character.isalpha() else character


@pytest.mark.parametrize("case", CASES, ids=[f"{case.parent.name}/{case.name}" for case in CASES])
def test_no_identifier_of_a_recording_survives(case: Path) -> None:
    for recording in recordings_of(case):
        named, names = from_another_site(recording, seed=case.name)

        left = shown(redacted(named)).lower()

        assert [name for name in names if name.lower() in left] == []


@pytest.mark.parametrize("case", CASES, ids=[f"{case.parent.name}/{case.name}" for case in CASES])
def test_the_machine_is_the_same_without_names(case: Path) -> None:
    for recording in recordings_of(case):
        before, after = (wiring(assemble(parse(each), LOOKUP)) for each in (recording, redacted(recording)))

        assert after == before


def wiring(topology: Topology) -> object:
    """Return the graph and the words of the pairs, and which facts have equal values, but no name."""
    return (
        [(each.id, each.kind, each.model, each.pci, each.numa) for each in topology.components()],
        [(link.source, link.target, link.medium, link.line, link.count, link.state) for link in topology.links()],
        [(each.a, each.b, each.word) for each in topology.all_relations()],
        _equalities([(fact.component, fact.name, fact.value) for fact in topology.facts() if fact.name in NAMING]),
        len(topology.problems),
    )


NAMING = frozenset({"uuid", "serial", "guid.node", "address", "neighbour"})


def _equalities(facts: list[tuple[str, str, object]]) -> list[tuple[str, str, int]]:
    """Number the values in the order of their first appearance: equal ones have equal numbers."""
    numbers: dict[object, int] = {}
    return [(component, name, numbers.setdefault(value, len(numbers))) for component, name, value in facts]


def test_the_patterns_of_this_test_do_find_identifiers() -> None:
    found = {name for case in CASES for each in _quietly(case) for c in each.captures for name in identifiers(c.text)}

    assert len(found) > 40
    for pattern in (UUID, IPV4_ALONE):
        assert any(map(pattern.fullmatch, found))


def _quietly(case: Path) -> tuple[Recording, ...]:
    try:
        return read([case / "input" if (case / "input").is_dir() else case])
    except InputError:
        return ()
