"""Which names mean one device: the label of a matrix, the RDMA device, the netdev, the PCI address.

An accelerator is called as the tool that showed it calls it. Where no tool gave an address, NVIDIA's own order (by PCI
address) joins labels to devices if there are as many of the one as of the other; NPUs are not numbered in that order,
so they are never joined by it. NICs are joined by what the tools say, by predictable names (``rocep49s0`` stands on bus
49), and where the numbers agree, ``mlx5_N`` in ascending order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.assembly.limits import MAX_ACCELERATORS, MAX_NICS
from toposcope.model import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toposcope.assembly.evidence import Evidence
    from toposcope.base import Origin
    from toposcope.collectors.records import PciDevice

ACCELERATOR_LABEL = re.compile(r"(?P<prefix>GPU|NPU|Phy-ID)(?P<number>\d{1,9})(?:[/.]\d{1,9})?")
_PREDICTABLE = re.compile(
    r"(?:en|ib|roce|ibp|enp|rocep)*p(?P<bus>\d{1,9})s(?P<slot>\d{1,9})(?:f(?P<function>\d{1,9}))?(?:np\d+|d\d+|v\d+)?"
)
_NUMBERED = re.compile(r"(?P<kind>mlx\d+|bnxt_re|irdma|hns|efa|rdmap)_(?P<number>\d{1,9})")
_HUAWEI = "19e5"


@dataclass(frozen=True, slots=True)
class Identity:
    """One accelerator or NIC with all its names."""

    id: str
    kind: Kind
    origin: Origin
    pci: str | None = None
    label: str | None = None
    name: str | None = None
    netdev: str | None = None


@dataclass(frozen=True)
class Identities:
    """All accelerators and NICs of a host, and what each of their names means.

    ``unnamed`` are the addresses of accelerators that labels do stand for, but nothing tells which for which.
    ``left_out`` are those beyond what one host may have.
    """

    all: tuple[Identity, ...]
    unnamed: tuple[str, ...] = ()
    left_out: tuple[Identity, ...] = ()
    by_name: dict[str, str] = field(default_factory=dict)
    other_names: dict[str, str] = field(default_factory=dict)

    def id_of(self, name: str) -> str | None:
        """Return the id of whatever is called so."""
        return self.by_name.get(name)

    def name_of(self, ident: str) -> str | None:
        """Return what another tool calls the component with this id."""
        return self.other_names.get(ident)


def identify(evidence: Evidence, kinds: Mapping[str, Kind]) -> Identities:
    """Name every accelerator and NIC. ``kinds`` tells what each PCI device is."""
    accelerators, unnamed = _accelerators(evidence, kinds)
    nics = _nics(evidence, kinds)
    found = [*accelerators[:MAX_ACCELERATORS], *nics[:MAX_NICS]]
    left_out = (*accelerators[MAX_ACCELERATORS:], *nics[MAX_NICS:])
    names: dict[str, str] = {}
    for each in found:
        for name in (each.id, each.label, each.pci, each.name, each.netdev):
            if name:
                names.setdefault(name, each.id)
    for record in evidence.names:
        known = next((names[name] for name in (record.pci, record.rdma, record.netdev) if name in names), None)
        for name in (record.rdma, record.netdev) if known else ():
            if name and known:
                names.setdefault(name, known)
    return Identities(tuple(found), unnamed, left_out, names, {each.id: each.name for each in found if each.name})


def _accelerators(evidence: Evidence, kinds: Mapping[str, Kind]) -> tuple[list[Identity], tuple[str, ...]]:
    labels = _labels(evidence)
    addresses = [address for address, kind in kinds.items() if kind is Kind.ACCELERATOR]
    given = {label: record.pci for label, record in evidence.accelerators.items() if record.pci}
    taken = set(given.values())
    free = [address for address in addresses if address not in taken]
    open_labels = [label for label in labels if label not in given and "/" not in label]
    if len(free) == len(open_labels) and not any(_is_npu(label) for label in open_labels):
        given |= dict(zip(open_labels, free, strict=True))
        free = []
    if not labels:
        return _numbered(evidence, free), ()
    found = [Identity(label, Kind.ACCELERATOR, origin, given.get(label), label) for label, origin in labels.items()]
    unplaced = [label for label in open_labels if label not in given]
    if free and len(free) == len(unplaced):
        return found, tuple(free)
    invisible = (Identity(address, Kind.ACCELERATOR, evidence.devices[address].origin, address) for address in free)
    return [*found, *invisible], ()


def _numbered(evidence: Evidence, addresses: Sequence[str]) -> list[Identity]:
    """Give numbers to accelerators that no tool names, in the order of their addresses."""
    counts: dict[str, int] = {}
    found = []
    for address in addresses:
        device = evidence.devices[address]
        prefix = _prefix(device)
        number = counts.setdefault(prefix, 0)
        counts[prefix] += 1
        found.append(Identity(f"{prefix}{number}", Kind.ACCELERATOR, device.origin, address))
    return found


def _labels(evidence: Evidence) -> dict[str, Origin]:
    """Return the labels of accelerators with their origins, in the matrix's order, then by number."""
    labels = {label: matrix.origin for matrix in evidence.matrices for label in matrix.labels if _is_accelerator(label)}
    rest = {label: record.origin for label, record in evidence.accelerators.items() if label not in labels}
    others = {link.accelerator: link.origin for link in evidence.fabric_links}
    others |= {port.device: port.origin for port in evidence.ports.values()}
    others |= {label: peer.origin for peer in evidence.peers for label in (peer.row, peer.column)}
    rest |= {
        label: origin
        for label, origin in others.items()
        if _is_accelerator(label) and label not in labels and label not in rest
    }
    # hccn_tool and npu-smi count one NPU by its number, the matrix of some products by its physical id.
    known = {_number(label) for label in labels if label.startswith("Phy-ID")}
    rest = {
        label: origin for label, origin in rest.items() if not (label.startswith("NPU") and _number(label) in known)
    }
    return labels | dict(sorted(rest.items(), key=lambda item: (_number(item[0]), item[0])))


def _nics(evidence: Evidence, kinds: Mapping[str, Kind]) -> list[Identity]:
    addresses = [address for address, kind in kinds.items() if kind is Kind.NIC]
    if len(addresses) > MAX_NICS:
        addresses.sort(key=lambda address: "Virtual Function" in (evidence.devices[address].name or ""))
    shown = _shown_nics(evidence)
    pci_of = _addresses_of(evidence, [name for _, name, _ in shown], addresses)
    netdevs = {record.rdma: record.netdev for record in reversed(evidence.names) if record.rdma and record.netdev}
    found = [
        Identity(f"NIC{index}", Kind.NIC, origin, pci_of.get(name), label, name, netdevs.get(name))
        for index, (label, name, origin) in enumerate(shown)
    ]
    taken = {each.pci for each in found}
    rdma = {record.pci: record.rdma for record in evidence.names if record.pci and record.rdma}
    netdev = {record.pci: record.netdev for record in evidence.names if record.pci and record.netdev}
    for address in addresses:
        if address not in taken:
            name = rdma.get(address) or netdev.get(address)
            origin = evidence.devices[address].origin
            found.append(Identity(f"NIC{len(found)}", Kind.NIC, origin, address, None, name, netdev.get(address)))
    return found


def _shown_nics(evidence: Evidence) -> list[tuple[str | None, str, Origin]]:
    """Return label, name and origin of the NICs that a matrix lists; else of the RDMA devices that have ports."""
    for matrix in evidence.matrices:
        names = dict(matrix.names)
        listed = [
            (label, names.get(label, label), matrix.origin) for label in matrix.labels if not _is_accelerator(label)
        ]
        if listed:
            return [(label, name, origin) for label, name, origin in listed]
    known = {record.rdma for record in evidence.names if record.pci and record.rdma}
    ports = {
        device: port.origin
        for (device, number), port in evidence.ports.items()
        if _NUMBERED.fullmatch(device) or (number is not None and not _is_accelerator(device) and ":" not in device)
    }
    return [(None, device, origin) for device, origin in ports.items() if device not in known]


def _addresses_of(evidence: Evidence, names: Sequence[str], addresses: Sequence[str]) -> dict[str, str]:
    netdevs = {record.netdev: record.rdma for record in evidence.names if record.netdev and record.rdma}
    found: dict[str, str] = {}
    for record in evidence.names:
        if record.pci is None:
            continue
        for name in (record.rdma, record.netdev, record.label, netdevs.get(record.netdev or "")):
            if name:
                found.setdefault(name, record.pci)
    by_place: dict[str, list[str]] = {}
    for each in addresses:
        by_place.setdefault(each[-7:], []).append(each)
    for name in names:
        if name not in found and (address := _predicted(name, by_place)) is not None:
            found[name] = address
    return found | _in_order(evidence, [name for name in names if name not in found], addresses, found.values())


def _predicted(name: str, by_place: Mapping[str, Sequence[str]]) -> str | None:
    match = _PREDICTABLE.fullmatch(name)
    if match is None:
        return None
    tail = f"{int(match['bus']) & 0xFF:02x}:{int(match['slot']):02x}.{match['function'] or '0'}"
    fitting = by_place.get(tail, ())
    return fitting[0] if len(fitting) == 1 else None


def _in_order(
    evidence: Evidence, names: Sequence[str], addresses: Sequence[str], taken: Iterable[str]
) -> dict[str, str]:
    """Join ``mlx5_N`` to the functions of that driver's vendor, where there are as many of both."""
    matches = {name: match for name in names if (match := _NUMBERED.fullmatch(name))}
    used = set(taken)
    mellanox = [
        address for address in addresses if address not in used and "Mellanox" in (evidence.devices[address].name or "")
    ]
    numbered = sorted(matches, key=lambda name: int(matches[name]["number"]))
    if len(numbered) != len(names) or len(numbered) != len(mellanox):
        return {}
    return dict(zip(numbered, mellanox, strict=True))


def _is_accelerator(label: str) -> bool:
    return ACCELERATOR_LABEL.fullmatch(label) is not None


def _is_npu(label: str) -> bool:
    return not label.startswith("GPU")


def _prefix(device: PciDevice) -> str:
    words = f"{device.pci_id or ''} {device.name or ''}"
    return "NPU" if words.startswith(_HUAWEI) or "Huawei" in words else "GPU"


def _number(label: str) -> int:
    match = ACCELERATOR_LABEL.fullmatch(label)
    return int(match["number"]) if match else 0
