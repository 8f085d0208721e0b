"""Every recording of nvidia-smi in the corpus, matrices aside, against what its ``expect.json`` says."""

from __future__ import annotations

import json
import re

import pytest

from tests.shared import cases, needs_shared
from toposcope.base import Bandwidth, Capture
from toposcope.collectors.nvidia_smi import COLLECTOR, topo
from toposcope.collectors.records import Accelerator, FabricLink, Setting

pytestmark = needs_shared

SOURCES = [source for source in COLLECTOR.sources if source not in topo.SOURCES]
# Files in which something is reported, with the reason; in every other one nothing is.
REPORTED = {
    "078-v100-nvlink-s-2inactive/nvidia-smi_nvlink_-s": (1, "the poster showed GPU 3 only"),
    "080-b200-nvlink-s-all-inactive/nvidia-smi_nvlink_-s": (1, "the poster showed GPU 2 only"),
    "081-gb200-nvlink-s-53GBps/nvidia-smi_nvlink_-s": (23, "the poster wrote ... for the rest of GPU 1"),
}


def _files():
    return [
        file
        for case in cases("nvidia")
        for file in sorted(case.glob("nvidia-smi*"))
        if not file.name.startswith("nvidia-smi_topo")
    ]


def _source(file):
    words = file.name.replace("_", " ")
    for source in SOURCES:
        if match := source.named.match(words):
            return source, match.groupdict().get("argument")
    raise AssertionError(f"no source is named by {words}")


def _read(file):
    source, argument = _source(file)
    with file.open(encoding="utf-8", errors="replace", newline="") as text:
        return source.parse(Capture(source.key, file.name, text.read(), argument=argument))


def _expected(file):
    return json.loads((file.parent / "expect.json").read_text(encoding="utf-8"))


def _id(file):
    return f"{file.parent.name}/{file.name}"


@pytest.mark.parametrize("file", _files(), ids=_id)
def test_nothing_is_reported_that_is_not_known(file):
    line, _ = REPORTED.get(_id(file), (None, ""))

    assert [problem.origin.line for problem in _read(file).problems] == ([] if line is None else [line])


@pytest.mark.parametrize("file", _files(), ids=_id)
def test_gpus_are_counted_and_named(file):
    expected = _expected(file)
    cards = [record for record in _read(file).records if isinstance(record, Accelerator)]

    assert cards
    assert {card.model for card in cards} == {expected["gpu_model"]}
    if expected["gpus"] is not None and "_-i_" not in file.name:
        assert [card.label for card in cards] == [f"GPU{index}" for index in range(expected["gpus"])]


@pytest.mark.parametrize("file", [file for file in _files() if "nvlink_-s" in file.name], ids=_id)
def test_links_are_counted_with_their_rate(file):
    records = _read(file).records
    for gpu, wanted in _expected(file)["nvlink"].items():
        links = [record for record in records if isinstance(record, FabricLink) and record.accelerator == gpu]
        states = [record.value for record in records if isinstance(record, Setting) and record.subject == gpu]
        assert sum(link.active is True for link in links) == wanted["active"]
        assert sum(link.active is False for link in links) == wanted.get("inactive", 0)
        if "per_link_GBps" in wanted:
            assert {link.rate for link in links if link.active} == {Bandwidth.gigabytes(wanted["per_link_GBps"])}
        else:
            assert states == ["inactive"]


@pytest.mark.parametrize("file", [file for file in _files() if "nvlink_-R" in file.name], ids=_id)
def test_far_ends_are_the_other_gpu(file):
    links = [record for record in _read(file).records if isinstance(record, FabricLink)]
    wanted = _expected(file)["nvlink"]

    for gpu in wanted:
        assert sum(link.accelerator == gpu for link in links) == wanted[gpu]["active"]
    assert len({(link.accelerator, link.peer) for link in links}) == len(wanted)


@pytest.mark.parametrize("file", _files(), ids=_id)
def test_the_driver_is_the_one_that_the_machine_is_said_to_have(file):
    said = re.search(r"driver (\d[\d.]+\d)", _expected(file)["machine"])
    found = {r.value for r in _read(file).records if isinstance(r, Setting) and r.name == "driver.nvidia"}

    assert not said or found <= {said[1]}


@pytest.mark.parametrize("file", _files(), ids=_id)
def test_every_value_of_interest_in_the_text_is_in_a_record(file):
    text = file.read_text(encoding="utf-8", errors="replace")
    cards = [record for record in _read(file).records if isinstance(record, Accelerator)]
    if "-q" not in file.name.split("_"):
        addresses = re.findall(r"^\d+, .*?(\w{8}:\w\w:\w\w\.\d)", text, re.MULTILINE)
    else:
        addresses = re.findall(r"^GPU (\w{8}:\w\w:\w\w\.\d)", text, re.MULTILINE)

    assert [card.pci for card in cards if card.pci] == [address[4:].lower() for address in addresses]
    uuids = re.findall(r"GPU-[0-9a-f]{8}-[0-9a-f-]{27}", text)
    assert [card.uuid for card in cards if card.uuid and card.uuid != "GPU-xxx"] == uuids
