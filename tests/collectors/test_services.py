"""States of services and of a rack's domain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors import services
from toposcope.collectors.records import Setting

UNIT = """\
{mark} nvidia-{name}.service - Acme {name} service
     Loaded: loaded (/lib/systemd/system/nvidia-{name}.service; enabled)
     Active: {state} ({how}) since Mon 2030-01-07 10:11:12 UTC; 3h ago
   Main PID: 4711 (nv-{name})
      Tasks: 18

Jan 07 10:11:12 box systemd[1]: Started a service.
"""
STATES = {"active": "running", "inactive": "dead", "failed": "Result: exit-code", "activating": "auto-restart"}


def status(text: str) -> list[Setting]:
    reading = services.parse_status(Capture("systemctl-status", "s", text))
    return [record for record in reading.records if isinstance(record, Setting)]


def printed(name: str, state: str) -> str:
    return UNIT.format(mark="\u25cf" if state == "active" else "\u00d7", name=name, state=state, how=STATES[state])


@given(st.lists(st.tuples(st.sampled_from(["fabricmanager", "imex", "other"]), st.sampled_from(sorted(STATES)))))
def test_each_unit_has_its_state(units: list[tuple[str, str]]) -> None:
    settings = status("\n".join(printed(name, state) for name, state in units))

    assert [(each.name, each.value) for each in settings] == [
        (f"service.nvidia-{name}", state) for name, state in units
    ]


def test_a_state_points_at_its_line() -> None:
    (setting,) = status(printed("imex", "failed"))

    assert setting.origin.line == 3


def test_a_unit_that_is_not_there_is_absent() -> None:
    (setting,) = status("Unit nvidia-imex.service could not be found.")

    assert (setting.name, setting.value, setting.status) == ("service.nvidia-imex", None, "absent")


@pytest.mark.parametrize("text", ["     Active: active (running)", "System has not been booted with systemd"])
def test_what_names_no_unit_is_a_problem(text: str) -> None:
    reading = services.parse_status(Capture("systemctl-status", "s", text))

    assert reading.records == ()
    assert len(reading.problems) == 1


@given(st.lists(st.tuples(st.sampled_from(["fabricmanager", "imex"]), st.sampled_from(["loaded", "not-found"]))))
def test_each_block_of_properties_is_a_unit(units: list[tuple[str, str]]) -> None:
    blocks = [f"Id=nvidia-{name}.service\nLoadState={load}\nActiveState=inactive\n" for name, load in units]
    reading = services.parse_show(Capture("systemctl-show", "s", "\n".join(blocks)))
    settings = [record for record in reading.records if isinstance(record, Setting)]

    assert reading.problems == ()
    assert [(each.name, each.value, each.status) for each in settings] == [
        (f"service.nvidia-{name}", "inactive", "value")
        if load == "loaded"
        else (f"service.nvidia-{name}", None, "absent")
        for name, load in units
    ]
    assert [each.origin.line for each in settings] == [3 + 4 * place for place in range(len(units))]


def test_properties_that_nobody_asked_for_are_problems() -> None:
    reading = services.parse_show(Capture("systemctl-show", "s", "Names=x\nId=a.service\nActiveState=active"))

    assert len(reading.records) == 1
    assert len(reading.problems) == 1


@pytest.mark.parametrize("state", ["UP", "DOWN", "DEGRADED"])
def test_the_domain_has_its_state(state: str) -> None:
    text = (
        f"Connectivity Table Legend:\nC - Connected\n\nNodes:\nNode #0 - 192.0.2.1 - READY\n\nDomain State: {state}\n"
    )
    (setting,) = services.parse_domain(Capture("nvidia-imex-ctl", "i", text)).records

    assert isinstance(setting, Setting)
    assert (setting.name, setting.value, setting.origin.line) == ("imex.domain", state, 7)


def test_a_domain_without_a_state_is_a_problem() -> None:
    assert len(services.parse_domain(Capture("nvidia-imex-ctl", "i", "Nodes:")).problems) == 1


@given(st.text())
def test_no_text_makes_them_raise(text: str) -> None:
    services.parse_status(Capture("systemctl-status", "s", text))
    services.parse_show(Capture("systemctl-show", "s", text))
    services.parse_domain(Capture("nvidia-imex-ctl", "i", text))
