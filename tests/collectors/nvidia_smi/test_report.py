"""``nvidia-smi -q`` and ``nvidia-smi -q -x``."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.collectors.nvidia_smi.printers import Gpu, capture, gpus, report, xml
from tests.collectors.nvidia_smi.wanted import MIB, cards, check_card, settings
from toposcope.base import ProblemKind
from toposcope.collectors.nvidia_smi import report_text, report_xml

FORMS = {"text": (report, report_text.parse), "xml": (xml, report_xml.parse)}
TWO = (Gpu(0, migs=(10, 20), mig="Enabled"), Gpu(1, address="00000001:5E:00.0", uuid="GPU-1111", reasons=("Idle",)))


@pytest.mark.parametrize("form", FORMS)
@given(machine=gpus())
def test_what_is_printed_is_read(form, machine):
    printer, parse = FORMS[form]
    reading = parse(capture(printer(machine)))

    assert not reading.problems
    assert settings(reading, "host") == {"driver.nvidia": "550.1.2", "driver.cuda": "12.4"}
    names = {"Idle": "gpu_idle", "SW Power Cap": "sw_power_cap", "HW Slowdown": "hw_slowdown"}
    for gpu in machine:
        label = f"GPU{gpu.index}"
        card, told = cards(reading)[label], settings(reading, label)
        check_card(card, gpu)
        assert (card.model, card.uuid, card.serial) == (gpu.name, gpu.uuid, f"10000{gpu.index}")
        assert (card.pcie_generation, card.pcie_max_generation) == gpu.generation
        assert (card.pcie_width, card.pcie_max_width) == gpu.width
        assert told["bar1.total_bytes"] == (gpu.mib + 1) * MIB
        assert (told["fabric.state"], told["fabric.status"]) == ("Completed", "Success")
        assert told["counter.pcie.replays"] == gpu.index
        wanted = {names.get(reason, "sw_thermal_slowdown") for reason in gpu.reasons} or {"none"}
        assert set(told["clocks.active_reasons"].split(",")) == wanted
        for number, mib in enumerate(gpu.migs):
            assert cards(reading)[f"{label}/{number}"].memory_bytes == mib * MIB
            assert settings(reading, f"{label}/{number}") == {"mig.gpu_instance": number + 1}


def test_both_forms_say_the_same():
    def said(reading):
        return [
            (type(r), getattr(r, "name", None), getattr(r, "value", None), getattr(r, "label", None))
            for r in reading.records
        ]

    assert sorted(map(str, said(report_text.parse(capture(report(TWO)))))) == sorted(
        map(str, said(report_xml.parse(capture(xml(TWO)))))
    )


@pytest.mark.parametrize("form", FORMS)
def test_records_name_the_line_of_their_value(form):
    printer, parse = FORMS[form]
    text = printer(TWO)
    lines = text.split("\n")

    for record in parse(capture(text)).records:
        if getattr(record, "name", "") == "bar1.total_bytes":
            assert str(81001) in lines[record.origin.line - 1]


@pytest.mark.parametrize("form", FORMS)
def test_one_gpu_of_several_is_named_by_the_command_or_by_its_address(form):
    printer, parse = FORMS[form]
    text = printer(TWO[1:], attached=8)

    assert set(cards(parse(capture(text, argument="1")))) == {"GPU1"}
    alone = parse(capture(text))
    assert set(cards(alone)) == {"0001:5e:00.0"}
    assert not alone.problems
    assert settings(alone, "0001:5e:00.0")["fabric.state"] == "Completed"


@pytest.mark.parametrize("form", FORMS)
def test_gpus_that_are_attached_but_not_printed_are_reported(form):
    printer, parse = FORMS[form]
    reading = parse(capture(printer(TWO, attached=8)))

    assert [problem.message for problem in reading.problems] == [
        "8 GPUs are attached, 2 are printed: which ones is not known"
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_session_around_the_report_does_no_harm(form):
    printer, parse = FORMS[form]
    reading = parse(capture("$ nvidia-smi -q\n" + printer(TWO) + "\nuser@host:~$ date: now\nbye\n"))

    assert not reading.problems
    assert {"GPU0", "GPU1"} <= set(cards(reading))


@pytest.mark.parametrize("form", FORMS)
def test_no_answer_keeps_its_reason(form):
    printer, parse = FORMS[form]
    text = printer([Gpu(0, utilisation=None)]).replace("Completed", "N/A")
    statuses = {getattr(r, "name", ""): getattr(r, "status", "") for r in parse(capture(text)).records}

    assert (statuses["fabric.state"], statuses["utilisation"]) == ("unsupported", "unsupported")


def test_old_drivers_speak_of_throttling():
    text = report([Gpu(0, reasons=("SW Power Cap",))], event="Throttle")

    assert settings(report_text.parse(capture(text)), "GPU0")["clocks.active_reasons"] == "sw_power_cap"


def test_the_newest_drivers_speak_of_kernel_and_user_parts():
    text = report(TWO).replace("Driver Version", "KMD Version").replace("CUDA Version", "CUDA UMD Version")

    assert settings(report_text.parse(capture(text)), "host") == {"driver.nvidia": "550.1.2", "driver.cuda": "12.4"}


@pytest.mark.parametrize("step", [1, 2, 3, 8])
def test_any_depth_of_indentation_is_read(step):
    lines = report(TWO).split("\n")
    text = "\n".join(" " * ((len(line) - len(line.lstrip())) // 4 * step) + line.lstrip() for line in lines)

    assert report_text.parse(capture(text)).records == report_text.parse(capture(report(TWO))).records


def test_lost_indentation_is_repaired_from_the_names_of_sections():
    plain = (Gpu(0, reasons=("HW Slowdown",)), TWO[1])
    text = "\n".join(line.lstrip() for line in report(plain).split("\n"))
    reading = report_text.parse(capture(text))

    assert [problem.kind for problem in reading.problems] == [ProblemKind.REPAIRED]
    assert reading.records == report_text.parse(capture(report(plain))).records


def test_a_stray_line_inside_the_report_is_reported():
    lines = report(TWO).split("\n")
    at = lines.index(next(line for line in lines if "Performance" in line))

    assert [p.text for p in report_text.parse(capture("\n".join([*lines[:at], "stray", *lines[at:]]))).problems] == [
        "stray"
    ]


@pytest.mark.parametrize(
    "doctype",
    ['[<!ENTITY a "b">]', '[<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]', '[<!ENTITY a SYSTEM "http://x/">]'],
)
def test_entities_are_refused_and_reported(doctype):
    reading = report_xml.parse(capture(xml(TWO, doctype=doctype)))

    assert not reading.records
    assert [problem.message for problem in reading.problems] == ["XML with entities is refused"]


def test_the_uuid_of_a_mig_device_is_read_where_a_driver_prints_it():
    text = xml(TWO).replace("<index>1</index>", "<index>1</index><uuid>MIG-9</uuid>")

    assert cards(report_xml.parse(capture(text)))["GPU0/1"].uuid == "MIG-9"


def test_xml_that_is_cut_is_read_up_to_there():
    text = xml(TWO)
    reading = report_xml.parse(capture(text[: text.index("<clocks_event_reasons>", text.index("GPU-1111"))]))

    assert {card.pci for card in cards(reading).values() if card.pci} == {"0000:3b:00.0", "0001:5e:00.0"}
    assert any("cut" in problem.message for problem in reading.problems)


def test_xml_that_is_broken_is_read_up_to_there():
    reading = report_xml.parse(capture(xml(TWO).replace("<serial>100001", "<serial>&1")))

    assert any(problem.message.startswith("the XML is broken here") for problem in reading.problems)
    assert len(cards(reading)) == 4


def test_text_without_a_report_is_reported():
    for _, parse in FORMS.values():
        assert len(parse(capture("nothing\nof this\n")).problems) == 1


def test_an_xml_value_that_is_broken_over_lines_is_told():
    found = report_xml.parse(capture(xml(TWO).replace("<serial>100001", "<serial>1000\n01")))
    assert [problem.message for problem in found.problems] == ["a value broken over lines"]
