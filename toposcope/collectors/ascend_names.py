"""One name for a chip that Ascend's tools number in two ways.

Where npu-smi prints ``Phy-ID`` (A3: two dies a card) the die is called ``Phy-ID5``, in its tables and in the matrix.
But ``npu-smi info -t hccs -i 2 -c 1`` asks by card and chip, and its output names neither: its records say ``NPU2.1``.
``hccn_tool -i 5`` asks by physical id: its records say ``NPU5``. Both are renamed here, once all records of a host are
known: the first by the facts ``npu.id`` and ``npu.chip`` of the table, the second by the number itself.

Where no Phy-ID was printed nothing is renamed: card number, NPU number and physical id are one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toposcope.collectors.ascend import label
from toposcope.collectors.records import Accelerator, FabricLink, Matrix, NetworkPort, Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toposcope.collectors.records import Record

_PHYSICAL = re.compile(r"Phy-ID(\d+)")
_FIELDS = {Accelerator: "label", Setting: "subject", FabricLink: "accelerator", NetworkPort: "device"}
_BY_CARD = "npu-smi-"
_BY_PHYSICAL_ID = "hccn-"


def with_physical_names(records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records with every chip named as npu-smi's tables name it; the same ones where nothing is to do."""
    physical = {name: name for name in _labels(records) if _PHYSICAL.fullmatch(name)}
    if not physical:
        return tuple(records)
    by_card = _cards(records)
    by_id = {f"NPU{name.removeprefix('Phy-ID')}": name for name in physical}
    return tuple(_renamed(record, by_card, by_id) for record in records)


def _labels(records: Iterable[Record]) -> Iterable[str]:
    for record in records:
        if isinstance(record, Accelerator) and record.label:
            yield record.label
        elif isinstance(record, Matrix):
            yield from record.labels


def _cards(records: Iterable[Record]) -> dict[str, str]:
    """Return the physical name of each ``NPU<card>`` and ``NPU<card>.<chip>``."""
    numbers: dict[str, dict[str, int]] = {}
    for record in records:
        if isinstance(record, Setting) and isinstance(record.value, int) and _PHYSICAL.fullmatch(record.subject):
            numbers.setdefault(record.subject, {})[record.name] = record.value
    return {
        label(facts["npu.id"], facts["npu.chip"]): name
        for name, facts in numbers.items()
        if "npu.id" in facts and "npu.chip" in facts
    }


def _renamed(record: Record, by_card: Mapping[str, str], by_id: Mapping[str, str]) -> Record:
    field = _FIELDS.get(type(record))
    if field is None:
        return record
    source = record.origin.source
    names = by_card if source.startswith(_BY_CARD) else by_id if source.startswith(_BY_PHYSICAL_ID) else {}
    name, slash, port = (getattr(record, field) or "").partition("/")
    changed: dict[str, Any] = {field: f"{names[name]}{slash}{port}"} if name in names else {}
    return replace(record, **changed) if changed else record
