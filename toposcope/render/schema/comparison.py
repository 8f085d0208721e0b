"""The answers of ``contend``, ``whatif`` and ``diff``: what changes, and what flows get at once."""

from __future__ import annotations

from typing import Literal

import msgspec

from toposcope.render.schema.document import Document, Id, Scalar, UsableDocument


class DifferenceDocument(Document, frozen=True, kw_only=True):
    """One thing in which two machines differ."""

    what: str
    a: Scalar
    b: Scalar


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
