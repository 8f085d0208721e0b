"""The catalogue as assembly uses it: look-ups by PCI id, by name and by generation, and the figures of the model."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from toposcope.base import Bandwidth
from toposcope.model import Efficiency, Figures, Library, Medium, Reach
from toposcope.model import Release as KnownFrom
from toposcope.profiles.platforms import platform_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.profiles.catalogue import Catalogue, Device, NicModel, Platform, Release, Software, SwitchModel

REACH = {reach.word: reach for reach in Reach}
"""The words in which the catalogue says how far a library goes."""

_WIDTHS = (1, 2, 4, 8, 16)
_PLANNED_DIGITS = 0.051
"""Libraries print the figures that they plan with to one digit after the point."""
_ALIKE = 1.06
"""Lines of generations with other codings that one figure may stand for: Gen3 x4 and Gen2 x8, Gen5 x4 and Gen6 x2."""

_NOISE = re.compile(
    r"\b(nvidia|tesla|geforce|amd|instinct|huawei|corporation|quadro|advanced micro devices|inc)\b|[,.]"
)
_PUNCTUATION = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Lookup:
    """The catalogue with its indices. Made once an assembly."""

    catalogue: Catalogue

    @cached_property
    def _by_id(self) -> dict[str, list[Device]]:
        return _index((pci_id, device) for device in self.catalogue.devices for pci_id in device.pci_ids)

    @cached_property
    def _by_name(self) -> dict[str, list[Device]]:
        names = ((name, device) for device in self.catalogue.devices for name in (device.name, *device.aliases))
        return _index((simple_name(name), device) for name, device in names)

    @cached_property
    def _switch_ids(self) -> dict[str, SwitchModel]:
        return {pci_id: switch for switch in self.catalogue.switches for pci_id in switch.pci_ids}

    @cached_property
    def _nic_ids(self) -> dict[str, NicModel]:
        return {pci_id: nic for nic in self.catalogue.nics for pci_id in nic.pci_ids}

    @cached_property
    def _lanes(self) -> dict[int, float]:
        return {each.generation: each.lane_gbs for each in self.catalogue.pcie}

    def devices(self, *, pci_id: str | None = None, names: Iterable[str | None] = ()) -> list[Device]:
        """Return the devices that fit: one where the name settles it, several that share a PCI id, none if unknown."""
        named = [device for name in names if name for device in self._named(name)]
        by_id = self._by_id.get(pci_id or "", [])
        return [device for device in by_id if device in named] or _once(named) or by_id

    def switch(self, pci_id: str | None) -> SwitchModel | None:
        """Return the switch with this PCI id."""
        return self._switch_ids.get(pci_id or "")

    def nic(self, pci_id: str | None) -> NicModel | None:
        """Return the NIC with this PCI id."""
        return self._nic_ids.get(pci_id or "")

    def pcie_line(self, generation: int | None, width: int | None) -> Bandwidth | None:
        """Return what a PCIe link carries one way after line coding, None where a part is unknown."""
        lane = self._lanes.get(generation or 0)
        return None if lane is None or not width else Bandwidth.gigabytes(lane * width)

    def planned_pcie(self, planned: Bandwidth) -> Bandwidth | None:
        """Return the line rate of the PCIe links that a library plans with at this figure, None where they differ.

        Generation and width stay open: x16 of one generation is planned as x8 of the next.
        """
        lines = [
            Bandwidth.gigabytes(each.lane_gbs * width)
            for each in self.catalogue.pcie
            for width in _WIDTHS
            if each.planned_lane_gbs and abs(each.planned_lane_gbs * width - planned.gbs) <= _PLANNED_DIGITS
        ]
        alike = bool(lines) and max(lines).bytes_per_s <= min(lines).bytes_per_s * _ALIKE
        return Counter(lines).most_common(1)[0][0] if alike else None

    def planned_links(self, medium: Medium, planned: Bandwidth) -> tuple[int, float] | None:
        """Return how many links a library plans with at this figure, and the line of one (GB/s); None if unsure."""
        found = {
            (count, each.link_gbs)
            for each in self.catalogue.links
            for figure in each.planned_gbs
            for count in range(1, (each.most_links or 0) + 1)
            if each.medium == medium.value and abs(count * figure - planned.gbs) <= _PLANNED_DIGITS
        }
        return found.pop() if len(found) == 1 else None

    def generation(self, gts: float | None) -> int | None:
        """Return the PCIe generation of a rate in GT/s."""
        return next((each.generation for each in self.catalogue.pcie if each.gts == gts), None)

    def fabric_generation(self, medium: Medium, link_gbs: float | None) -> int | None:
        """Return the generation of a scale-up link by its figure, where only one has it."""
        found = {
            each.generation
            for each in self.catalogue.links
            if each.medium == medium.value and each.link_gbs == link_gbs
        }
        return found.pop() if len(found) == 1 else None

    def platform(
        self, vendor: str | None, model: str | None, family: int | None, number: int | None
    ) -> Platform | None:
        """Return the CPU family: by family and model number, else by the model's name."""
        return platform_of(self.catalogue, vendor=vendor, name=model, family=family, model=number)

    def figures(self, vendors: Iterable[str], platform: Platform | None) -> Figures:
        """Make the figures that a topology carries: all classes, and the library of its accelerators' vendor."""
        known = set(vendors)
        software = [each for each in self.catalogue.software if each.vendor in known]
        return Figures(
            {
                each.name: Efficiency(
                    each.name, each.low, each.typical, each.high, each.records, each.source, inferred=each.inferred
                )
                for each in self.catalogue.classes
            },
            _library(software[0], self.catalogue.releases) if len(known) == 1 and software else None,
            platform.crossing if platform else None,
            {each.generation: Bandwidth.gigabytes(each.lane_gbs) for each in self.catalogue.pcie},
            {
                each.generation: Bandwidth.gigabytes(each.planned_lane_gbs)
                for each in self.catalogue.pcie
                if each.planned_lane_gbs
            },
        )

    def _named(self, name: str) -> list[Device]:
        inside = re.findall(r"\[([^\]]+)\]", name)
        for candidate in (*inside, name):
            if found := self._by_name.get(simple_name(candidate)):
                return found
        return []


def simple_name(name: str) -> str:
    """Bring a device's name to words: no vendor, no punctuation, lower case."""
    return _PUNCTUATION.sub(" ", _NOISE.sub(" ", name.lower())).strip()


def _library(software: Software, releases: Iterable[Release]) -> Library:
    return Library(
        name=software.name,
        version=software.version,
        peer_reach=REACH[software.peer_reach],
        rdma_reach=REACH[software.rdma_reach],
        relay=software.relay,
        proxy=software.proxy,
        few_vendor=software.few_vendor,
        few_accelerators=software.few_accelerators,
        few_reach=REACH[software.few_reach] if software.few_reach else None,
        source=software.source,
        releases=tuple(
            KnownFrom(each.models, each.least, each.reason, each.source)
            for each in releases
            if each.library == software.name
        ),
        visible=software.visible,
        order=software.order,
        nic_list=software.nic_list,
        device_file=software.device_file,
    )


def _index(pairs: Iterable[tuple[str, Device]]) -> dict[str, list[Device]]:
    index: dict[str, list[Device]] = {}
    for key, device in pairs:
        found = index.setdefault(key, [])
        if device not in found:
            found.append(device)
    return index


def _once(devices: Iterable[Device]) -> list[Device]:
    kept: list[Device] = []
    for device in devices:
        if device not in kept:
            kept.append(device)
    return kept
