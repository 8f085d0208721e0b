"""What ``lscpu`` prints: the CPU's model, sockets, NUMA nodes.

Grammar: ``key ":" value`` lines; since util-linux 2.37 keys are indented below headings, which changes nothing here.
Keys come in the language of the caller's locale; ``NUMA`` stands in all of them. ``-J`` prints the same pairs as JSON
(``field``, ``data``). ``-p`` and ``-e`` print a table of CPUs, which alone tells the socket of each node::

    listing  = (key ":" value)+
    node     = word* "NUMA" word* number word* ":" cpu-list
    table    = header row+          # header: CPU with NODE and SOCKET, divided by commas or blanks

ARM prints ``-`` where it does not know the number of sockets.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.collectors.output_lines import cpu_list, key_and_value, output_lines, whole
from toposcope.collectors.records import Cpu, NumaNode, Reading

if TYPE_CHECKING:
    from toposcope.base import Capture, Origin
    from toposcope.collectors.output_lines import Lines

# English, Chinese, German, French, Spanish, Japanese, as util-linux translates them; folded to lower case.
_KEYS = {
    "architecture": ("architecture", "架构", "architektur", "arquitectura", "アーキテクチャ"),
    "cpus": ("cpu(s)", "cpu", "cpus", "processeur(s)"),
    "sockets": ("socket(s)", "sockets", "座", "插槽", "sockel", "«socket(s)»", "ソケット数"),
    "numa_nodes": (
        "numa node(s)", "numa nodes", "numa 节点", "numa-knoten", "nœud(s) numa", "modo(s) numa", "nodo(s) numa",
        "numa ノード数",
    ),
    "vendor": (
        "vendor id", "厂商 id", "厂商_id", "anbieterkennung", "identifiant constructeur", "id de fabricante",
        "ベンダー id",
    ),
    "family": ("cpu family", "cpu 系列", "prozessorfamilie", "famille de processeur", "familia de cpu",
               "cpu ファミリー"),
    "model_number": ("model", "型号", "modell", "modèle", "modelo", "モデル"),
    "model": (
        "model name", "型号名称", "modellname", "nom de modèle", "nombre del modelo", "モデル名",
    ),
    "hypervisor": (
        "hypervisor vendor", "超管理器厂商", "虚拟机管理程序厂商",
        "hypervisor-anbieter", "constructeur d'hyperviseur", "fabricante del hipervisor", "ハイパーバイザのベンダー",
    ),
    "bios_model": ("bios model name",),
}  # fmt: skip
_FIELD_OF = {key: name for name, keys in _KEYS.items() for key in keys}
_NODE = re.compile(r"(?=[^\d]*numa|[^\d]*n\u0153ud)[^\d]*?(\d{1,6})[^\d]*", re.IGNORECASE)
_NODES = re.compile(r"(?=.*numa)[^\d]{4,60}", re.IGNORECASE)
_CPU_LIST = re.compile(r"\d{1,6}(?:-\d{1,6})?(?:, ?\d{1,6}(?:-\d{1,6})?)*|-|")
_JSON = re.compile(r'"field"\s*:\s*"((?:[^"\\]|\\.){1,200})"\s*,\s*"data"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|null)')
_LONG = frozenset({"flags", "标记", "markierungen", "drapeaux", "indicadores", "フラグ", "features"})
_NUMBERS = ("cpus", "sockets", "numa_nodes", "family", "model_number")


@dataclass(slots=True)
class _Draft:
    fields: dict[str, str] = field(default_factory=dict)
    nodes: dict[int, NumaNode] = field(default_factory=dict)

    def take(self, key: str, value: str, origin: Origin) -> bool:
        """Take one pair; tell whether it had a meaning for this reader. The first of a repeated key stays."""
        name = _FIELD_OF.get(key.lower())
        if name is not None:
            self.fields.setdefault(name, value)
            return True
        if _NODES.fullmatch(key) and whole(value) is not None:
            self.fields.setdefault("numa_nodes", value)  # in a language that the table lacks
            return True
        node = _NODE.fullmatch(key)
        if node is None or not _CPU_LIST.fullmatch(value):
            return False
        cpus = "" if value == "-" else value.replace(" ", "")
        self.nodes.setdefault(int(node[1]), NumaNode(int(node[1]), origin, cpus=cpus))
        return True

    def cpu(self, origin: Origin) -> Cpu:
        numbers = {name: whole(self.fields.get(name, "")) for name in _NUMBERS}
        words = {name: self.fields.get(name) or None for name in ("architecture", "vendor", "hypervisor")}
        named = self.fields.get("model") or self.fields.get("bios_model")
        return Cpu(
            origin,
            model=None if named in ("-", "unknown") else named or None,
            model_number=numbers["model_number"],
            family=numbers["family"],
            cpus=numbers["cpus"],
            sockets=numbers["sockets"],
            numa_nodes=numbers["numa_nodes"] if numbers["numa_nodes"] is not None else len(self.nodes) or None,
            architecture=words["architecture"],
            vendor=words["vendor"],
            hypervisor=words["hypervisor"],
        )


def parse(capture: Capture) -> Reading:
    """Read a listing, its JSON form, or a table of CPUs."""
    if '"lscpu"' in capture.text:
        return _json(capture)
    lines = output_lines(capture, keep_prompts=True)
    header = next((i for i, text in enumerate(lines.texts) if _columns(text)), None)
    return _listing(output_lines(capture)) if header is None else _table(lines, header)


def _listing(lines: Lines) -> Reading:
    draft = _Draft()
    first: int | None = None
    key = ""
    for index, text in enumerate(lines.texts):
        pair = key_and_value(text)
        if pair is None:
            if key in _LONG and text.strip():
                lines.fits(index)  # a terminal or an editor broke the line
            else:
                lines.stray(index)
            continue
        key = pair[0].lower()
        if draft.take(*pair, lines.capture.origin(index)) and first is None:
            first = index
        lines.fits(index)
    if first is None:
        return Reading((), lines.all_problems("no line of lscpu"))
    cpu = draft.cpu(lines.capture.origin(first))
    _report_nodes(lines, first, cpu, draft)
    return Reading((cpu, *draft.nodes.values()), lines.all_problems("no key and value"))


def _report_nodes(lines: Lines, index: int, cpu: Cpu, draft: _Draft) -> None:
    """Report a loss: a listing cut short names fewer nodes than it counts."""
    if cpu.numa_nodes is not None and len(draft.nodes) < cpu.numa_nodes:
        lines.unread(index, f"{len(draft.nodes)} of {cpu.numa_nodes} NUMA nodes are listed")


def _json(capture: Capture) -> Reading:
    draft = _Draft()
    first: int | None = None
    for match in _JSON.finditer(capture.text):
        index = capture.text.count("\n", 0, match.start())
        first = index if first is None else first
        draft.take(match[1].rstrip(": "), match[2] or "", capture.origin(index))
    if first is None:
        return Reading((), output_lines(capture).all_problems("no field of lscpu -J"))
    return Reading((draft.cpu(capture.origin(first)), *draft.nodes.values()))


def _columns(text: str) -> tuple[str, ...]:
    """Return the columns of a table's header (``# CPU,Core,Socket,Node``, ``CPU NODE SOCKET``), () for other lines."""
    words = tuple(text.lstrip("# ").upper().replace(",", " ").split())
    return words if words[:1] == ("CPU",) and "NODE" in words else ()


def _table(lines: Lines, header: int) -> Reading:
    names = lines.texts[header].lstrip("# ").upper()
    divider = "," if "," in names else None
    columns = [name.strip() for name in names.split(divider)]
    cpus: dict[int, list[int]] = defaultdict(list)
    sockets: dict[int, set[int]] = defaultdict(set)
    origins: dict[int, Origin] = {}
    packages: set[int] = set()
    lines.fits(header)
    for index, text in enumerate(lines.texts[header + 1 :], start=header + 1):
        row = dict(zip(columns, (word.strip() for word in text.split(divider)), strict=False))
        cpu, node, socket = (whole(row.get(name, "")) for name in ("CPU", "NODE", "SOCKET"))
        if cpu is None or node is None:
            if not text.startswith("#"):
                lines.stray(index)
            continue
        lines.fits(index)
        cpus[node].append(cpu)
        origins.setdefault(node, lines.capture.origin(index))
        if socket is not None:
            sockets[node].add(socket)
            packages.add(socket)
    nodes = [
        NumaNode(node, origins[node], cpu_list(found), socket=min(sockets[node]) if len(sockets[node]) == 1 else None)
        for node, found in sorted(cpus.items())
    ]
    origin = lines.capture.origin(header)
    total = sum(len(found) for found in cpus.values())
    cpu_record = Cpu(origin, sockets=len(packages) or None, numa_nodes=len(nodes) or None, cpus=total or None)
    return Reading((cpu_record, *nodes), lines.all_problems("no row of the table of CPUs"))
