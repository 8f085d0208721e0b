"""The shell script that makes a recording where nothing can be installed: ``collect.sh``, filled from the collectors.

The script's body is in the file beside this module. The commands, the attributes of /sys, the refusals and the wanted
variables are put in from the tables that a live run uses too, so that the two cannot drift. What only Python can find
out stands here: where the shell looks for the values of a placeholder.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from toposcope.base.version import __version__
from toposcope.collectors import COLLECTORS
from toposcope.collectors.cpu.kernel import VARIABLES
from toposcope.collectors.sysfs.attributes import SYSFS_ATTRIBUTES
from toposcope.recording.manifest import SCHEMA
from toposcope.recording.naming import file_name, free_name
from toposcope.recording.process import MORE_PATHS, REFUSALS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.collectors import Collector, Source

MOST_LETTERS = 100
"""Letters of a file's name in a tar without extensions."""
_VALUE = "~value~"
_MOST_OF_VALUE = 40
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# The functions of the script that print the values of a placeholder; a source may have one of its own.
_FILLERS = {
    ("npu-smi", "npu"): 'cards ""',
    ("hccn_tool", "npu"): "npus",
    ("ethtool", "netdev"): "netdevs",
    ("ip", "netdev"): "netdevs",
    ("cat", "bond"): "bonds",
    ("mlxlink", "rdma"): "rdmas",
    ("mlxconfig", "rdma"): "rdmas",
    ("perfquery", "rdma"): "rdmas",
}
_FILLERS_OF_SOURCE = {"npu-smi-info-hccs-1": "cards 1"}


def script(collectors: tuple[Collector, ...] = COLLECTORS) -> str:
    """Return the script. KeyError for a placeholder that no function of the script fills."""
    sources = [source for collector in collectors for source in collector.sources if source.command]
    fillings = {
        "FIRST": "\n".join(_first(source for source in sources if _placeholder(source) is None)) or "  :",
        "SECOND": "\n".join(_second(source for source in sources if _placeholder(source))) or "  :",
        "PARTS": "\n".join(_parts()),
        "SYSFS": " ".join(dict.fromkeys(part.source for part in SYSFS_ATTRIBUTES)),
        "REFUSALS": "|".join(REFUSALS),
        "VARIABLES": VARIABLES.replace("(?:", "(").replace(r"\w", "[A-Za-z0-9_]"),
        "PATHS": ":".join(MORE_PATHS),
        "SCHEMA": SCHEMA,
        "MADE_BY": f"toposcope {__version__}",
    }
    body = Path(__file__).with_name("collect.sh").read_text(encoding="utf-8")
    return re.sub(r"@([A-Z_]+)@", lambda match: fillings[match[1]], body)


def _placeholder(source: Source) -> str | None:
    return next((match[1] for word in source.command if (match := _PLACEHOLDER.search(word))), None)


def _first(sources: Iterator[Source]) -> Iterator[str]:
    """Yield one call of ``ask`` for each command without a placeholder."""
    names: set[str] = set()
    for source in sources:
        name = free_name(file_name(source.command, MOST_LETTERS - 2), names)
        names.add(name)
        words = [source.key, "null", name, _json(source.command), *source.command]
        yield f"  ask {shlex.join(words)}"


def _second(sources: Iterator[Source]) -> Iterator[str]:
    """Yield a loop over the values of a placeholder for each command that has one."""
    for source in sources:
        placeholder = str(_placeholder(source))
        filler = _FILLERS_OF_SOURCE.get(source.key) or _FILLERS[source.command[0], placeholder]
        command = [_PLACEHOLDER.sub(_VALUE, word) for word in source.command]
        name = file_name(command, MOST_LETTERS - _MOST_OF_VALUE)
        words = (source.key, f'"{_VALUE}"', name, _json(command), *command)
        yield f"  for value in $({filler}); do\n    ask {' '.join(map(_quoted, words))}\n    pause\n  done"


def _quoted(text: str) -> str:
    """Quote a word for the shell, with its variable in the place of the value."""
    return '"${value}"'.join(shlex.quote(part) if part else "" for part in text.split(_VALUE))


def _json(words: tuple[str, ...] | list[str]) -> str:
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    return "[" + ", ".join(f'"{word}"' for word in escaped) + "]"


def _parts() -> Iterator[str]:
    """Yield one call of ``part`` for each line of the table of /sys."""
    for part in SYSFS_ATTRIBUTES:
        lists = (part.files, part.links, part.binary)
        yield f"  part {shlex.join([part.source, part.folders, *(' '.join(names) for names in lists)])}"
