"""The document of NVML's answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture
from toposcope.collectors import nvml
from toposcope.collectors.nvml.document import FORMAT, parse
from toposcope.collectors.nvml.meanings import members
from toposcope.collectors.records import Accelerator, FabricLink, Matrix, PeerStatus, Setting

QUESTIONS = {"driver": nvml.DRIVER, "gpu": nvml.GPU, "mig": nvml.MIG, "link": nvml.LINK, "pair": nvml.PAIR}
ANSWERS = {
    "driver": {"version": "550.1.2", "cuda": 12040, "nvml": "12.550.1.2"},
    "gpu": {
        "name": "NVIDIA X900",
        "uuid": "GPU-1",
        "serial": "77",
        "pci": "00000000:3B:00.0",
        "memory_bytes": 80 * 2**30,
        "numa": [2, 0],
        "cpus": [0xF, 0, 0x3],
        "pcie_generation": 1,
        "pcie_width": 16,
        "pcie_max_generation": 5,
        "pcie_max_width": 16,
        "performance_state": 8,
        "utilisation": 0,
        "mig": 1,
        "pcie_device_max_generation": 5,
        "gpu_numa": 4,
        "bar1_bytes": 2**37,
        "pcie_replays": 3,
        "clocks_reasons": 5,
        "addressing_mode": 2,
        "minor": 6,
        "fabric_state": 3,
        "fabric_status": 0,
        "fabric_clique": 1,
        "fabric_cluster": "aa" * 16,
        "fabric_health": 1,
    },
    "mig": {"uuid": "MIG-1", "name": "X900 MIG 1g.10gb", "memory_bytes": 10, "gpu_instance": 7, "compute_instance": 0},
    "link": {
        "state": 1,
        "version": 6,
        "remote_pci": "00000000:C3:00.0",
        "remote_type": 2,
        "speed_mbps": 26562,
        "replays": 1,
        "recoveries": 2,
        "crc": 3,
    },
    "pair": {"ancestor": 20, "read": 0, "write": 1, "nvlink": 5, "atomics": 2},
}


def values(kind):
    return {key: {"value": value} for key, value in ANSWERS[kind].items()}


def document(**changes):
    """Make a whole document: two GPUs, each with two links and a MIG device, and their pair."""
    gpus = [
        {
            "index": index,
            **values("gpu"),
            "migs": [{"mig": 0, **values("mig")}],
            "nvlinks": [{"link": link, **values("link")} for link in (0, 4)],
        }
        for index in (0, 1)
    ]
    pairs = [{"first": 0, "second": 1, **values("pair")}]
    return {"format": FORMAT, "driver": values("driver"), "gpus": gpus, "pairs": pairs} | changes


def read(content):
    return parse(Capture("nvml", "nvml.json", content if isinstance(content, str) else json.dumps(content, indent=1)))


def of(kind, reading):
    return [record for record in reading.records if isinstance(record, kind)]


def told(reading, subject):
    return {setting.name: setting.value for setting in of(Setting, reading) if setting.subject == subject}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_question_is_answered_in_the_whole_document(kind):
    assert [question.key for question in QUESTIONS[kind]] == list(ANSWERS[kind])


def test_a_card_is_read_whole():
    reading = read(document())
    card = of(Accelerator, reading)[0]

    assert not reading.problems
    assert (card.label, card.model, card.uuid, card.serial, card.pci) == (
        "GPU0",
        "NVIDIA X900",
        "GPU-1",
        "77",
        "0000:3b:00.0",
    )
    assert (card.numa, card.cpus, card.memory_bytes) == (1, "0-3,128-129", 80 * 2**30)
    assert (card.pcie_generation, card.pcie_width, card.pcie_max_generation, card.pcie_max_width) == (1, 16, 5, 16)
    assert (card.performance_state, card.utilisation, card.mig_enabled) == ("P8", 0, True)
    assert told(reading, "host") == {"driver.nvidia": "550.1.2", "driver.cuda": "12.4", "driver.nvml": "12.550.1.2"}


def test_what_has_no_field_becomes_a_setting():
    assert told(read(document()), "GPU1") == {
        "pcie.device_max_generation": 5,
        "gpu_numa_id": 4,
        "bar1.total_bytes": 2**37,
        "counter.pcie.replays": 3,
        "clocks.active_reasons": "gpu_idle,sw_power_cap",
        "addressing_mode": "ATS",
        "minor_number": 6,
        "fabric.state": "Completed",
        "fabric.status": "Success",
        "fabric.clique": 1,
        "fabric.cluster": "aa" * 16,
        "fabric.health.summary": "Healthy",
        **{
            f"counter.nvlink.{link}.{name}": value
            for link in (0, 4)
            for name, value in (("replay", 1), ("recovery", 2), ("crc", 3))
        },
    }


def test_links_carry_their_far_end_and_rate():
    links = of(FabricLink, read(document()))

    assert [(link.accelerator, link.link) for link in links] == [("GPU0", 0), ("GPU0", 4), ("GPU1", 0), ("GPU1", 4)]
    assert (links[0].active, links[0].version, links[0].peer, links[0].peer_kind, links[0].rate) == (
        True,
        "4.0",
        "0000:c3:00.0",
        "NVSwitch",
        Bandwidth.gigabytes(26.562),
    )


def test_a_mig_device_hangs_under_its_gpu():
    reading = read(document())
    device = next(card for card in of(Accelerator, reading) if card.label == "GPU1/0")

    assert (device.uuid, device.memory_bytes) == ("MIG-1", 10)
    assert told(reading, "GPU1/0") == {"mig.gpu_instance": 7, "mig.compute_instance": 0}


def test_a_pair_gives_the_words_of_nvidia_smi():
    reading = read(document())
    (matrix,) = of(Matrix, reading)

    assert [(p.row, p.column, p.capability, p.word) for p in of(PeerStatus, reading)] == [
        ("GPU0", "GPU1", "r", "OK"),
        ("GPU0", "GPU1", "w", "CNS"),
        ("GPU0", "GPU1", "n", "NS"),
        ("GPU0", "GPU1", "a", "GNS"),
    ]
    assert matrix.pcie_only
    assert matrix.labels == ("GPU0", "GPU1")
    assert {(cell.row, cell.column): cell.word for cell in matrix.cells} == {
        ("GPU0", "GPU1"): "PXB",
        ("GPU1", "GPU0"): "PXB",
    }


def test_records_name_the_line_where_their_object_begins():
    text = json.dumps(document(), indent=1)
    lines = text.split("\n")

    for record in read(text).records:
        key = {Accelerator: ('"index"', '"mig"'), FabricLink: ('"link"',), PeerStatus: ('"first"',)}.get(type(record))
        assert key is None or lines[record.origin.line - 1].strip().startswith(key)


@pytest.mark.parametrize(
    ("answer", "status"),
    [({"status": "unsupported"}, "unsupported"), ({"error": "NVML_ERROR_NO_PERMISSION"}, "unreadable")],
)
def test_no_answer_keeps_its_reason(answer, status):
    content = document()
    content["gpus"][0] |= {"pcie_generation": answer, "fabric_state": answer}
    kept = {s.name: s.status for s in of(Setting, read(content)) if s.subject == "GPU0"}

    assert (kept["pcie_generation"], kept["fabric.state"]) == (status, status)


def test_a_fabric_that_nvml_calls_not_supported_is_unsupported():
    content = document()
    content["gpus"][0]["fabric_state"] = {"value": 0}

    assert [s.status for s in of(Setting, read(content)) if (s.subject, s.name) == ("GPU0", "fabric.state")] == [
        "unsupported"
    ]


def test_a_lost_gpu_says_so():
    content = document()
    content["gpus"][1] = {"index": 1, "name": {"error": "NVML_ERROR_GPU_IS_LOST"}}

    assert [card.health for card in of(Accelerator, read(content)) if card.label == "GPU1"] == [
        "NVML_ERROR_GPU_IS_LOST"
    ]


def test_a_question_that_was_not_put_leaves_nothing():
    reading = read({"format": FORMAT, "gpus": [{"index": 0}]})

    assert reading.records == (Accelerator(reading.records[0].origin, label="GPU0"),)
    assert not reading.problems


def test_a_value_without_meaning_is_reported():
    content = document()
    content["gpus"][0]["performance_state"] = {"value": "fast"}

    assert ["performance_state: fast" in problem.text for problem in read(content).problems] == [True]


@pytest.mark.parametrize("raw", [32, 255, 0])
def test_a_value_that_says_unknown_is_none_and_no_problem(raw):
    content = document()
    content["gpus"][0]["nvlinks"][0] |= {"remote_type": {"value": 255}, "speed_mbps": {"value": 0}}
    content["gpus"][0]["performance_state"] = {"value": 32}
    reading = read(content)

    assert not reading.problems
    assert (of(FabricLink, reading)[0].peer_kind, of(FabricLink, reading)[0].rate) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "[]",
        "{}",
        '{"format": "toposcope.nvml/9"}',
        "[" * 100000,
        '{"format": "toposcope.nvml/1", "gpus": 3}',
        '{"format": "toposcope.nvml/1", "error": "NVML_ERROR_LIBRARY_NOT_FOUND"}',
        '{"format": "toposcope.nvml/1", "gpus": [{"name": {"value": "x"}}], "pairs": [{"first": 0}]}',
    ],
)
def test_what_is_no_document_is_reported(text):
    assert read(text).problems


@given(st.sets(st.integers(0, 300)))
def test_a_bit_set_is_read_as_its_members(numbers):
    words = [sum(1 << (number % 64) for number in numbers if number // 64 == word) for word in range(5)]
    listed = set()
    for part in (members(words) or "").split(","):
        low, _, high = part.partition("-")
        listed |= set(range(int(low), int(high or low) + 1)) if low else set()

    assert listed == numbers


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "value",
                    "status",
                    "error",
                    "index",
                    "link",
                    "mig",
                    "first",
                    "second",
                    "nvlinks",
                    "migs",
                    "name",
                    "cpus",
                    "state",
                    "ancestor",
                    "read",
                    "numa",
                    "clocks_reasons",
                    "fabric_status",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.lists(JSON, max_size=4), st.lists(JSON, max_size=3), JSON)
def test_no_document_makes_it_raise(gpus, pairs, driver):
    read(document(gpus=gpus, pairs=pairs, driver=driver))


@given(st.text())
def test_no_text_makes_it_raise(text):
    read(text)
