"""What the collectors declare: every parser is there, and none is imported before its first capture."""

from __future__ import annotations

import subprocess
import sys

import pytest

from toposcope.base import Capture
from toposcope.collectors import COLLECTORS, SOURCES
from toposcope.collectors.records import Reading

PARSERS = (
    "benchmarks.nccl_tests",
    "cpu.lscpu",
    "hccn_tool.port",
    "infiniband.ibstat",
    "lspci.listing",
    "nccl_log.log",
    "npu_smi.pairs",
    "nvidia_smi.table",
    "sysfs.pci",
    "udevadm.properties",
)


@pytest.mark.parametrize("key", SOURCES)
def test_every_source_has_its_parser_and_targets(key):
    source = SOURCES[key]
    assert isinstance(source.parse(Capture(key, "some.txt", "no output of a tool\n", argument="0")), Reading)
    assert source.targets is None or source.targets(()) == ()


def test_parsers_wait_for_their_first_capture():
    loaded = f"[m for m in {PARSERS} if f'toposcope.collectors.{{m}}' in sys.modules]"
    code = f"import sys, toposcope.collectors; print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_key_is_one_of_its_kind():
    assert len(SOURCES) == sum(len(collector.sources) for collector in COLLECTORS)
