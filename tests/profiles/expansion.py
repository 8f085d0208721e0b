"""A machine's components and connections, spelt out from its lists: what the tests hold against other evidence."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.profiles.catalogue import Catalogue
    from toposcope.profiles.machine import Machine, Pcie


@dataclass(frozen=True)
class Edge:
    a: str
    b: str
    kind: str
    gbs: float | None
    generation: int | None = None
    width: int | None = None
    links: int | None = None


def components(machine: Machine) -> dict[str, int]:
    return {
        "cpu": machine.cpu.sockets,
        "numa": machine.cpu.sockets * machine.cpu.numa_per_socket,
        "mem": machine.cpu.sockets if machine.cpu.memory_gbs else 0,
        "switch": len(machine.switches.at) if machine.switches else 0,
        "accelerator": len(machine.accelerators.at) if machine.accelerators else 0,
        "nic": sum(len(nic.at) for nic in machine.nics),
        "nvswitch": (machine.fabric.switches or 0) if machine.fabric else 0,
    }


def edges(machine: Machine, catalogue: Catalogue) -> Iterator[Edge]:
    yield from _host(machine, catalogue)
    yield from _nics(machine, catalogue)
    yield from _fabric(machine)


def socket_of(machine: Machine, place: str) -> str:
    return f"cpu{int(place[4:]) // machine.cpu.numa_per_socket}" if place.startswith("numa") else _node(place)


def _node(place: str) -> str:
    return place.replace("socket", "cpu")


def _pcie(a: str, b: str, link: Pcie, catalogue: Catalogue) -> Edge:
    lane = next(each.lane_gbs for each in catalogue.pcie if each.generation == link.generation)
    return Edge(a, b, "pcie", lane * link.width, link.generation, link.width)


def _host(machine: Machine, catalogue: Catalogue) -> Iterator[Edge]:
    cpu = machine.cpu
    if cpu.memory_gbs:
        yield from (Edge(f"cpu{i}", f"mem{i}", "memory", cpu.memory_gbs) for i in range(cpu.sockets))
    if cpu.link:
        for a, b in combinations(range(cpu.sockets), 2):
            yield Edge(f"cpu{a}", f"cpu{b}", "socket", cpu.link.line_gbs, links=cpu.link.links)
    for i, place in enumerate(machine.switches.at if machine.switches else ()):
        yield _pcie(f"switch{i}", socket_of(machine, place), machine.switches.uplink, catalogue)
    parts = machine.accelerators
    for i, place in enumerate(parts.at if parts else ()):
        if parts.host_link:
            yield Edge(f"gpu{i}", socket_of(machine, place), parts.host_link.medium, parts.host_link.line_gbs)
        else:
            yield _pcie(f"gpu{i}", socket_of(machine, place), parts.pcie, catalogue)
        if parts.port_gbps:
            yield Edge(f"gpu{i}", "net", "port", parts.port_gbps / 8)


def _nics(machine: Machine, catalogue: Catalogue) -> Iterator[Edge]:
    number = 0
    for nic in machine.nics:
        for place in nic.at:
            yield _pcie(f"nic{number}", socket_of(machine, place), nic.pcie, catalogue)
            if nic.rate_gbps is not None:
                yield Edge(f"nic{number}", "net", "port", nic.ports * nic.rate_gbps / 8)
            number += 1


def _fabric(machine: Machine) -> Iterator[Edge]:
    fabric, count = machine.fabric, len(machine.accelerators.at) if machine.accelerators else 0
    if fabric is None:
        return
    pairs = [*(fabric.pairs or ())]
    for group in fabric.groups or ():
        pairs += [(a, b, fabric.links_per_pair) for a, b in combinations(group, 2)]
    for a, b, links in pairs:
        yield Edge(f"gpu{a}", f"gpu{b}", fabric.medium, links * fabric.link_gbs, fabric.generation, links=links)
    if not fabric.switches:
        return
    own, board = fabric.switches // fabric.boards, count // fabric.boards
    for gpu in range(count):
        for i, links in enumerate(fabric.links_per_switch):
            chip = gpu // board * own + i
            yield Edge(f"gpu{gpu}", f"nvs{chip}", "nvlink", links * fabric.link_gbs, fabric.generation, links=links)
    for i in range(own if fabric.trunk_links else 0):
        links = fabric.trunk_links
        yield Edge(f"nvs{i}", f"nvs{i + own}", "nvlink", links * fabric.link_gbs, fabric.generation, links=links)
