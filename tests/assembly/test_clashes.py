"""Two sources that disagree about one device, link or pair are both named."""

from __future__ import annotations

import json

import pytest

from tests.printing import LOOKUP, machine
from tests.recordings_of import of_nvidia_text, of_nvml
from toposcope.assembly import assemble
from toposcope.base import Capture, Problem
from toposcope.collectors import SOURCES
from toposcope.collectors.records import Reading

NAME = "a100-pcie-4"


def clashes(texts: dict[str, str]) -> list[Problem]:
    readings = [SOURCES[key].parse(Capture(key, key, text)) for key, text in texts.items()]
    records = tuple(record for reading in readings for record in reading.records)
    problems = assemble(Reading(records, ()), LOOKUP).problems
    return [problem for problem in problems if problem.kind == "clash"]


def test_nvml_and_nvidia_smi_of_one_host_agree() -> None:
    assert clashes({**of_nvidia_text(machine(NAME)), **of_nvml(machine(NAME))}) == []


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("uuid", "GPU-99999999-0000-4000-8000-000000000000", "uuid of GPU2"),
        ("pci", "00000000:99:00.0", "pci of GPU2"),
    ],
)
def test_an_answer_of_nvml_that_contradicts_nvidia_smi_is_a_clash_of_both_lines(
    question: str, answer: str, said: str
) -> None:
    nvml = json.loads(of_nvml(machine(NAME))["nvml"])
    nvml["gpus"][2][question] = {"value": answer}

    found = clashes({**of_nvidia_text(machine(NAME)), "nvml": json.dumps(nvml, indent=1)})

    (clash,) = [each for each in found if said in each.message]
    assert clash.other is not None
    assert {clash.origin.source, clash.other.source} == {"nvidia-smi-query-gpu", "nvml"}


def test_a_link_that_one_source_calls_down_and_the_other_active_is_a_clash() -> None:
    gpus = [{"index": 0, "nvlinks": [{"link": 0, "state": {"value": 0}}]}]
    nvml = json.dumps({"format": "toposcope.nvml/1", "gpus": gpus}, indent=1)
    status = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n\t Link 0: 25 GB/s\n"

    (clash,) = clashes({"nvidia-smi-nvlink-s": status, "nvml": nvml})

    assert "active of link 0 of GPU0" in clash.message


def test_recordings_of_two_hosts_in_one_are_not_listed_without_end() -> None:
    nvml = json.loads(of_nvml(machine("dgx-2"))["nvml"])
    for gpu in nvml["gpus"]:
        gpu["uuid"] = {"value": f"GPU-9{gpu['index']:07x}-0000-4000-8000-000000000000"}
        gpu["pci"] = {"value": f"00000000:{0x90 + gpu['index']:02X}:00.0"}

    found = clashes({**of_nvidia_text(machine("dgx-2")), "nvml": json.dumps(nvml, indent=1)})

    assert 0 < sum(" of GPU" in each.message for each in found) <= 20
