"""``nvidia-smi nvlink``: status, remote ends, capabilities, counters, firmware."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.nvidia_smi.printers import capture, gpus, status
from tests.collectors.nvidia_smi.wanted import cards, links, settings
from toposcope.base import Bandwidth
from toposcope.collectors.nvidia_smi import nvlink

HEAD = "GPU 0: NVIDIA Y10 (UUID: GPU-1)\n"


@given(machine=gpus(), indent=st.sampled_from(["\t ", " " * 9, " ", "> \t"]))
def test_what_is_printed_is_read(machine, indent):
    reading = nvlink.parse_status(capture(status(machine, indent)))

    assert not reading.problems
    for gpu in machine:
        found = links(reading, f"GPU{gpu.index}")
        if gpu.links and not any(gpu.links):
            assert settings(reading, f"GPU{gpu.index}") == {"nvlink.state": "inactive"}
            assert not found
            continue
        assert {n: link.rate for n, link in found.items()} == {
            n: None if rate is None else Bandwidth.gigabytes(rate) for n, rate in enumerate(gpu.links)
        }
        assert all(link.active is (gpu.links[n] is not None) for n, link in found.items())
        assert cards(reading)[f"GPU{gpu.index}"].model == gpu.name


def test_a_gpu_without_uuid_as_old_drivers_print_it_is_read():
    reading = nvlink.parse_status(capture("GPU 5: Tesla Z100\n\t Link 0: 20 GB/s\n"))

    assert links(reading, "GPU5")[0].rate == Bandwidth.gigabytes(20)


def test_links_without_their_gpu_take_it_from_the_command_or_are_reported():
    text = "\t Link 0: 25 GB/s\n"

    assert links(nvlink.parse_status(capture(text, argument="2")), "GPU2")
    assert len(nvlink.parse_status(capture(text)).problems) == 1


def test_a_state_that_is_not_known_is_reported():
    reading = nvlink.parse_status(capture(HEAD + "\t Link 0: <sleeping>\n"))

    assert [problem.text for problem in reading.problems] == ["Link 0: <sleeping>"]
    assert not links(reading, "GPU0")


def test_left_out_links_are_reported():
    reading = nvlink.parse_status(capture(HEAD + "\t Link 0: 25 GB/s\n...\n"))

    assert [problem.message for problem in reading.problems] == ["lines were cut here"]


def test_the_far_end_of_a_link_is_an_address_and_a_link_there():
    text = HEAD + "\t Link 4: Remote Device 00000008:00:00.0: Link 34\n\t Link 5: 00000000:5E:00.0\n"
    found = links(nvlink.parse_remote(capture(text)), "GPU0")

    assert [(link.peer, link.peer_link, link.active) for link in found.values()] == [
        ("0008:00:00.0", 34, True),
        ("0000:5e:00.0", None, True),
    ]


def test_a_switch_that_the_host_does_not_see_keeps_its_stand_in_address():
    text = HEAD + "\t Link 0: Remote Device 0FFFFFFF:FF:FF.0: Link 3\n"

    assert links(nvlink.parse_remote(capture(text)), "GPU0")[0].peer == "fffffff:ff:ff.0"


def test_capabilities_become_settings_of_the_link():
    text = HEAD + (
        "\t Link 3, P2P is supported: true\n\t Link 3, Access to system memory supported: false\n"
        "\t Link 3, P2P atomics supported: true\n\t Link 3, System memory atomics supported: true\n"
        "\t Link 3, SLI is supported: false\n\t Link 3, Link is supported: true\n"
    )

    assert settings(nvlink.parse_capabilities(capture(text)), "GPU0") == {
        "nvlink.3.p2p": True,
        "nvlink.3.system_memory": False,
        "nvlink.3.p2p_atomics": True,
        "nvlink.3.system_memory_atomics": True,
        "nvlink.3.sli": False,
        "nvlink.3.link": True,
    }


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("Link 0: Replay Errors: 7", "counter.nvlink.0.replay", 7),
        ("Link 0: CRC Errors: 0", "counter.nvlink.0.crc", 0),
        ("Link 11: Link recovery failed events: 1", "counter.nvlink.11.link_recovery_failed", 1),
        ("Link 2: FEC Errors - 0: 123456789012", "counter.nvlink.2.fec_0", 123456789012),
        ("Link 2: Effective BER: 15e-255", "counter.nvlink.2.effective_ber", 15e-255),
        ("Link 2: Rx Errors: N/A", "counter.nvlink.2.rx", None),
    ],
)
def test_counters_become_settings_of_the_link(line, name, value):
    reading = nvlink.parse_errors(capture(f"=== GPU 0 NVLink Errors ===\n{HEAD}\t {line}\n\n"))

    assert not reading.problems
    assert settings(reading, "GPU0") == {name: value}


def test_firmware_values_are_named_by_their_section():
    text = HEAD + "         NVLE: disabled\n         Firmware Version:\n             MSE: 1:2:3\n         Other: x\n"

    assert settings(nvlink.parse_firmware(capture(text)), "GPU0") == {
        "nvlink.nvle": "disabled",
        "nvlink.firmware_version.mse": "1:2:3",
        "nvlink.other": "x",
    }


def test_links_whose_gpu_was_lost_are_given_to_nobody_and_reported():
    text = HEAD + "\t Link 0: 25 GB/s\n\t Link 1: 25 GB/s\n\t Link 0: 50 GB/s\n\t Link 1: 50 GB/s\n"
    reading = nvlink.parse_status(capture(text))

    assert {link.rate for link in links(reading, "GPU0").values()} == {Bandwidth.gigabytes(25)}
    assert [problem.origin.line for problem in reading.problems] == [4]


def test_a_link_left_out_is_reported():
    reading = nvlink.parse_status(capture(HEAD + "\t Link 0: 25 GB/s\n\t Link 3: 25 GB/s\n"))

    assert ["links 1 to 2 of GPU0" in problem.message for problem in reading.problems] == [True]
