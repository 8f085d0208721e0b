"""Machines with invented devices, and printers that write them as lspci does: trees, lists, tagged lines."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import strategies as st

NAMES = (
    "Acme Corp. Widget 7",
    "Foo [Bar] Port",
    "Device 12ab",
    "Acme GPU [A (B) C]",
    "Blue + Co. X-1",
    "A|B Systems \\ Z",
)
CLASSES = {"0604": "PCI bridge", "0302": "3D controller", "0200": "Ethernet controller", "0600": "Host bridge"}


@dataclass
class Function:
    """One function; ``below`` are the devices on its secondary bus, None where it is no bridge."""

    domain: str
    bus: int
    slot: str
    name: str
    pci_id: str
    secondary: int | None = None
    subordinate: int | None = None
    below: list[Function] = field(default_factory=list)
    parent: Function | None = None
    depth: int = 0

    @property
    def address(self) -> str:
        return f"{self.domain}:{self.bus:02x}:{self.slot}"


@dataclass
class Root:
    domain: str
    bus: int
    devices: list[Function]


class _Buses:
    def __init__(self, last: int) -> None:
        self.last = last

    def take(self, skip: int = 0) -> int | None:
        self.last += 1 + skip
        return self.last if self.last < 256 else None


def machines(domains=("0000", "0001", "10000", "abcdef01"), most=4):
    """Draw root buses in ascending order, each with devices and bridges up to four levels deep.

    Made from a seed: drawing each device by itself takes ten times as long.
    """
    seeds, sizes = st.integers(0, 2**32), st.integers(1, most)
    return st.builds(lambda seed, size: _machine(random.Random(seed), domains, size), seeds, sizes)  # noqa: S311 - no secret


def _machine(rng, domains, size) -> list[Root]:
    roots = []
    for domain in sorted(rng.sample(domains, rng.randint(1, min(3, len(domains)))), key=lambda d: int(d, 16)):
        buses = _Buses(rng.randint(-1, 60))
        for _ in range(rng.randint(1, 3)):
            bus = buses.take()
            if bus is not None:
                roots.append(Root(domain, bus, _devices(rng, (domain, bus), buses, None, size)))
    return roots


def _devices(rng, root, buses, parent, size) -> list[Function]:
    domain, bus = root
    depth = 0 if parent is None else parent.depth + 1
    devices = []
    for place in sorted(rng.sample(range(256), rng.randint(0, size))):
        slot = f"{place >> 3:02x}.{place & 7}"
        pci_id = f"{rng.randint(1, 0xFFFF):04x}:{rng.randint(0, 0xFFFF):04x}"
        one = Function(domain, bus, slot, rng.choice(NAMES), pci_id, parent=parent, depth=depth)
        if depth < 4 and rng.random() < 0.5:
            one.secondary = buses.take(rng.randint(0, 1))
            if one.secondary is not None:
                one.below = _devices(rng, (domain, one.secondary), buses, one, size)
                one.subordinate = min(255, max(buses.last, one.secondary) + rng.randint(0, 2))
        devices.append(one)
    return devices


def functions(roots: list[Root]) -> list[Function]:
    """All functions, each before those below it."""
    found: list[Function] = []
    waiting = [device for root in reversed(roots) for device in reversed(root.devices)]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += reversed(one.below)
    return found


def tree(roots: list[Root], *, joined: bool, descending: bool, names: bool, ids: bool) -> str:
    """Write ``lspci -t``: one tree up to pciutils 3.9, else one a domain."""
    ordered = list(reversed(roots)) if descending else roots
    groups = (
        [ordered]
        if joined
        else [[r for r in ordered if r.domain == d] for d in dict.fromkeys(r.domain for r in ordered)]
    )
    lines: list[str] = []
    for group in groups:
        drawn = [_hang(f"[{root.domain}:{root.bus:02x}]-", _bus(root.devices, names=names, ids=ids)) for root in group]
        lines += _hang("-", drawn[0] if len(drawn) == 1 else _list(drawn))
    return "".join(f"{line}\n" for line in lines)


def _bus(devices: list[Function], *, names: bool, ids: bool) -> list[str]:
    drawn = [_device(device, names=names, ids=ids) for device in devices]
    if not drawn:
        return [""]
    return _hang("--", drawn[0]) if len(drawn) == 1 else _list(drawn)


def _device(one: Function, *, names: bool, ids: bool) -> list[str]:
    if one.secondary is None:
        return [one.slot + (f"  {one.name}" + (f" [{one.pci_id}]" if ids else "") if names else "")]
    span = f"{one.secondary:02x}" + (f"-{one.subordinate:02x}" if one.subordinate != one.secondary else "")
    return _hang(f"{one.slot}-[{span}]--", _bus(one.below, names=names, ids=ids))


def _list(drawn: list[list[str]]) -> list[str]:
    lines: list[str] = []
    for number, entry in enumerate(drawn):
        last = number == len(drawn) - 1
        lines += [("\\-" if last else "+-") + entry[0], *(("  " if last else "| ") + line for line in entry[1:])]
    return lines


def _hang(head: str, drawn: list[str]) -> list[str]:
    return [head + drawn[0], *(" " * len(head) + line for line in drawn[1:])]


def way(one: Function, *, buses: bool) -> str:
    """Write the way of ``-PP``, or of ``-P`` without buses."""
    hops = [one]
    while hops[0].parent is not None:
        hops.insert(0, hops[0].parent)
    rest = (f"{hop.bus:02x}:{hop.slot}" if buses else hop.slot for hop in hops[1:])
    return "/".join([hops[0].address, *rest])


def header(one: Function, *, numbers: str = "", path: str | None = None, domain: bool = True) -> str:
    """Write a header; ``numbers`` is "", "n" or "nn"."""
    code = class_of(one)
    place = path or (one.address if domain else one.address.partition(":")[2])
    if numbers == "n":
        return f"{place} {code}: {one.pci_id} (rev a1)"
    if numbers == "nn":
        return f"{place} {CLASSES[code]} [{code}]: {one.name} [{one.pci_id}] (rev a1)"
    return f"{place} {CLASSES[code]}: {one.name} (rev a1)"


def class_of(one: Function) -> str:
    return "0604" if one.secondary is not None else ("0302", "0200", "0600")[int(one.slot[-1]) % 3]
