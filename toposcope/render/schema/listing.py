"""The lists that ``doctor``, ``profiles``, ``affinity`` and ``rules`` print."""

from __future__ import annotations

from typing import Literal

from toposcope.render.schema.document import Document, Id


class SourceDocument(Document, frozen=True, kw_only=True):
    """One source on this host; ``cost`` is what the analysis lacks for it, null where nothing."""

    key: str
    tool: str
    command: str | None
    standing: str
    gives: str
    cost: str | None
    remedy: str | None
    error: str | None


class DoctorDocument(Document, frozen=True, kw_only=True):
    """``doctor --json``."""

    schema: Literal["toposcope.doctor/1"] = "toposcope.doctor/1"
    sources: tuple[SourceDocument, ...]


class ProfileDocument(Document, frozen=True, kw_only=True):
    """One entry of ``profiles list --json``."""

    name: str
    title: str


class BindingDocument(Document, frozen=True, kw_only=True):
    """One rank. ``number`` is the accelerator's, ``share`` this rank's part of ``cpus``; the rest are NUMA nodes."""

    rank: int
    accelerator: Id
    number: int
    pci: str | None
    nics: tuple[str, ...]
    devices: tuple[str, ...]
    reach: str | None
    cpus: str | None
    share: str | None
    numa: int | None
    memory: int | None


class AffinityDocument(Document, frozen=True, kw_only=True):
    """``affinity --json``: ``devices`` are the RDMA devices that any rank has nearest."""

    schema: Literal["toposcope.affinity/1"] = "toposcope.affinity/1"
    host: str | None
    library: str | None
    ranks: tuple[BindingDocument, ...]
    devices: tuple[str, ...]
    notes: tuple[str, ...]


class RuleDocument(Document, frozen=True, kw_only=True):
    """One rule."""

    rule: str
    title: str
    reasoning: str
    remedy: str
    sources: tuple[str, ...]


class RulesDocument(Document, frozen=True, kw_only=True):
    """``rules list --json`` and ``rules show --json``."""

    schema: Literal["toposcope.rules/1"] = "toposcope.rules/1"
    rules: tuple[RuleDocument, ...]
