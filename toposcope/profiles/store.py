"""Reads the reference machines and the catalogue, the shipped ones and the user's over them.

A later folder extends an earlier one; an entry of the same name wins.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import msgspec

from toposcope.base import UsageError
from toposcope.profiles.catalogue import Catalogue
from toposcope.profiles.checks import faults_of, faults_of_catalogue
from toposcope.profiles.folders import files, shipped, user_folder
from toposcope.profiles.inheritance import Layer, flatten
from toposcope.profiles.machine import Machine, Nics
from toposcope.profiles.reading import Table, convert, fault, read, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from toposcope.base import Problem

__all__ = ["filled", "find_machine", "load_catalogue", "load_machines", "shipped", "undecided", "user_folder"]

_KEYS: dict[str, tuple[str, ...]] = {
    "devices": ("name",),
    "nics": ("name",),
    "switches": ("name",),
    "pcie": ("generation",),
    "links": ("medium", "generation", "name"),
    "sockets": ("cpu", "name"),
    "classes": ("name",),
    "platforms": ("name",),
    "software": ("name",),
    "releases": ("name",),
}


def load_catalogue(*folders: Path, parts: Iterable[str] | None = None) -> Catalogue:
    """Return the figures of all folders together; without a folder, the shipped ones.

    ``parts`` (``devices``, ``links``, ...): only these; files that are named after another part are not even read.
    Raises InputError with all faults of all files.
    """
    wanted = frozenset(parts if parts is not None else _KEYS)
    paths = [path for folder in folders or (shipped(),) for path in files(folder, "catalogue")]
    tables, problems = read(path for path in paths if path.stem not in _KEYS or path.stem in wanted)
    merged: dict[str, dict[tuple[object, ...], Any]] = {part: {} for part in wanted}
    for table in tables:
        catalogue, wrong = convert(table, Catalogue)
        problems += wrong
        if catalogue is None:
            continue
        problems += [fault(table.path, message) for message in faults_of_catalogue(catalogue)]
        for part in wanted:
            keys = _KEYS[part]
            for entry in getattr(catalogue, part):
                merged[part][tuple(getattr(entry, key) for key in keys)] = entry
    refuse(problems)
    return Catalogue(**{part: tuple(entries.values()) for part, entries in merged.items()})


def load_machines(*folders: Path) -> dict[str, Machine]:
    """Return the machines of all folders by name, in name order; without a folder, the shipped ones.

    Options stand as they are written (``"{nic}"``): ``filled`` and ``find_machine`` fill them in. Raises InputError
    with all faults of all files.
    """
    problems: list[Problem] = []
    layers: list[Layer] = []
    for folder in folders or (shipped(),):
        tables, wrong = read(files(folder, "machines"))
        problems += wrong
        layers.append({})
        for table in tables:
            content = {"name": table.path.stem, **table.content}
            layers[-1][str(content["name"])] = Table(table.path, content)
    flat, wrong = flatten(layers)
    problems += wrong
    machines: dict[str, Machine] = {}
    for table in flat:
        machine, wrong = convert(table, Machine)
        problems += wrong
        if machine is not None:
            problems += [fault(table.path, message) for message in faults_of(machine)]
            machines[machine.name] = machine
    refuse(problems)
    return dict(sorted(machines.items()))


def find_machine(text: str, machines: Mapping[str, Machine]) -> Machine:
    """Return the machine that ``NAME`` or ``NAME,nic=400`` means, its options filled in.

    Raises UsageError, with near names, for an unknown machine, option or value.
    """
    name, *settings = (piece.strip() for piece in text.split(","))
    if name not in machines:
        near = difflib.get_close_matches(name, machines, n=3, cutoff=0.5)
        advice = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(machines)}"
        raise UsageError(f"there is no machine {name!r}: {advice}")
    machine = machines[name]
    chosen: dict[str, float] = {}
    for setting in settings:
        option, _, value = (piece.strip() for piece in setting.partition("="))
        chosen[option] = _chosen(machine, option, value)
    return filled(machine, chosen)


def filled(machine: Machine, chosen: Mapping[str, float] | None = None) -> Machine:
    """Return the machine with each option's value in place of its name, the default where none was chosen."""
    values = {name: option.default for name, option in machine.options.items()} | dict(chosen or {})
    nics = tuple(msgspec.structs.replace(nic, rate_gbps=_rate(nic, values)) for nic in machine.nics)
    return msgspec.structs.replace(machine, nics=nics)


def undecided(machine: Machine) -> Machine:
    """Return the machine with what its options decide left open: what a host of unknown options may be held against."""
    nics = tuple(
        msgspec.structs.replace(nic, rate_gbps=None if isinstance(nic.rate_gbps, str) else nic.rate_gbps)
        for nic in machine.nics
    )
    return msgspec.structs.replace(machine, nics=nics)


def _chosen(machine: Machine, option: str, value: str) -> float:
    if option not in machine.options:
        near = difflib.get_close_matches(option, machine.options, n=1)
        known = ", ".join(machine.options) or "none"
        advice = f"did you mean {near[0]}?" if near else f"its options are: {known}"
        raise UsageError(f"{machine.name} has no option {option!r}: {advice}")
    values = machine.options[option].values
    for known_value in values:
        if value == f"{known_value:g}":
            return known_value
    raise UsageError(f"{machine.name}: {option}={value} is not possible: {', '.join(f'{known:g}' for known in values)}")


def _rate(nic: Nics, values: Mapping[str, float]) -> float | None:
    return values[nic.rate_gbps.strip("{}")] if isinstance(nic.rate_gbps, str) else nic.rate_gbps
