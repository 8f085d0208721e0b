"""The form of a reference machine, as ``profiles/machines/*.toml`` holds it.

A machine is written by its parts, not by its graph: so many sockets, switches, accelerators and NICs, each list
saying where the part hangs. Places are named ``socket0``, ``numa2``, ``switch1`` or ``gpu3`` (a NIC behind an
accelerator). Assembly turns it into a topology. All bandwidths are GB/s in one direction; port rates are Gb/s.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Count = Annotated[int, msgspec.Meta(ge=1)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
ScaleUpMedium = Literal["nvlink", "c2c", "hccs", "sio", "ub", "xgmi"]
NetworkMedium = Literal["ethernet", "infiniband"]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What all parts share: strictness, and where their figures come from."""

    source: str | None = None
    note: str | None = None


class Pcie(Part, frozen=True):
    """A PCIe link: generation and width."""

    generation: Count
    width: Count = 16


class Bundle(Part, frozen=True):
    """A connection that is no PCIe link: its medium, the figure of the whole bundle, how many links it has."""

    medium: ScaleUpMedium | Literal["socket"]
    line_gbs: Positive | None = None
    links: Count | None = None
    generation: int | None = None
    name: str | None = None


class Cpu(Part, frozen=True):
    """The CPU side. ``numa_cpus`` lists each NUMA node's CPUs, socket by socket.

    ``link`` joins each pair of sockets (its figure is of one pair); None where there is one socket or nothing is
    published. ``memory_gbs`` is of one socket.
    """

    model: str | None = None
    vendor: str | None = None
    sockets: Count = 1
    numa_per_socket: Count = 1
    numa_cpus: tuple[str, ...] | None = None
    link: Bundle | None = None
    memory_gbs: Positive | None = None


class Switches(Part, frozen=True):
    """The PCIe switches, one entry of ``at`` a switch. ``levels``: how many stages of bridges stand inside each."""

    at: tuple[str, ...]
    uplink: Pcie
    model: str | None = None
    pci_id: str | None = None
    levels: Count = 1


class Accelerators(Part, frozen=True):
    """The accelerators, one entry of ``at`` each. ``pcie`` is the link to that place, ``host_link`` another kind.

    ``port_gbps`` is the network port inside each accelerator (an NPU's RoCE port), None where it has none.
    """

    model: str
    at: tuple[str, ...]
    prefix: str = "GPU"
    pcie: Pcie | None = None
    host_link: Bundle | None = None
    pci: tuple[str, ...] | None = None
    port_gbps: Positive | None = None
    port_medium: NetworkMedium = "ethernet"


class Nics(Part, frozen=True):
    """NICs of one sort, one entry of ``at`` each. ``rate_gbps`` is of one port, and may be an option: ``"{nic}"``.

    ``members`` over 1: each port is a bond of so many members, ``rate_gbps`` that of the whole bond.
    """

    at: tuple[str, ...]
    pcie: Pcie
    rate_gbps: Positive | str | None = None
    model: str | None = None
    role: Literal["compute", "storage", "management"] = "compute"
    ports: Count = 1
    members: Count = 1
    medium: NetworkMedium = "ethernet"
    names: tuple[str, ...] | None = None
    pci: tuple[str, ...] | None = None


class Fabric(Part, frozen=True):
    """What joins the accelerators.

    One of: ``switches`` (how many in all; ``links_per_switch``: links of one accelerator to each switch of its own
    board; ``boards``: accelerators and switches are dealt to so many boards in order, and ``trunk_links`` join facing
    switches of two boards); ``pairs`` (two accelerator numbers and the links between them); ``groups`` (accelerator
    numbers, each group a full mesh with ``links_per_pair``). ``outside``: the switches stand outside the host.
    """

    medium: ScaleUpMedium
    link_gbs: Positive
    generation: int | None = None
    switches: Count | None = None
    switch_model: str | None = None
    links_per_switch: tuple[int, ...] | None = None
    boards: Count = 1
    trunk_links: Count | None = None
    outside: bool = False
    pairs: tuple[tuple[int, int, int], ...] | None = None
    groups: tuple[tuple[int, ...], ...] | None = None
    links_per_pair: Count = 1


class Option(Part, frozen=True):
    """A choice that a user may make: ``profile:NAME,nic=400``."""

    default: Positive
    values: tuple[Positive, ...]


class Machine(Part, frozen=True):
    """One reference machine. ``facts`` names the files it was taken from, one a variant, in the order of the options.

    ``from`` names the profile it starts from: its tables are laid over that profile's, key by key, to any depth, and
    an empty string or list takes a key away. It is resolved before a table takes this form (``inheritance.py``), so
    it is no field here.
    ``host_bridges``: ``each`` (every root port its own root complex: the tools print NODE between neighbours) or
    ``socket`` (one for a NUMA node: they print PHB). ``words`` are what its firmware prints where that differs.
    """

    name: str
    title: str
    facts: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    options: dict[str, Option] = {}
    host_bridges: Literal["each", "socket"] = "each"
    guest: bool = False
    cpu: Cpu = Cpu()
    switches: Switches | None = None
    accelerators: Accelerators | None = None
    nics: tuple[Nics, ...] = ()
    fabric: Fabric | None = None
    words: dict[str, str] = {}
