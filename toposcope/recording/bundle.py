"""Sorts the entries of an input: files to recognise, links as second names, and copied /sys trees, made into text."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposcope.base import Capture
from toposcope.recording import sysfs
from toposcope.recording.entries import IN_TREE, Entry, target_of
from toposcope.recording.hosts import Found

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class CopiedFiles:
    """The files and links of one tree, by their path below its root; ``name`` is how origins begin."""

    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)


def documents_and_trees(
    entries: Iterable[Entry],
) -> tuple[list[Entry], dict[str, CopiedFiles], dict[str, list[str]]]:
    """Return the files to recognise, the trees by the folder they were copied to, and each file's second names."""
    documents: list[Entry] = []
    trees: dict[str, CopiedFiles] = {}
    aliases: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        if IN_TREE.search(entry.path):
            root, path = sysfs.split(entry.path)
            outer = sysfs.split(entry.name)[0]
            tree = trees.setdefault(root, CopiedFiles(outer))
            if entry.link is not None:
                tree.links[path] = entry.link
            else:
                tree.files[path] = entry.data
        elif entry.link is None:
            documents.append(entry)
        elif target := target_of(entry.path, entry.link):
            aliases[target].append(entry.path)
    return documents, trees, dict(aliases)


def captures_of_trees(trees: dict[str, CopiedFiles]) -> list[Found]:
    """Write the texts of each tree, as captures that stand in its root folder."""
    found: list[Found] = []
    for root, tree in trees.items():
        for source, text in sysfs.texts(sysfs.CopiedTree(tree.files, tree.links)).items():
            capture = Capture(source, f"{tree.name}sys ({source})", text)
            found.append(Found(capture, f"{root}sys/{source}"))
    return found
