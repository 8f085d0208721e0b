"""``nvidia-smi -L``."""

from __future__ import annotations

from hypothesis import given

from tests.collectors.nvidia_smi.printers import capture, gpus, listing
from tests.collectors.nvidia_smi.wanted import cards, settings
from toposcope.collectors.nvidia_smi.listing import parse


def read(text, **options):
    return parse(capture(text, **options))


@given(machine=gpus())
def test_what_is_printed_is_read(machine):
    reading = read(listing(machine))

    assert not reading.problems
    found = cards(reading)
    for gpu in machine:
        assert (found[f"GPU{gpu.index}"].model, found[f"GPU{gpu.index}"].uuid) == (gpu.name, gpu.uuid)
        for number in range(len(gpu.migs)):
            assert found[f"GPU{gpu.index}/{number}"].uuid == f"MIG-{gpu.index}{number}00-aaaa"
            assert settings(reading, f"GPU{gpu.index}/{number}") == {"mig.profile": "1g.10gb"}


def test_old_uuids_of_mig_devices_and_compute_slices_are_read():
    text = "GPU 0: A (UUID: GPU-1)\n  MIG 1c.3g.20gb+me Device 0: (UUID: MIG-GPU-1/7/0)\n"

    assert cards(read(text))["GPU0/0"].uuid == "MIG-GPU-1/7/0"
    assert settings(read(text), "GPU0/0") == {"mig.profile": "1c.3g.20gb+me"}


def test_a_serial_number_of_an_old_driver_is_no_uuid():
    card = cards(read("GPU 0: Tesla Z1 (S/N: 0123)\n"))["GPU0"]

    assert (card.serial, card.uuid) == ("0123", None)


def test_a_uuid_that_the_poster_took_out_is_none():
    assert cards(read("GPU 0: A (UUID: ...)\n"))["GPU0"].uuid is None


def test_a_mig_device_without_its_gpu_is_reported():
    assert len(read("  MIG 1g.10gb     Device  0: (UUID: MIG-1)\n").problems) == 1


def test_a_line_inside_is_reported_and_prompts_around_are_not():
    text = "$ nvidia-smi -L\nGPU 0: A (UUID: GPU-1)\nstray\nGPU 1: A (UUID: GPU-2)\n$ exit\n"

    assert [problem.text for problem in read(text).problems] == ["stray"]


def test_a_lost_gpu_in_the_listing_is_kept_with_the_reason():
    text = "GPU 0: A (UUID: GPU-1)\nUnable to determine the device handle for GPU 0000:5E:00.0: GPU is lost.  Reboot\n"
    card = cards(read(text))["0000:5e:00.0"]

    assert card.health == "GPU is lost.  Reboot"


def test_gpus_left_out_between_others_are_reported_unless_they_were_not_asked_for():
    text = "GPU 2: A (UUID: GPU-3)\nGPU 3: A (UUID: GPU-4)\nGPU 5: A (UUID: GPU-6)\n"

    assert [(problem.origin.line, problem.message.split(" missing")[0]) for problem in read(text).problems] == [
        (1, "GPU0 to GPU1"),
        (3, "GPU4"),
    ]
    assert not read(text, argument="2,3,5").problems
