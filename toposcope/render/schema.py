"""The forms of the JSON documents that others build on, and their JSON Schemas.

Bandwidths are GB/s (10^9 bytes/s) in one direction, ``rate_gbps`` Gb/s; null is unknown. Keys may be added, never
renamed without a new schema number.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Id = str
Scalar = str | int | float | bool | None


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object with the keys of its fields."""


class UsableDocument(Document, frozen=True, kw_only=True):
    """What good copies achieve: the range and the typical value."""

    low: float
    typical: float
    high: float


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


class OriginDocument(Document, frozen=True, kw_only=True):
    """A place in the evidence."""

    source: str
    file: str
    line: int


class FactDocument(Document, frozen=True, kw_only=True):
    """One configuration value."""

    component: Id
    name: str
    value: Scalar
    status: Literal["value", "absent", "unreadable", "unsupported"]
    origin: OriginDocument | str


class ProblemDocument(Document, frozen=True, kw_only=True):
    """Something that was not read, was repaired, or contradicts another line."""

    kind: Literal["unread", "repaired", "clash"]
    source: str
    file: str
    line: int
    message: str
    text: str
    other: OriginDocument | None = None


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


class SegmentDocument(Document, frozen=True, kw_only=True, rename={"from_": "from"}):
    """One stage of a route."""

    from_: str
    to: str
    medium: str
    generation: int | None
    width: int | None
    count: int | None
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    grade: str
    crossing: str | None
    origin: OriginDocument | str


class RouteDocument(Document, frozen=True, kw_only=True):
    """One route; bottlenecks are indices of its segments."""

    transport: str
    via: Id | None
    nics: tuple[Id, ...] | None
    port: str | None
    default: bool
    permitted: bool
    why: str
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    line_bottleneck: tuple[int, ...]
    bottleneck: tuple[int, ...]
    close_behind: tuple[int, ...]
    next_limit_gbs: float | None
    at_most: bool
    grade: str
    segments: tuple[SegmentDocument, ...]


class PathDocument(Document, frozen=True, kw_only=True):
    """``path --json``."""

    schema: Literal["toposcope.path/1"] = "toposcope.path/1"
    src: Id
    dst: Id
    library: str | None
    routes: tuple[RouteDocument, ...]


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


class DifferenceDocument(Document, frozen=True, kw_only=True):
    """One thing in which two machines differ."""

    what: str
    a: Scalar
    b: Scalar


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


class FlowDocument(Document, frozen=True, kw_only=True):
    """One flow beside the others; ``limited_by`` is the link that holds it at line rate."""

    src: Id
    dst: Id
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    limited_by: str | None


class LoadDocument(Document, frozen=True, kw_only=True):
    """One direction of a link under the flows at line rate; the capacity of a crossing is null where none is known."""

    from_: str = msgspec.field(name="from")
    to: str
    flows: int
    load_gbs: float | None
    capacity_gbs: float | None


class BusDocument(Document, frozen=True, kw_only=True):
    """Bus bandwidth of a collective, as nccl-tests defines it; null in practice where no measurement speaks of it."""

    line: float | None
    low: float | None
    typical: float | None
    high: float | None


class ContentionDocument(Document, frozen=True, kw_only=True):
    """``contend --json``."""

    schema: Literal["toposcope.contention/1"] = "toposcope.contention/1"
    pattern: str
    among: tuple[Id, ...]
    flows: tuple[FlowDocument, ...]
    links: tuple[LoadDocument, ...]
    busbw_gbs: BusDocument | None


class ChangeDocument(Document, frozen=True, kw_only=True):
    """One thing that was changed; ``note`` is what speaks against it."""

    component: str
    what: str
    before: str
    after: str
    note: str


class AnswerDocument(Document, frozen=True, kw_only=True):
    """The default route between two ends.

    ``carried_gbs`` is what a user will see, faults that were found counted in; ``share_gbs`` what a way out keeps
    of it when all accelerators send at once.
    """

    transport: str
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    carried_gbs: float | None
    share_gbs: float | None
    bottleneck: tuple[str, ...]


class OutcomeDocument(Document, frozen=True, kw_only=True):
    """One question that gets another answer; null where an end is missing. Ratios are after over before."""

    src: Id
    dst: Id
    before: AnswerDocument | None
    after: AnswerDocument | None
    ratio: float | None
    share_ratio: float | None


class FaultDocument(Document, frozen=True, kw_only=True):
    """A finding in short."""

    rule: str
    components: tuple[str, ...]
    message: str


class KindredDocument(Document, frozen=True, kw_only=True):
    """``count`` equal answers to one question."""

    transport: str
    line_gbs: float | None
    usable_gbs: UsableDocument | None
    count: int


class QuestionDocument(Document, frozen=True, kw_only=True):
    """One question to both machines, the slowest answers first; the ratios are of the slowest, a over b."""

    question: str
    a: tuple[KindredDocument, ...]
    b: tuple[KindredDocument, ...]
    line_ratio: float | None
    ratio: float | None


class DiffDocument(Document, frozen=True, kw_only=True):
    """``diff --json``.

    ``differences`` are all that differs in short, changes of one machine first. ``same_machine``: both are one machine,
    or built alike; only then there are ``changes`` and ``routes`` (those that lose most first).
    """

    schema: Literal["toposcope.diff/1"] = "toposcope.diff/1"
    a: str
    b: str
    differences: tuple[DifferenceDocument, ...]
    same_machine: bool
    changes: tuple[DifferenceDocument, ...]
    questions: tuple[QuestionDocument, ...]
    routes: tuple[OutcomeDocument, ...]
    findings_gone: tuple[FaultDocument, ...]
    findings_new: tuple[FaultDocument, ...]


class WhatIfDocument(Document, frozen=True, kw_only=True):
    """``whatif --json``; the route that loses most is first."""

    schema: Literal["toposcope.whatif/1"] = "toposcope.whatif/1"
    changes: tuple[ChangeDocument, ...]
    routes: tuple[OutcomeDocument, ...]
    findings_gone: tuple[FaultDocument, ...]
    findings_new: tuple[FaultDocument, ...]


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


class CheckedDocument(Document, frozen=True, kw_only=True):
    """One measurement beside its prediction, both in the test's own convention.

    ``share`` is the value over the typical expected figure, ``health`` how that is judged, ``why`` why it is not.
    ``busbw_gbs`` is the value as bus bandwidth, where only the algorithm bandwidth was printed.
    """

    tool: str
    test: str | None
    metric: str
    src: Id | None
    dst: Id | None
    nic: Id | None
    collective: str | None
    members: tuple[Id, ...]
    ranks: int | None
    both: bool
    manner: tuple[str, ...]
    flows: int | None
    size_bytes: int | None
    value_gbs: float
    busbw_gbs: float | None
    line_gbs: float | None
    expected_gbs: UsableDocument | None
    share: float | None
    health: Literal["normal", "slow", "above", "not judged"]
    why: str
    limits: tuple[str, ...]
    origin: OriginDocument | str


class SuspectDocument(Document, frozen=True, kw_only=True):
    """A part of the machine that explains slow measurements: ``explains`` of ``slow``."""

    kind: Literal["component", "segment", "between", "direction", "all"]
    component: Id | None
    parts: tuple[str, ...]
    explains: int
    slow: int
    text: str


class ReasonDocument(Document, frozen=True, kw_only=True):
    """A fault found on the machine that explains slow measurements."""

    rule: str
    components: tuple[Id, ...]
    message: str


class CheckDocument(Document, frozen=True, kw_only=True):
    """``check --json``."""

    schema: Literal["toposcope.check/1"] = "toposcope.check/1"
    host: str | None
    health: Literal["normal", "slow", "above", "not judged"]
    text: str
    suspects: tuple[SuspectDocument, ...]
    reasons: tuple[ReasonDocument, ...]
    measurements: tuple[CheckedDocument, ...]
    problems: tuple[ProblemDocument, ...]


SCHEMAS: dict[str, type[Document]] = {
    "affinity": AffinityDocument,
    "analysis": AnalysisDocument,
    "analyses": AnalysesDocument,
    "check": CheckDocument,
    "contention": ContentionDocument,
    "diff": DiffDocument,
    "doctor": DoctorDocument,
    "error": ErrorDocument,
    "path": PathDocument,
    "rules": RulesDocument,
    "topology": TopologyDocument,
    "whatif": WhatIfDocument,
}


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of one document; KeyError for a name that there is none of."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | msgspec.json.schema(SCHEMAS[name])


def to_json(document: Document | tuple[Document, ...]) -> str:
    """Write a document as JSON with an indent, UTF-8 kept."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
