"""The PCIe tree: who is below whom, which bridges are switches, and what each link between them carries.

A switch is one upstream port with its downstream ports. Where port types are not shown (lspci without root) it is a
bridge, not on a root bus and not itself a downstream port, whose children are only bridges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from toposcope.assembly.limits import MAX_DEPTH
from toposcope.base.pci import bus_of, domain_of
from toposcope.model import Grade, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toposcope.assembly.figures import Lookup
    from toposcope.base import Bandwidth
    from toposcope.collectors.records import PciDevice, PciLink

_UPSTREAM, _DOWNSTREAM = "Upstream Port", "Downstream Port"
_ROOT = "Root Port"
_IDLE_GTS = 2.5
"""The rate to which an idle link falls; above it a low rate is a fault."""


@dataclass(frozen=True)
class PciTree:
    """The tree of one host's PCI devices, by address. Root buses are named ``pci0000:16``."""

    devices: Mapping[str, PciDevice]

    @property
    def parents(self) -> dict[str, str]:
        """Each device's parent: a bridge's address, or a root bus. Empty where the sources show no structure."""
        return self._placed[0]

    @property
    def uprooted(self) -> tuple[str, ...]:
        """Devices put on their root bus since the evidence hangs them below themselves, or deeper than any can be."""
        return self._placed[1]

    @cached_property
    def _placed(self) -> tuple[dict[str, str], tuple[str, ...]]:
        bridges: dict[tuple[str, int | None], str] = {
            (domain_of(device.address), device.secondary): device.address
            for device in self.devices.values()
            if device.secondary
        }
        if not bridges and not any(device.parent or device.at_root for device in self.devices.values()):
            return {}, ()
        parents = {address: self._parent(device, bridges) for address, device in self.devices.items()}
        uprooted: list[str] = []
        for contradictions in (_in_circles, _too_deep):
            for address in contradictions(parents):
                parents[address] = _root_bus(address)
                uprooted.append(address)
        return parents, tuple(uprooted)

    @cached_property
    def children(self) -> dict[str, list[str]]:
        """The children of each bridge and root bus."""
        children: dict[str, list[str]] = {}
        for address, parent in self.parents.items():
            children.setdefault(parent, []).append(address)
        return children

    @cached_property
    def switches(self) -> dict[str, tuple[str, ...]]:
        """The switches: upstream port to its downstream ports, in address order."""
        found: dict[str, tuple[str, ...]] = {}
        inside: set[str] = set()
        for address in self._from_the_roots():
            below = [child for child in self.children.get(address, ()) if self._is_bridge(child)]
            below = [child for child in below if not self._says_upstream(child)]
            if address not in inside and self._is_upstream(address, below):
                found[address] = tuple(below)
                inside.update(below)
        return dict(sorted(found.items()))

    def is_internal(self, address: str) -> bool:
        """Tell whether the link above a device is the inside of a chip: below a root bus or inside a switch."""
        parent = self.parents.get(address, "")
        if parent.startswith("pci"):
            return self._is_bridge(address) and not self._says_upstream(address)
        return address in self.switches.get(parent, ())

    def _parent(self, device: PciDevice, bridges: Mapping[tuple[str, int | None], str]) -> str:
        root = _root_bus(device.address)
        if device.at_root:
            return root
        if device.parent is not None and device.parent in self.devices and device.parent != device.address:
            return device.parent
        above = bridges.get((domain_of(device.address), bus_of(device.address)))
        return above if above is not None and above != device.address else root

    def _from_the_roots(self) -> list[str]:
        waiting = [name for name in self.children if name.startswith("pci")]
        ordered: list[str] = []
        while waiting:
            name = waiting.pop()
            below = self.children.get(name, [])
            ordered.extend(below)
            waiting.extend(below)
        return ordered

    def _is_bridge(self, address: str) -> bool:
        device = self.devices.get(address)
        return device is not None and (device.class_code == "0604" or device.secondary is not None)

    def _says_upstream(self, address: str) -> bool:
        """Tell a port whose link leads up to another chip, by its type; a collective library shows no other ports."""
        return (self.devices[address].port_type or "").startswith(_UPSTREAM)

    def _is_upstream(self, address: str, bridges_below: list[str]) -> bool:
        device = self.devices[address]
        if device.port_type is not None:
            return self._says_upstream(address)
        if not self._is_bridge(address) or self.parents[address].startswith("pci"):
            return False
        below = self.children.get(address, [])
        return bool(below) and (
            len(bridges_below) == len(below)
            or any((self.devices[child].port_type or "").startswith(_DOWNSTREAM) for child in below)
        )


def _root_bus(address: str) -> str:
    return f"pci{domain_of(address)}:{bus_of(address):02x}"


def _in_circles(parents: Mapping[str, str]) -> Iterator[str]:
    """Yield one device of each circle. Each device is walked over once, however deep the tree is."""
    done: set[str] = set()
    for address in parents:
        way: dict[str, None] = {}
        at: str | None = address
        while at is not None and at not in done and at not in way:
            way[at] = None
            at = parents.get(at)
        if at in way:
            yield at
        done.update(way)


def _too_deep(parents: Mapping[str, str]) -> Iterator[str]:
    """Yield the devices below too many bridges; whoever takes one away makes what hangs below it less deep."""
    depths: dict[str, int] = {}
    for address in parents:
        way = [address]
        while way[-1] not in depths and (above := parents.get(way[-1])) is not None:
            way.append(above)
        depth = depths.get(way[-1], 0)
        for at in reversed(way):
            depth = depths[at] if at in depths else depth + 1
            if depth > MAX_DEPTH:
                yield at
                depth = 1
            depths[at] = depth


@dataclass(frozen=True, slots=True)
class PcieState:
    """What is known of one PCIe link. ``line`` is None where it is unknown; see ``toposcope.model.Link``."""

    generation: int | None
    width: int | None
    max_generation: int | None
    max_width: int | None
    line: Bandwidth | None
    state: State
    grade: Grade


def pcie_state(below: PciDevice, above: PciDevice | None, lookup: Lookup, *, sleeps: bool) -> PcieState:
    """Judge a link from both of its ends: what it runs at, what it could, and whether that is a fault.

    ``sleeps``: the device lowers its link rate when idle (an accelerator); a rate of 2.5 GT/s at full width is then no
    fault, and the link counts with what it can.
    """
    current = _least(below.status, None if below.status else above.status if above else None)
    possible = _least(below.capability, above.capability if above else None)
    gts, width = current
    max_gts, max_width = possible
    state = _state(current, possible, sleeps=sleeps)
    if not below.alive:
        state = State.DOWN
    resting = sleeps and width != 0 and gts is not None and max_gts is not None and gts <= _IDLE_GTS < max_gts
    if resting:  # a narrow link rests as well: its width alone is the fault
        gts = max_gts
    generation = lookup.generation(gts)
    line = None if state is State.DOWN else lookup.pcie_line(generation, width)
    grade = Grade.UNKNOWN if line is None else Grade.DERIVED if resting else Grade.OBSERVED
    return PcieState(generation, width, lookup.generation(max_gts), max_width, line, state, grade)


def _least(*links: PciLink | None) -> tuple[float | None, int | None]:
    speeds = [link.gts for link in links if link is not None and link.gts]
    widths = [link.width for link in links if link is not None and link.width is not None]
    return min(speeds, default=None), min(widths, default=None)


def _state(
    current: tuple[float | None, int | None], possible: tuple[float | None, int | None], *, sleeps: bool
) -> State:
    (gts, width), (max_gts, max_width) = current, possible
    if width == 0:
        return State.DOWN
    if gts is None or width is None:
        return State.UNKNOWN
    narrow = max_width is not None and width < max_width
    slow = max_gts is not None and gts < max_gts
    if slow and not narrow and sleeps and gts <= _IDLE_GTS:
        return State.IDLE
    return State.DEGRADED if narrow or slow else State.UP
