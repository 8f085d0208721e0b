"""What every document is, and the pieces that several share."""

from __future__ import annotations

from typing import Literal

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


class OriginDocument(Document, frozen=True, kw_only=True):
    """A place in the evidence."""

    source: str
    file: str
    line: int


class ProblemDocument(Document, frozen=True, kw_only=True):
    """Something that was not read, was repaired, or contradicts another line."""

    kind: Literal["unread", "repaired", "clash"]
    source: str
    file: str
    line: int
    message: str
    text: str
    other: OriginDocument | None = None
