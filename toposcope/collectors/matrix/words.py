"""The words of one tool's matrix, and how a run of glued words is taken apart again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SELF = "X"

_NIC = r"NIC\d+|mlx\d+_(?:bond_)?\d+"
# RDMA and network devices by name: rocep49s0, hfi1_0, bnxt_re0, ibp12s0, efa_0, irdma0.
# They are in small letters: a capital is what is left of a damaged GPU7 or NIC3.
_NAME = re.compile(r"[a-z][a-z0-9.@-]*(?:_[a-z0-9]+)*(?<=\d)(?:_[a-z]{1,6})?")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a tool prints in its matrix.

    ``accelerator`` is a regular expression for the labels of its own devices, ``words`` are those of its cells.
    ``symmetric``: the tool knows one value a pair, so a lost cell is proved by its mirror; where it answers for each
    direction it is not. ``stem`` is what labels of accelerators begin with, if there is but one way.
    """

    accelerator: str
    words: tuple[str, ...]
    symmetric: bool = True
    stem: str = ""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A vocabulary made ready: ``split`` gives the words of a token, () if it is not made of words only."""

    split: Callable[[str], tuple[str, ...]]
    labels: Callable[[str], tuple[str, ...]]
    accelerator: re.Pattern[str]
    beginnings: re.Pattern[str]
    symmetric: bool
    stem: str


def lexicon(vocabulary: Vocabulary, more: tuple[str, ...] = ()) -> Lexicon:
    """Compile a vocabulary, with ``more`` words that this output's own legend explains."""
    words = sorted((*vocabulary.words, *more), key=len, reverse=True)
    glued = re.compile("|".join(words))
    device = re.compile(f"(?:{vocabulary.accelerator})|{_NIC}")
    return Lexicon(
        split=_cutter(glued),
        labels=_cutter(device, _NAME),
        accelerator=re.compile(vocabulary.accelerator),
        beginnings=re.compile(r"NV\d+|X|HCCS|XLink"),
        symmetric=vocabulary.symmetric,
        stem=vocabulary.stem,
    )


def _and_name(token: str, pattern: re.Pattern[str], name: re.Pattern[str]) -> tuple[str, ...]:
    """Take what the pattern knows off the front of what is no name as a whole (``GPU8rocep4s0f0``); () in vain."""
    if name.fullmatch(token):
        return (token,)
    parts: list[str] = []
    at = 0
    while (found := pattern.match(token, at)) is not None and found.end() > at:
        parts.append(found[0])
        at = found.end()
    return (*parts, token[at:]) if name.fullmatch(token, at) else ()


def _cutter(pattern: re.Pattern[str], whole: re.Pattern[str] | None = None) -> Callable[[str], tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}

    def cut(token: str) -> tuple[str, ...]:
        found = known.get(token)
        if found is None:
            short = len(token) <= 256  # noqa: PLR2004 - no token is longer
            parts = tuple(pattern.findall(token)) if short else ()
            found = parts if "".join(parts) == token else ()
            if not found and short and whole is not None:
                found = _and_name(token, pattern, whole)
            known[token] = found
        return found

    return cut
