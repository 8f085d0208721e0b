r"""Read plain ``nvidia-smi``: the boxed table that everybody pastes.

Grammar (a line is cells between ``|``; separators ``+---+---+`` and ``|===+===|`` carry nothing)::

    output  = [ date ] banner gpus [ migs ] [ processes ]
    banner  = "NVIDIA-SMI" v ( "Driver" | "KMD" ) "Version:" v [ "CUDA" [ "UMD" ] "Version:" v ]
    gpus    = heading { gpu }
    gpu     = first second [ third ]
    first   = index name persistence "|" bus-id display "|" ecc
    second  = fan temperature state power "|" used "/" total "|" utilisation compute-mode
    third   = "|" "|" mig-mode                                           (from driver 450 on)
    migs    = "MIG devices:" heading { gpu gi ci device "|" used "/" total ... "|" }

By driver: no CUDA version before 410; ``KMD`` and ``CUDA UMD`` from 610 on; columns of 31, 41 and 43 marks; domains of
four digits before 370. Names are cut to ``NVIDIA A100-SXM...`` before 530 and stay so in ``model``. A GPU that
answers badly prints ``ERR!`` for its values; boards that share the host's memory print ``Not Supported`` for it.

Copies lose blanks and ``|``, are indented or quoted, and are wrapped in the middle of a line; a wrapped line is joined
again, which is a repair. The rows are known by their values, not by the box.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.nvidia_smi import tokens
from toposcope.collectors.nvidia_smi.lines import CUT, lines_of, reading, refusal, repaired, unread
from toposcope.collectors.records import Accelerator, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture, Origin, Problem
    from toposcope.collectors.records import Reading, Record

_DRAWN = "\u2502"
_MARKS = " \t>|"
_SEPARATOR = frozenset("+-=| \t>\u2500\u253c")
_DRIVER = re.compile(r"(?:Driver|KMD) Version:\s{0,20}(?P<version>[^\s|]{1,20})")
_CUDA = re.compile(r"CUDA (?:UMD )?Version:\s{0,20}(?P<version>[^\s|]{1,20})")
_FIRST = re.compile(
    r"(?P<index>\d{1,3})\s{1,9}(?P<name>[^\s|][^|\n]{0,60}?)\s{0,40}\b(?P<persistence>On|Off|N/A|ERR!|WDDM|TCC|MCDM)"
    r"[\s|]{1,20}(?P<pci>(?:[0-9A-F]{4,8}:)?[0-9A-F]{2}:[0-9A-F]{2}\.[0-7]|N/A)(?:\s{1,20}(?:On|Off|N/A|ERR!))?"
    r"(?:[\s|]{1,60}(?P<ecc>\d{1,12}|N/A|Off|On|ERR!))?",
    re.IGNORECASE,
)
_MEMORY = re.compile(r"(?:\d{1,9}\s?[MG]i?B|N/A|ERR!)\s{0,9}/\s{0,12}(?P<total>\d{1,9}\s?[MG]i?B)")
_STATE = re.compile(r"(?:^|\s)(P\d{1,2})(?=\s|$)")
_UTILISATION = re.compile(r"(\d{1,3})\s?%")
_NO_VALUE = re.compile(r"N/A|ERR!|Not Supported|Unknown")
_MIG_MODE = re.compile(r"(?:Enabled|Disabled|N/A|ERR!)\*?")
_MIG_DEVICE = re.compile(
    r"(?P<gpu>\d{1,3})\s{1,9}(?P<gi>\d{1,3}|N/A)\s{1,9}(?P<ci>\d{1,3}|N/A)\s{1,9}(?P<device>\d{1,3})\s{0,9}\|"
)
_MIG_BAR = re.compile(r"\d{1,9}\s?MiB\s{0,9}/\s{0,12}\d{1,9}\s?MiB")
_HEADING = re.compile(
    r"GPU\s{1,9}(?:Name|GI)|Fan\s{1,9}Temp|MIG M\.|ID\s{1,9}ID|ECC$|No MIG devices|MIG devices:",
    re.IGNORECASE,
)
# The last cell of a row, where the wrap fell before its mark.
_REST = re.compile(
    r"\d{1,12}|N/A|Off|On|ERR!|(?:\d{1,3}\s?%|N/A|ERR!)\s{1,20}[A-Z][\w .]{1,20}"
    r"|Volatile Unc\S{0,9} ECC|GPU-Util .{1,20}"
)
_LAST_BOX = re.compile(r"(?:Processes:|GPU Memory|Compute processes:)", re.IGNORECASE)


@dataclass(slots=True)
class _Gpu:
    """The GPU whose rows are being read."""

    record: Accelerator
    text: str
    complete: bool = False


@dataclass(slots=True)
class _Table:
    """What was read so far. ``doubtful`` are rows that count only if the table goes on behind them."""

    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    doubtful: list[Problem] = field(default_factory=list)
    gpu: _Gpu | None = None


def parse(capture: Capture) -> Reading:
    """Read one table. Everything from the process list on is left: it may name what a machine is used for."""
    lines, problems = lines_of(capture)
    if _DRAWN in capture.text:
        lines = [line.replace(_DRAWN, "|") for line in lines]
    table = _Table(problems=problems)
    banner = False
    for index, boxed, text, joined in _rows(lines):
        origin = capture.origin(index)
        if _LAST_BOX.match(text):
            break
        if text.startswith("NVIDIA-SMI ") and "Version:" in text:
            if banner:
                table.problems.append(unread(origin, "a second table follows; only the first was read", text))
                break
            banner = True
        if CUT.fullmatch(text):
            table.problems.append(unread(origin, "lines were cut here", text))
        elif not _row(table, text, origin):
            _unknown(table, text, origin, boxed=boxed)
        elif joined:
            table.problems.append(repaired(origin, "a row that was wrapped was joined again", text))
    _close(table)
    return reading(capture, table.records, table.problems, "table of nvidia-smi")


def _rows(lines: list[str]) -> Iterator[tuple[int, bool, str, bool]]:
    """Yield each row's line number, whether it stands in a box, its text without marks, and whether it was joined."""
    skip = -1
    for index, line in enumerate(lines):
        if index <= skip or _SEPARATOR.issuperset(line):
            continue
        boxed = _boxed(line)
        skip, text = _joined(lines, index) if boxed else (index, line)
        yield index, boxed, text.strip(_MARKS), skip > index


def _boxed(line: str) -> bool:
    return line.lstrip(" \t>")[:1] in ("|", "+")


def _joined(lines: list[str], index: int) -> tuple[int, str]:
    """Join a row with the lines that it was wrapped onto, up to one that closes it."""
    text = lines[index].rstrip()
    whole = 5 if _MIG_DEVICE.match(text.strip(_MARKS)) else 4
    for last in range(index + 1, min(index + 5, len(lines))):
        following = lines[last].rstrip()
        if text.count("|") >= whole or not _continues(following):
            break
        glued = text + following
        text = glued if _reads(glued.strip(_MARKS)) else f"{text} {following}"
        if following.endswith("|"):
            return last, text
    return index, lines[index].rstrip()


def _continues(line: str) -> bool:
    """Return whether a line can be the rest of a row: no row itself, and no cells before its own."""
    if not line or _SEPARATOR.issuperset(line) or _reads(line.strip(_MARKS)):
        return False
    return not _boxed(line) or (line.count("|") <= 2 and bool(_REST.fullmatch(line.strip(_MARKS))))  # noqa: PLR2004


def _reads(text: str) -> bool:
    return bool(_FIRST.match(text) or _MEMORY.search(text) or _MIG_MODE.fullmatch(text) or _HEADING.match(text))


def _row(table: _Table, text: str, origin: Origin) -> bool:
    """Read one row into the table; False where it is none."""
    if text.startswith("NVIDIA-SMI ") and "Version:" in text:
        table.doubtful.clear()
        table.records += _banner(text, origin)
    elif match := _FIRST.match(text):
        _close(table)
        table.gpu = _Gpu(_first(match, origin), text)
        table.records += _ecc(match, origin)
    elif _HEADING.match(text):
        pass
    elif match := _MIG_DEVICE.match(text):
        _close(table)
        table.records += _mig_device(match, text, origin)
    elif not (_second(table, text, origin) or _third(table, text) or _mig_bar(table, text)):
        return _refusal(table, text, origin)
    table.problems += table.doubtful
    table.doubtful.clear()
    return True


def _banner(text: str, origin: Origin) -> Iterator[Record]:
    for name, pattern in (("driver.nvidia", _DRIVER), ("driver.cuda", _CUDA)):
        if match := pattern.search(text):
            status = tokens.no_answer(match["version"])
            value = match["version"] if status is None else None
            yield Setting("host", name, value, origin, status=status or "value")


def _first(match: re.Match[str], origin: Origin) -> Accelerator:
    name = match["name"].strip()
    bad = tokens.no_answer(name) is not None
    return Accelerator(
        origin,
        label=f"GPU{match['index']}",
        model=None if bad else name,
        pci=pci_address(match["pci"]),
        health=name if bad else "ERR!" if match["ecc"] == "ERR!" else None,
    )


def _ecc(match: re.Match[str], origin: Origin) -> Iterator[Record]:
    if (errors := match["ecc"]) and errors.isdecimal():
        yield Setting(f"GPU{match['index']}", "counter.ecc.volatile_uncorrected", int(errors), origin)


def _second(table: _Table, text: str, origin: Origin) -> bool:
    """Read the row of state, memory and utilisation; only one belongs to a GPU."""
    gpu, memory = table.gpu, _MEMORY.search(text)
    if gpu is None or gpu.complete:
        return False
    before, after = (text[: memory.start()], text[memory.end() :]) if memory else _halves(text)
    state = _STATE.search(before)
    if memory is None and state is None:
        return False
    utilisation = _UTILISATION.search(after)
    if not (utilisation or _NO_VALUE.search(after)) or not (state or _NO_VALUE.search(before)):
        table.problems.append(unread(origin, "the second row of this GPU stops short", text))
    gpu.complete = True
    gpu.record = replace(
        gpu.record,
        performance_state=state[1] if state else None,
        memory_bytes=tokens.size(memory["total"]) if memory else None,
        utilisation=int(utilisation[1]) if utilisation else None,
        health=gpu.record.health or ("ERR!" if "ERR!" in before else None),
    )
    return True


def _halves(text: str) -> tuple[str, str]:
    """Split a row whose memory is no size (``Not Supported`` where it is the host's) at its last cell."""
    before, _, after = text.rpartition("|")
    return (before, after) if before else (text, "")


def _third(table: _Table, text: str) -> bool:
    if table.gpu is None or not _MIG_MODE.fullmatch(text):
        return False
    table.gpu.record = replace(table.gpu.record, mig_enabled=tokens.switched_on(text))
    return True


def _mig_device(match: re.Match[str], text: str, origin: Origin) -> Iterator[Record]:
    label = f"GPU{match['gpu']}/{match['device']}"
    memory = _MEMORY.search(text)
    yield Accelerator(origin, label=label, memory_bytes=tokens.size(memory["total"]) if memory else None)
    for name, instance in (("mig.gpu_instance", match["gi"]), ("mig.compute_instance", match["ci"])):
        if instance.isdecimal():
            yield Setting(label, name, int(instance), origin)


def _mig_bar(table: _Table, text: str) -> bool:
    """Pass over the BAR1 row of a MIG device: nothing is asked of it."""
    last = table.records[-1] if table.records else None
    return isinstance(last, Setting | Accelerator) and table.gpu is None and bool(_MIG_BAR.match(text))


def _refusal(table: _Table, text: str, origin: Origin) -> bool:
    found = refusal(text, origin)
    if found is None:
        return False
    table.records += found[0]
    table.problems += found[1]
    return True


def _unknown(table: _Table, text: str, origin: Origin, *, boxed: bool) -> None:
    """Keep a row that was not understood. What follows it belongs no longer to the GPU above."""
    problem = unread(origin, "a row of the table was not understood", text)
    if boxed and (table.records or table.gpu):
        _close(table)
        table.problems.append(problem)
    elif table.records or table.gpu:
        table.doubtful.append(problem)


def _close(table: _Table) -> None:
    """Put the open GPU among the records; one whose second row is missing was cut."""
    if table.gpu is None:
        return
    table.records.append(table.gpu.record)
    if not table.gpu.complete:
        origin = table.gpu.record.origin
        table.problems.append(unread(origin, "the second row of this GPU is missing", table.gpu.text))
    table.gpu = None
