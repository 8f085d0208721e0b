"""hccs-partial: NPUs of one server that HCCS does not join, while it joins others.

Groups of equal size are the board's design (two quads of four): what crosses them goes over PCIe and the CPU, or by
RoCE, and that is information. An NPU that stands alone beside a group, or single pairs missing in a mesh, are a link
that is down; so are cards of two dies (``SIO``) between which only PCIe words stand. Words that say that the question
failed (``NA``) tell nothing.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import listed, recorded_accelerators
from toposcope.model import Grade

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.model import Relation, Topology

NAME = "hccs-partial"
_JOINED = "HCCS"
_DIES = "SIO"
_OF_A3 = "Phy-ID"
"""The names of dies on machines whose cards a switch plane of HCCS joins; 300I Duo cards are joined by nothing."""


def check(topology: Topology) -> Iterator[Finding]:
    """Group the NPUs by the words of their pairs."""
    names = [each.id for each in recorded_accelerators(topology)]
    words = {(a, b): said for a, b in combinations(names, 2) for said in topology.relations(a, b)[:1]}
    joined = [pair for pair, said in words.items() if said.word.startswith(_JOINED)]
    apart = {pair: said for pair, said in words.items() if said.reach is not None}
    cards = any(said.word == _DIES for said in words.values()) and any(name.startswith(_OF_A3) for name in names)
    if not (joined or cards) or not apart:
        return
    groups = _groups(names, joined)
    alone = [group[0] for group in groups if len(group) == 1]
    inside = {pair: said for pair, said in apart.items() if any(set(pair) <= set(group) for group in groups)}
    if alone and (joined or cards):
        yield _lost(alone, {pair: said for pair, said in apart.items() if set(pair) & set(alone)})
    elif inside:
        yield _lost([], inside)
    else:
        yield _by_design(groups, apart)


def _groups(names: Sequence[str], joined: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return what is joined with each other, over however many steps."""
    groups = {name: [name] for name in names}
    for a, b in joined:
        if groups[a] is not groups[b]:
            groups[a].extend(groups[b])
            groups.update(dict.fromkeys(groups[b], groups[a]))
    return list({id(group): group for group in groups.values()}.values())


def _lost(alone: list[str], pairs: dict[tuple[str, str], Relation]) -> Finding:
    told = ", ".join(f"{a} to {b} ({said.word})" for (a, b), said in list(pairs.items())[:4])
    who = f"{listed(alone)}: no HCCS link" if alone else "single pairs have no HCCS link"
    names = alone or list(dict.fromkeys(name for pair in pairs for name in pair))
    return Finding(
        NAME,
        Severity.WARNING,
        f"{who}, where a machine of this kind has one: {told}",
        remedy=(
            "\n".join(f"npu-smi info -t hccs -i {_number(name)} -c 0" for name in names[:4])
            + "\n# lanes and health of each link; then the NPU board or its backplane"
        ),
        components=tuple(names),
        harms=tuple(Harm(a, b) for a, b in pairs),
        evidence=tuple(dict.fromkeys(said.origin for said in pairs.values())),
        grade=Grade.DERIVED,
    )


def _by_design(groups: list[list[str]], apart: dict[tuple[str, str], Relation]) -> Finding:
    told = " | ".join(listed(group) for group in groups)
    return Finding(
        NAME,
        Severity.INFO,
        f"HCCS joins {len(groups)} groups ({told}); between them data goes over PCIe and the CPU, or by RoCE",
        remedy="export HCCL_INTRA_ROCE_ENABLE=1 HCCL_INTRA_PCIE_ENABLE=0  # where the RoCE ports are up",
        components=tuple(name for group in groups for name in group),
        harms=tuple(Harm(a, b) for a, b in apart),
        evidence=tuple(dict.fromkeys(said.origin for said in apart.values())),
        grade=Grade.DERIVED,
    )


def _number(name: str) -> str:
    return "".join(each for each in name.partition(".")[0] if each.isdigit())


RULE = Rule(
    NAME,
    "HCCS does not join all NPUs",
    check,
    reasoning=(
        "Pairs without HCCS use PCIe through the CPU, or RoCE. In a matrix that is HCCS elsewhere a PCIe word is a "
        "dead link; two quads, or two boxes of eight on an x86 server, are built so."
    ),
    remedy=(
        "npu-smi info -t hccs for the lanes of a link that is missing; HCCL_INTRA_ROCE_ENABLE=1 where groups are the "
        "board's design and RoCE is faster than PCIe."
    ),
    sources=("vllm-project/vllm-ascend#12318", "Ascend HCCL documentation: HCCL_INTRA_ROCE_ENABLE"),
)
