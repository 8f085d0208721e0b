"""The answers of ``analyze`` and ``inspect``: pairs, the way to a remote host, findings, problems."""

from __future__ import annotations

from typing import Literal

from toposcope.render.schema.document import Document, Id, OriginDocument, ProblemDocument, Scalar, UsableDocument
from toposcope.render.schema.machine import MachineDocument, MatrixDocument


class BestDocument(Document, frozen=True, kw_only=True):
    """A permitted route that is faster than the default."""

    transport: str
    line_gbs: float | None


class PairDocument(Document, frozen=True, kw_only=True):
    """The default route of a pair."""

    src: Id
    dst: Id
    relation: str | None
    transport: str | None
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    line_bottleneck: tuple[str, ...]
    bottleneck: tuple[str, ...]
    next_limit_gbs: float | None
    at_most: bool
    grade: str
    best: BestDocument | None


class RemoteDocument(Document, frozen=True, kw_only=True):
    """The default route of an accelerator to an identical host across the network."""

    src: Id
    nics: tuple[Id, ...] | None
    port: str | None
    relation: str | None
    transport: str | None
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    line_bottleneck: tuple[str, ...]
    bottleneck: tuple[str, ...]
    next_limit_gbs: float | None
    at_most: bool
    grade: str
    best: BestDocument | None
    shared_with: tuple[Id, ...]


class EvidenceDocument(Document, frozen=True, kw_only=True):
    """A line of the recording that proves something."""

    source: str
    file: str
    line: int
    text: str | None


class HarmDocument(Document, frozen=True, kw_only=True):
    """A route that a finding slows down."""

    src: Id
    dst: Id
    before_gbs: float | None
    after_gbs: float | None


class FindingDocument(Document, frozen=True, kw_only=True):
    """What a rule has to say."""

    rule: str
    severity: Literal["info", "warning", "critical"]
    verdict: Literal["found", "could-not-tell"]
    components: tuple[Id, ...]
    routes: tuple[HarmDocument, ...]
    message: str
    remedy: str
    grade: str
    evidence: tuple[EvidenceDocument, ...]


class FactDocument(Document, frozen=True, kw_only=True):
    """One configuration value."""

    component: Id
    name: str
    value: Scalar
    status: Literal["value", "absent", "unreadable", "unsupported"]
    origin: OriginDocument | str


class AnalysisDocument(Document, frozen=True, kw_only=True):
    """``analyze --json`` of one host."""

    schema: Literal["toposcope.analysis/1"] = "toposcope.analysis/1"
    host: str | None
    machine: MachineDocument
    matrix: MatrixDocument | None
    pairs: tuple[PairDocument, ...]
    remote: tuple[RemoteDocument, ...]
    findings: tuple[FindingDocument, ...]
    facts: tuple[FactDocument, ...]
    problems: tuple[ProblemDocument, ...]


class AnalysesDocument(Document, frozen=True, kw_only=True):
    """``analyze --json`` of several hosts."""

    schema: Literal["toposcope.analyses/1"] = "toposcope.analyses/1"
    hosts: tuple[AnalysisDocument, ...]


class ErrorDocument(Document, frozen=True, kw_only=True):
    """Input that cannot be used."""

    schema: Literal["toposcope.error/1"] = "toposcope.error/1"
    problems: tuple[ProblemDocument, ...]
