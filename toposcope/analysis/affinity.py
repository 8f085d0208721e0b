"""The settings that follow from where things hang: NICs, CPUs and memory of each accelerator, and the order of ranks.

A rank is one process an accelerator, in the order in which the tools count the accelerators. CPUs are those that a tool
printed for the accelerator, else those of its NUMA node; accelerators with the same CPUs share them out evenly, a span
at a time, so that the two threads of a core, which kernels number in two spans, stay together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.analysis.nics import neighbours, network_link, ports_of
from toposcope.model import Kind, State
from toposcope.model.placement import chain
from toposcope.model.spans import spans, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toposcope.model import Component, Library, Topology

_NUMBER = re.compile(r"(\d+)(?!.*\d)")
_DEVICE = re.compile(r"(?!NIC\d|en|eth|ib\d|bond)[A-Za-z][\w.-]{1,63}")
_SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Binding:
    """What one rank should be bound to. ``nics`` are the nearest ones with a link, ``devices`` their RDMA names.

    ``cpus`` are all CPUs beside the accelerator, ``share`` this rank's part of them; ``node`` is the NUMA node of the
    CPUs, ``memory`` the one whose memory is nearest. None where nothing tells.
    """

    rank: int
    accelerator: str
    number: int
    pci: str | None
    nics: tuple[str, ...]
    devices: tuple[str, ...]
    reach: str | None
    cpus: str | None
    share: str | None
    node: int | None
    memory: int | None


@dataclass(frozen=True, slots=True)
class Affinity:
    """All ranks of a host. ``devices`` are the RDMA devices that any has nearest; ``notes`` say what is left out."""

    host: str | None
    library: Library | None
    bindings: tuple[Binding, ...]
    devices: tuple[str, ...]
    notes: tuple[str, ...] = ()


def affinity(topology: Topology) -> Affinity:
    """Derive the settings of a host from its topology."""
    accelerators = [each for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]
    cpus = {each.id: _cpus(topology, each) for each in accelerators}
    shares = _shares(cpus)
    near = neighbours(topology)
    bindings: list[Binding] = []
    lost: dict[str, str] = {}
    for rank, each in enumerate(accelerators):
        own = near[each.id]
        alive = [nic for nic in own.near if _has_link(topology, nic)]
        lost.update({_name(topology, nic): each.id for nic in own.near if nic not in alive})
        node = _node(topology, each)
        first = sorted(alive, key=lambda nic: nic != own.own)
        bindings.append(
            Binding(
                rank=rank,
                accelerator=each.id,
                number=_number(each.id, rank),
                pci=each.pci,
                nics=tuple(_name(topology, nic) for nic in first),
                devices=tuple(name for nic in first if (name := _device(topology, nic)) is not None),
                reach=own.reach.word if own.reach is not None else None,
                cpus=cpus[each.id],
                share=shares.get(each.id),
                node=node,
                memory=_memory(topology, node),
            )
        )
    return Affinity(
        topology.host,
        topology.figures.library,
        tuple(bindings),
        tuple(dict.fromkeys(nic for each in bindings for nic in sorted(each.devices, key=_natural))),
        tuple(_notes(bindings, lost)),
    )


def _number(name: str, rank: int) -> int:
    match = _NUMBER.search(name)
    return int(match[1]) if match and len(match[1]) < 7 else rank  # noqa: PLR2004 - an index


def _natural(name: str) -> tuple[str, int]:
    match = _NUMBER.search(name)
    return (name[: match.start()], int(match[1][:9])) if match else (name, 0)


def _name(topology: Topology, nic: str) -> str:
    return topology.component(nic).name or topology.component(nic).pci or nic


def _device(topology: Topology, nic: str) -> str | None:
    """Return the name of a NIC's RDMA device, None where only a label, a netdev or an address is known."""
    name = topology.component(nic).name
    return name if name is not None and _DEVICE.fullmatch(name) else None


def _has_link(topology: Topology, nic: str) -> bool:
    links = [network_link(topology, port.id) for port in ports_of(topology, nic)]
    return not links or any(link is None or link.state is not State.DOWN for link in links)


def _cpus(topology: Topology, accelerator: Component) -> str | None:
    """Return the CPUs beside an accelerator, None where no list is known."""
    names = [accelerator.id, *(each for each in chain(topology, accelerator.id) if _is_numa(topology, each))]
    names += [each.id for each in topology.components(Kind.NUMA) if each.numa == _node(topology, accelerator)]
    for name in names:
        fact = topology.fact(name, "cpus")
        found = spans(str(fact.value)) if fact is not None and fact.value is not None else frozenset()
        if found:
            return written(found)
    return None


def _is_numa(topology: Topology, name: str) -> bool:
    return topology.component(name).kind is Kind.NUMA


def _node(topology: Topology, accelerator: Component) -> int | None:
    """Return the number of the NUMA node whose CPUs are nearest."""
    if accelerator.numa is not None and accelerator.numa >= 0:
        return accelerator.numa
    above = (topology.component(name).numa for name in chain(topology, accelerator.id) if _is_numa(topology, name))
    return next((number for number in above if number is not None), None)


def _memory(topology: Topology, node: int | None) -> int | None:
    """Return the node itself, but for one that is known to have no memory."""
    for each in topology.components(Kind.NUMA):
        fact = topology.fact(each.id, "memory_bytes")
        if each.numa == node and fact is not None and fact.value == 0:
            return None
    return node


def _shares(cpus: Mapping[str, str | None]) -> dict[str, str]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name, listed in cpus.items():
        if listed is not None:
            groups[listed].append(name)
    return {
        name: share
        for listed, names in groups.items()
        for name, share in zip(names, _parts(listed, len(names)), strict=True)
    }


def _parts(listed: str, count: int) -> Iterator[str]:
    """Share a list out into ``count`` parts, span by span; where there are fewer CPUs than parts, all get all."""
    bounds = [
        (int(match[1]), int(match[2] or match[1])) for word in listed.split(",") if (match := _SPAN.fullmatch(word))
    ]
    if any(last - first + 1 < count for first, last in bounds):
        yield from [listed] * count
        return
    for place in range(count):
        part: set[int] = set()
        for first, last in bounds:
            size = last - first + 1
            part.update(range(first + size * place // count, first + size * (place + 1) // count))
        yield written(part)


def _notes(bindings: list[Binding], lost: Mapping[str, str]) -> Iterator[str]:
    for name, whose in lost.items():
        yield f"{name} beside {whose} has no link and is left out"
    bare = [each.accelerator for each in bindings if each.cpus is None]
    if bare:
        yield f"the CPUs beside {', '.join(bare)} are not known: a matrix, or lscpu and lspci, would tell"
    unnamed = dict.fromkeys(nic for each in bindings if not each.devices for nic in each.nics)
    if unnamed:
        yield f"the RDMA devices of {', '.join(unnamed)} are not known: ibdev2netdev -v, or ibstat, would tell"
    far = [each.accelerator for each in bindings if each.reach in ("NODE", "SYS")]
    if far:
        yield f"the nearest NICs of {', '.join(far)} are only at NODE or SYS"
