"""Records, a profile and the catalogue make a topology, in phases: skeleton, fabric, NICs and ports, facts, limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposcope.assembly.agreement import disagreements, other_models
from toposcope.assembly.checks import matrix_against_tree
from toposcope.assembly.cpus import add_cpus
from toposcope.assembly.evidence import Evidence, unjoined
from toposcope.assembly.fabric import FabricPart, add_fabric, unsure_figures
from toposcope.assembly.facts import add_facts
from toposcope.assembly.filling import fill_from_machines, fill_from_models
from toposcope.assembly.identity import Identities, Identity, identify
from toposcope.assembly.limits import beyond
from toposcope.assembly.matrix_tree import Placed, add_matrix_tree, cards_of, reaches_of
from toposcope.assembly.measurements import add_measurements
from toposcope.assembly.pci import PciPart, add_lone_links, add_pci
from toposcope.assembly.pci_kinds import kind_of, pci_id_of
from toposcope.assembly.pci_tree import PciTree
from toposcope.assembly.planned import planned_lines, with_planned
from toposcope.assembly.ports import add_ports
from toposcope.assembly.superchips import add_host_links
from toposcope.assembly.visibility import add_visibility
from toposcope.assembly.words import meaning
from toposcope.base import Origin, Problem, ProblemKind
from toposcope.model import Component, Grade, Kind, Link, Medium, PrintedMatrix, Relation, Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toposcope.assembly.figures import Lookup
    from toposcope.collectors.records import Reading
    from toposcope.profiles.catalogue import Device
    from toposcope.profiles.machine import Machine


def assemble(
    reading: Reading,
    lookup: Lookup,
    machines: Sequence[Machine] = (),
    *,
    host: str | None = None,
    chosen: Machine | None = None,
) -> Topology:
    """Build the topology of one host.

    ``machines`` are the reference machines that it may match: what the tools cannot show is then assumed. ``chosen``
    is the one that the user names; it settles the choice.
    """
    evidence = with_planned(Evidence.of(reading), lookup)
    kinds = {address: kind_of(device, lookup, evidence.devices) for address, device in evidence.devices.items()}
    identities = identify(evidence, kinds)
    kinds |= dict.fromkeys((*identities.unnamed, *(each.pci for each in identities.left_out if each.pci)), Kind.OTHER)
    devices = {each.id: _models(each, evidence, lookup) for each in identities.all if each.kind is Kind.ACCELERATOR}
    cpu = evidence.cpu
    platform = lookup.platform(cpu.vendor, cpu.model, cpu.family, cpu.model_number) if cpu else None
    topology = Topology(host=host, figures=lookup.figures(_vendors(devices, identities, evidence), platform))
    topology.problems.extend(reading.problems)

    add_cpus(topology, evidence, _numa_seen(evidence))
    part = PciPart(
        evidence,
        lookup,
        PciTree(evidence.devices),
        kinds,
        identities,
        _printed_numa(evidence, identities),
        planned_lines(evidence, lookup),
    )
    add_pci(topology, part)
    _add_shown(topology, evidence, identities)
    _add_slices(topology, identities)
    placed = _placed(topology, evidence, identities)
    add_matrix_tree(topology, placed, _matrix_origin(evidence), guest=evidence.is_guest)
    add_lone_links(topology, part)
    add_host_links(topology, devices)
    _mark_cards(topology, cards_of(placed))
    fabric = FabricPart(evidence, lookup, identities, devices)
    add_fabric(topology, fabric)
    add_ports(topology, evidence, identities)
    _relate(topology, evidence, identities)
    add_facts(topology, evidence, identities, devices)
    _name_models(topology, devices)
    add_visibility(topology)
    fill_from_models(topology, evidence, identities, devices, lookup)
    fill_from_machines(topology, machines, lookup, devices, chosen)
    topology.problems.extend(unsure_figures(topology, fabric))
    topology.problems.extend(_unnamed(evidence, identities))
    topology.problems.extend(beyond(identities.left_out))
    topology.problems.extend(matrix_against_tree(topology))
    topology.problems.extend(disagreements(evidence))
    topology.problems.extend(other_models(evidence))
    topology.problems.extend(unjoined(reading, evidence))
    add_measurements(topology, reading)
    return topology


def _unnamed(evidence: Evidence, identities: Identities) -> Iterator[Problem]:
    if identities.unnamed:
        first = evidence.devices[identities.unnamed[0]]
        yield Problem(
            ProblemKind.UNREAD,
            first.origin,
            f"nothing tells which NPU is which of {', '.join(identities.unnamed)}: the numbers do not follow the order "
            "of the addresses; `npu-smi info` would settle it",
        )


def _models(each: Identity, evidence: Evidence, lookup: Lookup) -> Sequence[Device]:
    """Return the devices of the catalogue that an accelerator may be."""
    device = evidence.devices.get(each.pci or "")
    record = evidence.accelerators.get(each.label or "")
    names = [record.model if record else None, device.name if device else None]
    return lookup.devices(pci_id=pci_id_of(device) if device else None, names=names)


_VENDORS = {"rocm-smi": "AMD", "amd-smi": "AMD"}
"""Whose accelerators a tool lists, where their labels are those of another vendor's tool as well."""


def _vendors(devices: Mapping[str, Sequence[Device]], identities: Identities, evidence: Evidence) -> set[str]:
    known = {device.vendor for fitting in devices.values() for device in fitting}
    labels = {each.label or each.id for each in identities.all if each.kind is Kind.ACCELERATOR}
    sources = [matrix.origin.source for matrix in evidence.matrices]
    printed = {vendor for tool, vendor in _VENDORS.items() for source in sources if source.startswith(tool)}
    if not known and printed:
        return printed
    if not known and labels:
        # A label alone tells the tool, and the tool its vendor.
        return {"Huawei" if not label.startswith("GPU") else "NVIDIA" for label in labels if "/" not in label}
    return known


def _numa_seen(evidence: Evidence) -> Iterator[tuple[int, Origin]]:
    for device in evidence.devices.values():
        if device.numa is not None and device.numa >= 0:
            yield device.numa, device.origin
    for record in evidence.accelerators.values():
        if record.numa is not None and record.numa >= 0:
            yield record.numa, record.origin
    for matrix in evidence.matrices:
        for row in matrix.rows:
            if row.numa is not None and _is_number(row.numa):
                yield int(row.numa), row.origin


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10  # noqa: PLR2004 - a node's number has 32 bits


def _printed_numa(evidence: Evidence, identities: Identities) -> dict[str, int]:
    """Return the NUMA nodes that matrices print, by the PCI address of their devices."""
    address = {each.label: each.pci for each in identities.all if each.label and each.pci}
    rows = (row for matrix in evidence.matrices for row in matrix.rows)
    return {
        address[row.label]: int(row.numa)
        for row in rows
        if row.label in address and row.numa is not None and _is_number(row.numa)
    }


def _add_shown(topology: Topology, evidence: Evidence, identities: Identities) -> None:
    """Add the accelerators and NICs that tools name and no PCI device stands for."""
    rows = {row.label: row.numa for matrix in evidence.matrices for row in matrix.rows}
    for each in identities.all:
        if each.id in topology or "/" in each.id:
            continue
        printed = rows.get(each.label or "")
        record = evidence.accelerators.get(each.label or "")
        numa = record.numa if record and record.numa is not None and record.numa >= 0 else None
        if numa is None and printed is not None and _is_number(printed):
            numa = int(printed)
        model = record.model if record else None
        topology.add(Component(each.id, each.kind, each.origin, name=each.name, model=model, pci=each.pci, numa=numa))


def _add_slices(topology: Topology, identities: Identities) -> None:
    """Add MIG devices below the accelerator that they are part of."""
    for each in identities.all:
        parent = each.id.partition("/")[0]
        if "/" in each.id and parent in topology:
            topology.add(Component(each.id, Kind.ACCELERATOR, each.origin, model=topology.component(parent).model))
            link = Link(each.id, parent, Medium.PCIE, each.origin, Grade.OBSERVED, internal=True)
            topology.connect(link, upward=True)


def _placed(topology: Topology, evidence: Evidence, identities: Identities) -> Placed:
    """Gather what places the devices that hang on nothing yet."""
    ids = dict(identities.by_name)
    cells = (cell for matrix in reversed(evidence.matrices) for cell in matrix.cells)
    loose = [
        each.id
        for each in identities.all
        if each.id in topology and topology.parent(each.id) is None and "/" not in each.id
    ]
    return Placed(
        tuple(loose),
        {name: topology.component(name).kind for name in loose},
        {name: topology.component(name).numa for name in loose},
        reaches_of(cells, ids),
    )


def _matrix_origin(evidence: Evidence) -> Origin:
    origins: Iterable[Origin] = (matrix.origin for matrix in evidence.matrices)
    return next(iter(origins), Origin("topology", "derived"))


def _mark_cards(topology: Topology, cards: Mapping[str, str]) -> None:
    for name, card in cards.items():
        component = topology.component(name)
        if component.card is None:
            topology.add(replace(component, card=card))


def _relate(topology: Topology, evidence: Evidence, identities: Identities) -> None:
    told: set[tuple[str, str, Origin]] = set()
    for matrix in evidence.matrices:
        for cell in matrix.cells:
            a, b = identities.id_of(cell.row), identities.id_of(cell.column)
            if a and b and a != b and (min(a, b), max(a, b), matrix.origin) not in told:
                told.add((min(a, b), max(a, b), matrix.origin))
                said = meaning(cell.origin.source, cell.word)
                topology.relate(Relation(a, b, cell.word, cell.origin, said.reach))
    printed = [matrix for matrix in evidence.matrices if matrix.origin.source != "nvml"]
    if printed:
        first = printed[0]
        cells: dict[str, dict[str, str]] = {label: {} for label in first.labels}
        for cell in first.cells:
            cells.setdefault(cell.row, {})[cell.column] = cell.word
        topology.matrix = PrintedMatrix(first.labels, cells, first.origin)


def _name_models(topology: Topology, devices: Mapping[str, Sequence[Device]]) -> None:
    """Call an accelerator's model as the catalogue does, where one device fits."""
    for component in list(topology.components(Kind.ACCELERATOR)):
        fitting = devices.get(component.id, ())
        if len(fitting) == 1:
            topology.add(replace(component, model=fitting[0].name))
