"""As which device a process sees an accelerator: every way in which the variables may be set."""

from __future__ import annotations

import pytest

from tests.machines import ORIGIN
from toposcope.assembly.visibility import add_visibility
from toposcope.model import Component, Fact, FactStatus, Kind, Topology

UUIDS = [f"GPU-{index:08x}-0000-4000-8000-000000000000" for index in range(4)]


def host(*, models: tuple[str, ...] = ("A",) * 4, vendor: str = "10de", prefix: str = "GPU", **env: str) -> Topology:
    topology = Topology(host="h")
    for index, model in enumerate(models):
        name = f"{prefix}{index}"
        topology.add(Component(name, Kind.ACCELERATOR, ORIGIN, model=model, pci_id=f"{vendor}:0001"))
        topology.note(Fact(name, "uuid", UUIDS[index], ORIGIN))
    for name, value in env.items():
        topology.note(Fact("host", f"env.{name}", value, ORIGIN))
    return topology


def seen(topology: Topology) -> dict[str, object]:
    add_visibility(topology)
    facts = {each.id: topology.fact(each.id, "runtime.device") for each in topology.components(Kind.ACCELERATOR)}
    return {name: "hidden" if fact.status is FactStatus.ABSENT else fact.value for name, fact in facts.items() if fact}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("2,0", {"GPU2": "CUDA 0", "GPU0": "CUDA 1"}),
        (f"{UUIDS[3]},1", {"GPU3": "CUDA 0", "GPU1": "CUDA 1"}),
        ("GPU-00000002", {"GPU2": "CUDA 0"}),
        ("1,-1,2", {"GPU1": "CUDA 0"}),
        ("1,9,2", {"GPU1": "CUDA 0"}),
        ("1,1,2", {"GPU1": "CUDA 0"}),
        (" 3 , 2 ", {"GPU3": "CUDA 0", "GPU2": "CUDA 1"}),
        ("", {}),
        ("NoDevFiles", {}),
        ("GPU-", {}),
    ],
)
def test_a_list_of_numbers_and_uuids_is_obeyed_as_the_runtime_does(value: str, wanted: dict[str, str]) -> None:
    found = seen(host(CUDA_VISIBLE_DEVICES=value))

    assert {name: device for name, device in found.items() if device != "hidden"} == wanted
    assert set(found) == {f"GPU{index}" for index in range(4)}


def test_without_a_variable_nothing_is_said() -> None:
    assert seen(host()) == {}


def test_numbers_of_unlike_devices_are_known_only_in_the_order_of_the_bus() -> None:
    mixed = ("A", "B", "A", "A")

    assert seen(host(models=mixed, CUDA_VISIBLE_DEVICES="1,2")) == {}
    assert seen(host(models=mixed, CUDA_VISIBLE_DEVICES=UUIDS[1]))["GPU1"] == "CUDA 0"
    found = seen(host(models=mixed, CUDA_VISIBLE_DEVICES="1", CUDA_DEVICE_ORDER="PCI_BUS_ID"))
    assert found["GPU1"] == "CUDA 0"


def test_the_inner_variable_counts_among_what_the_outer_leaves() -> None:
    found = seen(host(vendor="1002", ROCR_VISIBLE_DEVICES="3,2", HIP_VISIBLE_DEVICES="1"))

    assert found == {"GPU2": "HIP 0", "GPU3": "hidden", "GPU0": "hidden", "GPU1": "hidden"}


def test_npus_have_a_variable_of_their_own() -> None:
    found = seen(host(vendor="19e5", prefix="NPU", ASCEND_RT_VISIBLE_DEVICES="1", CUDA_VISIBLE_DEVICES="0"))

    assert found["NPU1"] == "ACL 0"
    assert found["NPU0"] == "hidden"


def test_a_slice_is_chosen_by_its_uuid_or_its_instances() -> None:
    def sliced(**env: str) -> Topology:
        topology = host(models=("A", "A"), **env)
        topology.add(Component("GPU0/0", Kind.ACCELERATOR, ORIGIN, model="A"))
        topology.note(Fact("GPU0/0", "uuid", "MIG-11111111-0000-4000-8000-000000000000", ORIGIN))
        topology.note(Fact("GPU0/0", "mig.gpu_instance", 3, ORIGIN))
        topology.note(Fact("GPU0/0", "mig.compute_instance", 0, ORIGIN))
        return topology

    for name in ("MIG-11111111-0000", f"MIG-{UUIDS[0]}/3/0"):
        found = seen(sliced(CUDA_VISIBLE_DEVICES=name))
        assert found["GPU0/0"] == "CUDA 0"
        assert "GPU0" not in found
        assert found["GPU1"] == "hidden"


def test_what_no_tool_names_has_no_number() -> None:
    topology = host(models=("A", "A"), CUDA_VISIBLE_DEVICES="0")
    topology.add(Component("0000:9a:00.0", Kind.ACCELERATOR, ORIGIN, pci="0000:9a:00.0", pci_id="10de:0001"))

    assert set(seen(topology)) == {"GPU0", "GPU1"}
