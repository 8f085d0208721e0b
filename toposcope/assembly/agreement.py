"""Where two sources of one recording disagree about one device, one link or one pair: a clash that names both lines.

Only what both read from the hardware is compared, never what may have changed between two commands (a rate, a state of
power) nor what tools word or count differently (models cut short, memory).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base import Problem, ProblemKind
from toposcope.collectors.records import Accelerator, FabricLink, PciDevice, PeerStatus

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from toposcope.assembly.evidence import Evidence
    from toposcope.base import Origin

_OF_ACCELERATOR = ("pci", "uuid", "serial", "pcie_max_width")
_OF_DEVICE = ("pci_id", "class_code", "numa", "port_type")
_TELL_STATES = ("nvml", "nvidia-smi-nvlink-s")
"""Sources that tell the state of links: ``nvlink -R`` names ends of those that are down as well."""
_MOST = 20
"""Clashes that are named one by one: sources of two hosts in one recording disagree about everything."""

Claim = tuple[str, str, "Hashable", "Origin"]
"""What a line is about, which property, its value, and the line."""


def disagreements(evidence: Evidence) -> Iterator[Problem]:
    """Yield a clash for each property of which two sources say different things; the first one is followed."""
    first: dict[tuple[str, str], tuple[Hashable, Origin]] = {}
    told: set[tuple[str, str]] = set()
    for subject, name, value, origin in _claims(evidence):
        known, where = first.setdefault((subject, name), (value, origin))
        if known == value or where.source == origin.source or (subject, name) in told or len(told) >= _MOST:
            continue
        told.add((subject, name))
        message = f"{name.replace('_', ' ')} of {subject} is {known} in {where.source} and {value} in {origin.source}"
        yield Problem(ProblemKind.CLASH, where, message, str(value), origin)


def other_models(evidence: Evidence) -> Iterator[Problem]:
    """Yield a clash where a program lists another model than the tools do: it ran elsewhere, or the files are mixed.

    A device is told by its address; where none is known, only machines of one model are compared.
    """
    known = [each for each in evidence.all(Accelerator) if each.model and not each.by_runtime]
    listed = [each for each in evidence.all(Accelerator) if each.model and each.by_runtime]
    by_address = {each.pci: each for each in known if each.pci}
    alike = all(len({_model(each) for each in group}) == 1 for group in (known, listed))
    for each in listed:
        first = by_address.get(each.pci or "") or (known[0] if alike and not (each.pci and by_address) else None)
        if first is not None and not _same(_model(first), _model(each)):
            message = (
                f"{first.origin.source} tells of {first.model}, {each.origin.source} of {each.model}: did it run here?"
            )
            yield Problem(ProblemKind.CLASH, first.origin, message, str(each.model), each.origin)
            return


def _model(accelerator: Accelerator) -> str:
    return str(accelerator.model).lower().removeprefix("nvidia ").removeprefix("amd ")


def _same(first: str, second: str) -> bool:
    """Compare names of a model; a narrow table cuts them short."""
    first, second = first.rstrip("."), second.rstrip(".")
    return first.startswith(second) or second.startswith(first)


def _claims(evidence: Evidence) -> Iterator[Claim]:
    named = [record for record in evidence.all(Accelerator) if record.label and not record.by_runtime]
    yield from _of_records(((str(record.label), record) for record in named), _OF_ACCELERATOR)
    devices = ((record.address, record) for record in evidence.all(PciDevice) if record.alive)
    yield from _of_records(devices, _OF_DEVICE)
    links = [(f"link {link.link} of {link.accelerator}", link) for link in evidence.all(FabricLink)]
    yield from _of_records(links, ("peer",))
    yield from _of_records((each for each in links if each[1].origin.source in _TELL_STATES), ("active",))
    for pair in evidence.all(PeerStatus):
        if pair.word not in ("U", "X"):
            yield f"{pair.row} to {pair.column}", f"peer status ({pair.capability})", pair.word, pair.origin


def _of_records(
    records: Iterable[tuple[str, Accelerator | PciDevice | FabricLink]], names: tuple[str, ...]
) -> Iterator[Claim]:
    for subject, record in records:
        for name in names:
            value = getattr(record, name)
            if value is not None and value != -1:
                yield subject, name, value.lower() if isinstance(value, str) else value, record.origin
