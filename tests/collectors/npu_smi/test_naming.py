"""Which command line, file name or text is which output of npu-smi, and which NPU it asked."""

from __future__ import annotations

import pytest

from tests.collectors.npu_smi.printers import Chip, Style, box
from toposcope.collectors.npu_smi import COLLECTOR


def named(words):
    for source in COLLECTOR.sources:
        if match := source.named.match(words):
            return source.key, match.groupdict().get("argument")
    return None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("npu-smi info", ("npu-smi-info", None)),
        ("npu-smi info | head -40", ("npu-smi-info", None)),
        ("npu-smi info -t topo", ("npu-smi-topo", None)),
        ("npu-smi info -m", ("npu-smi-info-m", None)),
        ("npu-smi info -l", ("npu-smi-info-l", None)),
        ("npu-smi info -t board -i 12", ("npu-smi-info-board", "12")),
        ("npu-smi info -i 1 -c 0 -t board", ("npu-smi-info-board", "1 -c 0")),
        ("npu-smi info -t usages -i 3", ("npu-smi-info-usages", "3")),
        ("npu-smi info -t hccs -i 3 -c 0", ("npu-smi-info-hccs", "3 -c 0")),
        ("npu-smi info -t hccs -i 3 -c 1", ("npu-smi-info-hccs-1", "3 -c 1")),
        ("npu-smi info -t hccs -i 3 -c 0 -R", ("npu-smi-info-hccs-remote", "3 -c 0")),
        ("npu-smi info -t hccs-bw -i 3 -c 0 -time 100", ("npu-smi-info-hccs-bw", "3 -c 0")),
        ("do npu-smi info -t board -i $i", ("npu-smi-info-board", None)),
        ("npu-smi info watch", None),
        ("npu-smi set -t reset -i 0", None),
    ],
)
def test_a_command_names_its_source_and_card(words, expected):
    assert named(words) == expected


def test_every_source_of_the_live_run_is_named_by_its_own_command():
    for source in COLLECTOR.sources:
        if source.command:
            assert named(" ".join(source.command).replace("{npu}", "6"))[0] == source.key


def test_a_command_with_a_placeholder_knows_its_values_and_no_other_does():
    for source in COLLECTOR.sources:
        assert ("{npu}" in source.command) == (source.targets is not None)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (box([Chip(0, 0, 0, "910X", "OK", "0000:01:00.0", 1, 0)], Style()), "npu-smi-info"),
        ("\tNPU ID      Chip ID     Chip Logic ID   Chip Name\n", "npu-smi-info-m"),
        ("\tTotal Count    : 3\n\n\tNPU ID    : 0\n", "npu-smi-info-l"),
        ("\tNPU ID    : 0\n\tSoftware Version   : 1\n", "npu-smi-info-board"),
        ("\tNPU ID    : 0\n\tChip Count  : 1\n\n\tDDR Capacity(MB)  : 1\n", "npu-smi-info-usages"),
        ("\thccs health status : OK\n", "npu-smi-info-hccs"),
        ("\tHealth Status : OK\n", "npu-smi-info-health"),
    ],
)
def test_a_text_is_known_by_its_first_line(text, key):
    hits = [source.key for source in COLLECTOR.sources if source.begins and source.begins.match(text)]

    assert hits == [key]
