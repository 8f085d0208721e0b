"""GPUDirect RDMA: what proves that it is off, and what proves nothing."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.rules.boards import note
from tests.analysis.rules.rails import rails, set_variables
from tests.machines import ORIGIN, superchip_tray
from toposcope.analysis.finding import Verdict
from toposcope.analysis.rules import gpudirect
from toposcope.model import Component, Kind, Topology


def breaks_gpudirect_off() -> Topology:
    topology = rails()
    note(topology, "GPU1", "nccl.net", "NET/IB/1")
    note(topology, "GPU1", "nccl.net.gdr", value=False)
    return topology


def keeps_gpudirect_off() -> Topology:
    topology = rails()
    note(topology, "host", "module.nvidia_peermem", "loaded")
    return topology


def cannot_tell_gpudirect_off() -> Topology:
    topology = rails()
    note(topology, "host", "module.nvidia_peermem", None, "absent")
    return topology


def grace() -> Topology:
    topology = superchip_tray()
    for index in range(4):
        topology.add(Component(f"GPU{index}", Kind.ACCELERATOR, ORIGIN, model="GB200"))
    return topology


def breaks_grace_gdr_off() -> Topology:
    return set_variables(grace(), NCCL_NET_GDR_C2C="0")


def keeps_grace_gdr_off() -> Topology:
    topology = grace()
    note(topology, "GPU0", "nccl.net", "NET/IB/0/GDRDMA")
    note(topology, "GPU0", "nccl.net.gdr", value=True)
    return topology


def cannot_tell_grace_gdr_off() -> Topology:
    return grace()


def test_a_log_without_gdrdma_names_the_accelerator_and_what_it_loses() -> None:
    (finding,) = gpudirect.check_switched(breaks_gpudirect_off())

    assert finding.components == ("GPU1",)
    assert "NET/IB/1 without GDRDMA" in finding.message
    (harm,) = finding.harms
    assert harm.before is not None
    assert harm.after is not None
    assert harm.after < harm.before


def test_a_missing_module_is_a_question_where_dma_buf_may_do_its_work() -> None:
    (finding,) = gpudirect.check_switched(cannot_tell_gpudirect_off())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert "GDRDMA" in finding.remedy


def test_a_missing_module_is_the_fault_where_the_driver_is_too_old_for_dma_buf() -> None:
    topology = cannot_tell_gpudirect_off()
    note(topology, "host", "driver.nvidia", "470.161.03")
    (finding,) = gpudirect.check_switched(topology)

    assert finding.verdict is Verdict.FOUND
    assert "modprobe nvidia-peermem" in finding.remedy


def test_a_kernel_of_a_distribution_that_brings_dma_buf_back_proves_nothing() -> None:
    for release, verdict in (("5.4.0-150-generic", Verdict.FOUND), ("4.18.0-477.el8.x86_64", Verdict.COULD_NOT_TELL)):
        topology = cannot_tell_gpudirect_off()
        note(topology, "host", "kernel.release", release)
        assert [each.verdict for each in gpudirect.check_switched(topology)] == [verdict]


def test_a_variable_that_forbids_it_is_found() -> None:
    (finding,) = gpudirect.check_switched(set_variables(rails(), NCCL_NET_GDR_LEVEL="LOC"))

    assert finding.verdict is Verdict.FOUND
    assert finding.components == ("GPU0", "GPU1", "GPU2", "GPU3")


def test_a_nic_of_which_the_log_says_so_is_found() -> None:
    topology = rails()
    note(topology, "NIC2", "nccl.gdr", value=False)
    (finding,) = gpudirect.check_switched(topology)

    assert "mlx5_2" in finding.message


def test_a_superchip_is_known_by_its_model_where_no_tool_shows_its_link() -> None:
    topology = rails(accelerators=2)
    for index in range(2):
        topology.add(replace(topology.component(f"GPU{index}"), model="GB200"))

    assert list(gpudirect.check_switched(topology)) == []
    assert [each.verdict for each in gpudirect.check_c2c(topology)] == [Verdict.COULD_NOT_TELL]
