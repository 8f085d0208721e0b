"""The scale-up fabric: which accelerators are joined, by links of their own or through switches, and by how many.

From the words of the matrix, the status of single links, the switches on the PCI bus, and the catalogue. A figure is
given only where all devices that fit agree on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposcope.assembly.reference import with_usable
from toposcope.assembly.words import meaning
from toposcope.base import Bandwidth, Origin, Problem, ProblemKind
from toposcope.model import Component, Grade, Kind, Link, Medium, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toposcope.assembly.evidence import Evidence
    from toposcope.assembly.figures import Lookup
    from toposcope.assembly.identity import Identities
    from toposcope.collectors.records import FabricLink
    from toposcope.model import Topology
    from toposcope.profiles.catalogue import Device

MOST_LINKS = 18
"""The most NVLinks of any part known: what is assumed of a GPU whose model is not."""

POOL = "NVSW"
"""The id of a switched fabric whose switches are not seen one by one."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Two accelerators that the fabric joins, as a word says it. ``links`` is None where the word does not count."""

    a: str
    b: str
    medium: Medium
    links: int | None
    switched: bool
    origin: Origin


@dataclass(frozen=True)
class FabricPart:
    """What is needed to build the fabric."""

    evidence: Evidence
    lookup: Lookup
    identities: Identities
    devices: Mapping[str, Sequence[Device]]
    """The catalogue's devices that fit each accelerator."""


def add_fabric(topology: Topology, part: FabricPart) -> None:
    """Add the scale-up links and the switches between them."""
    joints = _joints(part)
    switches = [each.id for each in topology.components(Kind.NVSWITCH)]
    counts = _links_each(joints, part)
    if joints and _is_switched(joints, part, switches):
        _add_switched(
            topology,
            part,
            {end: counts.get(end) for joint in joints for end in (joint.a, joint.b)},
            switches,
            joints[0],
        )
    elif joints:
        _add_mesh(topology, part, joints)
    elif switches:
        _add_by_catalogue(topology, part, switches)


def link_figure(devices: Sequence[Device], medium: Medium, links: int | None) -> float | None:
    """Return the figure of one link (GB/s, one direction) if all devices that fit agree on it."""
    figures = {
        device.fabric.link_gbs
        for device in devices
        if device.fabric and device.fabric.medium == medium.value and (not links or (device.fabric.links or 0) >= links)
    }
    return figures.pop() if len(figures) == 1 else None


def fitting(part: FabricPart, name: str, medium: Medium) -> Sequence[Device]:
    """Return the devices that an accelerator may be: by its model, or all with this medium where it has none."""
    return part.devices.get(name) or [
        device for device in part.lookup.catalogue.devices if device.fabric and device.fabric.medium == medium.value
    ]


def _joints(part: FabricPart) -> list[Joint]:
    joints: dict[tuple[str, str], Joint] = {}
    cells = (cell for matrix in part.evidence.matrices for cell in matrix.cells)
    for cell in cells:
        said = meaning(cell.origin.source, cell.word)
        a, b = part.identities.id_of(cell.row), part.identities.id_of(cell.column)
        if said.medium is not None and a and b and a != b:
            joint = Joint(min(a, b), max(a, b), said.medium, said.links, said.switched, cell.origin)
            joints.setdefault((joint.a, joint.b), joint)
    return list(joints.values()) or list(_from_peers(part))


def _from_peers(part: FabricPart) -> Iterable[Joint]:
    """Yield the pairs that link status names as each other's peers, where no matrix was recorded."""
    counts: Counter[tuple[str, str]] = Counter()
    origins: dict[tuple[str, str], FabricLink] = {}
    for link in part.evidence.fabric_links:
        a, b = part.identities.id_of(link.accelerator), part.identities.id_of(link.peer or "")
        if link.active is not False and a and b and a < b:
            counts[a, b] += 1
            origins.setdefault((a, b), link)
    for (a, b), count in counts.items():
        yield Joint(a, b, Medium.NVLINK, count, switched=False, origin=origins[a, b].origin)


def _links_each(joints: Sequence[Joint], part: FabricPart) -> dict[str, int]:
    """Return the number of working links of each accelerator, by its own status lines, else by its words."""
    active: Counter[str] = Counter()
    for link in part.evidence.fabric_links:
        name = part.identities.id_of(link.accelerator)
        if name and link.active is not False and (link.active or link.rate is not None):
            active[name] += 1
    counts: dict[str, int] = {}
    for joint in joints:
        for end in (joint.a, joint.b):
            counts[end] = max(counts.get(end, 0), joint.links or 0)
    return {end: min(count, active[end]) if active[end] else count for end, count in counts.items()}


def _is_switched(joints: Sequence[Joint], part: FabricPart, switches: Sequence[str]) -> bool:
    """Tell a fabric of switches from links between pairs; see DESIGN section 5."""
    if switches or any(joint.switched for joint in joints):
        return True
    if any(link.peer_kind and "switch" in link.peer_kind.lower() for link in part.evidence.fabric_links):
        return True
    sums: Counter[str] = Counter()
    for joint in joints:
        for end in (joint.a, joint.b):
            sums[end] += joint.links or 0
    return any(total > _most_links(part, end) for end, total in sums.items())


def _most_links(part: FabricPart, name: str) -> int:
    links = [device.fabric.links or 0 for device in part.devices.get(name, ()) if device.fabric]
    return max(links, default=MOST_LINKS)


def _add_mesh(topology: Topology, part: FabricPart, joints: Sequence[Joint]) -> None:
    for joint in joints:
        common = [
            device for device in fitting(part, joint.a, joint.medium) if device in fitting(part, joint.b, joint.medium)
        ]
        each = link_figure(common, joint.medium, joint.links)
        count = joint.links or (1 if joint.medium in (Medium.HCCS, Medium.XGMI) else None)
        _link(topology, part, (joint.a, joint.b), _Strand(joint.medium, count, each, joint.origin))


def _add_switched(
    topology: Topology, part: FabricPart, counts: Mapping[str, int | None], switches: Sequence[str], joint: Joint
) -> None:
    """Join each accelerator to the switches: evenly to those that are seen, else to one that stands for all."""
    ends = list(switches)
    if not ends:
        kind = Kind.NVSWITCH if joint.medium is Medium.NVLINK else Kind.FABRIC_SWITCH
        topology.add(Component(POOL, kind, joint.origin, Grade.DERIVED, count=None))
        ends = [POOL]
    for name, count in counts.items():
        devices = fitting(part, name, joint.medium)
        each = link_figure(devices, joint.medium, count)
        for end, share in _shared_out(count or None, ends):
            _link(topology, part, (name, end), _Strand(joint.medium, share, each, joint.origin))
        if count is None or count == 0:
            _total_of_device(topology, devices, name, ends)


def _total_of_device(topology: Topology, devices: Sequence[Device], name: str, ends: Sequence[str]) -> None:
    """Give the figure of a word that counts no links (HCCS_SW) from the device's total, where all agree on it."""
    totals = {device.fabric.total_gbs for device in devices if device.fabric}
    link = topology.link(name, ends[0])
    if len(ends) == 1 and len(totals) == 1 and (total := totals.pop()) is not None and link is not None:
        topology.replace(with_usable(topology, replace(link, line=Bandwidth.gigabytes(total), grade=Grade.DERIVED)))


def _add_by_catalogue(topology: Topology, part: FabricPart, switches: Sequence[str]) -> None:
    """Join accelerators to the NVSwitches on the bus where nothing tells of links: all of the model's are assumed."""
    for each in topology.components(Kind.ACCELERATOR):
        devices = [device for device in part.devices.get(each.id, ()) if device.fabric]
        counts = {device.fabric.links for device in devices if device.fabric}
        if len(counts) != 1 or (count := counts.pop()) is None:
            continue
        origin = Origin("catalogue", devices[0].name)
        figure = link_figure(devices, Medium.NVLINK, count)
        for end, share in _shared_out(count, switches):
            _link(topology, part, (each.id, end), _Strand(Medium.NVLINK, share, figure, origin, Grade.ASSUMED))


def _shared_out(count: int | None, switches: Sequence[str]) -> list[tuple[str, int | None]]:
    """Deal links to switches as evenly as their number allows: how boards are wired (5, 5, 4, 4 of 18)."""
    if count is None:
        return [(end, None) for end in switches]
    least, more = divmod(count, len(switches))
    dealt = [(end, least + (index < more)) for index, end in enumerate(switches)]
    return [(end, share) for end, share in dealt if share]


@dataclass(frozen=True, slots=True)
class _Strand:
    """What one connection of the fabric is made of: so many links of so many GB/s (one direction) each."""

    medium: Medium
    count: int | None
    each_gbs: float | None
    origin: Origin
    grade: Grade = Grade.DERIVED


def _link(topology: Topology, part: FabricPart, ends: tuple[str, str], strand: _Strand) -> None:
    line = Bandwidth.gigabytes(strand.each_gbs * strand.count) if strand.each_gbs and strand.count else None
    link = Link(
        *ends,
        strand.medium,
        strand.origin,
        strand.grade if line is not None else Grade.UNKNOWN,
        count=strand.count,
        generation=_generation(part, ends, strand),
        line=line,
        state=State.UP,
    )
    topology.connect(with_usable(topology, link))


def _generation(part: FabricPart, ends: tuple[str, str], strand: _Strand) -> int | None:
    """Return the generation of a link: by its figure where only one has it, else by the models of its ends."""
    by_figure = part.lookup.fabric_generation(strand.medium, strand.each_gbs)
    devices = (device for end in ends for device in part.devices.get(end, ()))
    known = {device.fabric.generation for device in devices if device.fabric}
    return by_figure if by_figure is not None or len(known) != 1 else known.pop()


def unsure_figures(topology: Topology, part: FabricPart) -> Iterable[Problem]:
    """Yield what keeps a figure open: the devices between which the evidence does not tell."""
    told: set[Medium] = set()
    for link in topology.links():
        known = part.devices.get(link.source) or part.devices.get(link.target)
        if link.line is None and link.count and link.medium is Medium.NVLINK and link.medium not in told and not known:
            told.add(link.medium)
            total = sum(each.count or 0 for each in topology.links_of(link.source) if each.medium is link.medium)
            able = (d.fabric for d in fitting(part, link.source, link.medium) if d.fabric)
            names = sorted(
                {str(scale_up.link_gbs) for scale_up in able if (scale_up.links or 0) >= min(total, MOST_LINKS)}
            )
            yield Problem(
                ProblemKind.UNREAD,
                link.origin,
                f"what one {link.medium} link carries depends on the model ({' or '.join(names)} GB/s one way), which "
                "nothing here names: `nvidia-smi -L` would settle it",
            )
