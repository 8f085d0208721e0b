"""Which NICs stand with which accelerator: those that it uses, where both hang on the same switch or root complex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.nics import neighbours

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposcope.model import Topology
    from toposcope.render.diagram.sketch import Sketch


def owned(topology: Topology, sketch: Sketch) -> dict[str, list[str]]:
    """Return the boxes of NICs by the box of the accelerator that uses them.

    A group of NICs that one accelerator has for itself is all its own; of a group that several share each has its one.
    """
    found = neighbours(topology)
    sharing: dict[tuple[str, ...], set[str]] = {}
    for name, each in found.items():
        sharing.setdefault(each.near, set()).add(sketch.owner.get(name, name))
    own: dict[str, list[str]] = {}
    for name, each in found.items():
        nics = each.near if len(sharing[each.near]) == 1 else (each.own,)
        boxes = dict.fromkeys(sketch.owner[nic] for nic in nics if nic in sketch.owner)
        if name in sketch.owner:
            own[sketch.owner[name]] = list(boxes)
    return own if len(own) > 1 else {}


def beside(sketch: Sketch, accelerators: list[str], nics: list[str], own: dict[str, list[str]]) -> list[str]:
    """Put NICs beside the accelerators that use them, and the others evenly among them.

    Pairs are noted in the sketch. A NIC that several accelerators share stands in the middle of them.
    """
    if not accelerators:
        return nics
    users = {nic: [name for name in accelerators if nic in own.get(name, [])] for nic in nics}
    shared = [nic for nic in nics if len(users[nic]) > 1]
    rest = [nic for nic in nics if not users[nic]]
    ordered: list[str] = []
    for index, name in enumerate(accelerators):
        mine = [nic for nic in own.get(name, []) if users.get(nic) == [name]]
        sketch.pairs += [(name, *mine)] if mine else []
        ordered += [name, *mine, *_part(rest, index, len(accelerators))]
        ordered += [nic for nic in shared if _middle(accelerators, users[nic]) == index]
    return ordered


def _part(names: list[str], index: int, parts: int) -> Iterable[str]:
    begin, end = (len(names) * step // parts for step in (index, index + 1))
    return names[begin:end]


def _middle(accelerators: list[str], users: list[str]) -> int:
    """Return the place of the accelerator after which the middle of some of them is."""
    return accelerators.index(users[(len(users) - 1) // 2])
