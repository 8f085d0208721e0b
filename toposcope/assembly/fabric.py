"""The scale-up fabric: which accelerators are joined, by links of their own or through switches, and by how many.

From the words of the matrix, the status of single links, the switches on the PCI bus, and the catalogue. A figure is
given only where all devices that fit agree on it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.assembly.reference import with_usable
from toposcope.assembly.words import meaning
from toposcope.base import Bandwidth, Origin, Problem, ProblemKind
from toposcope.model import Component, Fact, Grade, Kind, Link, Medium, State

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

_RATE_DIGITS = 0.01
"""Printed rates agree within this (GB/s): tools cut or round the third digit."""

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
    """Add the scale-up links and the switches between them, and note what form the fabric has."""
    joints = _joints(part)
    switches = [each.id for each in topology.components(Kind.NVSWITCH)]
    forms: set[str] = set()
    for medium in dict.fromkeys(joint.medium for joint in joints):
        group = [joint for joint in joints if joint.medium is medium]
        switched = _switched(group, part, switches)
        if switched:
            forms.add(SWITCHED)
            _add_switched(topology, part, switched, switches if medium is Medium.NVLINK else ())
        direct = [joint for joint in group if joint not in switched]
        if direct:
            forms.add(_add_mesh(topology, part, direct))
    if not joints and switches:
        forms.add(SWITCHED)
        _add_by_catalogue(topology, part, switches)
    if not forms and _is_hidden(topology, part):
        forms.add(HIDDEN)
    for form in sorted(forms):
        origin = joints[0].origin if joints else Origin("topology", "derived")
        topology.note(Fact("host", f"fabric.{form}", value=True, origin=origin))


SWITCHED, DIRECT, UNTOLD, HIDDEN = "switched", "direct", "switch-or-bridge", "hidden"
"""The forms of a fabric, as the facts ``fabric.FORM`` of the host say them.

``switch-or-bridge``: it could not be told which. ``hidden``: the accelerators may well have one, but nothing that was
recorded would show it.
"""


def link_figure(devices: Sequence[Device], medium: Medium) -> float | None:
    """Return the figure of one link (GB/s, one direction) if all devices that fit agree on it."""
    figures = {device.fabric.link_gbs for device in devices if device.fabric and device.fabric.medium == medium.value}
    return figures.pop() if len(figures) == 1 else None


def fitting(part: FabricPart, name: str, medium: Medium, counts: Sequence[int], *, switched: bool) -> list[Device]:
    """Return the devices that an accelerator may be: by its model, else by its links.

    Behind switches a device brings all its links; links of pairs are those of a board that is known to be wired so, or
    of a bridge between two cards.
    """
    known = part.devices.get(name)
    if known:
        return list(known)
    makes = (device for device in part.lookup.catalogue.devices if device.fabric)
    return [
        device
        for device in makes
        if device.fabric and device.fabric.medium == medium.value and _able(device, counts, switched=switched)
    ]


def _able(device: Device, counts: Sequence[int], *, switched: bool) -> bool:
    fabric = device.fabric
    if fabric is None or not counts or not any(counts):
        return True
    links = fabric.links or 0
    if switched:
        return links == max(counts)
    bridged = device.form_factor == "PCIe" and len(counts) == 1
    return sum(counts) <= links and (bridged or set(counts) <= set(fabric.direct))


def _is_hidden(topology: Topology, part: FabricPart) -> bool:
    """Tell accelerators that may be joined by what no recorded output would show."""
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR) if "/" not in each.id]
    showing = [matrix for matrix in part.evidence.matrices if not matrix.pcie_only]
    words = {cell.word for matrix in showing for cell in matrix.cells}
    if len(accelerators) < 2 or (words and words - {"NA", "N/A"}):  # noqa: PLR2004 - a pair
        return False
    known = [device for name in accelerators for device in part.devices.get(name, ())]
    return not known or any(device.fabric and device.form_factor != "PCIe" for device in known)


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
    """Yield the pairs that link status joins where no matrix was recorded: as each other's peers, or over switches."""
    ends: dict[str, dict[int, FabricLink]] = {}
    for link in part.evidence.fabric_links:  # several sources list the same links
        owner = part.identities.id_of(link.accelerator)
        if owner and link.active is not False and (link.peer or link.peer_kind):
            ends.setdefault(owner, {}).setdefault(link.link, link)
    for a, b in combinations(ends, 2):
        first, second = min(a, b), max(a, b)
        between = [link for link in ends[first].values() if part.identities.id_of(link.peer or "") == second]
        if between:
            medium = Medium(between[0].medium)
            yield Joint(first, second, medium, len(between), switched=False, origin=between[0].origin)
            continue
        ups, downs = (_to_switches(part, ends[end]) for end in (first, second))
        if ups.keys() & downs.keys():
            count = min(sum(ups.values()), sum(downs.values()))
            origin = next(iter(ends[first].values())).origin
            yield Joint(first, second, Medium.NVLINK, count, switched=True, origin=origin)


def _to_switches(part: FabricPart, links: Mapping[int, FabricLink]) -> Counter[str]:
    """Count the links that end at what is no accelerator, by its address; old drivers do not say what that is.

    Where the other end has no address, one that is called a switch counts as the one pool of all.
    """
    far = (link for link in links.values() if part.identities.id_of(link.peer or "") is None)
    return Counter(link.peer or POOL for link in far if link.peer or "switch" in (link.peer_kind or "").lower())


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


def _switched(group: Sequence[Joint], part: FabricPart, switches: Sequence[str]) -> list[Joint]:
    """Return the pairs that switches join: those a word says it of; all NVLink pairs where it must be so (DESIGN 5)."""
    if group[0].medium is not Medium.NVLINK:
        return [joint for joint in group if joint.switched]
    named = any(joint.switched for joint in group) or any(
        link.peer_kind and "switch" in link.peer_kind.lower() for link in part.evidence.fabric_links
    )
    over = any(sum(counts) > _most_links(part, end) for end, counts in _counts_of(group).items())
    return list(group) if switches or named or over else []


def _counts_of(group: Sequence[Joint]) -> dict[str, list[int]]:
    """Return the link counts of each accelerator's pairs."""
    counts: dict[str, list[int]] = {}
    for joint in group:
        for end in (joint.a, joint.b):
            counts.setdefault(end, []).append(joint.links or 0)
    return counts


def _most_links(part: FabricPart, name: str) -> int:
    links = [device.fabric.links or 0 for device in part.devices.get(name, ()) if device.fabric]
    return max(links, default=MOST_LINKS)


def _add_mesh(topology: Topology, part: FabricPart, group: Sequence[Joint]) -> str:
    """Join pairs by links of their own; returns whether it is sure that no switch stands between them."""
    counts = _counts_of(group)
    sure = True
    for joint in group:
        able = [_joined(part, end, joint.medium, counts[end]) for end in (joint.a, joint.b)]
        common = [device for device in able[0] if device in able[1]]
        count = joint.links or _links_of_a_pair(joint.medium, common, len(counts[joint.a]))
        strand = _strand(part, joint.a, _Strand(joint.medium, count, joint.origin), common)
        _link(topology, part, (joint.a, joint.b), strand)
        sure = sure and (joint.medium is not Medium.NVLINK or _is_board(part, joint, counts))
    return DIRECT if sure else UNTOLD


def _links_of_a_pair(medium: Medium, devices: Sequence[Device], peers: int) -> int | None:
    """Return how many links a word without a number stands for, None where it is not known.

    HCCS has one for each pair. rocm-smi says XGMI of pairs that other accelerators relay to as well: only a device
    whose links go to all its peers alike tells the number.
    """
    if medium is not Medium.XGMI:
        return 1 if medium is Medium.HCCS else None
    wired = {(device.fabric.links, device.fabric.direct) for device in devices if device.fabric}
    links, direct = wired.pop() if len(wired) == 1 else (None, ())
    return direct[0] if len(direct) == 1 and links == direct[0] * peers else None


def _joined(part: FabricPart, end: str, medium: Medium, counts: Sequence[int]) -> list[Device]:
    """Return what an accelerator may be: of a switched board too, of which a guest may see two that print alike."""
    direct = fitting(part, end, medium, counts, switched=False)
    switched = fitting(part, end, medium, [max(counts)], switched=True) if medium is Medium.NVLINK else []
    return [*direct, *(device for device in switched if device not in direct)]


def _is_board(part: FabricPart, joint: Joint, counts: Mapping[str, list[int]]) -> bool:
    """Tell a pair of cards with a bridge, or a mesh as a known board wires it; no switched board may print the same."""
    own = counts[joint.a]
    switched = fitting(part, joint.a, joint.medium, [max(own)], switched=True)
    direct = fitting(part, joint.a, joint.medium, own, switched=False)
    if any(device.form_factor != "PCIe" and _able(device, [max(own)], switched=True) for device in switched):
        return False
    return bool(direct) and all(
        device.form_factor == "PCIe" or (device.fabric is not None and set(own) <= set(device.fabric.direct))
        for device in direct
    )


def _strand(part: FabricPart, name: str, strand: _Strand, devices: Sequence[Device]) -> _Strand:
    """Add the figure of one link: of the generation whose rate the link status prints, else of the model."""
    printed = [
        link
        for link in part.evidence.fabric_links
        if link.rate is not None and part.identities.id_of(link.accelerator) == name
    ]
    rates = {round(link.rate.gbs, 3) for link in printed if link.rate is not None}
    known = {
        each.link_gbs
        for each in part.lookup.catalogue.links
        if each.link_gbs is not None
        and any(abs(figure - rate) < _RATE_DIGITS for figure in each.printed_gbs for rate in rates)
    }
    if len(known) == 1:
        grade = Grade.DERIVED if printed[0].planned else Grade.OBSERVED
        return replace(strand, each_gbs=known.pop(), origin=printed[0].origin, grade=grade)
    return replace(strand, each_gbs=link_figure(devices, strand.medium))


def _add_switched(topology: Topology, part: FabricPart, group: Sequence[Joint], switches: Sequence[str]) -> None:
    """Join each accelerator to the switches: evenly to those that are seen, else to one that stands for all."""
    medium, origin = group[0].medium, group[0].origin
    rows = {row.label: row.origin for matrix in part.evidence.matrices for row in matrix.rows}
    ends = list(switches)
    if not ends:
        kind = Kind.NVSWITCH if medium is Medium.NVLINK else Kind.FABRIC_SWITCH
        ends = [POOL if medium is Medium.NVLINK else f"{medium.value.upper()}-SW"]
        topology.add(Component(ends[0], kind, origin, Grade.DERIVED, count=None))
    for name, count in _links_each(group, part).items():
        devices = fitting(part, name, medium, [count], switched=True)
        strand = _strand(part, name, _Strand(medium, None, rows.get(name, origin)), devices)
        for end, share in _shared_out(count or None, ends):
            _link(topology, part, (name, end), replace(strand, count=share))


def _add_by_catalogue(topology: Topology, part: FabricPart, switches: Sequence[str]) -> None:
    """Join accelerators to the NVSwitches on the bus where nothing tells of links: all of the model's are assumed."""
    for each in topology.components(Kind.ACCELERATOR):
        devices = [device for device in part.devices.get(each.id, ()) if device.fabric]
        counts = {device.fabric.links for device in devices if device.fabric}
        if len(counts) != 1 or (count := counts.pop()) is None:
            continue
        origin = Origin("catalogue", devices[0].name)
        figure = link_figure(devices, Medium.NVLINK)
        strand = _Strand(Medium.NVLINK, None, origin, figure, Grade.ASSUMED)
        for end, share in _shared_out(count, switches):
            _link(topology, part, (each.id, end), replace(strand, count=share))


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
    origin: Origin
    each_gbs: float | None = None
    grade: Grade = Grade.DERIVED


def _link(topology: Topology, part: FabricPart, ends: tuple[str, str], strand: _Strand) -> None:
    known = topology.link(*ends)
    if known is not None:  # a PCIe tree that hangs one accelerator on another
        both = f"{ends[0]} and {ends[1]} are linked by {known.medium.value} already"
        message = f"{both}: their {strand.medium.value} is left out"
        topology.problems.append(Problem(ProblemKind.CLASH, strand.origin, message, other=known.origin))
        return
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
    """Yield what keeps the figure of NVLinks open: the devices between which the evidence does not tell."""
    unknown = (link for link in topology.links() if link.medium is Medium.NVLINK and link.line is None and link.count)
    link = next((each for each in unknown if not part.devices.get(each.source)), None)
    if link is None:
        return
    counts = [each.count or 0 for each in topology.links_of(link.source) if each.medium is Medium.NVLINK]
    switched = topology.component(link.target).kind is not Kind.ACCELERATOR
    if switched:
        able = fitting(part, link.source, Medium.NVLINK, [sum(counts)], switched=True)
    else:
        able = _joined(part, link.source, Medium.NVLINK, counts)
    names = sorted({device.fabric.link_gbs for device in able if device.fabric and device.fabric.link_gbs})
    yield Problem(
        ProblemKind.UNREAD,
        link.origin,
        f"what one NVLink carries depends on the model ({' or '.join(f'{name:g}' for name in names)} GB/s one way), "
        "which nothing here names: `nvidia-smi -L` would settle it",
    )
