"""The form of the catalogue, as ``profiles/catalogue/*.toml`` holds it: figures, each with unit, direction and source.

All bandwidths are GB/s (10^9 bytes/s) in one direction, port rates Gb/s. ``status`` says how a figure is known:
``vendor``, ``measured``, ``inferred``, ``recall`` (general knowledge that no public page was found for).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from toposcope.profiles.machine import Bundle, Pcie, Positive, ScaleUpMedium

Word = Literal["PIX", "PXB", "PHB", "NODE", "SYS"]
Factor = Annotated[float, msgspec.Meta(gt=0, le=1)]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What all entries share. Every entry names its source."""

    source: Annotated[str, msgspec.Meta(min_length=1)]
    status: Literal["vendor", "measured", "inferred", "recall"] = "vendor"
    note: str | None = None


class ScaleUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The scale-up links of one device: how many at most, and the line figure of one.

    ``direct`` are the link counts per pair that known boards have without a switch (4 x A100: ``[4]``).
    """

    medium: ScaleUpMedium | Literal["ethernet"]
    link_gbs: Positive | None = None
    links: int | None = None
    generation: int | None = None
    total_gbs: float | None = None
    direct: tuple[int, ...] = ()


class Device(Entry, frozen=True):
    """An accelerator. ``aliases`` are names that tools print, without the vendor. ``peer_over_pcie``: None unknown.

    ``memory_gb`` is the memory's size, ``memory_gbs`` its bandwidth. ``host_link`` joins it to its CPU in the place of
    PCIe (a superchip).
    """

    name: str
    vendor: str
    pci_ids: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    form_factor: str | None = None
    architecture: str | None = None
    memory_gb: float | None = None
    memory_gbs: float | None = None
    pcie: Pcie | None = None
    host_link: Bundle | None = None
    fabric: ScaleUp | None = None
    peer_over_pcie: bool | None = None
    mig: bool = False
    port_gbps: float | None = None
    fp16_tflops: float | None = None


class NicModel(Entry, frozen=True):
    """A NIC. ``rate_gbps`` is the most that one port does, None unknown."""

    name: str
    pci_ids: tuple[str, ...] = ()
    rate_gbps: float | None = None
    ports: int | None = None
    pcie: Pcie | None = None
    virtual: bool = False


class SwitchModel(Entry, frozen=True):
    """An NVSwitch (``medium = "nvlink"``) or a PCIe switch. ``embedded``: inside a card (NIC, GPU)."""

    name: str
    medium: Literal["nvlink", "pcie"]
    pci_ids: tuple[str, ...] = ()
    generation: int | None = None
    ports: int | None = None
    lanes: int | None = None
    link_gbs: float | None = None
    embedded: bool = False
    endpoint: bool = False


class PcieGeneration(Entry, frozen=True):
    """One PCIe generation: rate in GT/s and the figure of one lane after line coding.

    ``planned_lane_gbs`` is what collective libraries plan with for a lane.
    """

    generation: int
    gts: Positive
    lane_gbs: Positive
    planned_lane_gbs: Positive | None = None


class LinkGeneration(Entry, frozen=True):
    """One generation of a scale-up link. ``printed_gbs`` is what the status command prints for it, if it differs.

    ``planned_gbs`` are the figures that releases of the collective library plan with for one link, ``most_links`` is
    how many one device has at most.
    """

    medium: ScaleUpMedium
    generation: int | None
    link_gbs: Positive
    name: str = ""
    printed_gbs: tuple[float, ...] = ()
    planned_gbs: tuple[float, ...] = ()
    most_links: int | None = None


class SocketGeneration(Entry, frozen=True):
    """The links between sockets of a CPU family. ``link_gbs`` is of one link, ``links`` how many boards wire."""

    cpu: str
    name: str
    link_gbs: Positive
    links: str = ""


class Class(Entry, frozen=True):
    """An efficiency class: usable over line. See ``toposcope.model.Efficiency``."""

    name: str
    low: Factor
    typical: Factor
    high: Factor
    records: int = 0
    machines: int = 0
    inferred: bool = False


class Platform(Entry, frozen=True):
    """A CPU family and how well it lets accelerators reach each other across its sockets.

    ``matches`` are regular expressions, searched for in the CPU's model name without regard to case; ``family`` and
    ``models`` are what lscpu prints. ``crossing`` is the suffix of the efficiency classes for it, ``socket_link`` its
    entry among the socket links, ``memory_gbs`` the bandwidth of one socket with all channels filled.
    """

    name: str
    vendor: str
    matches: tuple[str, ...] = ()
    family: int | None = None
    models: tuple[int, ...] = ()
    crossing: str | None = None
    socket_link: str | None = None
    memory_gbs: float | None = None


class Software(Entry, frozen=True):
    """What a collective library does by default. Words are nvidia-smi's: PIX, PXB, PHB, NODE, SYS.

    ``visible`` is the variable that says which accelerators a process sees, ``order`` a setting that numbers them by
    the bus, ``nic_list`` the variable for the RDMA devices, ``device_file`` an accelerator's file (``{number}``).
    """

    name: str
    version: str
    vendor: str
    peer_reach: Word
    rdma_reach: Word
    relay: bool = False
    proxy: bool = False
    few_vendor: str | None = None
    few_accelerators: int = 0
    few_reach: Word | None = None
    visible: str | None = None
    order: str | None = None
    nic_list: str | None = None
    device_file: str | None = None


class Release(Entry, frozen=True):
    """The first release of a library that knows some models; ``reason`` is what earlier ones do."""

    name: str
    library: str
    models: tuple[str, ...]
    least: Annotated[str, msgspec.Meta(pattern=r"^\d+(\.\d+)*$")]
    reason: str


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All figures together, read from the files of one folder (and a user's folder that extends it)."""

    devices: tuple[Device, ...] = ()
    nics: tuple[NicModel, ...] = ()
    switches: tuple[SwitchModel, ...] = ()
    pcie: tuple[PcieGeneration, ...] = ()
    links: tuple[LinkGeneration, ...] = ()
    sockets: tuple[SocketGeneration, ...] = ()
    classes: tuple[Class, ...] = ()
    platforms: tuple[Platform, ...] = ()
    software: tuple[Software, ...] = ()
    releases: tuple[Release, ...] = ()
