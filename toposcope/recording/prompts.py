"""Lines of a pasted text that name the command whose output follows.

Strong marks end what stood before whatever they name: a shell's prompt with a host or ``$``, a line of underscores
(nvidia-bug-report). Weak marks (``#``, ``>``, ``+`` of ``set -x``, ``===``, ``***``, ``Output of``, backquotes, or the
bare command line alone on its line) count only where a known command follows, because outputs and prose use them too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.recording.recognise import Recognised, Recogniser

_LONGEST = 600
_SHELL = re.compile(
    r"[ \t>]{0,8}(?:\([\w. /-]{1,60}\) ?)?(?:\x5b\d\d:\d\d:\d\d\x5d ?)?"
    r"(?:\[?(?P<user>[\w.-]{1,64})@(?P<host>[\w.-]{1,64})(?P<where>[^\n#$%>\]|]{0,160})\]?"
    r"|\[(?P<at>[\w.-]{1,64}):[^\n#$%>\]]{0,160}\]"
    r"|(?P<plain>[\w.-]{1,64}):[~/][^\n#$%>]{0,160}?)"
    r" ?[#$%>](?:[ \t]+|(?=[a-z/])|$)(?P<command>[^\n]*)"
)
_DOLLAR = re.compile(
    r"[ \t>]{0,8}(?:[$\u276f\u279c\xbb\u03bb]|PS [A-Z]:[^\n>]{0,120}>|(?:ba)?sh-[\d.]+[$#])"
    r"(?:[ \t]+|$)(?P<command>[^\n]*)"
)
# dshbak and clush -b set a host's name between two rules, ansible before >>.
_TITLE = re.compile(
    r"^-{3,}\n(?P<host>[\w.,\[\]-]{1,200})(?: \(\d+\))?\n-{3,}$"
    r"|^(?P<name>[\w.-]{1,64}) \| [A-Z]+!?(?: \| rc=\d+)? (?:\| \([^)\n]{0,20}\) )?>>$",
    re.MULTILINE,
)
_RULE = re.compile(r"_{20,}\s*$")
_WEAK = re.compile(
    r"[ \t]{0,8}(?:#{1,6}|>{1,3}|%|\+{1,4}|\*{1,4}|={2,}|-{2,}|\d{1,2}[.)]|[-*\u2022]|(?:</?\w{1,10}>){1,4}"
    r"|(?:[Tt]he )?[Oo]utputs? (?:of|from)(?: running)?(?: the)?(?: command)?:?|[Rr]esults? of"
    r"|[Rr]unning|[Ee]xecuting|[Cc]ommand|CMD|cmd|COMMAND|[Rr]un)(?:[ :\t]+|(?<=>))(?P<command>\S[^\n]*)"
)
_BARE = re.compile(r"[ \t]{0,4}(?P<command>[`'\"*]{0,3}[a-z/~][^\n]*)")
_TRIM = re.compile(r"(?:</?\w{1,10}>)+$|^[\s`'\"*\[<:]+|[\s`'\"*=\]#>:+-]+$|\s*[-=*]{2,}\s*$")
_CANDIDATE = re.compile(
    r"^(?:[^\n@]{1,80}@[^\n]{0,240}?[#$%>]|[ \t>]{0,8}[\[(]?[\w.-]{1,64}:[~/]"
    r"|[ \t]{0,8}[$\u276f\u279c\xbb\u03bb#<>%+*=`'\"_\u2022-]|[ \t]{0,4}[a-zORECTP/~\d](?![0-9a-f]:))[^\n]*",
    re.MULTILINE,
)
_ENDS_SENTENCE = re.compile(r"[.,;!?)]$")
_ODD = re.compile(r"[\d/=_*{}\[\]$<>&|-]")
_MAX_WORDS = 24


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that ends what stood before: its place, the command it names, whose prompt it is."""

    start: int
    end: int
    recognised: Recognised | None = None
    host: str | None = None
    strong: bool = True


def marks(text: str, recogniser: Recogniser) -> list[Mark]:
    """Return the lines of a text that name a command or a host, or end an output, in order."""
    titles = [Mark(m.start(), m.end(), host=m["host"] or m["name"]) for m in _TITLE.finditer(text)]
    found = list(_commands(text, recogniser))
    return sorted([*titles, *found], key=lambda mark: mark.start) if titles else found


def _commands(text: str, recogniser: Recogniser) -> Iterator[Mark]:
    for match in _CANDIDATE.finditer(text):
        line = match[0]
        if len(line) > _LONGEST:
            continue
        mark = _mark(line, match.start(), match.end(), recogniser)
        # Many outputs name files and devices: a line with which one begins is no title of it.
        if mark is not None and (mark.strong or recogniser.begun(text, match.start()) is None):
            yield mark


def _mark(line: str, start: int, end: int, recogniser: Recogniser) -> Mark | None:
    if line[0] == "_":
        return Mark(start, end) if _RULE.match(line) else None
    shell = _SHELL.match(line) if "@" in line or ":" in line else None
    if shell is not None:
        host = shell["host"] or shell["at"] or shell["plain"]
        return Mark(start, end, _of(shell["command"], recogniser), host)
    if dollar := _DOLLAR.match(line):
        return Mark(start, end, _of(dollar["command"], recogniser))
    weak, bare = _WEAK.match(line), _BARE.match(line)
    command = _trimmed(weak["command"] if weak else bare["command"] if bare else "")
    if not _is_command(command, recogniser) or not (weak or recogniser.is_tool(command)):
        return None
    recognised = _of(command, recogniser)
    return Mark(start, end, recognised, strong=False) if recognised else None


def _of(command: str, recogniser: Recogniser) -> Recognised | None:
    """Return what a command line gives; of several, joined by ``;`` or ``&&``, the first that is known."""
    if not command or len(command) > _LONGEST:
        return None
    pieces = re.split(r"\s*(?:;|&&)\s*", _trimmed(command), maxsplit=4)
    found = (recogniser.of_command(piece) for piece in pieces if piece)
    return next((recognised for recognised in found if recognised), None)


def _trimmed(command: str) -> str:
    return _TRIM.sub("", _TRIM.sub("", command))


def _is_command(command: str, recogniser: Recogniser) -> bool:
    """Tell a command line from a sentence that begins with a command's name."""
    words = command.partition("|")[0].split()
    if not words or len(words) > _MAX_WORDS:
        return False
    after_option = False
    for word in words[1:]:
        known = after_option or word in recogniser.vocabulary or _ODD.search(word) is not None
        if not known or _ENDS_SENTENCE.search(word):
            return False
        after_option = word.startswith("-")
    return True
