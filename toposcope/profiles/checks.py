"""What the forms alone cannot say: places that exist, lists of one length, options that are declared, patterns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.base import pci_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.profiles.catalogue import Catalogue
    from toposcope.profiles.machine import Fabric, Machine

_PLACE = re.compile(r"(socket|numa|switch|gpu)(\d+)")
_OPTION = re.compile(r"\{(\w+)\}")


def faults_of(machine: Machine) -> Iterator[str]:
    """Yield what is wrong with a machine, each with the key where it stands."""
    yield from _places(machine)
    yield from _lengths(machine)
    yield from _options(machine)
    yield from _fabric(machine)


def faults_of_catalogue(catalogue: Catalogue) -> Iterator[str]:
    """Yield what is wrong with the entries of a catalogue, each with its name."""
    for platform in catalogue.platforms:
        for pattern in platform.matches:
            try:
                re.compile(pattern)
            except re.error as error:
                yield f"platforms ({platform.name}).matches: {pattern!r} is no regular expression: {error}"
    for each in catalogue.classes:
        if not each.low <= each.typical <= each.high:
            yield f"classes ({each.name}): low, typical and high are not in this order"


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
        if key.endswith(".pci"):
            yield from (f"{key}: {text!r} is no PCI address" for text in values or () if pci_address(text) is None)


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
    yield from _numbers(fabric, _counts(machine)["gpu"])
    if fabric.switches is None:
        return
    if fabric.switches % fabric.boards or _counts(machine)["gpu"] % fabric.boards:
        yield f"fabric.boards: switches and accelerators cannot be dealt evenly to {fabric.boards} boards"
    if fabric.trunk_links is not None and fabric.boards != 2:  # noqa: PLR2004  # facing switches are of two boards
        yield "fabric.trunk_links join the switches of two boards"
    own = fabric.switches // fabric.boards
    if fabric.links_per_switch is None or len(fabric.links_per_switch) != own:
        yield f"fabric.links_per_switch: one number for each of the {own} switches that an accelerator sees"


def _numbers(fabric: Fabric, count: int) -> Iterator[str]:
    """Yield the accelerator numbers of pairs and groups that do not exist, or stand twice."""
    sets = [pair[:2] for pair in fabric.pairs or ()] + list(fabric.groups or ())
    for numbers in sets:
        yield from (f"fabric: there is no accelerator {number}" for number in numbers if not 0 <= number < count)
        if len(set(numbers)) < len(numbers):
            yield f"fabric: {list(numbers)} names an accelerator twice"
    ends = [frozenset(pair[:2]) for pair in fabric.pairs or ()]
    yield from (
        f"fabric.pairs: {sorted(pair)} is said twice" for pair in sorted(set(ends), key=sorted) if ends.count(pair) > 1
    )
