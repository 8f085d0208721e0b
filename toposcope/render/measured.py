"""Measurements against predictions in words and as a JSON document."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from toposcope.analysis.measured import Health
from toposcope.model import NETWORKS
from toposcope.render.documents import gbs_of, origin_of, problem_documents, usable_of
from toposcope.render.schema import CheckDocument, CheckedDocument, ReasonDocument, SuspectDocument
from toposcope.render.wording import call, medium_of, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toposcope.analysis import Segment
    from toposcope.analysis.measured import Check, Judged
    from toposcope.analysis.suspects import Suspect
    from toposcope.model import Topology

_FAR = "remote:"
_NAMED = 3
"""So many parts that cannot be told apart are named."""


def check_document(check: Check, topology: Topology) -> CheckDocument:
    """Write the verdict, the suspects and every measurement."""
    return CheckDocument(
        host=topology.host,
        health=check.health.value,
        text=verdict(check, topology),
        suspects=tuple(_suspect(each, topology) for each in check.suspects),
        reasons=tuple(
            ReasonDocument(rule=each.rule, components=each.components, message=each.message) for each in check.reasons
        ),
        measurements=tuple(_checked(each, topology) for each in check.judged),
        problems=problem_documents(check.problems),
    )


def verdict(check: Check, topology: Topology) -> str:
    """Say in one sentence whether the machine does what it should, and what is to blame where it does not."""
    return " ".join((_verdict(check, topology), *_doubts(check)))


def _verdict(check: Check, topology: Topology) -> str:
    counted = {health: [each for each in check.judged if each.health is health] for health in Health}
    judged = [each for each in check.judged if each.health is not Health.UNJUDGED]
    if not judged:
        reasons = ", ".join(dict.fromkeys(each.why for each in check.judged))
        return f"Nothing could be judged: {reasons}."
    slow = counted[Health.SLOW]
    if not slow and not counted[Health.NORMAL]:
        return f"Not as recorded: {_all(len(judged))} more than its way carries; the wiring or the test is another one."
    if not slow:
        shares = [each.share for each in counted[Health.NORMAL] if each.share is not None]
        which = _all(len(judged)) if len(judged) == len(counted[Health.NORMAL]) else _some(counted, judged)
        text = f"Normal: {which} what its route should give (median {median(shares):.0%})"
        if all(each.expected is None or each.expected.usable is None for each in judged):
            told = "nothing tells what the links carry, but alike routes give alike"
            return f"Normal as far as can be told: {told}{_by(judged)}."
        return f"{text}{_held_back(judged, topology)}."
    worst = min(slow, key=lambda each: each.share or 0)
    far = f"{worst.share:.0%} of what its route should give"
    if len(slow) == 1:
        which = f"1 of {len(judged)} measurements, " if len(judged) > 1 else ""
        text = f"Not normal: {which}{subject(worst, topology)}{',' if which else ''} is {far}"
    else:
        text = f"Not normal: {len(slow)} of {len(judged)} measurements are below what their routes should give"
        text += f", the worst {subject(worst, topology)}, {far}"
    return " ".join([f"{text}.", blame(check, topology), *because(check)])


def _doubts(check: Check) -> Iterator[str]:
    """Say what speaks for another machine than the one that was measured."""
    above = sum(each.health is Health.ABOVE for each in check.judged)
    if above and above < len(check.judged):
        more = f"{above} of {len(check.judged)} are more than their way carries"
        yield f"{more}: the machine or the test may be another one."
    if check.elsewhere:
        figures = "1 figure is" if check.elsewhere == 1 else f"{check.elsewhere} figures are"
        yield f"{figures} of devices that this machine has not: it may be another machine's test."


def blame(check: Check, topology: Topology) -> str:
    """Name the suspects in one sentence."""
    if not check.suspects:
        far = any((each.measurement.hosts or 1) > 1 for each in check.judged if each.health is Health.SLOW)
        tests = "copies between pairs, and RDMA tests between the hosts," if far else "copies between pairs"
        return f"A collective passes all of its members at once: {tests} would tell which part is to blame."
    words = [_blamed(each, topology) for each in check.suspects]
    more = f"; {len(words) - 2} more" if len(words) > 2 else ""  # noqa: PLR2004
    return f"Suspect: {'; then '.join(words[:2])}{more}."


def because(check: Check) -> tuple[str, ...]:
    """Name the gravest fault of the recording that explains it, none where there is none."""
    worst = max(check.reasons, key=lambda finding: finding.severity, default=None)
    return () if worst is None else (f"The recording shows why: {worst.message} [{worst.rule}]",)


def subject(judged: Judged, topology: Topology) -> str:
    """Say what was measured: ``GPU0 to GPU1``, ``all_reduce of 8``."""
    each = judged.measurement
    if each.source is None or each.target is None:
        count = each.ranks or len(each.members)
        return f"{each.collective or each.test or each.tool}{f' of {count}' if count else ''}"
    arrow = "and" if "both" in each.words else "to"
    nic = f" by {call(each.nic, topology)}" if each.nic else ""
    return f"{_end(each.source, topology)} {arrow} {_end(each.target, topology)}{nic}"


def limits_of(judged: Judged, topology: Topology) -> tuple[str, ...]:
    """Name what holds the way back, each part once."""
    if judged.expected is None:
        return ()
    near = [each for each in judged.expected.limits if not _is_far(each)]
    return tuple(dict.fromkeys(_part(each, topology) for each in near or judged.expected.limits))


def _end(name: str, topology: Topology) -> str:
    if name.startswith("host:"):
        return f"memory of NUMA node {name.removeprefix('host:')}"
    return "host memory" if name == "host" else call(name, topology)


def _is_far(segment: Segment) -> bool:
    return segment.source.startswith(_FAR) or segment.target.startswith(_FAR)


def _part(segment: Segment, topology: Topology) -> str:
    place = place_of(segment, topology)
    return f"{medium_of(segment)} ({place})"


def _held_back(judged: Sequence[Judged], topology: Topology) -> str:
    """Name the limit of the slowest way: normal for this machine need not be fast."""
    slowest = min(judged, key=lambda each: each.value)
    parts = limits_of(slowest, topology)
    return f"; the slowest, {subject(slowest, topology)}, is held back by {parts[0]}" if parts else ""


def _by(judged: Sequence[Judged]) -> str:
    values = sorted(each.value for each in judged)
    return f" ({values[0]} to {values[-1]} GB/s)"


def _all(count: int) -> str:
    return "the one measurement is" if count == 1 else f"each of {count} measurements is"


def _some(counted: Mapping[Health, Sequence[Judged]], judged: Sequence[Judged]) -> str:
    return f"each of {len(counted[Health.NORMAL])} of {len(judged)} measurements is"


def _blamed(suspect: Suspect, topology: Topology) -> str:
    parts = _either(suspect, topology)
    many = "all slow ones pass" if suspect.explains == suspect.slow else f"{suspect.explains} of the slow ones pass"
    if suspect.slow == 1:
        many = "the slow one passes"
    if suspect.kind == "memory":
        node = call(suspect.component or "", topology)
        return f"the memory of {node}, another NUMA node, gives as much by {parts}: see where the test was bound"
    if suspect.kind == "all":
        passed = "it passes" if suspect.slow == 1 else "all pass"
        apart = (
            "nothing healthy was measured that would tell which part is to blame, or whether a setting or the test is"
        )
        return f"{passed} {parts}; {apart}" if parts else f"no part is common to all; {apart}"
    if suspect.kind == "varies":
        ends = f"{_end(suspect.segments[0].source, topology)} to {_end(suspect.segments[-1].target, topology)}"
        return f"nothing in the wiring: {ends} was measured healthy as well, so look at what differed between the runs"
    if suspect.kind == "between":
        ends = f"{call(suspect.segments[0].source, topology)} and {call(suspect.segments[-1].target, topology)}"
        return f"the fabric between {ends}: either end is healthy with others"
    if suspect.kind == "direction":
        first, last = suspect.segments[0].source, suspect.segments[-1].target
        way = f"{call(first, topology)} to {call(last, topology)}"
        return f"{parts} in the direction from {way}, which {many} and no healthy one; the other direction is healthy"
    whole = call(suspect.component, topology) if suspect.component else ""
    named = f"{whole} with its {parts}" if whole and parts else whole or parts
    return f"{named}, which {many} and no healthy one"


def _either(suspect: Suspect, topology: Topology) -> str:
    """Name the parts that cannot be told apart, the network first: a port has more that may be wrong than a slot."""
    ordered = sorted(suspect.segments, key=lambda each: each.medium not in NETWORKS)
    names = list(dict.fromkeys(_beyond(each, topology) for each in ordered))
    more = f" or {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return " or ".join(names[:_NAMED]) + more


def _beyond(segment: Segment, topology: Topology) -> str:
    part = _part(segment, topology)
    return f"{part} with its cable and what is beyond" if segment.medium in NETWORKS else part


def _suspect(suspect: Suspect, topology: Topology) -> SuspectDocument:
    return SuspectDocument(
        kind=suspect.kind,
        component=suspect.component,
        parts=tuple(_part(each, topology) for each in suspect.segments),
        explains=suspect.explains,
        slow=suspect.slow,
        text=_blamed(suspect, topology),
    )


def _checked(judged: Judged, topology: Topology) -> CheckedDocument:
    each, expected = judged.measurement, judged.expected
    return CheckedDocument(
        tool=each.tool,
        test=each.test,
        metric=each.metric,
        src=each.source,
        dst=each.target,
        nic=each.nic,
        collective=each.collective,
        members=each.members,
        ranks=each.ranks,
        both="both" in each.words,
        manner=each.words,
        flows=each.flows,
        size_bytes=each.size,
        value_gbs=round(each.value.gbs, 4),
        busbw_gbs=round(judged.value.gbs, 4) if judged.value != each.value else None,
        line_gbs=None if expected is None else gbs_of(expected.line),
        expected_gbs=None if expected is None else usable_of(expected.usable),
        share=None if judged.share is None else round(judged.share, 4),
        health=judged.health.value,
        why=judged.why,
        limits=limits_of(judged, topology),
        origin=origin_of(each.origin),
    )
