"""What a machine's form alone cannot say: places that exist, lists of one length, options that are declared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.profiles.machine import Machine

_PLACE = re.compile(r"(socket|numa|switch|gpu)(\d+)")
_OPTION = re.compile(r"\{(\w+)\}")


def faults_of(machine: Machine) -> Iterator[str]:
    """Yield what is wrong with a machine, each with the key where it stands."""
    yield from _places(machine)
    yield from _lengths(machine)
    yield from _options(machine)
    yield from _fabric(machine)


def _counts(machine: Machine) -> dict[str, int]:
    return {
        "socket": machine.cpu.sockets,
        "numa": machine.cpu.sockets * machine.cpu.numa_per_socket,
        "switch": len(machine.switches.at) if machine.switches else 0,
        "gpu": len(machine.accelerators.at) if machine.accelerators else 0,
    }


def _places(machine: Machine) -> Iterator[str]:
    counts = _counts(machine)
    lists = [(f"nics[{i}].at", nic.at, "socket numa switch gpu") for i, nic in enumerate(machine.nics)]
    if machine.accelerators:
        lists.append(("accelerators.at", machine.accelerators.at, "socket numa switch"))
    if machine.switches:
        lists.append(("switches.at", machine.switches.at, "socket numa switch"))
    for key, places, kinds in lists:
        for place in places:
            match = _PLACE.fullmatch(place)
            if match is None or match[1] not in kinds.split():
                yield f"{key}: {place!r} is no place, a place is a number after one of: {kinds}"
            elif int(match[2]) >= counts[match[1]]:
                yield f"{key}: there is no {place}, the machine has {counts[match[1]]} of that kind"


def _lengths(machine: Machine) -> Iterator[str]:
    parts: list[tuple[str, tuple[str, ...] | None, int]] = []
    for i, nic in enumerate(machine.nics):
        parts += [(f"nics[{i}].names", nic.names, len(nic.at)), (f"nics[{i}].pci", nic.pci, len(nic.at))]
    if machine.accelerators:
        parts.append(("accelerators.pci", machine.accelerators.pci, len(machine.accelerators.at)))
    parts.append(("cpu.numa_cpus", machine.cpu.numa_cpus, _counts(machine)["numa"]))
    for key, values, length in parts:
        if values is not None and len(values) != length:
            yield f"{key} has {len(values)} entries where there are {length} of them"


def _options(machine: Machine) -> Iterator[str]:
    for name, option in machine.options.items():
        if option.default not in option.values:
            yield f"options.{name}.default: {option.default:g} is none of its values"
    for i, nic in enumerate(machine.nics):
        if isinstance(nic.rate_gbps, str):
            match = _OPTION.fullmatch(nic.rate_gbps)
            if match is None or match[1] not in machine.options:
                yield f"nics[{i}].rate_gbps: {nic.rate_gbps!r} is no option of this machine"


def _fabric(machine: Machine) -> Iterator[str]:
    fabric = machine.fabric
    if fabric is None:
        return
    ways = sum(way is not None for way in (fabric.switches, fabric.pairs, fabric.groups))
    if ways != 1:
        yield "fabric needs one of: switches, pairs, groups"
    numbers = [number for pair in fabric.pairs or () for number in pair[:2]]
    numbers += [number for group in fabric.groups or () for number in group]
    count = _counts(machine)["gpu"]
    yield from (f"fabric: there is no accelerator {number}" for number in sorted(set(numbers)) if number >= count)
    if fabric.switches is not None:
        own = fabric.switches // fabric.boards
        if fabric.links_per_switch is None or len(fabric.links_per_switch) != own:
            yield f"fabric.links_per_switch: one number for each of the {own} switches that an accelerator sees"
