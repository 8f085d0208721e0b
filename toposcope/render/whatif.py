"""What a change brings, as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.outcome import findings_apart, outcomes
from toposcope.render.documents import gbs_of, usable_of
from toposcope.render.schema import AnswerDocument, ChangeDocument, FaultDocument, OutcomeDocument, WhatIfDocument
from toposcope.render.wording import bottleneck_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposcope.analysis import Analysis, Finding
    from toposcope.analysis.outcome import Answer, Outcome
    from toposcope.analysis.whatif import Change
    from toposcope.model import Topology


def whatif_document(before: Analysis, after: Analysis, changes: Sequence[Change]) -> WhatIfDocument:
    """Write what was changed, the routes that change with it, and the findings that come and go."""
    gone, new = findings_apart(before, after)
    return WhatIfDocument(
        changes=tuple(
            ChangeDocument(
                component=each.component, what=each.what, before=each.before, after=each.after, note=each.note
            )
            for each in changes
        ),
        routes=tuple(outcome_document(each, before.topology, after.topology) for each in outcomes(before, after)),
        findings_gone=tuple(fault_document(each) for each in gone),
        findings_new=tuple(fault_document(each) for each in new),
    )


def outcome_document(outcome: Outcome, before: Topology, after: Topology) -> OutcomeDocument:
    """Write one question with both answers."""
    return OutcomeDocument(
        src=outcome.source,
        dst=outcome.target,
        before=_answer(outcome.before, before),
        after=_answer(outcome.after, after),
        ratio=rounded(outcome.ratio),
        share_ratio=rounded(outcome.share_ratio),
    )


def _answer(answer: Answer | None, topology: Topology) -> AnswerDocument | None:
    if answer is None:
        return None
    limit = answer.route.limit
    return AnswerDocument(
        transport=answer.route.transport.value,
        line_gbs=gbs_of(limit.line),
        usable_gbs=usable_of(limit.usable),
        carried_gbs=gbs_of(answer.carried),
        share_gbs=gbs_of(answer.share),
        bottleneck=bottleneck_words(answer.route, limit.bottleneck, topology),
    )


def rounded(ratio: float | None) -> float | None:
    """Write a ratio with as many digits as mean something."""
    return None if ratio is None else round(ratio, 4)


def fault_document(finding: Finding) -> FaultDocument:
    """Write a finding in short."""
    return FaultDocument(rule=finding.rule, components=finding.components, message=finding.message)
