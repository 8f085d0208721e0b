r"""Read ``nvidia-smi --query-gpu=FIELDS --format=csv[,noheader][,nounits]``: any fields, in any order.

Grammar::

    output = [ header ] { row }
    header = field [ "[" unit "]" ] { "," ... }            unit of a column whose rows carry none (nounits)
    row    = value [ unit ] { "," ... }

Where there is no header the fields come from the command, as the capture's argument or in its file name (blanks may
stand there for ``_``); else from the values, as far as their shape proves them: UUIDs, addresses, P-states, one
driver version, an index that counts, a name.

Fields that describe the card go into its record, ``driver_version`` is the host's; every other one becomes a setting
under nvidia-smi's own name (``power.limit``, ``fabric.state``). ``[N/A]`` and its kin become settings with a status.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toposcope.base import pci_address
from toposcope.collectors.nvidia_smi import tokens
from toposcope.collectors.nvidia_smi.clocks import reasons_of_mask
from toposcope.collectors.nvidia_smi.lines import CUT, lines_of, reading, refusal, unread
from toposcope.collectors.records import Accelerator, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from toposcope.base import Capture, Origin, Problem
    from toposcope.collectors.nvidia_smi.blocks import Found
    from toposcope.collectors.records import FactStatus, Reading, Record

_OF_CARD: dict[str, tuple[str, Callable[[str], str | int | bool | None]]] = {
    "name": ("model", tokens.words),
    "uuid": ("uuid", tokens.uuid),
    "serial": ("serial", tokens.words),
    "pci.bus_id": ("pci", pci_address),
    "memory.total": ("memory_bytes", tokens.size),
    "pcie.link.gen.current": ("pcie_generation", tokens.count),
    "pcie.link.gen.max": ("pcie_max_generation", tokens.count),
    "pcie.link.width.current": ("pcie_width", tokens.count),
    "pcie.link.width.max": ("pcie_max_width", tokens.count),
    "pstate": ("performance_state", tokens.performance_state),
    "utilization.gpu": ("utilisation", tokens.count),
    "mig.mode.current": ("mig_enabled", tokens.switched_on),
}
_ALIASES = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_serial": "serial",
    "gpu_bus_id": "pci.bus_id",
    "pcie.link.gen.gpucurrent": "pcie.link.gen.current",
    "clocks_throttle_reasons.active": "clocks_event_reasons.active",
}
_SETTINGS = {
    "pcie.link.gen.gpumax": "pcie.device_max_generation",
    "pcie.link.gen.hostmax": "pcie.host_max_generation",
    "clocks_event_reasons.active": "clocks.active_reasons",
    "driver_version": "driver.nvidia",
    "fabric.cliqueId": "fabric.clique",
    "fabric.clusterUuid": "fabric.cluster",
}
_LEFT = frozenset({"", "index", "timestamp", "count"})
_TEXTS = frozenset({"driver_version", "vbios_version", "inforom.img", "fabric.clusterUuid"})
# The first parts of all fields of ``nvidia-smi --help-query-gpu``, drivers 340 to 590.
# fmt: off
_ROOTS = frozenset({
    "accounting", "addressing_mode", "board_id", "c2c", "clocks", "clocks_event_reasons",
    "clocks_event_reasons_counters", "clocks_throttle_reasons", "compute_cap", "compute_mode", "count",
    "display_active", "display_attached", "display_mode", "dramEncryption", "driver_model", "driver_version",
    "ecc", "encoder", "enforced", "fabric", "fan", "gom", "gpu_bus_id", "gpu_name", "gpu_recovery_action",
    "gpu_serial", "gpu_uuid", "gsp", "hostname", "index", "inforom", "kmd_version", "memory", "mig",
    "minor_number", "module", "module_id", "name", "pci", "pcie", "persistence_mode", "platform", "power",
    "protected_memory", "pstate", "remapped_rows", "remap", "reset_status", "retired_pages", "serial",
    "temperature", "timestamp", "utilization", "uuid", "vbios_version", "vgpu_device_capability",
    "vgpu_driver_capability", "virtualization_mode",
})
# fmt: on
_ASKED = re.compile(r"--query-gpu[= ](?P<fields>[A-Za-z][\w., ]{0,2000}?)(?=[ _]+-|\.(?:csv|txt|log|out)\b|$)")
_FIELD = re.compile(r"(?P<name>[A-Za-z][\w.]{0,80})(?:\s?\[(?P<unit>[^\]\n]{1,12})\])?")
_COLUMNS = re.compile(r"\s{2,}|\t")
_VERSION = re.compile(r"\d{3}\.\d{1,3}(?:\.\d{1,2})?")
_NAME = re.compile(r"[A-Za-z][\w .+/()-]{1,80}")
_FITS: dict[str, Callable[[str], object | None]] = {
    "index": tokens.count,
    "pci.bus_id": pci_address,
    "uuid": tokens.uuid,
    "driver_version": _VERSION.fullmatch,
    "name": _NAME.fullmatch,
    "pstate": tokens.performance_state,
    "memory.total": tokens.size,
}


def parse(capture: Capture) -> Reading:
    """Read the rows. A row without index, address and UUID is named by its place, as the tool prints in index order."""
    lines, problems = lines_of(capture)
    rows = [(index, line.strip(" \t>")) for index, line in enumerate(lines)]
    rows, fields = _fields([row for row in rows if row[1]], capture, problems)
    records: list[Record] = []
    doubtful: list[Problem] = []
    place = 0
    for index, line in rows:
        origin = capture.origin(index)
        found = _row(line, fields, place, origin) or refusal(line, origin)
        if CUT.fullmatch(line):
            found = (), (unread(origin, "lines were cut here", line),)
        if found is None:
            doubtful.append(unread(origin, "not a row of this query", line))
            continue
        problems += [*(doubtful if records else ()), *found[1]]
        doubtful.clear()
        records += found[0]
        place += 1
    return reading(capture, _once(records), problems, "row of nvidia-smi --query-gpu")


def header_fields(line: str) -> tuple[str, ...]:
    """Return the fields of a header line, () where it is none: at least one must be a field of a card."""
    matches = [_FIELD.fullmatch(cell) for cell in _cells(line)] if len(line) < 1 << 14 else [None]
    names = tuple(match["name"] for match in matches if match)
    card = any(_canonical(name) in _OF_CARD or name in ("index", "driver_version") or "." in name for name in names)
    return tuple(map(_canonical, names)) if len(names) == len(matches) and card else ()


def asked_fields(command: str) -> tuple[str, ...]:
    """Return the fields that a command asks for; a file name may carry blanks where the command has ``_``."""
    match = _ASKED.search(command)
    fields = match["fields"] if match else ""
    return tuple(
        _canonical(field.strip().replace(" ", "_").rstrip("_")) for field in fields.split(",") if field.strip()
    )


def _cells(line: str) -> list[str]:
    """Split a row at its commas; where somebody aligned it in columns, at two blanks or more."""
    return [cell.strip() for cell in line.split(",")] if "," in line else _COLUMNS.split(line.strip())


def _canonical(field: str) -> str:
    return _ALIASES.get(field, field)


def _fields(
    rows: list[tuple[int, str]], capture: Capture, problems: list[Problem]
) -> tuple[list[tuple[int, str]], tuple[str, ...]]:
    """Return the rows that may be data, and the fields of their columns."""
    for at, (index, line) in enumerate(rows):
        if fields := header_fields(line):
            unknown = [field for field in fields if field.partition(".")[0] not in _ROOTS]
            message = f"columns of unknown meaning: {', '.join(unknown)}"
            problems += [unread(capture.origin(index), message, line)] if unknown else []
            return [row for row in rows[at + 1 :] if header_fields(row[1]) != fields], fields
    asked = asked_fields(f"--query-gpu={capture.argument}" if capture.argument else capture.file)
    return rows, asked or _proved(rows, capture, problems)


def _proved(rows: list[tuple[int, str]], capture: Capture, problems: list[Problem]) -> tuple[str, ...]:
    """Name the columns whose values leave no doubt; the others stay unread, which is one problem."""
    table = [_cells(line) for _, line in rows]
    width = len(table[0]) if table else 0
    table = [cells for cells in table if len(cells) == width]
    fields = tuple(_of_column([cells[at] for cells in table], at) for at in range(width if width > 1 else 0))
    if fields and (count := fields.count("")) and any(fields):
        message = f"{count} columns without a header: what they hold is not known"
        problems.append(unread(capture.origin(rows[0][0]), message, rows[0][1]))
    return fields if any(fields) else ()


def _of_column(cells: Sequence[str], at: int) -> str:
    if at == 0 and cells == [str(place) for place in range(len(cells))]:
        return "index"
    if len(set(cells)) == 1 and _VERSION.fullmatch(cells[0]):
        return "driver_version"
    if all(cell.startswith(("NVIDIA ", "Tesla ", "GeForce ", "Quadro ")) for cell in cells):
        return "name"
    shaped = ("pci.bus_id", "uuid", "pstate")
    return next((field for field in shaped if all(_FITS[field](cell) is not None for cell in cells)), "")


def _row(line: str, fields: tuple[str, ...], place: int, origin: Origin) -> Found | None:
    """Read one row; a row that stops short is read as far as it goes. None where the values do not fit the fields."""
    cells = _cells(line)
    if not fields or len(cells) > len(fields) or (len(cells) == 1) != (len(fields) == 1):
        return None
    values = dict(zip(fields, cells, strict=False))
    if not all(_fits(field, cell) for field, cell in values.items()):
        return None
    short = () if len(cells) == len(fields) else (unread(origin, "a row of this query was cut short", line),)
    return tuple(_records(values, place, origin)), short


def _fits(field: str, cell: str) -> bool:
    if field not in _FITS or (field != "index" and tokens.no_answer(cell)):
        return True
    return _FITS[field](cell) is not None


def _records(values: dict[str, str], place: int, origin: Origin) -> Iterator[Record]:
    index = tokens.count(values.get("index", ""))
    pci, uuid = pci_address(values.get("pci.bus_id", "")), tokens.uuid(values.get("uuid", ""))
    label = f"GPU{index}" if index is not None else None if pci or uuid else f"GPU{place}"
    subject = label or pci or uuid or f"GPU{place}"
    answers: dict[str, Any] = {}
    settings: list[Record] = []
    for field, cell in values.items():
        status = tokens.no_answer(cell)
        if field in _OF_CARD and status is None:
            name, convert = _OF_CARD[field]
            answers[name] = convert(cell)
        elif field not in _LEFT:
            settings.append(_setting(subject, field, cell, status, origin))
    yield replace(Accelerator(origin, label=label), **answers)
    yield from settings


def _setting(subject: str, field: str, cell: str, status: FactStatus | None, origin: Origin) -> Setting:
    if field == "driver_version":
        subject = "host"
    name = _OF_CARD[field][0] if field in _OF_CARD else _SETTINGS.get(field, field)
    if status is not None:
        return Setting(subject, name, None, origin, status=status)
    value = reasons_of_mask(cell) or cell if name == "clocks.active_reasons" else tokens.number(cell)
    return Setting(subject, name, cell if field in _TEXTS else value, origin)


def _once(records: Sequence[Record]) -> list[Record]:
    """Drop what each row repeats of the host."""
    seen: set[tuple[str, object]] = set()
    kept: list[Record] = []
    for record in records:
        if isinstance(record, Setting) and record.subject == "host":
            if (record.name, record.value) in seen:
                continue
            seen.add((record.name, record.value))
        kept.append(record)
    return kept
