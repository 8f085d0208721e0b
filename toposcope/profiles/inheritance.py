"""``from = "NAME"``: a machine that starts from another one.

The child's tables are laid over the parent's, key by key and to any depth; lists are replaced whole; an empty string
or list takes away what the parent has. What tells one machine from another (name, title, facts, notes) is never taken
over. A user's machine may start from the shipped one of its own name.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from toposcope.profiles.reading import Table, fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.base import Problem

_OWN = ("name", "title", "facts", "notes")

Layer = dict[str, Table]
"""The machines of one folder, by name."""


def flatten(layers: Sequence[Layer]) -> tuple[list[Table], list[Problem]]:
    """Return all machines with their inheritance resolved. Later layers win over earlier ones of the same name."""
    tables: dict[str, Table] = {}
    problems: list[Problem] = []
    for depth, layer in enumerate(layers):
        for name, table in layer.items():
            content, wrong = _resolved(layers[: depth + 1], name, ())
            problems += [fault(table.path, wrong)] if wrong else []
            if not wrong:
                tables[name] = Table(table.path, content)
    return list(tables.values()), problems


def _resolved(layers: Sequence[Layer], name: str, above: tuple[tuple[int, str], ...]) -> tuple[dict[str, Any], str]:
    """Return one machine's whole table, or what is wrong with its ancestry.

    ``above`` are the machines that led here, each with the layer it stands in. A machine sees its own layer and the
    earlier ones, so that a user's machine never changes a shipped one that it shares a parent with.
    """
    depth = max(i for i, layer in enumerate(layers) if name in layer)
    content = dict(layers[depth][name].content)
    parent = content.pop("from", None)
    if parent is None:
        return content, ""
    chain = (*above, (depth, name))
    within = layers[: depth + (parent != name)]
    known = [known for layer in within for known in layer]
    if not isinstance(parent, str) or parent not in known:
        if parent == name:
            return {}, f"from: {name} starts from itself"
        near = difflib.get_close_matches(str(parent), known, n=1)
        return {}, f"from: there is no machine {parent!r}" + (f", did you mean {near[0]}?" if near else "")
    place = (max(i for i, layer in enumerate(within) if parent in layer), parent)
    if place in chain:
        return {}, "from: a circle: " + " -> ".join(link for _, link in (*chain, place))
    base, wrong = _resolved(within, parent, chain)
    return _laid({key: value for key, value in base.items() if key not in _OWN}, content), wrong


def _laid(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Lay one table over another, key by key, to any depth."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.pop(key, None)
        if value not in ("", []):
            merged[key] = _laid(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
