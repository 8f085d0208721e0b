"""Every recorded file of the corpus is recognised by its name and cut out of a paste of the whole case again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shared import CORPUS, cases, needs_shared
from toposcope.base import InputError
from toposcope.recording import Recording, parse, read
from toposcope.recording.redaction import redacted

pytestmark = needs_shared

CASES = [case for folder in ("nvidia", "ascend", "pci") for case in cases(folder)]
# Files that are no output of a tool which toposcope reads: benchmarks, rank tables, fabric maps, notes.
OTHER = re.compile(
    r"p2p_bandwidth|measured\.md|hccl_|ranktable|all_reduce_test|reduce_scatter_test|ibnetdiscover|ibsim_net|iblinkinfo"
    r"|perfquery|ibswinfo|expected_traffic|lldpctl|lldpcli|lldptool|udevadm|mlxlink|tree\.txt|ibstat_guids"
)
# Files whose name is not their command, or that hold several outputs.
SOURCES = {"ALL_IN_ONE.txt": None, "nvidia-bug-report.log.excerpt": "lspci-vvv", "sys_numa_node": "sysfs-pci",
           "numa_node": None, "hccn.conf": "hccn-conf"}  # fmt: skip


def raw_files(case: Path) -> list[Path]:
    return sorted(file for file in case.iterdir() if file.is_file() and file.name != "expect.json")


def command_of(file: Path) -> str:
    """Return the command line that a file is named after."""
    words = re.sub(r"@v[\d.]+$|\.(?:partial|txt|vm|vm_container|isolated)$|\.\d.*\.partial$", "", file.name)
    words = words.replace("_", " ").replace("PIPE", "|").replace("grep . sys", "grep . /sys")
    for tool in ("hccn_tool", "link_stat", "net_health", "hw_stats", "dev_info", "ub_connect", "ibv_devinfo"):
        words = words.replace(tool.replace("_", " "), tool)
    return words


def whole(case: Path) -> list[tuple[Path, str, str]]:
    """Return the files of a case that hold one output and nothing else, with source and text."""
    found = []
    for file in raw_files(case):
        if not OTHER.search(file.name) and file.stat().st_size and file.name not in SOURCES:
            (recording,) = read([file])
            (capture,) = recording.captures
            found.append((file, capture.source, capture.text))
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_every_file_is_the_source_that_its_name_says(case: Path) -> None:
    for file in raw_files(case):
        if OTHER.search(file.name) or not file.stat().st_size:
            continue
        captures = [capture for recording in read([file]) for capture in recording.captures]
        tool = re.split(r"[_ .]", file.name)[0]
        wanted = SOURCES.get(file.name, {"hccn": "hccn", "ibv": "ibv", "grep": "sysfs"}.get(tool, tool))
        assert captures, file
        assert wanted is None or all(capture.source.startswith(wanted) for capture in captures), file
        if file.name not in SOURCES:
            assert len(captures) == 1, file
            assert captures[0].first_line <= 2, file


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
@pytest.mark.parametrize("prompt", ["root@box:~# ", "$ "])
def test_a_paste_of_all_outputs_with_prompts_is_cut_into_them_again(case: Path, prompt: str) -> None:
    files = whole(case)
    if not files:
        pytest.skip("no output of its own")
    text = "".join(f"{prompt}{command_of(file)}\n{body.rstrip()}\n" for file, _, body in files)

    recordings = read([Path("-")], stdin=text.encode())

    got = {(capture.source, capture.text.strip()) for recording in recordings for capture in recording.captures}
    assert got == {(source, body.strip()) for _, source, body in files}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_stand_ins_change_no_number_of_records_or_problems(case: Path) -> None:
    try:
        recordings = read([case])
    except InputError:
        pytest.skip("no output of a known tool")
    for recording in recordings:
        assert shape(redacted(recording)) == shape(recording)


def shape(recording: Recording) -> tuple[list[str], int]:
    reading = parse(recording)
    return [type(record).__name__ for record in reading.records], len(reading.problems)


@pytest.mark.parametrize("name", ["40intel64-4n10c+pci-conflicts", "nvidia-dgx-gb10", "nvidiagpunumanodes"])
def test_a_gathered_file_system_gives_the_texts_of_its_tree(name: str) -> None:
    (recording,) = read([CORPUS / "hwloc-xml" / "fsroot" / f"{name}.tar.bz2"])

    reading = parse(recording)

    assert {capture.source for capture in recording.captures} >= {"sysfs-numa"}
    assert reading.records
    assert not reading.problems
