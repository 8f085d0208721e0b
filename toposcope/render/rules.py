"""Rules as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.render.schema import RuleDocument

if TYPE_CHECKING:
    from toposcope.analysis.rules import Rule


def rule_document(rule: Rule) -> RuleDocument:
    """Make the JSON document of one rule."""
    return RuleDocument(
        rule=rule.name, title=rule.title, reasoning=rule.reasoning, remedy=rule.remedy, sources=rule.sources
    )
