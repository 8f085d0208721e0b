"""The writer of NVML's answers, against a library that is made up here, and the reader of what it writes."""

from __future__ import annotations

import ctypes
import json
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from toposcope.base import Capture
from toposcope.collectors import SOURCES
from toposcope.collectors.records import Accelerator, FabricLink, Matrix, PeerStatus
from toposcope.recording import nvml

if TYPE_CHECKING:
    import pytest


class FakeError(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


def library(**calls: Any) -> ModuleType:
    """Make a pynvml of two GPUs; what is not in ``calls`` is not supported."""
    module = ModuleType("pynvml")
    errors = {"NVML_ERROR_NOT_SUPPORTED": 3, "NVML_ERROR_INVALID_ARGUMENT": 2, "NVML_ERROR_GPU_IS_LOST": 15,
              "NVML_ERROR_NOT_FOUND": 6, "NVML_ERROR_LIBRARY_NOT_FOUND": 12}  # fmt: skip

    def unsupported(*_args: object) -> object:
        raise FakeError(3)

    class Fabric(ctypes.Structure):
        _fields_ = [*((name, ctypes.c_uint) for name in ("state", "status", "cliqueId", "healthSummary")),
                    ("clusterUuid", ctypes.c_uint8 * 16)]  # fmt: skip

    basis = {
        "NVMLError": FakeError,
        "nvmlInit": lambda: None,
        "nvmlDeviceGetCount": lambda: 2,
        "nvmlDeviceGetHandleByIndex": lambda index: f"gpu{index}",
        "nvmlDeviceGetMaxMigDeviceCount": lambda _gpu: 0,
        "c_nvmlGpuFabricInfo_v3_t": Fabric,
        "c_nvmlGpuFabricInfo_v2_t": Fabric,
    }
    asked = {question.call for part in (nvml.DRIVER, nvml.GPU, nvml.MIG, nvml.LINK, nvml.PAIR) for question in part}
    for name, value in {**dict.fromkeys(asked, unsupported), **errors, **basis, **calls}.items():
        setattr(module, name, value)
    return module


def links(gpu: str, link: int) -> int:
    if link > 1:
        raise FakeError(2)
    return 1 if gpu == "gpu0" else 0


def reading(document: dict[str, Any]) -> Any:
    return SOURCES["nvml"].parse(Capture("nvml", "nvml.json", json.dumps(document, indent=1)))


def test_answers_are_written_as_the_reader_reads_them() -> None:
    document = nvml.ask(
        library(
            nvmlDeviceGetName=lambda gpu: f"Box {gpu}",
            nvmlDeviceGetPciInfo=lambda gpu: SimpleNamespace(busId=f"00000000:A{gpu[-1]}:00.0"),
            nvmlDeviceGetCpuAffinity=lambda _gpu, _words: [0xFF, 0],
            nvmlDeviceGetNvLinkState=links,
            nvmlDeviceGetTopologyCommonAncestor=lambda _one, _other: 20,
            nvmlDeviceGetP2PStatus=lambda one, _other, index: 0 if index == 0 and one == "gpu0" else 3,
        )
    )

    found = reading(document)

    cards = [record for record in found.records if isinstance(record, Accelerator)]
    assert [(card.label, card.model, card.pci, card.cpus) for card in cards] == [
        ("GPU0", "Box gpu0", "0000:a0:00.0", "0-7"),
        ("GPU1", "Box gpu1", "0000:a1:00.0", "0-7"),
    ]
    fabric = [record for record in found.records if isinstance(record, FabricLink)]
    assert [(link.accelerator, link.link, link.active) for link in fabric] == [
        ("GPU0", 0, True), ("GPU0", 1, True), ("GPU1", 0, False), ("GPU1", 1, False),
    ]  # fmt: skip
    (matrix,) = [record for record in found.records if isinstance(record, Matrix)]
    assert {(cell.row, cell.column): cell.word for cell in matrix.cells} == {
        ("GPU0", "GPU1"): "PXB",
        ("GPU1", "GPU0"): "PXB",
    }
    reads = {(p.row, p.column): p.word for p in found.records if isinstance(p, PeerStatus) and p.capability == "r"}
    assert reads[("GPU0", "GPU1")] == "OK"
    assert reads[("GPU1", "GPU0")] != "OK"
    assert found.problems == ()


def test_unsupported_failed_and_unasked_are_told_apart() -> None:
    def lost(_gpu: str) -> str:
        raise FakeError(15)

    module = library(nvmlDeviceGetName=lost)
    del module.nvmlDeviceGetUUID

    gpu = nvml.ask(module)["gpus"][0]

    assert gpu["name"] == {"error": "NVML_ERROR_GPU_IS_LOST"}
    assert gpu["uuid"] == {"status": "unsupported"}
    assert gpu["serial"] == {"status": "unsupported"}
    assert gpu["nvlinks"] == []


def test_a_gpu_that_gives_no_handle_keeps_its_number() -> None:
    def handle(index: int) -> str:
        if index == 0:
            raise FakeError(15)
        return f"gpu{index}"

    document = nvml.ask(library(nvmlDeviceGetHandleByIndex=handle))

    assert document["gpus"][0] == {"index": 0, "name": {"error": "NVML_ERROR_GPU_IS_LOST"}}
    assert document["gpus"][1]["index"] == 1
    assert document["pairs"] == []


def test_a_value_of_a_field_is_taken_from_the_member_that_its_type_names() -> None:
    def fields(_gpu: str, asked: list[tuple[int, int]]) -> list[SimpleNamespace]:
        (field,) = asked
        value = SimpleNamespace(uiVal=26562, ulVal=1, dVal=2.0)
        return [SimpleNamespace(nvmlReturn=0 if field[1] == 0 else 3, valueType=1, value=value)]

    document = nvml.ask(library(nvmlDeviceGetNvLinkState=links, nvmlDeviceGetFieldValues=fields))

    assert [link["speed_mbps"] for link in document["gpus"][0]["nvlinks"]] == [
        {"value": 26562},
        {"status": "unsupported"},
    ]


def test_mig_devices_are_listed_until_one_is_missing() -> None:
    def mig(_gpu: str, number: int) -> str:
        if number > 1:
            raise FakeError(6)
        return f"mig{number}"

    module = library(
        nvmlDeviceGetMaxMigDeviceCount=lambda _gpu: 7,
        nvmlDeviceGetMigDeviceHandleByIndex=mig,
        nvmlDeviceGetUUID=lambda device: f"MIG-{device}",
    )

    assert [each["uuid"] for each in nvml.ask(module)["gpus"][0]["migs"]] == [
        {"value": "MIG-mig0"},
        {"value": "MIG-mig1"},
    ]


def test_an_nvml_that_does_not_start_is_an_answer() -> None:
    def init() -> None:
        raise FakeError(15)

    assert nvml.ask(library(nvmlInit=init)) == {"format": "toposcope.nvml/1", "error": "NVML_ERROR_GPU_IS_LOST"}


def test_a_host_without_nvml_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def init() -> None:
        raise FakeError(12)

    monkeypatch.setitem(sys.modules, "pynvml", library(nvmlInit=init))

    assert nvml.main() == nvml.ABSENT
    assert capsys.readouterr().out == ""


def test_the_document_is_printed_with_each_object_on_lines_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", library())

    assert nvml.main() == 0

    printed = capsys.readouterr().out
    assert sum('"index": ' in line for line in printed.splitlines()) == 2
    assert SOURCES["nvml"].begins is not None
    assert SOURCES["nvml"].begins.search(printed)
