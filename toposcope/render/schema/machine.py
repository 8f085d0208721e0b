"""The machine as ``analyze`` and ``inspect`` tell it: accelerators, NICs, fabric, the matrix."""

from __future__ import annotations

from toposcope.render.schema.document import Document, Id


class FabricDocument(Document, frozen=True, kw_only=True):
    """An accelerator's scale-up links together."""

    medium: str
    links: int | None
    line_gbs: float | None


class AcceleratorDocument(Document, frozen=True, kw_only=True):
    """One accelerator."""

    id: Id
    model: str | None
    pci: str | None
    uuid: str | None
    numa: int | None
    cpus: str | None
    memory_gb: float | None
    nearest_nics: tuple[Id, ...]
    fabric: FabricDocument | None


class PortDocument(Document, frozen=True, kw_only=True):
    """One network port; ``port`` is its id."""

    port: str
    rate_gbps: float | None
    state: str
    members: tuple[str, ...] | None


class NicDocument(Document, frozen=True, kw_only=True):
    """One NIC."""

    id: Id
    name: str | None
    pci: str | None
    numa: int | None
    card: str | None
    model: str | None
    role: str | None
    ports: tuple[PortDocument, ...]


class NearDocument(Document, frozen=True, kw_only=True):
    """A reference machine that nearly fits, and in what it differs."""

    name: str
    differs: tuple[str, ...]


class MachineDocument(Document, frozen=True, kw_only=True):
    """The machine as a whole; counts are null where nothing shows them."""

    profile: str | None
    candidates: tuple[str, ...]
    near: tuple[NearDocument, ...]
    sockets: int | None
    numa_nodes: int | None
    pcie_switches: int | None
    nvswitches: int | None
    accelerators: tuple[AcceleratorDocument, ...]
    nics: tuple[NicDocument, ...]


class MatrixDocument(Document, frozen=True, kw_only=True):
    """The relation words as printed, repaired cells included."""

    labels: tuple[str, ...]
    cells: dict[str, dict[str, str]]
