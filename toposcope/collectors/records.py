"""The records that collectors make: what a tool's line said, tokens kept as printed, each with its origin.

They are neutral: ``lspci``, ``/sys`` and ``udevadm`` all yield :class:`PciDevice`, ``nvidia-smi`` and ``npu-smi``
both yield :class:`Matrix`. A field that the tool did not print is None; assembly joins partial records of one
device. What a token means is decided in assembly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from toposcope.base import Bandwidth, Origin, Problem

FactStatus = Literal["value", "absent", "unreadable", "unsupported"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a matrix: how the tool describes the way from ``row`` to ``column``."""

    row: str
    column: str
    word: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The tail of one row: affinities as printed (``0-31,64-95``, ``0``, ``N/A``), None where blank or not a column."""

    label: str
    cpus: str | None
    numa: str | None
    gpu_numa: str | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class Matrix:
    """One relation matrix with all its devices in printed order.

    ``pcie_only``: printed by ``topo -mp``, where the absence of an NVLink word proves nothing.
    ``names`` maps labels to names from the legend (``NIC0`` -> ``mlx5_0``).
    """

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    rows: tuple[MatrixRow, ...]
    names: tuple[tuple[str, str], ...]
    origin: Origin
    pcie_only: bool = False


@dataclass(frozen=True, slots=True)
class PeerStatus:
    """One cell of ``topo -p2p``: may ``row`` reach ``column``; ``capability`` is the letter asked (r, w, n, p, a)."""

    row: str
    column: str
    capability: str
    word: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A GPU or NPU as its vendor's tool names it.

    ``label`` is the tool's name (``GPU0``, ``NPU3``, ``Phy-ID5``; ``GPU0/1`` for MIG device 1 of GPU 0), None where
    only other fields identify it. ``pci`` is canonical. Generations and widths are of its PCIe link;
    ``performance_state`` (``P8``) and ``utilisation`` (per cent) tell an idle link from a degraded one.
    ``by_runtime``: named by a program of the runtime, which may see a part of the devices and numbers them its own way.
    """

    origin: Origin
    label: str | None = None
    model: str | None = None
    pci: str | None = None
    uuid: str | None = None
    serial: str | None = None
    memory_bytes: int | None = None
    numa: int | None = None
    cpus: str | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    pcie_max_generation: int | None = None
    pcie_max_width: int | None = None
    performance_state: str | None = None
    utilisation: int | None = None
    mig_enabled: bool | None = None
    health: str | None = None
    by_runtime: bool = False


@dataclass(frozen=True, slots=True)
class FabricLink:
    """One NVLink, HCCS, UB or xGMI link of an accelerator, as a status command lists it.

    ``rate`` is what was printed (one direction); ``active`` False is printed as inactive or down.
    ``peer`` is the canonical PCI address or label of the other end, ``peer_kind`` what the tool calls it,
    ``peer_link`` its number of the same link there. ``medium``: what the fabric is where it is not NVLink (``xgmi``).
    ``planned``: derived from what a collective library plans with.
    """

    accelerator: str
    link: int
    origin: Origin
    active: bool | None = None
    rate: Bandwidth | None = None
    version: str | None = None
    peer: str | None = None
    peer_kind: str | None = None
    peer_link: int | None = None
    medium: str = "nvlink"
    planned: bool = False


@dataclass(frozen=True, slots=True)
class PciLink:
    """Speed (GT/s) and width of a PCIe link; a width of 0 is no link, None was not printed or ``unknown``."""

    gts: float | None
    width: int | None


@dataclass(frozen=True, slots=True)
class PciDevice:
    """One PCI function. ``address`` is canonical.

    ``parent`` is the canonical address of the bridge above where the source prints it (a tree, a path, ``/sys``);
    ``at_root`` says that the source shows it directly on a root bus. ``secondary`` and ``subordinate`` are the bus
    numbers of a bridge. ``class_code`` is four hex digits (``0302``), ``class_name`` as printed, ``pci_id``
    ``10de:2330``. ``name`` is vendor and device as printed. ``port_type`` is lspci's (``Root Port``, ``Upstream Port``,
    ``Downstream Port``, ``Endpoint`` ...). ``capability`` and ``status`` are LnkCap/LnkSta, or max/current of ``/sys``.
    ``cpus`` are the nearest CPUs as a list (``0-31,64-95``).
    ``alive`` False: fell off the bus (``rev ff``, ``Unknown header type 7f``). ``denied``: capabilities not readable.
    """

    address: str
    origin: Origin
    parent: str | None = None
    at_root: bool = False
    class_code: str | None = None
    class_name: str | None = None
    pci_id: str | None = None
    subsystem_id: str | None = None
    name: str | None = None
    revision: str | None = None
    secondary: int | None = None
    subordinate: int | None = None
    port_type: str | None = None
    capability: PciLink | None = None
    status: PciLink | None = None
    numa: int | None = None
    cpus: str | None = None
    driver: str | None = None
    iommu_group: int | None = None
    slot: str | None = None
    physical_function: str | None = None
    virtual: bool = False
    alive: bool = True
    denied: bool = False


@dataclass(frozen=True, slots=True)
class PlannedLink:
    """A link as a collective library plans with it: ``value`` is its own figure (one direction), no line rate.

    ``device`` is the canonical PCI address of the lower end. ``kind`` is the library's word (``PCI``, ``NVL``,
    ``XGMI``). ``peer`` is the address of the other end, None for a switch and for what stands above in the PCIe tree.
    """

    device: str
    kind: str
    value: Bandwidth
    origin: Origin
    peer: str | None = None


@dataclass(frozen=True, slots=True)
class NicName:
    """Names of one network device that belong together: any two or more of RDMA device, netdev, PCI address, label."""

    origin: Origin
    rdma: str | None = None
    netdev: str | None = None
    pci: str | None = None
    label: str | None = None
    port: int | None = None


@dataclass(frozen=True, slots=True)
class NetworkPort:
    """The network end of a NIC, or the RoCE port inside an NPU (``device`` is then the NPU's label).

    ``device`` is an RDMA device, a netdev, a PCI address or a label. ``rate`` is the current line rate, one way;
    ``state`` and ``physical_state`` as printed (``Active``, ``4: ACTIVE``, ``UP``). ``members`` are a bond's netdevs,
    ``bond`` is the bond a netdev belongs to. ``neighbour`` is what LLDP or the fabric names at the other end.
    """

    device: str
    origin: Origin
    port: int | None = None
    rate: Bandwidth | None = None
    max_rate: Bandwidth | None = None
    width: int | None = None
    state: str | None = None
    physical_state: str | None = None
    link_layer: str | None = None
    address: str | None = None
    mtu: int | None = None
    members: tuple[str, ...] | None = None
    bond: str | None = None
    neighbour: str | None = None
    neighbour_port: str | None = None


@dataclass(frozen=True, slots=True)
class Cpu:
    """What a host's CPU tools say of it as a whole."""

    origin: Origin
    model: str | None = None
    vendor: str | None = None
    family: int | None = None
    model_number: int | None = None
    architecture: str | None = None
    sockets: int | None = None
    numa_nodes: int | None = None
    cpus: int | None = None
    hypervisor: str | None = None


@dataclass(frozen=True, slots=True)
class NumaNode:
    """One NUMA node: its CPUs (as a list ``0-31,64-95``), memory and distances to all nodes in ascending order."""

    node: int
    origin: Origin
    cpus: str | None = None
    memory_bytes: int | None = None
    distances: tuple[int, ...] | None = None
    socket: int | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """One configuration value: becomes a fact of the component that ``subject`` names.

    ``subject`` is ``host``, a PCI address, a label (``NPU3``), a NIC name (``mlx5_0``), a port (``mlx5_0/1``), or a
    pair (``GPU0|GPU1``). ``name`` is a stable key with dots (``acs.request_redirect``, ``cmdline.iommu``,
    ``env.NCCL_IB_HCA``, ``counter.SymbolErrorCounter``). ``status`` other than ``value`` says why there is no value.
    """

    subject: str
    name: str
    value: str | int | float | bool | None
    origin: Origin
    status: FactStatus = "value"


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure of a benchmark, in its own convention: a test of both directions at once counts both.

    ``src`` and ``dst`` are PCI addresses or labels (``GPU0``, ``NPU3``), ``host`` or ``host:1`` (NUMA node 1),
    ``remote``; ``|`` stands between two names of one device, the surer one first. ``metric`` is ``memcpy``, ``rdma``,
    or of a collective ``busbw`` or ``algbw``; ``collective`` is its name, ``members`` its accelerators on this host, of
    ``ranks`` on ``hosts`` in all. The member of ``rdma`` is the NIC. ``algorithm`` stands beside a bus bandwidth.
    ``both`` is None where the output does not tell whether it counts one direction or both. ``access``: who moves the
    data (``read``: the receiver); ``engine``: ``copy``, ``kernel`` or ``cpu``. ``flows``: copies that ran together.
    ``peer_access``: whether the test had it on.
    """

    origin: Origin
    tool: str
    metric: Literal["memcpy", "sendrecv", "busbw", "algbw", "rdma"]
    value: Bandwidth
    src: str | None = None
    dst: str | None = None
    test: str | None = None
    collective: str | None = None
    both: bool | None = False
    access: Literal["read", "write"] | None = None
    engine: Literal["copy", "kernel", "cpu"] | None = None
    size: int | None = None
    flows: int | None = None
    peer_access: bool | None = None
    members: tuple[str, ...] = ()
    ranks: int | None = None
    hosts: int | None = None
    algorithm: Bandwidth | None = None


Record = (
    Accelerator
    | Cell
    | Cpu
    | FabricLink
    | Matrix
    | Measurement
    | NetworkPort
    | NicName
    | NumaNode
    | PciDevice
    | PeerStatus
    | PlannedLink
    | Setting
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser made of one capture: records in printed order, and all that it could not read."""

    records: tuple[Record, ...] = ()
    problems: tuple[Problem, ...] = ()
