"""The records of one recording, sorted and joined: one accelerator a label, one PCI device an address.

Where several sources speak of one device, the more exact source fills a field first: ``/sys`` before ``lspci -vvv``
before paths before lists before trees.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeVar

from toposcope.base import Problem, ProblemKind
from toposcope.collectors.ascend_names import with_physical_names
from toposcope.collectors.records import (
    Accelerator,
    Cpu,
    FabricLink,
    Matrix,
    NetworkPort,
    NicName,
    NumaNode,
    PciDevice,
    PeerStatus,
    Setting,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toposcope.collectors.records import Reading, Record

_RANK = ("sysfs-pci", "lspci-vvv", "lspci-pp", "udevadm", "lspci", "lspci-mm", "lspci-t")
"""Sources of PCI devices, the most exact first."""

_PICTURE = "nccl-log"
_GPU_CLASS = "0302"

R = TypeVar("R")
K = TypeVar("K")
M = TypeVar("M", Accelerator, PciDevice, Cpu, NumaNode, NetworkPort)


@dataclass(frozen=True)
class Evidence:
    """All records of one host by what they speak of."""

    records: tuple[Record, ...]

    @classmethod
    def of(cls, reading: Reading) -> Evidence:
        """Sort a reading. A library's picture of the PCIe tree counts where no tool shows the tree itself."""
        records = with_physical_names(reading.records)
        if not _pictures(records):
            records = tuple(record for record in records if not _is_pictured(record))
        return cls(records)

    def all(self, kind: type[R]) -> list[R]:
        """Return the records of one type, in the order they were read."""
        return [record for record in self.records if isinstance(record, kind)]

    @cached_property
    def matrices(self) -> list[Matrix]:
        """The matrices, ``topo -m`` before ``topo -mp``."""
        return sorted(self.all(Matrix), key=lambda matrix: matrix.pcie_only)

    @cached_property
    def devices(self) -> dict[str, PciDevice]:
        """PCI devices by address, joined over their sources, in address order."""
        ranked = sorted(self.all(PciDevice), key=lambda device: _rank(device.origin.source))
        joined = _join((device.address, device) for device in ranked)
        return dict(sorted(joined.items(), key=lambda item: _place(item[0])))

    @cached_property
    def accelerators(self) -> dict[str, Accelerator]:
        """Accelerators by label, joined; one that only an address or UUID names is joined through it."""
        records = [record for record in self.all(Accelerator) if not record.by_runtime]
        labels = {key: record.label for record in records if record.label for key in (record.pci, record.uuid) if key}
        known = _join(
            (label, replace(record, label=label))
            for record in records
            if (label := record.label or labels.get(record.pci or "") or labels.get(record.uuid or ""))
        )
        return _join((*known.items(), *self._of_runtime(known)))

    def _of_runtime(self, known: Mapping[str, Accelerator]) -> Iterator[tuple[str, Accelerator]]:
        """Yield what programs of the runtime say: of the device at an address; by its number where none is known.

        The runtime numbers devices in its own order: a number tells nothing where the models differ.
        """
        by_address = {record.pci: label for label, record in known.items() if record.pci}
        shown = {label for matrix in self.matrices for label in matrix.labels} | known.keys()
        listed = [record for record in self.all(Accelerator) if record.by_runtime and record.label]
        alike = len({record.model for record in listed}) <= 1
        taken: dict[str, str | None] = {}
        for record in listed:
            label = str(record.label)
            if record.pci in by_address:
                yield by_address[record.pci], record
            elif label in shown:
                if alike and not (label in known and known[label].pci):
                    yield label, replace(record, pci=None)
            elif not shown and not self.devices and taken.setdefault(label, record.pci) == record.pci:
                yield label, record

    @cached_property
    def names(self) -> list[NicName]:
        """What the tools say of names of one NIC that belong together."""
        return self.all(NicName)

    @cached_property
    def ports(self) -> dict[tuple[str, int | None], NetworkPort]:
        """Network ports by device and number, joined."""
        return _join(((port.device, port.port), port) for port in self.all(NetworkPort))

    @cached_property
    def cpu(self) -> Cpu | None:
        """The CPU as a whole."""
        return _join((0, cpu) for cpu in self.all(Cpu)).get(0)

    @property
    def is_guest(self) -> bool:
        """Tell a virtual machine, whose tree is the hypervisor's invention."""
        return bool(self.cpu and self.cpu.hypervisor)

    @cached_property
    def numa(self) -> dict[int, NumaNode]:
        """NUMA nodes by number, joined."""
        return dict(sorted(_join((node.node, node) for node in self.all(NumaNode)).items()))

    @cached_property
    def fabric_links(self) -> list[FabricLink]:
        """Single scale-up links as status commands list them."""
        return self.all(FabricLink)

    @cached_property
    def peers(self) -> list[PeerStatus]:
        """Peer-to-peer words of pairs."""
        return self.all(PeerStatus)

    @cached_property
    def settings(self) -> list[Setting]:
        """Configuration values."""
        return self.all(Setting)


def _join(records: Iterable[tuple[K, M]]) -> dict[K, M]:
    joined: dict[K, M] = {}
    for key, record in records:
        joined[key] = _filled(joined[key], record) if key in joined else record
    return joined


def _filled(first: M, second: M) -> M:
    """Return the first record with what it lacks taken from the second."""
    missing = {
        name: value
        for name in _fields(first.__class__.__name__)
        if _is_empty(getattr(first, name)) and not _is_empty(value := getattr(second, name))
    }
    if isinstance(first, PciDevice) and isinstance(second, PciDevice):
        missing["alive"] = first.alive and second.alive
        missing["denied"] = first.denied and second.denied
    return replace(first, **missing) if missing else first


@cache
def _fields(kind: str) -> tuple[str, ...]:
    joined = (Accelerator, PciDevice, Cpu, NumaNode, NetworkPort)
    return next(
        tuple(each.name for each in fields(one) if each.name != "origin") for one in joined if one.__name__ == kind
    )


def _is_empty(value: object) -> bool:
    return value is None or value is False


def _rank(source: str) -> int:
    return _RANK.index(source) if source in _RANK else len(_RANK) + (source == _PICTURE)


def _place(address: str) -> tuple[int, int, int, int]:
    domain, bus, rest = address.rsplit(":", 2)
    device, function = rest.split(".")
    return int(domain, 16), int(bus, 16), int(device, 16), int(function)


def _is_pictured(record: Record) -> bool:
    return isinstance(record, PciDevice) and record.origin.source == _PICTURE


def unjoined(reading: Reading, evidence: Evidence) -> Iterator[Problem]:
    """Tell of a library's picture of the PCIe tree that was left out, though no tool shows the tree."""
    first = next(filter(_is_pictured, reading.records), None)
    if first is not None and not _has_tree(evidence.all(PciDevice)):
        message = (
            "the PCIe tree of this log is left out: labels without addresses tell of the same devices, and nothing"
        )
        yield Problem(ProblemKind.UNREAD, first.origin, f"{message} joins the two: `lspci -D -nn -vvv` would settle it")


def _has_tree(devices: Iterable[PciDevice]) -> bool:
    return any(each.parent or each.at_root or each.secondary for each in devices)


def _pictures(records: Sequence[Record]) -> bool:
    """Tell whether a library's picture of the tree is the only one, and of the accelerators that the tools name.

    A job may have used a part of them; a matrix tells of all, and its labels have no addresses to join them by.
    """
    trees = (each for each in records if isinstance(each, PciDevice) and not _is_pictured(each))
    if _has_tree(trees):
        return False
    if any(isinstance(each, Matrix) for each in records):
        return False
    named = [each for each in records if isinstance(each, Accelerator) and not each.by_runtime]
    without = {each.label for each in named if each.label} - {each.label for each in named if each.pci}
    devices = (each for each in records if isinstance(each, PciDevice) and _is_pictured(each))
    pictured = sum(each.class_code == _GPU_CLASS for each in devices)
    return not without or len(without) == pictured
