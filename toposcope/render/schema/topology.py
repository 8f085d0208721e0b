"""The graph as ``export`` writes it."""

from __future__ import annotations

from typing import Literal

from toposcope.render.schema.document import Document, Id, OriginDocument, UsableDocument


class NodeDocument(Document, frozen=True, kw_only=True):
    """A component of the topology."""

    id: Id
    kind: str
    pci: str | None
    pci_id: str | None
    name: str | None
    model: str | None
    numa: int | None
    card: str | None
    role: str | None
    count: int | None
    grade: str
    origin: OriginDocument | str


class LinkDocument(Document, frozen=True, kw_only=True):
    """A link of the topology. ``internal``: the inside of one chip, no limit of its own."""

    source: Id
    target: Id
    medium: str
    count: int | None
    generation: int | None
    width: int | None
    max_generation: int | None
    max_width: int | None
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    state: str
    grade: str
    internal: bool
    name: str | None
    origin: OriginDocument | str


class TopologyDocument(Document, frozen=True, kw_only=True):
    """``export --to json``."""

    schema: Literal["toposcope.topology/1"] = "toposcope.topology/1"
    host: str | None
    profile: str | None
    nodes: tuple[NodeDocument, ...]
    links: tuple[LinkDocument, ...]
