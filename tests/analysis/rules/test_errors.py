"""Hardware that is not well, by its own word or by the log's."""

from __future__ import annotations

import pytest

from tests.analysis.rules.boards import mesh, note, switched
from tests.machines import MACHINES
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import errors
from toposcope.model import Medium, Topology


def noted(component: str, name: str, value: object, status: str = "value") -> Topology:
    topology = switched()
    note(topology, component, name, value, status)
    return topology


def breaks_device_lost() -> Topology:
    return noted("GPU1", "kernel.fallen_off_bus", value=True)


def keeps_device_lost() -> Topology:
    return noted("GPU1", "kernel.xid.13", 4)


def cannot_tell_device_lost() -> Topology:
    return switched()


def breaks_link_errors() -> Topology:
    return noted("GPU0", "counter.pcie.replay_rollovers", 2)


def keeps_link_errors() -> Topology:
    return noted("GPU0", "aer.correctable", "RxErr BadTLP Timeout")


def cannot_tell_link_errors() -> Topology:
    return noted("GPU0", "counter.pcie.replays", 17)


def hccs(name: str, value: object) -> Topology:
    topology = mesh(4, medium=Medium.HCCS)
    note(topology, "NPU2", name, value)
    return topology


def breaks_hccs_unhealthy() -> Topology:
    return hccs("hccs.health", "NOK")


def keeps_hccs_unhealthy() -> Topology:
    return hccs("hccs.health", "OK")


def cannot_tell_hccs_unhealthy() -> Topology:
    return mesh(4, medium=Medium.HCCS)


@pytest.mark.parametrize(("name", "value"), [("alive", False), ("kernel.fallen_off_bus", True), ("kernel.xid.79", 1)])
def test_a_lost_device_is_critical_and_takes_its_routes_along(name: str, value: object) -> None:
    (finding,) = errors.check_lost(noted("GPU1", name, value))

    assert finding.severity is Severity.CRITICAL
    assert finding.components == ("GPU1",)
    assert [(harm.source, harm.target) for harm in finding.harms] == [("GPU1", "GPU0")]
    assert "lspci -s 0000:10:0b.0" in finding.remedy


def test_one_that_is_back_is_a_warning() -> None:
    topology = breaks_device_lost()
    note(topology, "GPU1", "uuid", "GPU-0")

    assert [each.severity for each in errors.check_lost(topology)] == [Severity.WARNING]


def test_an_npu_in_alarm_that_its_tool_does_not_find_is_lost() -> None:
    topology = mesh(2)
    note(topology, "NPU0", "npu-smi.board", None, "unreadable")
    assert list(errors.check_lost(topology)) == []
    note(topology, "NPU0", "health", "Alarm")

    assert [each.components for each in errors.check_lost(topology)] == [("NPU0",)]


@pytest.mark.parametrize(
    ("component", "name", "value", "verdict"),
    [
        ("GPU0", "counter.pcie.replay_rollovers", 1, Verdict.FOUND),
        ("GPU0", "counter.pcie.replay_rollovers", 0, None),
        ("GPU0", "counter.pcie.replays", 0, None),
        ("GPU0", "counter.pcie.replays", 5, Verdict.COULD_NOT_TELL),
        ("0000:10:02.0", "kernel.aer.uncorrected", 1, Verdict.FOUND),
        ("0000:10:02.0", "kernel.aer.corrected", 1, Verdict.COULD_NOT_TELL),
        ("NIC0", "aer.uncorrectable", "CmpltTO", Verdict.COULD_NOT_TELL),
        ("NIC0", "aer.uncorrectable", "UnsupReq", None),
        ("NIC0", "aer.uncorrectable", "", None),
        ("SW0", "aer.correctable", "RxErr Rollover", Verdict.COULD_NOT_TELL),
        ("SW0", "aer.correctable", "RxErr BadTLP BadDLLP", None),
    ],
)
def test_errors_are_weighed(component: str, name: str, value: object, verdict: Verdict | None) -> None:
    found = [each.verdict for each in errors.check_errors(noted(component, name, value))]

    assert found == ([] if verdict is None else [verdict])


def test_errors_off_every_way_are_nobodys_business() -> None:
    assert list(errors.check_errors(noted("0000:99:00.0", "kernel.aer.uncorrected", 3))) == []


@pytest.mark.parametrize(("lanes", "found"), [("1111", False), ("0011", True), ("0000", False)])
def test_a_lane_that_is_down_is_found_and_an_unused_link_is_not(lanes: str, *, found: bool) -> None:
    assert bool(list(errors.check_hccs(hccs("hccs.3.lanes", lanes)))) is found


def test_a_sick_npu_is_named_with_its_peers() -> None:
    (finding,) = errors.check_hccs(breaks_hccs_unhealthy())

    assert {harm.target for harm in finding.harms} == {"NPU0", "NPU1", "NPU3"}


@pytest.mark.parametrize("build", MACHINES)
def test_machines_without_a_word_of_errors_are_well(build) -> None:
    topology = build()

    assert [*errors.check_lost(topology), *errors.check_errors(topology), *errors.check_hccs(topology)] == []
