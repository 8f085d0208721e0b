"""clock-capped: one accelerator that is throttled makes all others of a collective wait for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Severity
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import listed, origins, recorded_accelerators
from toposcope.model import Grade

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Fact, Topology

NAME = "clock-capped"
_FORCED = ("hw_slowdown", "hw_thermal_slowdown", "sw_thermal_slowdown", "hw_power_brake_slowdown")
_AT_LIMIT = "sw_power_cap"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SAME_WITHIN = 0.97
"""Limits of one model differ by a few watts between boards."""


def check(topology: Topology) -> Iterator[Finding]:
    """Yield a finding for accelerators that are slowed down by force, and for those with a lower power limit."""
    names = [each.id for each in recorded_accelerators(topology)]
    reasons = [fact for name in names if (fact := topology.fact(name, "clocks.active_reasons")) is not None]
    forced = [fact for fact in reasons if set(str(fact.value).split(",")) & set(_FORCED)]
    if forced:
        why = listed(dict.fromkeys(word for fact in forced for word in str(fact.value).split(",") if word in _FORCED))
        yield _found(forced, f"is slowed down ({why})", Severity.WARNING, "cooling, power cables and supplies")
    lower = _lower_limits(topology, names)
    if lower:
        yield _found(
            lower,
            f"has a power limit of {lower[0].value}, lower than its like",
            Severity.WARNING,
            "sudo nvidia-smi -i INDEX -pl WATTS sets the limit",
        )
    capped = [fact for fact in reasons if _AT_LIMIT in str(fact.value).split(",") and fact not in forced]
    if capped and len(capped) < len(reasons):
        yield _found(capped, "runs at its power limit, others do not", Severity.INFO, "normal under uneven load")


def _lower_limits(topology: Topology, names: list[str]) -> list[Fact]:
    models: dict[str | None, list[tuple[float, Fact]]] = {}
    for name in names:
        fact = topology.fact(name, "power.limit")
        number = _NUMBER.search(str(fact.value)) if fact is not None and fact.value is not None else None
        if fact is not None and number is not None:
            models.setdefault(topology.component(name).model, []).append((float(number[0]), fact))
    most = {model: max(watts for watts, _ in limits) for model, limits in models.items()}
    return [fact for model, limits in models.items() for watts, fact in limits if watts < most[model] * _SAME_WITHIN]


def _found(facts: list[Fact], what: str, severity: Severity, hint: str) -> Finding:
    names = [fact.component for fact in facts]
    return Finding(
        NAME,
        severity,
        f"{listed(names)} {what}: a collective runs at the pace of its slowest member",
        remedy=f"nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE\n# {hint}",
        components=tuple(dict.fromkeys(names)),
        evidence=origins(facts),
        grade=Grade.OBSERVED,
    )


RULE = Rule(
    NAME,
    "An accelerator is throttled",
    check,
    reasoning=(
        "Thermal or power slowdown lowers one accelerator's clocks, and in a collective all wait for it; bandwidth "
        "then looks low although no link is. Idle clocks, and a power cap under full load on all, are no fault."
    ),
    remedy="Mend cooling and power; set equal power limits.",
    sources=("NVML documentation: nvmlClocksEventReasons", "l4rz blog on 8x H100", "NVIDIA/nccl#893"),
)
