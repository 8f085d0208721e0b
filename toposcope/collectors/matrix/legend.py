"""The legend under a matrix: words that it explains, and the names of the network devices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.collectors.matrix.text import Line
    from toposcope.collectors.matrix.words import Vocabulary

TITLE = re.compile(r"\W*(?:NIC )?Legend\b")
_WORD = re.compile(r"[\s|*`-]*([A-Z][A-Za-z_]{0,11}#?)\s+=\s")
NAME = re.compile(r"[\s|*`-]*(NIC\d+)\s*:\s*([^\s|*`]*)[\s|*`]*")
_NUMBER = re.compile(r"\\d(?:\+|\{.*?\})")


def words_of(lines: Sequence[Line], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the words (as regular expressions) that the legend explains and the vocabulary lacks."""
    known = {_NUMBER.sub("#", word) for word in vocabulary.words}
    begin = next((at for at, line in enumerate(lines) if TITLE.match(line.text)), len(lines))
    found = (match[1] for line in lines[begin:] if (match := _WORD.match(line.text)))
    return tuple(word.replace("#", r"\d+") for word in dict.fromkeys(found) if word not in known)
