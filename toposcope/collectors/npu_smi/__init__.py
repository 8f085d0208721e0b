r"""Reads ``npu-smi``, the tool of Ascend NPUs: what there is, how it is named, wired inside and how it feels.

The module of each output holds its grammar: ``box`` (``npu-smi info``), ``mapping`` (``-m``, ``-l``), ``pairs``
(``-t TYPE -i N``), ``hccs``; the matrix (``-t topo``) stands in ``npu_topo``. Names of accelerators:
``toposcope.collectors.ascend.label``. The numbers of a chip are the facts ``npu.id``, ``npu.chip``, ``npu.phy_id``,
``npu.logic_id`` of its label: outputs that were asked by ``-i`` and ``-c`` find their ``Phy-ID`` through them.
"""

from __future__ import annotations

import re
from functools import partial

from toposcope.collectors.npu_topo import TOPO
from toposcope.collectors.source import Collector, Parsers, Source

box = Parsers(f"{__name__}.box")
hccs = Parsers(f"{__name__}.hccs")
mapping = Parsers(f"{__name__}.mapping")
pairs = Parsers(f"{__name__}.pairs")

_ASKED = r"(?=(?:.*?\s-i\s+(?P<argument>\d{1,9}(?:\s+-c\s+\d{1,9})?))?)"
_TYPES = {
    "board": "PCI address and ids, slot, board and firmware of a card",
    "usages": "memory and utilisation of a card",
    "common": "memory, frequency and temperature of a card",
    "health": "health and error codes of a card",
    "product": "product of a card",
    "spod-info": "place of a card in its SuperPoD",
    "sio-info": "error counts of the link between two dies",
    "pcie-err": "error counts of the PCIe link",
    "work-mode": "SMP or AMP: whether HCCS joins the NPUs",
    "p2p-enable": "whether cards may reach one another",
    "phyid-remap": "renumbering of physical ids",
    "memory": "memory of a card",
    "ecc": "memory errors of a card",
    "err-count": "error counts of a card",
    "power": "power of a card",
    "temp": "temperature of a card",
    "product-info": "product of a card",
}
_RUN_LIVE = ("board", "health", "usages", "pcie-err", "spod-info")


def _named(kind: str, more: str = "") -> re.Pattern[str]:
    words = kind.replace("-", "[-_ ]")
    return re.compile(rf"(?:do\s+)?npu-smi\s+info(?=.*\s-t\s+{words}(?:[\s.]|$)){more}{_ASKED}")


def _begins(kind: str) -> re.Pattern[str] | None:
    first = _FIRST_LINES.get(kind)
    return re.compile(first, re.MULTILINE) if first else None


# A card's number, then the line that only this type has next.
_NPU = r"^[ \t]*NPU ID[ \t]*:[ \t]*\d+[ \t]*\r?\n[ \t]*"
_COUNT = _NPU + r"Chip Count[ \t]*:[ \t]*\d+[ \t]*\r?\n\s*"
_FIRST_LINES = {
    "board": _NPU + r"(?:Product Name|NPU Name|Model|Software Version|Chip ID[^\n]{0,80}\n[ \t]*Chip Type)[ \t]*:",
    "usages": _COUNT + r"(?:DDR|HBM|Memory) Capacity",
    "common": _COUNT + r"Chip ID[^\n]{0,80}\n[ \t]*(?:Memory|HBM) Usage Rate",
    "health": r"^[ \t]*Health Status[ \t]*:",
}


def _typed(kind: str, gives: str) -> Source:
    command = ("npu-smi", "info", "-t", kind, "-i", "{npu}") if kind in _RUN_LIVE else ()
    if kind == "health":
        command = (*command, "-c", "0")
    return Source(
        key=f"npu-smi-info-{kind}",
        parse=partial(pairs.parse, kind=kind),
        named=_named(kind),
        begins=_begins(kind),
        command=command,
        targets=mapping.cards if command else None,
        gives=gives,
    )


_INFO = Source(
    key="npu-smi-info",
    parse=box.parse,
    named=re.compile(r"npu-smi\s+info(?!\s+(?:-|watch|proc\b))"),
    begins=re.compile(
        r"^[ \t]*\+-+\+[ \t]*\r?\n[ \t]*\|[ \t]*npu-smi[ \t]+\S+[ \t]+Version:"
        r"|^[ \t]*\|[ \t]*npu-smi[ \t]+\S+[ \t]+Version:",
        re.MULTILINE,
    ),
    command=("npu-smi", "info"),
    gives="NPUs with model, PCI address, health and memory",
)
_MAP = Source(
    key="npu-smi-info-m",
    parse=mapping.parse_map,
    named=re.compile(r"npu-smi\s+info(?=.*\s-m(?:[\s.]|$))"),
    begins=re.compile(r"^[ \t]*NPU ID[ \t]+(?:Slot ID[ \t]+)?Chip ID[ \t]", re.MULTILINE),
    command=("npu-smi", "info", "-m"),
    gives="numbers of each chip: card, chip, logic and physical id",
)
_LIST = Source(
    key="npu-smi-info-l",
    parse=mapping.parse_list,
    named=re.compile(r"npu-smi\s+info(?=.*\s-l(?:[\s.]|$))"),
    begins=re.compile(r"^[ \t]*(?:Total|Card) Count[ \t]*:[ \t]*\d", re.MULTILINE),
    command=("npu-smi", "info", "-l"),
    gives="number of cards, and of chips on each",
)
_HCCS_BANDWIDTH = Source(
    key="npu-smi-info-hccs-bw",
    parse=hccs.parse_traffic,
    named=_named("hccs-bw"),
    begins=re.compile(r"^[ \t|]*hccs link[ \t]*\|[ \t]*tx_bandwidth", re.MULTILINE),
    gives="traffic of each HCCS link",
)
_HCCS_REMOTE = Source(
    key="npu-smi-info-hccs-remote",
    parse=hccs.parse_remote,
    named=_named("hccs", r"(?=.*\s-R(?:[\s.]|$))"),
    begins=re.compile(r"^[ \t]*NPU_PORT[ \t]+HCCS_REMOTE_CHIP", re.MULTILINE),
    gives="the switch chip at the other end of each HCCS link",
)
_HCCS_SECOND = Source(
    key="npu-smi-info-hccs-1",
    parse=hccs.parse_second,
    named=_named("hccs", r"(?=.*\s-c\s+1(?:[\s.]|$))"),
    command=("npu-smi", "info", "-t", "hccs", "-i", "{npu}", "-c", "1"),
    targets=mapping.second_chips,
    gives="HCCS links of the second chip of a card",
)
_HCCS = Source(
    key="npu-smi-info-hccs",
    parse=hccs.parse,
    named=_named("hccs"),
    begins=re.compile(r"^[ \t]*hccs (?:health status|tx packets)[ \t]*:", re.MULTILINE),
    command=("npu-smi", "info", "-t", "hccs", "-i", "{npu}", "-c", "0"),
    targets=mapping.cards,
    gives="HCCS links: lanes, speed, errors",
)

COLLECTOR = Collector(
    "npu_smi",
    (
        TOPO,
        _INFO,
        _MAP,
        _LIST,
        _HCCS_BANDWIDTH,
        _HCCS_REMOTE,
        _HCCS_SECOND,
        _HCCS,
        *(_typed(kind, gives) for kind, gives in _TYPES.items()),
    ),
)
