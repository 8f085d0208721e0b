"""What a collector declares: its sources, the command that gives each, and how each is recognised and read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from toposcope.base import Capture
    from toposcope.collectors.records import Reading, Record


@dataclass(frozen=True, slots=True)
class Source:
    r"""One kind of evidence.

    ``command`` is what a live run executes, () for a file that no command gives. It may hold one placeholder
    (``{npu}``, ``{netdev}``, ``{gpu}``); ``targets`` then names its values from the records of this collector's other
    sources: two stages, no more.
    ``named`` matches a command line, or a file name whose ``_`` and ``/`` stand for blanks, e.g.
    ``lspci(?=.* -\S*t)``; a group ``argument`` gives the placeholder's value. It is matched at the start of the words,
    a leading path or ``sudo`` already removed.
    ``begins`` matches a line with which this output begins, anywhere in a text (compiled with MULTILINE); None
    where content alone cannot tell it. When a text is cut by content, the capture starts at the matched line.
    ``root`` says that the command shows more, or works only, as root. ``continuous`` says that the lines with which
    it begins also go on with it, as those of a log do: it never begins anew. ``silence_tells`` says that an empty
    output is an answer, and is read.
    """

    key: str
    parse: Callable[[Capture], Reading]
    named: re.Pattern[str]
    begins: re.Pattern[str] | None = None
    command: tuple[str, ...] = ()
    targets: Callable[[Sequence[Record]], tuple[str, ...]] | None = None
    root: bool = False
    continuous: bool = False
    silence_tells: bool = False
    gives: str = ""


@dataclass(frozen=True, slots=True)
class Collector:
    """One tool and its sources. ``sources`` stand in the order in which recognition tries them."""

    name: str
    sources: tuple[Source, ...] = field(default_factory=tuple)


class Parsers:
    """A module of parsers that is imported when the first of them is called: most runs read outputs of few tools.

    ``Parsers("toposcope.collectors.cpu.lscpu").parse`` stands for that function.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _waiting(self._module, name)


@cache
def _waiting(module: str, name: str) -> Callable[..., Any]:
    """Return the stand-in of a function, the same for all who name it."""

    def called(*given: object, **named: object) -> object:
        return getattr(import_module(module), name)(*given, **named)

    return called
