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
    from collections.abc import Iterator, Sequence

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
    """Return the lines without colour, line ends and the no-break blanks of web pages.

    Over-long lines are empty, and a problem each.
    """
    lines = without_ansi(capture.text).replace("\xa0", " ").split("\n")
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
    """Make the reading; a capture in which nothing was found, or GPUs are left out between others, is a problem."""
    if not records and not problems:
        problems = (unread(capture.origin(0), f"no {what} was found here", capture.text[:200].split("\n", 1)[0]),)
    return Reading(tuple(records), (*problems, *_gaps(capture, records), *_doubles(records)))


def _gaps(capture: Capture, records: Sequence[Record]) -> Iterator[Problem]:
    """Report each run of numbers without a GPU, unless the command asked for some GPUs only."""
    if _SOME_GPUS.fullmatch(capture.argument or ""):
        return
    numbered = {
        int(record.label[3:]): record.origin
        for record in records
        if isinstance(record, Accelerator) and record.label and record.label[3:].isdecimal()
    }
    expected = 0
    for number, origin in sorted(numbered.items()):
        if number > expected:
            names = f"GPU{expected}" if number == expected + 1 else f"GPU{expected} to GPU{number - 1}"
            yield unread(origin, f"{names} missing before this line: cut out, lost, or not asked for")
        expected = number + 1


def _doubles(records: Sequence[Record]) -> Iterator[Problem]:
    """Report a number that two different GPUs carry: a digit of one was lost."""
    seen: dict[str, Accelerator] = {}
    for record in records:
        if isinstance(record, Accelerator) and record.label:
            other = seen.setdefault(record.label, record)
            if (other.pci and record.pci and other.pci != record.pci) or (
                other.uuid and record.uuid and other.uuid != record.uuid
            ):
                message = f"{record.label} is the name of two GPUs"
                yield Problem(ProblemKind.CLASH, record.origin, message, record.pci or record.uuid or "", other.origin)


_SOME_GPUS = re.compile(r"[\d,]{1,60}|GPU-\S{1,90}|[\da-fA-F:]{4,16}\.\d")
