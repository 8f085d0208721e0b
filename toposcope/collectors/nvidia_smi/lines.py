"""What all outputs of nvidia-smi share: their lines, and the sentences that stand in place of an answer.

A dead driver prints one sentence instead of the output; a dead GPU prints one before or inside it, and the output
then goes on without that GPU::

    NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. ...
    Failed to initialize NVML: Driver/library version mismatch
    No devices were found
    Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.  Reboot the system to recover this GPU
    Unable to determine the device handle for GPU3: 0000:5F:00.0: Unknown Error
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import Origin, Problem, ProblemKind, pci_address
from toposcope.base.clean import without_ansi
from toposcope.collectors.records import Accelerator, Reading, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.base import Capture
    from toposcope.collectors.records import Record

LONGEST = 1 << 16
# What a person puts where lines were left out.
CUT = re.compile(r"[\[(<]?\s?(?:\.{2,9}|\u2026|snip\w*|cut|omitted|truncated)(?:\s\w{1,20})?\s?[\])>]?", re.IGNORECASE)
_DEAD_DRIVER = re.compile(
    r"[\s>]*(?:NVIDIA-SMI has failed|Failed to initialize NVML|No devices were found|NVIDIA-SMI couldn't find"
    r"|(?:\S{0,40}: ){0,3}nvidia-smi: (?:command )?not found)",
    re.IGNORECASE,
)
_DEAD_GPU = re.compile(
    r"[\s>]*Unable to determine the device handle for (?:gpu)?\s*(?:(?P<index>\d{1,3})(?=:\s|\s*$))?[:\s]{0,9}"
    r"(?P<pci>[0-9a-f:]{4,14}\.[0-7])?[:\s]{0,9}(?P<why>[^\n]{0,200})",
    re.IGNORECASE,
)


def lines_of(capture: Capture) -> tuple[list[str], list[Problem]]:
    """Return the lines without colour and line ends, over-long ones blanked, and a problem for each of those."""
    lines = without_ansi(capture.text).split("\n")
    problems = []
    for index, line in enumerate(lines):
        if len(line) > LONGEST:
            problems.append(unread(capture.origin(index), "a line of more than 64 KiB was passed over", line))
            lines[index] = ""
        elif line.endswith("\r"):
            lines[index] = line.rstrip("\r")
    return lines, problems


def unread(origin: Origin, message: str, line: str = "") -> Problem:
    """Make the problem of a line that could not be read, its text cut to what a person reads."""
    return Problem(ProblemKind.UNREAD, origin, message, line.strip()[:200])


def repaired(origin: Origin, message: str, line: str = "") -> Problem:
    """Make the problem of a line that was mended."""
    return Problem(ProblemKind.REPAIRED, origin, message, line.strip()[:200])


def refusal(line: str, origin: Origin) -> tuple[Sequence[Record], Sequence[Problem]] | None:
    """Read a sentence that stands for an answer: what it says of the driver or of one GPU; None where it is none."""
    if "NVIDIA-SMI" not in line and "device handle" not in line and not _DEAD_DRIVER.match(line):
        return None
    if _DEAD_DRIVER.match(line):
        record = Setting("host", "driver.nvidia", None, origin, status="unreadable")
        return (record,), (unread(origin, "nvidia-smi gave no answer", line),)
    match = _DEAD_GPU.match(line)
    return _dead_gpu(match, line, origin) if match else None


def _dead_gpu(match: re.Match[str], line: str, origin: Origin) -> tuple[Sequence[Record], Sequence[Problem]]:
    label = f"GPU{match['index']}" if match["index"] else None
    pci = pci_address(match["pci"]) if match["pci"] else None
    problem = unread(origin, "a GPU does not answer", line)
    if label is None and pci is None:
        return (), (problem,)
    return (Accelerator(origin, label=label, pci=pci, health=match["why"].strip() or None),), (problem,)


def reading(capture: Capture, records: Sequence[Record], problems: Sequence[Problem], what: str) -> Reading:
    """Make the reading; a capture in which nothing was found is a problem of the whole text."""
    if not records and not problems:
        problems = (unread(capture.origin(0), f"no {what} was found here", capture.text[:200].split("\n", 1)[0]),)
    return Reading(tuple(records), tuple(problems))
