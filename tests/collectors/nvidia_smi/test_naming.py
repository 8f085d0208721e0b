"""Which source a command line, a file name or a text belongs to."""

from __future__ import annotations

import pytest

from tests.collectors.nvidia_smi import printers
from tests.collectors.nvidia_smi.printers import Gpu
from toposcope.collectors.nvidia_smi import COLLECTOR

MACHINE = (Gpu(0, links=(25.0,), migs=(5,)), Gpu(1, address="00000000:5E:00.0", links=(None,)))
HEAD = "GPU 0: NVIDIA Y10 (UUID: GPU-1)\n"


def named(words):
    """Return the key of the source that recognition would take, and its argument."""
    for source in COLLECTOR.sources:
        if match := source.named.match(words):
            return source.key, match.groupdict().get("argument")
    return None, None


def begun(text):
    """Return each source that begins in a text, with the index of the line."""
    return [
        (source.key, text.count("\n", 0, match.start()))
        for source in COLLECTOR.sources
        if source.begins
        for match in source.begins.finditer(text)
    ]


@pytest.mark.parametrize(
    ("words", "key", "argument"),
    [
        ("nvidia-smi", "nvidia-smi", None),
        ("nvidia-smi.txt", "nvidia-smi", None),
        ("nvidia-smi.exe", "nvidia-smi", None),
        ("nvidia-smi -i 3", "nvidia-smi", "3"),
        ("nvidia-smi > out.txt", "nvidia-smi", None),
        ("nvidia-smi | head -40", "nvidia-smi", None),
        ("nvidia-smi -L", "nvidia-smi-l", None),
        ("nvidia-smi --list-gpus", "nvidia-smi-l", None),
        ("nvidia-smi-l.txt", "nvidia-smi-l", None),
        ("nvidia-smi -q", "nvidia-smi-q", None),
        ("nvidia-smi -q.log", "nvidia-smi-q", None),
        ("nvidia-smi -q -i 0", "nvidia-smi-q", "0"),
        ("nvidia-smi --query", "nvidia-smi-q", None),
        ("nvidia-smi --id=2 -q -d PCI,MEMORY", "nvidia-smi-q", "2"),
        ("nvidia-smi -q -x", "nvidia-smi-q-x", None),
        ("nvidia-smi -x -q", "nvidia-smi-q-x", None),
        ("nvidia-smi -qx", "nvidia-smi-q-x", None),
        ("nvidia-smi -i 0 -q --xml-format", "nvidia-smi-q-x", "0"),
        ("nvidia-smi-q-x.xml", "nvidia-smi-q-x", None),
        ("nvidia-smi nvlink -s", "nvidia-smi-nvlink-s", None),
        ("nvidia-smi nvlink --status", "nvidia-smi-nvlink-s", None),
        ("nvidia-smi nvlink -i 0 -s", "nvidia-smi-nvlink-s", "0"),
        ("nvidia-smi nvlink -s -i 0", "nvidia-smi-nvlink-s", "0"),
        ("nvidia-smi-nvlink-s", "nvidia-smi-nvlink-s", None),
        ("nvidia-smi nvlink -R", "nvidia-smi-nvlink-r", None),
        ("nvidia-smi nvlink --remotelinkinfo", "nvidia-smi-nvlink-r", None),
        ("nvidia-smi nvlink -p", "nvidia-smi-nvlink-r", None),
        ("nvidia-smi nvlink -c", "nvidia-smi-nvlink-c", None),
        ("nvidia-smi nvlink --capabilities -i 1", "nvidia-smi-nvlink-c", "1"),
        ("nvidia-smi nvlink -e -i 0", "nvidia-smi-nvlink-e", "0"),
        ("nvidia-smi nvlink --errorcounters", "nvidia-smi-nvlink-e", None),
        ("nvidia-smi nvlink -info", "nvidia-smi-nvlink-info", None),
        ("nvidia-smi --query-gpu=index,name --format=csv", "nvidia-smi-query-gpu", "index,name"),
        ("nvidia-smi -i 1 --query-gpu=name,pci.bus_id --format=csv", "nvidia-smi-query-gpu", "name,pci.bus_id"),
        ("nvidia-smi --format=csv --query-gpu=name,pstate", "nvidia-smi-query-gpu", "name,pstate"),
        ("nvidia-smi --query-gpu=name,driver version --format=csv", "nvidia-smi-query-gpu", "name,driver version"),
        ("nvidia-smi-query-gpu.csv", "nvidia-smi-query-gpu", None),
        ("nvidia-smi topo -m", "nvidia-smi-topo-m", None),
        ("nvidia-smi topo -p2p n", "nvidia-smi-topo-p2p-n", None),
        ("nvidia-smi dmon", None, None),
        ("nvidia-smi --query-compute-apps=pid --format=csv", None, None),
        ("nvidia-smi mig -lgi", None, None),
    ],
)
def test_a_command_or_file_name_tells_the_source(words, key, argument):
    assert named(words) == (key, argument)


@pytest.mark.parametrize("key", [source.key for source in COLLECTOR.sources])
def test_the_key_of_a_source_and_its_own_command_name_it(key):
    source = next(source for source in COLLECTOR.sources if source.key == key)

    assert not source.command or named(" ".join(source.command))[0] == key


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        (printers.table(MACHINE), "nvidia-smi", 2),
        (printers.table(MACHINE, printers.NEWEST), "nvidia-smi", 2),
        (printers.table(MACHINE, printers.OLD), "nvidia-smi", 2),
        (printers.query(MACHINE), "nvidia-smi-query-gpu", 0),
        (printers.report(MACHINE), "nvidia-smi-q", 1),
        (printers.xml(MACHINE), "nvidia-smi-q-x", 0),
        (HEAD + "\t Link 0: 25 GB/s\n", "nvidia-smi-nvlink-s", 0),
        (HEAD + "\t Link 0: <inactive>\n", "nvidia-smi-nvlink-s", 0),
        (HEAD + "NVML: Unable to retrieve NVLink information as all links are inActive\n", "nvidia-smi-nvlink-s", 0),
        (HEAD + "\t Link 0: Remote Device 00000000:5E:00.0: Link 1\n", "nvidia-smi-nvlink-r", 0),
        (HEAD + "\t Link 0, P2P is supported: true\n", "nvidia-smi-nvlink-c", 0),
        (HEAD + "\t Link 0: Replay Errors: 0\n", "nvidia-smi-nvlink-e", 0),
        (HEAD + "         NVLE: disabled\n", "nvidia-smi-nvlink-info", 0),
        (HEAD, "nvidia-smi-l", 0),
        (HEAD + "  MIG 1g.10gb     Device  0: (UUID: MIG-1)\n", "nvidia-smi-l", 0),
    ],
)
def test_a_text_tells_its_source_and_no_other(text, key, line):
    before = "some words\n"

    assert (key, line + 1) in begun(before + text)
    assert {found for found, _ in begun(before + text.replace("\n", "\r\n"))} == {key}


@pytest.mark.parametrize(
    "text",
    [
        printers.table(MACHINE),
        printers.query(MACHINE),
        printers.report(MACHINE),
        printers.xml(MACHINE),
        "=== GPU 0 NVLink Errors ===\n" + HEAD + "\t Link 0: Replay Errors: 0\n\t Link 0: CRC Errors: 0\n",
    ],
)
def test_an_output_begins_once(text):
    assert len(begun(text)) == 1


def test_a_list_of_processes_is_no_query_of_gpus():
    assert not begun("pid, gpu_uuid, process_name\n1, GPU-1, x\n")
    assert not begun("one, two, three\n")
