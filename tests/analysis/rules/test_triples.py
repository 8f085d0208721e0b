"""Every rule has three machines by hand: one that breaks it, one that keeps it, one where it cannot tell.

They stand in ``test_<module of the rule>.py`` beside this file, as functions ``breaks_<rule>``, ``keeps_<rule>`` and
``cannot_tell_<rule>`` that return a topology; the dashes of the rule's name are underscores there. A rule that never
lacks evidence has a machine in the third place that is not its business.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from toposcope.analysis.finding import Finding, Severity, Verdict
from toposcope.analysis.rules import RULES

if TYPE_CHECKING:
    from toposcope.analysis.rules import Rule
    from toposcope.model import Topology

each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])


def machine(rule: Rule, what: str) -> Topology:
    """Build one of the three machines of a rule."""
    module = importlib.import_module(f"tests.analysis.rules.test_{rule.check.__module__.rpartition('.')[2]}")
    return getattr(module, f"{what}_{rule.name.replace('-', '_')}")()


def checked(rule: Rule, what: str) -> list[Finding]:
    """Run a rule on one of its machines."""
    return list(rule.check(machine(rule, what)))


@each_rule
def test_a_machine_that_breaks_the_rule_is_found(rule: Rule) -> None:
    found = [each for each in checked(rule, "breaks") if each.verdict is Verdict.FOUND]

    assert found
    assert {each.rule for each in found} == {rule.name}


@each_rule
def test_what_is_found_names_components_evidence_and_a_remedy(rule: Rule) -> None:
    topology = machine(rule, "breaks")
    for each in rule.check(topology):
        assert each.message
        assert each.evidence
        assert each.remedy
        assert all(name in topology or "|" in name or name == "host" for name in each.components)


@each_rule
def test_a_machine_that_keeps_the_rule_is_left_alone(rule: Rule) -> None:
    assert checked(rule, "keeps") == []


@each_rule
def test_without_the_evidence_nothing_is_claimed(rule: Rule) -> None:
    for each in checked(rule, "cannot_tell"):
        assert each.verdict is Verdict.COULD_NOT_TELL
        assert each.severity is Severity.INFO
        assert each.remedy, "the command that would tell"


@each_rule
def test_the_rule_explains_itself(rule: Rule) -> None:
    assert rule.name == rule.name.lower().replace("_", "-").replace(" ", "-")
    for text in (rule.title, rule.reasoning, rule.remedy, *rule.sources):
        assert text.strip()
    assert rule.sources


def test_no_two_rules_share_a_name() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
