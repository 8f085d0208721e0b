"""The kernel's log: the few lines that matter, in both prefixes, counted and placed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors import kernel_log
from toposcope.collectors.records import Setting

PREFIXES = ("[   12.345678] ", "Jan  2 03:04:05 box kernel: ")
LINES = {
    "nvidia 0000:5e:00.0: 15.753 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x2 link at 0000:5d:00.0 "
    "(capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)": (
        "0000:5e:00.0",
        "kernel.link_limited_by",
        "8.0 GT/s PCIe x2 link at 0000:5d:00.0",
    ),
    "mlx5_core 0000:9a:00.1: cannot be used for peer-to-peer DMA as the client and provider (0000:1b:00.0) do not "
    "share an upstream bridge or whitelisted host bridge": (
        "0000:9a:00.1",
        "kernel.peer_dma_refused",
        "0000:1b:00.0",
    ),
    "pcieport 0000:5d:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)": (
        "0000:5d:00.0",
        "kernel.aer.corrected",
        1,
    ),
    "pcieport 0000:5d:00.0: AER: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer": (
        "0000:5d:00.0",
        "kernel.aer.uncorrected",
        1,
    ),
    "NVRM: Xid (PCI:0000:5e:00): 74, pid=1, name=a, NVLink: fatal": ("0000:5e:00.0", "kernel.xid.74", 1),
    "NVRM: GPU 0000:5e:00.0: GPU has fallen off the bus.": ("0000:5e:00.0", "kernel.fallen_off_bus", True),
    "iommu: Default domain type: Passthrough (set via kernel command line)": (
        "host",
        "iommu.default_domain",
        "Passthrough",
    ),
}
OTHERS = ("usb 1-1: new high-speed USB device", "Linux version 6.0", "PCIe: ready", "")


def read(*lines: str, first_line: int = 1) -> list[Setting]:
    reading = kernel_log.parse(Capture("kernel-log", "dmesg", "\n".join(lines), first_line))
    assert reading.problems == ()
    return [record for record in reading.records if isinstance(record, Setting)]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("line", LINES)
def test_a_line_that_matters_is_read(prefix: str, line: str) -> None:
    (setting,) = read(prefix + OTHERS[0], prefix + line, first_line=7)

    assert (setting.subject, setting.name, setting.value) == LINES[line]
    assert setting.origin.line == 8


@pytest.mark.parametrize("line", OTHERS)
def test_the_rest_of_a_log_is_not_read(line: str) -> None:
    assert read(PREFIXES[0] + line) == []


@given(st.lists(st.sampled_from(sorted(LINES) + list(OTHERS)), max_size=30))
def test_lines_that_say_the_same_are_counted_at_the_first(chosen: list[str]) -> None:
    settings = read(*(PREFIXES[1] + line for line in chosen))

    expected: dict[tuple[str, str], list[int]] = {}
    for number, line in enumerate(chosen, start=1):
        if line in LINES:
            expected.setdefault(LINES[line][:2], []).append(number)
    assert {(each.subject, each.name): each.origin.line for each in settings} == {
        key: numbers[0] for key, numbers in expected.items()
    }
    counted = {(each.subject, each.name): each.value for each in settings if type(each.value) is int}
    assert all(len(expected[key]) == value for key, value in counted.items())


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    kernel_log.parse(Capture("kernel-log", "dmesg", text))


def test_a_log_is_known_by_a_line_that_matters() -> None:
    begins = kernel_log.COLLECTOR.sources[0].begins
    assert begins is not None

    assert all(begins.search(prefix + line) for prefix in PREFIXES for line in LINES)
    assert not begins.search(PREFIXES[0] + OTHERS[0])
