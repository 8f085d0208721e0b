"""The answers of ``check``: measurements against what the routes should give."""

from __future__ import annotations

from typing import Literal

from toposcope.render.schema.document import Document, Id, OriginDocument, ProblemDocument, UsableDocument


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

    kind: Literal["component", "segment", "between", "direction", "varies", "all", "memory"]
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
