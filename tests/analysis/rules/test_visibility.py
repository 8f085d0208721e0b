"""What containers, variables and virtual machines hide: found, kept, and not made up."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.rules.boards import note, switched
from tests.machines import ORIGIN, Builder
from toposcope.analysis.rules.visibility import check_guest, check_hidden
from toposcope.base import Origin
from toposcope.model import Component, Kind, Topology


def breaks_hidden_accelerators() -> Topology:
    """One accelerator stands on the bus that no tool names."""
    topology = switched()
    topology.add(Component("0000:9a:00.0", Kind.ACCELERATOR, Origin("sysfs-pci", "s", 3), pci="0000:9a:00.0"))
    note(topology, "host", "env.NVIDIA_VISIBLE_DEVICES", "0,1")
    return topology


def keeps_hidden_accelerators() -> Topology:
    """All that stands on the bus has a number, and the process sees it."""
    topology = switched()
    note(topology, "GPU0", "runtime.device", "CUDA 0")
    return topology


def cannot_tell_hidden_accelerators() -> Topology:
    """No tool was recorded that names accelerators: the bus alone hides nothing."""
    topology = Topology(host="bus-only")
    topology.add(Component("0000:9a:00.0", Kind.ACCELERATOR, ORIGIN, pci="0000:9a:00.0"))
    return topology


def guest(*, numa: int | None = None, bridge: bool = False) -> Topology:
    b = Builder(Topology(host="guest"))
    b.add("pci0000:00", Kind.ROOT_COMPLEX)
    above = b.switch("SW0", "pci0000:00") if bridge else "pci0000:00"
    for index in range(2):
        b.accelerator(f"GPU{index}", above, numa=numa, pci=f"0000:00:0{index + 5}.0")
    note(b.topology, "host", "hypervisor", "KVM")
    return b.topology


def breaks_guest_view() -> Topology:
    """Two accelerators on one made-up bus without NUMA node."""
    return guest()


def keeps_guest_view() -> Topology:
    """A guest whose hypervisor shows nodes and switches."""
    return guest(numa=0, bridge=True)


def cannot_tell_guest_view() -> Topology:
    """The same bus, and nothing says that it is a guest's."""
    b = Builder(Topology(host="bare"))
    b.add("pci0000:00", Kind.ROOT_COMPLEX)
    b.accelerator("GPU0", "pci0000:00", pci="0000:00:05.0")
    return b.topology


def test_what_a_container_was_given_is_named() -> None:
    (found,) = check_hidden(breaks_hidden_accelerators())

    assert found.components == ("0000:9a:00.0",)
    assert "1 of 3 accelerators" in found.message
    assert "NVIDIA_VISIBLE_DEVICES=0,1" in found.message


def test_what_a_variable_hides_is_named_with_the_variable() -> None:
    topology = switched()
    note(topology, "host", "env.CUDA_VISIBLE_DEVICES", "0")
    note(topology, "GPU1", "runtime.device", None, "absent")

    (found,) = check_hidden(topology)

    assert found.components == ("GPU1",)
    assert "CUDA_VISIBLE_DEVICES=0" in found.message
    assert found.remedy == "unset CUDA_VISIBLE_DEVICES"


def test_a_guest_says_only_what_it_lacks() -> None:
    (found,) = check_guest(guest(numa=1))

    assert "PCIe tree" in found.message
    assert "NUMA" not in found.message


def test_a_slice_is_hidden_with_its_whole_only() -> None:
    topology = switched()
    gpu = topology.component("GPU0")
    topology.add(replace(gpu, id="GPU0/0", pci=None))

    assert list(check_hidden(topology)) == []


def test_a_tool_that_was_asked_about_one_card_proves_nothing_of_the_others() -> None:
    topology = Topology(host="h")
    topology.add(Component("NPU0", Kind.ACCELERATOR, ORIGIN, pci="0000:3b:00.0"))
    topology.add(Component("0000:9a:00.0", Kind.ACCELERATOR, ORIGIN, pci="0000:9a:00.0"))

    assert list(check_hidden(topology)) == []
