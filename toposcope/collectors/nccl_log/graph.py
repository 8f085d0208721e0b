r"""The graph that NCCL and RCCL print at the start (``NCCL_DEBUG_SUBSYS`` with ``GRAPH``): the machine as they see it.

Grammar; indentation tells what hangs below what, whatever its depth::

    graph  = "=== System : maxBw " x " totalBw " x " ===" cpu+ "==="          ("maxWidth" in old releases)
    cpu    = "CPU/" id " (" architecture "/" vendor "/" model ")" branch*
    branch = "+ " kind "[" figure "] - " node branch*
    node   = "CPU/" id | "PCI/" bus [" (" ids ")"] | "GPU/" bus " (" rank ")" | "NIC/" bus | "NVS/" n
           | "NET/" n " (" guid "/" port "/" figure ")"
    bus    = [system "-"] bus, device and function in hex     id = [system "-"] NUMA node

Figures are GB/s in one direction with which the library plans: no line rates, so they are kept apart. A ``PCI`` node is
a switch, by its upstream port. A kind of 5000 is the library's word for no limit; such links are no hardware.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth, Problem, ProblemKind
from toposcope.collectors.records import Cpu, NetworkPort, NumaNode, PciDevice, PlannedLink

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Origin
    from toposcope.collectors.records import Record

BEGINS = re.compile(r"\s*=== System : max(?:Bw|Width) [\d.]{1,12} total(?:Bw|Width) [\d.]{1,12} ===\s*")
_ENDS = re.compile(r"\s*={10,}\s*")
_CPU = re.compile(
    r"\s*CPU/(?:(?P<system>[0-9A-Fa-f]{1,4})-)?(?P<numa>[0-9A-Fa-f]{1,16}) "
    r"\((?P<kind>-?\d{1,3}/-?\d{1,3})/-?\d{1,5}\)\s*"
)
_BRANCH = re.compile(
    r"(?P<indent>\s*)\+ (?P<kind>[A-Z0-9]{2,8})\[(?P<value>\d{1,6}(?:\.\d{1,6})?)\] - "
    r"(?P<node>[A-Z]{3})/(?:[0-9A-Fa-f]{1,4}-)?(?P<id>[0-9A-Fa-f]{1,16})(?: \((?P<rest>[^()]{1,80})\))?\s*"
)
_FIGURE = re.compile(r"\d{1,6}\.\d{1,6}")
_VENDORS = {"1/1": "GenuineIntel", "1/2": "AuthenticAMD", "1/3": "CentaurHauls"}
_CLASSES = {"PCI": "0604", "GPU": "0302", "NIC": "0280"}
"""What each node is as a PCI class; of a NIC nothing tells which kind of network it is for."""
_NO_LIMIT = 5000
_MOST_DIGITS = 9


@dataclass(slots=True)
class Graph:
    """The graph under way: its records, and the branch that leads to the current line.

    ``complete``: its last line was read. ``others``: the first line of another host that it shows.
    """

    begin: Origin
    records: list[Record] = field(default_factory=list)
    open: bool = True
    complete: bool = False
    others: Origin | None = None
    numa: int | None = None
    system: str | None = None
    foreign: bool = False
    _above: list[tuple[int, str | None]] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def problems(self) -> Iterator[Problem]:
        """Yield what the graph does not tell, or tells of hosts that are not read."""
        if not self.complete:
            yield Problem(ProblemKind.UNREAD, self.begin, "the printed graph has no end: what it lacks is not known")
        if self.others is not None:
            message = "the printed graph shows other hosts, of which nothing is read"
            yield Problem(ProblemKind.UNREAD, self.others, message)

    def take(self, text: str, origin: Origin) -> bool:
        """Read one line; False where it is none of the graph."""
        if _ENDS.fullmatch(text):
            self.open, self.complete = False, True
        elif cpu := _CPU.fullmatch(text):
            self._cpu(cpu, origin)
        elif branch := _BRANCH.fullmatch(text):
            self._branch(branch, origin)
        else:
            return False
        return True

    def _cpu(self, match: re.Match[str], origin: Origin) -> None:
        """Begin a CPU. Where hosts share a fabric the graph shows those of others too: only the first host's count."""
        self.system = match["system"] if self.system is None else self.system
        self.foreign = match["system"] != self.system
        if self.foreign:
            self.others = self.others or origin
            return
        number = int(match["numa"], 16)
        self.numa = number if number < _NO_LIMIT else None  # -1 is a node that nothing names
        self._above = []
        if self.numa is not None:
            self.records.append(NumaNode(self.numa, origin))
        if match["kind"] in _VENDORS:
            self.records.append(Cpu(origin, vendor=_VENDORS[match["kind"]]))

    def _branch(self, match: re.Match[str], origin: Origin) -> None:
        if self.foreign:
            return
        depth = len(match["indent"])
        while self._above and self._above[-1][0] >= depth:
            self._above.pop()
        above = next((address for _, address in reversed(self._above) if address), None)
        node, value = match["node"], Bandwidth.gigabytes(float(match["value"]))
        hardware = node in _CLASSES and value.gbs < _NO_LIMIT and len(match["id"]) <= _MOST_DIGITS
        address = pci_of_bus(match["id"]) if hardware else None
        if match["kind"] == "PCI" and address is not None and address not in self._seen:
            self._seen.add(address)
            self.records.append(self._device(match, address, above, origin))
        self._link(match, value, address, above, origin)
        self._above.append((depth, address if match["kind"] == "PCI" else None))

    def _device(self, match: re.Match[str], address: str, above: str | None, origin: Origin) -> PciDevice:
        ids = (match["rest"] or "").zfill(16) if match["node"] == "PCI" and (match["rest"] or "").strip("0") else ""
        return PciDevice(
            address,
            origin,
            parent=above,
            at_root=above is None,
            class_code=_CLASSES[match["node"]],
            pci_id=f"{ids[:4]}:{ids[4:8]}".lower() if re.fullmatch(r"[0-9A-Fa-f]{16}", ids) else None,
            port_type="Upstream Port" if match["node"] == "PCI" else None,
            numa=self.numa,
        )

    def _link(
        self, match: re.Match[str], value: Bandwidth, address: str | None, above: str | None, origin: Origin
    ) -> None:
        kind, node = match["kind"], match["node"]
        if value.gbs >= _NO_LIMIT:
            return
        if kind == "PCI" and address is not None:
            self.records.append(PlannedLink(address, kind, value, origin))
        elif kind in ("NVL", "XGMI") and above is not None and node in ("GPU", "NVS"):
            self.records.append(PlannedLink(above, kind, value, origin, address if node == "GPU" else None))
        elif kind == "NET" and above is not None:
            parts = (match["rest"] or "").split("/")
            exact = Bandwidth.gigabytes(float(parts[-1])) if _FIGURE.fullmatch(parts[-1]) else value
            rate = exact if exact.bytes_per_s else None  # the library could not tell
            port = int(parts[-2]) if len(parts) > 1 and re.fullmatch(r"\d{1,2}", parts[-2]) else 0
            self.records.append(NetworkPort(above, origin, port=port or None, rate=rate))


def pci_of_bus(bus: str) -> str:
    """Turn ``81000`` (bus, device and function in hex) into a PCI address."""
    number = int(bus, 16)
    domain, rest = number >> 20, number & 0xFFFFF
    return f"{domain:04x}:{rest >> 12:02x}:{rest >> 4 & 0xFF:02x}.{rest & 7}"
