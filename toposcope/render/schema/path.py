"""The answers of ``path``: every route with its segments."""

from __future__ import annotations

from typing import Literal

from toposcope.render.schema.document import Document, Id, OriginDocument, UsableDocument


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
