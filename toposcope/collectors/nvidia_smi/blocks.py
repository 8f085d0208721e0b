r"""Read outputs that are one block a GPU: ``-L`` and all of ``nvlink``.

Grammar::

    output = { [ title ] gpu { line } }
    title  = "===" ... "==="                                      (nvlink -e only)
    gpu    = "GPU" index ":" name [ "(UUID:" uuid ")" ]           ("S/N:" in old -L, nothing in old nvlink)

Copies indent everything or begin each line with ``>``. Text before the first line that belongs to the output, and
after the last, is the paster's; between them it is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from toposcope.base import Origin, Problem
from toposcope.collectors.nvidia_smi import tokens
from toposcope.collectors.nvidia_smi.lines import CUT, lines_of, reading, refusal, unread
from toposcope.collectors.records import Accelerator, Record

if TYPE_CHECKING:
    from toposcope.base import Capture
    from toposcope.collectors.records import Reading

Found = tuple[Sequence[Record], Sequence[Problem]]
LineReader = Callable[[str, str | None, Origin], Found | None]

_HEAD = re.compile(
    r"[\s>]*GPU (?P<index>\d{1,4}): (?P<name>[^\n]{1,200}?)"
    r"(?:\((?P<kind>UUID|S/N): (?P<id>[^)\n]{0,120})\)?)?"
)
_TITLE = re.compile(r"[\s>]*={3,}[^=\n]{0,80}(?:={3,})?")


def walk(capture: Capture, read: LineReader, what: str) -> Reading:
    """Give each line to ``read`` with the label of its GPU.

    A capture that begins inside a block takes its label from the command's ``-i 3``, where that is known. A GPU's line
    that stops short is a problem, and its UUID is none.
    """
    lines, problems = lines_of(capture)
    records: list[Record] = []
    doubtful: list[Problem] = []
    label = f"GPU{capture.argument}" if (capture.argument or "").isdecimal() else None
    for index, line in enumerate(map(str.rstrip, lines)):
        if not line or _TITLE.fullmatch(line):
            continue
        origin = capture.origin(index)
        if CUT.fullmatch(line.strip(" \t>")):
            problems.append(unread(origin, "lines were cut here", line))
            continue
        found = _head(line, origin) or read(line, label, origin) or refusal(line, origin)
        if found is None:
            doubtful.append(unread(origin, f"not a line that belongs to a {what}", line))
            continue
        problems += [*(doubtful if records else ()), *found[1]]
        doubtful.clear()
        records += found[0]
        label = _label(found[0]) or label
    problems += _short(records, what)
    return reading(capture, records, problems, what)


def _head(line: str, origin: Origin) -> Found | None:
    match = _HEAD.fullmatch(line) if "GPU " in line else None
    if match is None:
        return None
    closed = line.endswith(")")
    identity = (match["id"] or "").strip() if closed else ""
    head = Accelerator(
        origin,
        label=f"GPU{match['index']}",
        model=match["name"].strip() or None,
        uuid=tokens.uuid(identity) if match["kind"] == "UUID" else None,
        serial=identity or None if match["kind"] == "S/N" else None,
    )
    return (head,), () if closed or not match["kind"] else (unread(origin, "a GPU's line stops short", line),)


def _short(records: Sequence[Record], what: str) -> Sequence[Problem]:
    """Report GPUs without a UUID among others that have one."""
    heads = [record for record in records if isinstance(record, Accelerator) and record.model and record.label]
    plain = [head for head in heads if head.uuid is None and head.serial is None and "/" not in (head.label or "")]
    mixed = len(plain) < len([head for head in heads if "/" not in (head.label or "")])
    return [
        unread(head.origin, f"{head.label} has no UUID in this {what}", head.model or "") for head in plain if mixed
    ]


def _label(found: Sequence[Record]) -> str | None:
    """Return the label of the GPU that a head line named; a MIG device is no head."""
    first = found[0] if found else None
    return first.label if isinstance(first, Accelerator) and first.label and "/" not in first.label else None
