"""Which object a path of ``/sys`` speaks of: the same one is reached through several folders."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind, pci_address
from toposcope.collectors.sysfs.lines import LINK, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toposcope.base import Capture
    from toposcope.collectors.sysfs.lines import Entry

ADDRESS = r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]"
ROOT_BUS = re.compile(r"pci([0-9a-fA-F]{4,8}):[0-9a-fA-F]{2}")
_ADDRESS = re.compile(ADDRESS)
# Tried in order against the end of a path. The groups make the object's name; "device" of a NIC is the PCI function
# behind it, which only other lines name.
_PLACES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("pci", re.compile(rf"(?:^|/)({ADDRESS})$")),
    ("port", re.compile(r"(?:^|/)([^/]+/ports/\d+)$")),
    ("port-counter", re.compile(r"(?:^|/)([^/]+/ports/\d+)/(?:hw_)?counters$")),
    ("port-netdev", re.compile(r"(?:^|/)([^/]+/ports/\d+)/gid_attrs/ndevs$")),
    ("behind", re.compile(r"(?:^|/)(?:net|infiniband)/([^/]+)/device$")),
    ("bonding", re.compile(r"(?:^|/)net/([^/]+)/bonding$")),
    ("bonding-slave", re.compile(r"(?:^|/)net/([^/]+)/bonding_slave$")),
    ("net-counter", re.compile(r"(?:^|/)net/([^/]+)/statistics$")),
    ("net", re.compile(r"(?:^|/)net/([^/]+)$")),
    ("rdma", re.compile(r"(?:^|/)infiniband/([^/]+)$")),
    ("node", re.compile(r"(?:^|/)node(\d{1,6})$")),
    ("nodes", re.compile(r"(?:^|/)system/(node)$")),
    ("topology", re.compile(r"(?:^|/)cpu(\d{1,6})/topology$")),
    ("cpus", re.compile(r"(?:^|/)system/(cpu)$")),
    ("slot", re.compile(r"(?:^|/)slots/([^/]+)$")),
    ("group", re.compile(r"(?:^|/)iommu_groups/(\d{1,9})$")),
    ("iommu", re.compile(r"(?:^|/)class/iommu/([^/]+)$")),
    ("iommus", re.compile(r"(?:^|/)class/(iommu)$")),
    ("dmi", re.compile(r"(?:^|/)(?:class/)?dmi/(id)$")),
    ("module", re.compile(r"(?:^|/)sys/module/([^/]+)$")),
    ("kernel", re.compile(r"(?:^|/)(?:proc/sys/kernel|transparent_hugepage)$")),
)
_GROUP_MEMBER = re.compile(r"/(iommu_groups/\d{1,9})/devices/")
_LINKED = frozenset({"pci", "net", "rdma", "iommu"})
_HARDWARE = frozenset({"pci", "node", "topology"})
# Only what is soldered can clash: the rest may have changed between two readings.
_FIXED = frozenset(
    {
        "vendor", "device", "class", "numa_node", "max_link_speed", "max_link_width", "local_cpulist",
        "physical_package_id", "cpulist", "distance",
    }
)  # fmt: skip


@dataclass(slots=True)
class Place:
    """One object: its attributes by name, in the order of the lines. ``paths`` are real ones that led to it."""

    kind: str
    name: str
    attributes: dict[str, list[Entry]] = field(default_factory=dict)
    real: str | None = None

    @property
    def index(self) -> int:
        """The line at which the object appears first."""
        return min((entries[0].index for entries in self.attributes.values()), default=0)

    def entry(self, attribute: str) -> Entry | None:
        """Return the first line of an attribute."""
        entries = self.attributes.get(attribute)
        return entries[0] if entries else None

    def value(self, attribute: str) -> str | None:
        """Return the first line's value, None where the file gave no line or an empty one."""
        entries = self.attributes.get(attribute)
        return (entries[0].value or None) if entries else None

    def target(self, link: str) -> str | None:
        """Return the last component of a link's target: a driver's name, a group's number."""
        value = self.value(link)
        return (value.rstrip("/").rpartition("/")[2] or None) if value else None


@dataclass(slots=True)
class Places:
    """All objects of one capture by kind and name."""

    capture: Capture
    by_kind: dict[str, dict[str, Place]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def all(self, kind: str) -> Iterator[Place]:
        """Yield the objects of one kind in the order in which they were seen."""
        yield from self.by_kind.get(kind, {}).values()

    def get(self, kind: str, name: str) -> Place | None:
        """Return one object, None where no line speaks of it."""
        return self.by_kind.get(kind, {}).get(name)

    def add(self, kind: str, name: str, attribute: str, entry: Entry) -> Place:
        """Put a line to its object. A second, different value of a fixed attribute is a clash."""
        place = self.by_kind.setdefault(kind, {}).setdefault(name, Place(kind, name))
        known = place.attributes.setdefault(attribute, [])
        if known and attribute in _FIXED and kind in _HARDWARE:
            self._compare(place, attribute, known[0], entry)
        known.append(entry)
        return place

    def _compare(self, place: Place, attribute: str, first: Entry, second: Entry) -> None:
        if first.value == second.value:
            return
        message = f"{attribute} of {place.name} is {first.value[:60]} and {second.value[:60]}"
        origins = self.capture.origin(first.index), self.capture.origin(second.index)
        self.problems.append(Problem(ProblemKind.CLASH, origins[0], message, second.value[:200], origins[1]))


def places_of(capture: Capture, entries: Iterable[Entry]) -> Places:
    """Sort entries by the object that they speak of; what no place knows passes."""
    places = Places(capture)
    known: dict[str, tuple[str, str] | None] = {}
    for entry in entries:
        path, attribute = entry.path, entry.attribute
        if attribute in (LINK, UNREADABLE):
            path, attribute = _of_link(path, attribute, known)
        where = _where(path, known)
        if where is None:
            continue
        kind, name = where
        place = places.add(kind, name, attribute, entry)
        if attribute == LINK and (member := _GROUP_MEMBER.search(path)):
            places.add(kind, name, "iommu_group", replace(entry, value=member[1]))
        if place.real is None and (real := _real(entry)):
            place.real = real
    return places


def _of_link(path: str, attribute: str, known: dict[str, tuple[str, str] | None]) -> tuple[str, str]:
    """Attach a link. One of an object is its attribute, a link that leads to an object tells the object's real path."""
    where = _where(path, known)
    if where is not None and (attribute == UNREADABLE or where[0] in _LINKED):
        return path, attribute
    head, _, tail = path.rpartition("/")
    return head, tail if attribute == LINK else f"{UNREADABLE}{tail}"


def _where(path: str, known: dict[str, tuple[str, str] | None]) -> tuple[str, str] | None:
    try:
        return known[path]
    except KeyError:
        found = known[path] = _place(path)
        return found


def _place(path: str) -> tuple[str, str] | None:
    for kind, pattern in _PLACES:
        match = pattern.search(path)
        if match is not None:
            name = match[1] if match.re.groups else ""
            return (kind, pci_address(name) or name) if kind == "pci" else (kind, name)
    return None


def _real(entry: Entry) -> str | None:
    """Return the path below ``/sys/devices`` that the entry shows, of the object itself."""
    path = entry.value if entry.attribute == LINK else entry.path
    return path if "devices/pci" in path else None


def chain(path: str) -> list[str]:
    """Return the PCI functions of a real path from the root down, and ``""`` wherever a root bus begins."""
    found: list[str] = []
    for part in path.split("/"):
        if _ADDRESS.fullmatch(part):
            found.append(pci_address(part) or part)
        elif ROOT_BUS.fullmatch(part):
            found.append("")
    return found
