"""Writes HTML and SVG. Every text passes through here: only what this module made itself is taken as markup.

Names come from strangers' files: control characters and those that reorder text are shown as ``?``, the rest is
escaped.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from toposcope.base.clean import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_EMPTY = frozenset({"input", "path", "rect"})
_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})

Attribute = str | float | bool | None


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def words(text: str) -> Markup:
    """Write text, escaped; a half of a surrogate pair, which no file can hold, becomes ``?``."""
    return Markup(escape(_clean(text)))


def element(name: str, *children: str, **attributes: Attribute) -> Markup:
    """Write an element. Children that are no markup are escaped.

    ``class_`` writes ``class``, ``aria_label`` writes ``aria-label``; None and False leave an attribute out.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    inside = "".join(child if isinstance(child, Markup) else words(child) for child in children)
    return Markup(f"<{name}{written}/>" if name in _EMPTY else f"<{name}{written}>{inside}</{name}>")


def join(parts: Iterable[Markup], between: str = "") -> Markup:
    """Write markup one behind the other."""
    return Markup(between.join(parts))


def data(value: object) -> Markup:
    """Write JSON that may stand in a script element: nothing in it can end the element."""
    return Markup(json.dumps(value, separators=(",", ":")).translate(_IN_SCRIPT))


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = key if key == "viewBox" else key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{_value(value)}"'


def _value(value: str | float) -> str:
    return escape(_clean(value)) if isinstance(value, str) else f"{value:.6g}"


def _clean(text: str) -> str:
    shown = printable(text)
    return shown if shown.isascii() else shown.encode("utf-8", "replace").decode()
