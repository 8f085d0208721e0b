"""What the survey of a host says of its sources: four ways to be missing, what each costs, and what to do."""

from __future__ import annotations

import pytest

from toposcope.base import Capture, Origin
from toposcope.collectors import SOURCES
from toposcope.collectors.records import NicName, PciDevice
from toposcope.recording import Command, Outcome, Recording
from toposcope.recording.survey import SourceState, Standing, survey

HERE = Origin("sysfs-pci", "sysfs-pci", 1)
GPU = PciDevice("0000:3b:00.0", HERE, pci_id="10de:2330")
NPU = PciDevice("0000:c1:00.0", HERE, pci_id="19e5:d802")
BRIDGE = PciDevice("0000:00:01.0", HERE, pci_id="19e5:a120")


def ended(key: str, outcome: Outcome, **more: object) -> Command:
    more.setdefault("file", key if outcome is Outcome.DONE else None)
    return Command(key, SOURCES[key].command, outcome, **more)  # type: ignore[arg-type]


def states(*commands: Command, records: tuple[object, ...] = (GPU,), as_root: bool = True) -> dict[str, SourceState]:
    captures = tuple(Capture(each.source, each.file, "x") for each in commands if each.file)
    found = survey(Recording("h", captures, commands=commands, as_root=as_root), records)  # type: ignore[arg-type]
    return {each.key: each for each in found}


@pytest.mark.parametrize(
    ("outcome", "standing", "says"),
    [
        (Outcome.ABSENT, Standing.ABSENT, "NVIDIA driver"),
        (Outcome.REFUSED, Standing.REFUSED, "run as root"),
        (Outcome.TIMED_OUT, Standing.TIMED_OUT, "--timeout"),
        (Outcome.EMPTY, Standing.EMPTY, "is the driver loaded"),
    ],
)
def test_the_four_ways_to_be_missing_are_told_apart(outcome: Outcome, standing: Standing, says: str) -> None:
    state = states(ended("nvidia-smi-topo-m", outcome))["nvidia-smi-topo-m"]

    assert state.standing is standing
    assert state.cost is not None
    assert state.remedy is not None
    assert says in state.remedy


def test_what_is_there_costs_nothing() -> None:
    state = states(ended("nvidia-smi-topo-m", Outcome.DONE, exit_code=0))["nvidia-smi-topo-m"]

    assert (state.standing, state.cost, state.remedy) == (Standing.AVAILABLE, None, None)


@pytest.mark.parametrize("key", ["lspci-vvv", "sysfs-pci"])
def test_what_shows_less_without_root_says_what_is_lost_and_how_to_get_it(key: str) -> None:
    command = ended(key, Outcome.DONE, exit_code=0)

    state = states(command, as_root=False)[key]

    assert state.standing is Standing.PARTIAL
    assert state.cost is not None
    assert "ACS" in state.cost
    assert state.remedy is not None
    assert "sudo lspci" in state.remedy
    assert states(command, as_root=True)[key].standing is Standing.AVAILABLE


def test_a_tool_for_devices_that_the_host_does_not_have_is_not_needed() -> None:
    found = states(ended("npu-smi-topo", Outcome.ABSENT), ended("nvidia-smi-topo-m", Outcome.ABSENT))

    assert found["npu-smi-topo"].standing is Standing.UNNEEDED
    assert found["nvidia-smi-topo-m"].standing is Standing.ABSENT


def test_a_bridge_of_the_vendor_of_npus_makes_no_npu() -> None:
    absent = ended("npu-smi-topo", Outcome.ABSENT)

    assert states(absent, records=(GPU, BRIDGE))["npu-smi-topo"].standing is Standing.UNNEEDED
    assert states(absent, records=(GPU, NPU))["npu-smi-topo"].standing is Standing.ABSENT


def test_where_the_pci_bus_is_not_seen_every_tool_may_be_needed() -> None:
    found = states(ended("npu-smi-topo", Outcome.ABSENT), records=())

    assert found["npu-smi-topo"].standing is Standing.ABSENT


def test_a_missing_source_costs_nothing_where_another_shows_the_same() -> None:
    absent = ended("udevadm", Outcome.ABSENT)

    assert states(absent)["udevadm"].cost == "all of it"
    assert states(absent, ended("sysfs-pci", Outcome.DONE))["udevadm"].cost is None


def test_a_masked_sys_says_what_to_ask_the_host_for() -> None:
    state = states(records=())["sysfs-pci"]

    assert state.standing is Standing.EMPTY
    assert state.remedy is not None
    assert "lspci -D -nn -vvv" in state.remedy


def test_a_command_that_nothing_fills_in_is_not_needed() -> None:
    assert states(ended("sysfs-net", Outcome.DONE))["ethtool-i"].standing is Standing.UNNEEDED


def test_tools_of_rdma_are_needed_where_there_is_an_rdma_device() -> None:
    nic = NicName(HERE, rdma="mlx5_0", pci="0000:3c:00.0")
    commands = (ended("sysfs-net", Outcome.DONE), ended("ibstat", Outcome.ABSENT))

    assert states(*commands, records=(GPU, nic))["ibstat"].standing is Standing.ABSENT
    assert states(*commands)["ibstat"].standing is Standing.UNNEEDED


def test_a_part_that_is_missing_is_told() -> None:
    done, late = ended("ethtool", Outcome.DONE, exit_code=0), ended("ethtool", Outcome.TIMED_OUT)

    assert states(done, late)["ethtool"].standing is Standing.PARTIAL


def test_every_source_that_a_live_run_asks_is_in_the_survey() -> None:
    assert set(states()) >= {key for key, source in SOURCES.items() if source.command}


def test_a_search_that_finds_nothing_has_answered() -> None:
    assert states(ended("kernel-log", Outcome.EMPTY))["kernel-log"].standing is Standing.AVAILABLE
