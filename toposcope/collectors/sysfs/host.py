"""NUMA nodes, sockets, the machine's name, IOMMU units and kernel modules from ``/sys``.

A node's socket is the package of its CPUs where all of them agree. Memory is ``MemTotal`` of the node, in bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.collectors.cpu.kernel import PEER_MODULES, is_wanted_module
from toposcope.collectors.output_lines import cpu_numbers, whole
from toposcope.collectors.records import Cpu, NumaNode, Setting
from toposcope.collectors.sysfs.lines import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Capture
    from toposcope.collectors.records import Record
    from toposcope.collectors.sysfs.places import Place, Places

HOST = "host"
_MEM_TOTAL = re.compile(r"(?:Node \d+ )?MemTotal: +(\d{1,15}) kB")
_CHOSEN = re.compile(r"\[([^\]]+)\]")
_DMI = {
    "product_name": "product.name",
    "product_version": "product.version",
    "sys_vendor": "product.vendor",
    "board_name": "board.name",
    "board_vendor": "board.vendor",
    "bios_version": "bios.version",
}
_KERNEL = {"numa_balancing": "numa.balancing", "osrelease": "kernel.release", "hostname": "hostname"}


def host_records(capture: Capture, places: Places) -> Iterator[Record]:
    """Yield what concerns the host as a whole."""
    packages = _packages(places)
    yield from _cpu(capture, places, packages)
    for place in sorted(places.all("node"), key=lambda place: int(place.name)):
        yield _node(capture, place, packages)
    for place in places.all("dmi"):
        for attribute, name in _DMI.items():
            yield from _setting(capture, place, attribute, name)
    for place in places.all("kernel"):
        for attribute, name in _KERNEL.items():
            yield from _setting(capture, place, attribute, name)
        if (entry := place.entry("enabled")) and (chosen := _CHOSEN.search(entry.value)):
            yield Setting(HOST, "transparent_hugepages", chosen[1], capture.origin(entry.index))
    yield from _iommu(capture, places)
    yield from _modules(capture, places)


def _setting(capture: Capture, place: Place, attribute: str, name: str) -> Iterator[Setting]:
    entry = place.entry(attribute)
    if entry is not None and entry.value:
        number = whole(entry.value) if attribute == "numa_balancing" else None
        yield Setting(HOST, name, entry.value if number is None else number, capture.origin(entry.index))


def _packages(places: Places) -> dict[int, int]:
    """Give each CPU its socket, numbered from 0 in the order of package ids, which may begin anywhere."""
    found = ((place.name, whole(place.value("physical_package_id") or "")) for place in places.all("topology"))
    known = {int(cpu): package for cpu, package in found if package is not None and package >= 0}
    socket = {package: number for number, package in enumerate(sorted(set(known.values())))}
    return {cpu: socket[package] for cpu, package in known.items()}


def _cpu(capture: Capture, places: Places, packages: dict[int, int]) -> Iterator[Cpu]:
    nodes = sum(1 for _ in places.all("node"))
    online = places.get("cpus", "cpu")
    listed = cpu_numbers(online.value("online") or "") if online else frozenset()
    first = [place.index for kind in ("topology", "cpus", "node") for place in places.all(kind)]
    if packages or listed:
        yield Cpu(
            capture.origin(min(first)),
            sockets=len(set(packages.values())) or None,
            numa_nodes=nodes or None,
            cpus=len(listed) or None,
        )


def _node(capture: Capture, place: Place, packages: dict[int, int]) -> NumaNode:
    cpus = place.entry("cpulist")
    distance = place.value("distance")
    distances = [whole(word) for word in distance.split()] if distance else []
    whole_row = [value for value in distances if value is not None]
    sockets = {packages[cpu] for cpu in cpu_numbers(cpus.value if cpus else "") if cpu in packages}
    return NumaNode(
        node=int(place.name),
        origin=capture.origin(place.index),
        cpus=cpus.value if cpus else None,
        memory_bytes=_memory(place),
        distances=tuple(whole_row) if distances and len(whole_row) == len(distances) else None,
        socket=next(iter(sockets)) if len(sockets) == 1 else None,
    )


def _memory(place: Place) -> int | None:
    matches = (_MEM_TOTAL.search(entry.value) for entry in place.attributes.get("meminfo", []))
    return next((int(match[1]) * 1024 for match in matches if match), None)


def _iommu(capture: Capture, places: Places) -> Iterator[Setting]:
    """Name the units. An empty folder says that no IOMMU is in use; each unit of one that is has a link."""
    units = list(places.all("iommu"))
    folder = places.get("iommus", "iommu")
    linked = sorted({*(place.name for place in units), *(_links(folder) if folder else ())})
    if linked:
        index = min(place.index for place in (*units, *((folder,) if folder else ())))
        yield Setting(HOST, "iommu.units", " ".join(linked), capture.origin(index))
    elif folder is not None and folder.value(UNREADABLE) == "empty":
        yield Setting(HOST, "iommu.units", None, capture.origin(folder.index), "absent")
    kinds = [(place.value("type"), place.index) for place in places.all("group")]
    named = sorted({kind for kind, _ in kinds if kind})
    if named:
        yield Setting(HOST, "iommu.types", " ".join(named), capture.origin(kinds[0][1]))


def _modules(capture: Capture, places: Places) -> Iterator[Setting]:
    """Name the modules that matter. ``initstate`` is there for loaded ones only, and missing for what is built in."""
    loaded = {place.name: place for place in places.all("module") if place.value("initstate")}
    for place in places.all("module"):
        if not is_wanted_module(place.name):
            continue
        origin = capture.origin(place.index)
        yield Setting(
            HOST, f"module.{place.name}", "loaded" if place.name in loaded or not loaded else "builtin", origin
        )
        if version := place.value("version"):
            yield Setting(HOST, f"module.{place.name}.version", version, origin)
    if loaded:
        origin = capture.origin(min(place.index for place in loaded.values()))
        absent = (name for name in PEER_MODULES if name not in loaded)
        yield from (Setting(HOST, f"module.{name}", None, origin, "absent") for name in absent)


def _links(folder: Place) -> list[str]:
    return [name for name in folder.attributes if not name.startswith("!")]
