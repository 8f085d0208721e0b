"""Two machines on the same questions, as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.difference import Difference
from toposcope.render.documents import gbs_of, usable_of
from toposcope.render.schema import DiffDocument, DifferenceDocument, KindredDocument, QuestionDocument
from toposcope.render.whatif import fault_document, outcome_document, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toposcope.analysis.difference import Comparison, Kindred, Question
    from toposcope.model import Topology

_EMPTY = "-"


def diff_document(
    comparison: Comparison, names: tuple[str, str], topologies: tuple[Topology, Topology]
) -> DiffDocument:
    """Write a comparison; ``names`` are what the user called the two machines."""
    return DiffDocument(
        a=names[0],
        b=names[1],
        differences=_differences([*comparison.changes, *comparison.parts, *_answers(comparison.questions)]),
        same_machine=comparison.alike,
        changes=_differences(comparison.changes),
        questions=tuple(_question(each) for each in comparison.questions),
        routes=tuple(outcome_document(each, *topologies) for each in comparison.routes),
        findings_gone=tuple(fault_document(each) for each in comparison.gone),
        findings_new=tuple(fault_document(each) for each in comparison.new),
    )


def kindred_words(answers: Sequence[Kindred]) -> str:
    """Say what the answers are, the slowest first: ``31.5 host-staged (19.5 in practice), 24 of 56``."""
    total = sum(each.count for each in answers)
    lines = []
    for each in answers:
        usable = "" if each.usable is None else f" ({each.usable.typical})"
        part = f", {each.count} of {total}" if each.count != total else ""
        lines.append(f"{'?' if each.line is None else each.line}{usable} {each.transport}{part}")
    return "\n".join(lines) or _EMPTY


def _answers(questions: Iterable[Question]) -> Iterator[Difference]:
    for each in questions:
        mine, other = kindred_words(each.a[:1]), kindred_words(each.b[:1])
        if each.a != each.b:
            yield Difference(f"{each.what}, slowest: GB/s (in practice)", mine, other)


def _differences(differences: Iterable[Difference]) -> tuple[DifferenceDocument, ...]:
    return tuple(DifferenceDocument(what=each.what, a=each.a, b=each.b) for each in differences)


def _question(question: Question) -> QuestionDocument:
    return QuestionDocument(
        question=question.what,
        a=tuple(_kindred(each) for each in question.a),
        b=tuple(_kindred(each) for each in question.b),
        line_ratio=rounded(question.line_ratio),
        ratio=rounded(question.ratio),
    )


def _kindred(kindred: Kindred) -> KindredDocument:
    return KindredDocument(
        transport=kindred.transport,
        line_gbs=gbs_of(kindred.line),
        usable_gbs=usable_of(kindred.usable),
        count=kindred.count,
    )
