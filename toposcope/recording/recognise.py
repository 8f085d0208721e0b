"""Which source a file name or a command line speaks of, and which one a text begins.

A name is tried as it stands, then without its first words (``node7_lspci_-vvv``, ``01-lscpu``), then with the names
of its folders before it (``proc/cmdline``). ``_`` and ``/`` stand for blanks; what follows the last dot or ``@`` and
begins with a letter (``.txt``, ``.partial``, ``@v3.7.0``) is no part of the command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.collectors import Source

_SUFFIX = re.compile(r"(?:@[\w.+-]*|\.[A-Za-z][\w+~-]*| ?\(\d+\)|\.\d{4}-?\d\d-?\d\d[\w-]*)+$")
_BLANKS = str.maketrans("_/", "  ")
_BEFORE = re.compile(
    r"(?:(?:sudo|time|command|exec|nohup|env)\s+(?:-[nEiHS]\s+)*"
    r"|[A-Z][A-Z0-9_]*=\S*\s+"
    r"|(?:ssh|srun|pdsh)\s+(?:-\w+\s+)*[\w.@-]+\s+(?=[a-z/\"'])"
    r"|(?:docker|podman|kubectl|nerdctl)\s+exec\s+(?:-\S+\s+)*\S+\s+(?:--\s+)?"
    r"|[\"'`]"
    r"|~?/(?:[\w.+-]+/)+(?=[\w.+-]+(?:\s|$)))+"
)
_CAT = re.compile(r"(?:cat|head|tail|more|less|zcat)\s+(?:-\S+\s+)*/?")
_MAX_COMMAND = 400
_MAX_TAILS = 8
_FEW = 300
_GROUP_NAME = re.compile(r"\(\?P<\w+>")
_REFERS_BACK = re.compile(r"\(\?P=|\\[1-9]|\(\?\(")
_PATTERN_HEAD = re.compile(r"(?:\(\?:|\^|\\b)*([a-z][a-z0-9_-]{2,})(?=$|[ (]|\\[bs])")
_SHORT_OPTION = re.compile(r"[a-z]{1,4}")


@dataclass(frozen=True, slots=True)
class Recognised:
    """A source and what stands for its placeholder, where the name says it."""

    source: Source
    argument: str | None = None


class _AnyOf:
    """Patterns of which any may fit. Joining them takes as long as some hundred questions to each, so it waits."""

    def __init__(self, patterns: list[re.Pattern[str]]) -> None:
        self._patterns = patterns
        self._asked = 0

    def fits(self, text: str, position: int = 0) -> bool:
        """Tell whether any pattern may match here; one that cannot be joined always may."""
        self._asked += 1
        if self._asked <= _FEW:
            return any(pattern.match(text, position) for pattern in self._patterns)
        return self._joined.match(text, position) is not None

    @cached_property
    def _joined(self) -> re.Pattern[str]:
        return _joined(self._patterns)


@dataclass(frozen=True)
class Recogniser:
    """The sources in their order, and all their patterns as one, so that a line of a long text is tried once."""

    sources: tuple[Source, ...]
    any_name: _AnyOf
    any_begin: _AnyOf
    searched: tuple[Source, ...]
    vocabulary: frozenset[str]
    tools: tuple[str, ...]

    def is_tool(self, command: str) -> bool:
        """Tell whether a line begins with the name of a tool, or is a path by itself (``/proc/cmdline``)."""
        first = _without_prefix(command).partition(" ")[0]
        return first in self.tools or (command.startswith("/") and " " not in command)

    def of_command(self, command: str) -> Recognised | None:
        """Return the source that a command line gives: ``sudo /usr/bin/lspci -vvv``."""
        if len(command) > _MAX_COMMAND:
            return None
        bare = _without_prefix(command)
        plain = (command, bare, _CAT.sub("", command, count=1), _CAT.sub("", bare, count=1))
        spellings = (*plain, *(words.translate(_BLANKS) for words in plain))
        return self._first(dict.fromkeys(" ".join(words.split()) for words in spellings))

    def of_name(self, path: str) -> Recognised | None:
        """Return the source that a path's name speaks of: ``sos_commands/pci/lspci_-nnvv``."""
        for words in _spellings(path):
            if found := self._first(dict.fromkeys((self._restored(words), words))):
                return found
        return self._first(tuple(self._dashed(path.rsplit("/", 1)[-1])))

    def begun(self, text: str, position: int) -> Source | None:
        """Return the source whose output begins at this place, the start of a line."""
        if not self.any_begin.fits(text, position):
            return None
        return next((s for s in self.sources if s.begins is not None and s.begins.match(text, position)), None)

    def _dashed(self, base: str) -> Iterator[str]:
        """Read a name in which dashes stand for blanks: ``nvidia-smi-topo-m.txt`` is ``nvidia-smi topo -m``."""
        stem = _SUFFIX.sub("", base)
        for tool in self.tools:
            at = stem.lower().replace("_", "-").find(tool.replace("_", "-"))
            if at < 0:
                continue
            words = re.split(r"[-_ ]+", stem[at + len(tool) :].strip("-_ "))
            options = [f"-{w}" if _SHORT_OPTION.fullmatch(w) and w not in self.vocabulary else w for w in words if w]
            yield " ".join([tool, *options])

    def _restored(self, words: str) -> str:
        for tool in self.tools:
            if "_" in tool:
                words = words.replace(tool.replace("_", " "), tool)
        return words

    def _first(self, spellings: dict[str, None] | tuple[str, ...]) -> Recognised | None:
        likely = [words for words in spellings if words and self.any_name.fits(words)]
        if not likely:
            return None
        for source in self.sources:
            for words in likely:
                match = source.named.match(words)
                if match and match.end() and not _goes_on(words, match.end()):
                    return Recognised(source, match.groupdict().get("argument"))
        return None


@lru_cache(maxsize=8)
def recogniser(sources: tuple[Source, ...]) -> Recogniser:
    """Join the patterns of these sources."""
    begins = [s.begins for s in sources if s.begins is not None and _anchored(s.begins)]
    names = [s.named for s in sources]
    return Recogniser(
        sources=sources,
        any_name=_AnyOf(names),
        any_begin=_AnyOf(begins),
        searched=tuple(s for s in sources if s.begins is not None and not _anchored(s.begins)),
        vocabulary=frozenset(
            word
            for source in sources
            for word in (*source.command, *re.findall(r"[a-z][a-z0-9-]+", source.named.pattern))
        ),
        tools=tuple(dict.fromkeys(tool for source in sources for tool in _tools_of(source))),
    )


def _tools_of(source: Source) -> Iterator[str]:
    """Yield the tool that a live run calls and the one with which the pattern of names begins."""
    yield from source.command[:1]
    if match := _PATTERN_HEAD.match(source.named.pattern):
        yield match[1]


def _without_prefix(command: str) -> str:
    match = _BEFORE.match(command)
    return command[match.end() :] if match else command


def _goes_on(words: str, end: int) -> bool:
    """Tell whether the word under the match's end goes on: ``lspci`` in ``lspcidrake``, ``topo -m`` in ``topo -mp``."""
    return end < len(words) and words[end - 1] not in " =" and (words[end].isalnum() or words[end] == "-")


def _spellings(path: str) -> Iterator[str]:
    *folders, base = [part for part in path.split("/") if part] or [""]
    match = _SUFFIX.search(base)
    stem = base[: match.start()] if match and match.start() else base
    for name in dict.fromkeys((stem, re.sub(r"^\d+[-.]", "", stem), base)):
        words = name.translate(_BLANKS).split()
        for start in range(min(len(words), _MAX_TAILS)):
            yield " ".join(words[start:])
    for start in range(len(folders) - 1, max(-1, len(folders) - 1 - _MAX_TAILS), -1):
        for name in dict.fromkeys((stem, base)):
            yield " ".join("/".join([*folders[start:], name]).translate(_BLANKS).split())


def _anchored(pattern: re.Pattern[str]) -> bool:
    return pattern.pattern.lstrip("(?: \n").startswith("^") or pattern.pattern.startswith("^")


def _joined(patterns: list[re.Pattern[str]]) -> re.Pattern[str]:
    """Join patterns as alternatives, each with its own flags; groups lose their names, which might be equal."""
    if not patterns:
        return re.compile(r"(?!)")
    return re.compile("|".join(map(_embedded, patterns)))


def _embedded(pattern: re.Pattern[str]) -> str:
    if _REFERS_BACK.search(pattern.pattern):
        return ""  # cannot be joined: every line is a candidate, and the pattern itself decides
    text = _GROUP_NAME.sub("(?:", pattern.pattern)
    flags = "".join(
        letter
        for letter, flag in (("i", re.IGNORECASE), ("m", re.MULTILINE), ("s", re.DOTALL), ("x", re.VERBOSE))
        if pattern.flags & flag
    )
    tail = "\n" if "x" in flags else ""
    return f"(?{flags}:{text}{tail})" if flags else f"(?:{text})"
