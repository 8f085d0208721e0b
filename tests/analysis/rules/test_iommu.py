"""Address translation: on bare metal it spoils peer copies, in a guest ATS has to be on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.analysis.rules.boards import fabric, note, switched
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import iommu

if TYPE_CHECKING:
    from toposcope.model import Topology


def cmdline(topology: Topology, **values: str | None) -> Topology:
    for name in ("iommu", "intel_iommu", "amd_iommu"):
        value = values.get(name)
        note(topology, "host", f"cmdline.{name}", value, "absent" if value is None else "value")
    return topology


def breaks_iommu_translation() -> Topology:
    return cmdline(switched(), intel_iommu="on")


def keeps_iommu_translation() -> Topology:
    return cmdline(switched(), intel_iommu="on", iommu="pt")


def cannot_tell_iommu_translation() -> Topology:
    return cmdline(switched())


def guest_with(*, ats: bool | None) -> Topology:
    topology = switched()
    note(topology, "host", "hypervisor", "KVM")
    note(topology, "NIC0", "ats.enabled", ats, "absent" if ats is None else "value")
    return topology


def breaks_ats_off() -> Topology:
    return guest_with(ats=False)


def keeps_ats_off() -> Topology:
    return guest_with(ats=True)


def cannot_tell_ats_off() -> Topology:
    return guest_with(ats=None)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"intel_iommu": "on"}, True),
        ({"intel_iommu": "on", "iommu": "pt"}, False),
        ({"amd_iommu": "off"}, False),
        ({"intel_iommu": "off"}, False),
        ({"iommu": "off"}, False),
        ({"intel_iommu": "on,sm_on", "iommu": "pt"}, False),
    ],
)
def test_the_command_line_decides(values: dict[str, str], *, found: bool) -> None:
    verdicts = [each.verdict for each in iommu.check_translation(cmdline(switched(), **values))]

    assert verdicts == ([Verdict.FOUND] if found else [])


@pytest.mark.parametrize(("kind", "found"), [("DMA", True), ("DMA-FQ", True), ("identity", False)])
def test_the_groups_beat_the_command_line(kind: str, *, found: bool) -> None:
    topology = cmdline(switched(), **({} if found else {"intel_iommu": "on"}))
    note(topology, "GPU0", "iommu.type", kind)

    assert [each.verdict for each in iommu.check_translation(topology)] == ([Verdict.FOUND] if found else [])


def test_a_host_without_an_iommu_translates_nothing() -> None:
    topology = switched()
    note(topology, "host", "iommu.units", None, "absent")

    assert list(iommu.check_translation(topology)) == []


def test_units_in_use_alone_may_pass_through() -> None:
    topology = cmdline(switched())
    note(topology, "host", "iommu.units", "ivhd0 ivhd1")
    (finding,) = iommu.check_translation(topology)

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert len(finding.evidence) == 1


def test_translation_is_a_warning() -> None:
    (finding,) = iommu.check_translation(breaks_iommu_translation())

    assert finding.severity is Severity.WARNING


def test_the_bits_of_a_virtual_function_are_not_its_own() -> None:
    topology = breaks_ats_off()
    nic = topology.component("NIC0")
    topology.add(replace(nic, model="Acme NIC Family Virtual Function"))

    assert list(iommu.check_ats(topology)) == []


@pytest.mark.parametrize(("domain", "found"), [("Translated", True), ("Passthrough", False)])
def test_the_kernels_log_tells_what_the_default_is(domain: str, *, found: bool) -> None:
    topology = switched()
    note(topology, "host", "iommu.units", "dmar0")
    note(topology, "host", "iommu.default_domain", domain)

    assert [each.verdict for each in iommu.check_translation(topology)] == ([Verdict.FOUND] if found else [])


def test_pairs_and_near_nics_are_harmed() -> None:
    (finding,) = iommu.check_translation(breaks_iommu_translation())

    assert {(harm.source, harm.target) for harm in finding.harms} == {
        ("GPU0", "GPU1"),
        ("GPU0", "NIC0"),
        ("GPU1", "NIC0"),
    }


def test_over_a_fabric_without_nics_nothing_is_asked() -> None:
    assert list(iommu.check_translation(cmdline(fabric()))) == []
    assert list(iommu.check_translation(cmdline(fabric(), intel_iommu="on"))) == []


@pytest.mark.parametrize("name", ["cpu.architecture", "architecture"])
def test_an_arm_host_translates_by_design(name: str) -> None:
    topology = breaks_iommu_translation()
    note(topology, "host", name, "aarch64")

    assert list(iommu.check_translation(topology)) == []


def test_in_a_virtual_machine_the_host_decides() -> None:
    topology = breaks_iommu_translation()
    note(topology, "host", "hypervisor", "KVM")

    assert list(iommu.check_translation(topology)) == []


def test_the_parameter_follows_the_cpu() -> None:
    topology = breaks_iommu_translation()
    note(topology, "host", "cpu.vendor", "AuthenticAMD")
    (finding,) = iommu.check_translation(topology)

    assert "iommu=pt" in finding.remedy
    assert "amd_iommu=off" in finding.remedy


def test_without_a_guest_ats_is_nobodys_need() -> None:
    topology = switched()
    note(topology, "NIC0", "ats.enabled", value=False)

    assert list(iommu.check_ats(topology)) == []


def test_the_nic_is_named_by_its_address() -> None:
    (finding,) = iommu.check_ats(breaks_ats_off())

    assert "mlxconfig -d 0000:10:0c.0 set ATS_ENABLED=true" in finding.remedy
    assert finding.components == ("NIC0",)
