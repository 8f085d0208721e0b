"""The sentences with which npu-smi refuses, and what each means for the fact that was asked.

``unsupported``: the product cannot answer (exit code 0 or not). ``unreadable``: it could, but not here or now: a lost
card (``Invalid card id.``), a driver that is not loaded (``dcmi module initialize failed. ret is -8005``), a
container, missing rights. From the tool's source: github hicann/driver, npucli.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.ascend import Body, Line, refusal, unread
from toposcope.collectors.records import Setting

if TYPE_CHECKING:
    from toposcope.base import Capture, Problem
    from toposcope.collectors.records import FactStatus, Record

_SENTENCES: tuple[tuple[str, FactStatus], ...] = (
    (r"This (?:device|card|chip|product|command) do(?:es|se)? ?(?:not|n't) support", "unsupported"),
    (r"This command cannot be executed on a VM", "unsupported"),
    (r"[^:]{0,80}\bnot support", "unsupported"),
    (r"Invalid (?:card|chip|device|npu)|Error parameter of|Failed to |There is no NPU", "unreadable"),
    (r"dcmi mod(?:ule|el) initiali[sz]e ?failed|DrvMngGetConsoleLogLevel failed", "unreadable"),
    (r"[^|]{0,80}(?:permission denied|not permitted|command not found|No such file)", "unreadable"),
    (r"[^:|]{0,80}\b(?:failed|timed? ?out)\b", "unreadable"),
)
_REPLIES = tuple((re.compile(pattern, re.IGNORECASE), status) for pattern, status in _SENTENCES)
_USAGE = re.compile(r"Usage: npu-smi|Options:|Commands:|-\w+ %\w", re.IGNORECASE)
_WARNING = re.compile(r"\[WARNING\]\s*The driver package may not be completely installed", re.IGNORECASE)


def answer(line: Line) -> FactStatus | None:
    """Return the meaning of a sentence, or None if the line is none of npu-smi's refusals."""
    return refusal(line, _REPLIES)


def is_usage(line: Line) -> bool:
    """Tell whether the line belongs to the usage text that follows a wrong parameter."""
    return _USAGE.match(line.text) is not None


def is_warning(line: Line) -> bool:
    """Tell whether the line is the trailer about a driver that is not whole."""
    return _WARNING.match(line.text) is not None


def refused(capture: Capture, found: Body, subject: str, name: str) -> tuple[list[Record], list[Problem]] | None:
    """Read an output that is nothing but a refusal; None if it is something else.

    The fact that was asked gets the status; an ``unreadable`` one is a problem too, with the sentence.
    """
    lines = [line for line in found.lines if not is_usage(line)]
    status = answer(lines[0]) if lines else None
    if status is None:
        return None
    records: list[Record] = [Setting(subject, name, None, capture.origin(lines[0].index), status)]
    problems = list(found.problems)
    for line in lines:
        meant = answer(line)
        if meant == "unreadable":
            problems.append(unread(capture, line.index, "npu-smi refused", line.text))
        elif meant is None:
            problems.append(unread(capture, line.index, "not understood behind a refusal", line.text))
    return records, problems
