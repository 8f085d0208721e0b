"""The graphs in recorded logs of NCCL and RCCL: every link of the facts, and what holds a machine back."""

from __future__ import annotations

import json

import pytest

from tests.collectors.benchmarks import printers
from tests.shared import CORPUS, needs_shared
from toposcope import app
from toposcope.analysis import routes
from toposcope.analysis.measured import Health
from toposcope.base import Capture
from toposcope.collectors.nccl_log.graph import pci_of_bus
from toposcope.collectors.nccl_log.log import parse
from toposcope.collectors.records import PlannedLink

pytestmark = needs_shared

FOLDER = CORPUS / "nccl-log"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/expect.json")) if FOLDER.is_dir() else []
NO_LIMIT = 5000


@pytest.mark.parametrize("case", CASES)
def test_every_pcie_link_of_the_facts_is_read(case):
    facts = json.loads((FOLDER / case / "expect.json").read_text())
    text = (FOLDER / case / "log.txt").read_text()
    records = parse(Capture("nccl-log", "log.txt", text)).records
    read = {each.device: each.value.gbs for each in records if isinstance(each, PlannedLink) and each.kind == "PCI"}
    assert read == pytest.approx(_downward(facts["links"]))


def _downward(links):
    """The planned figure of each PCI device's link to what stands above it, walked down from the CPUs."""
    found, waiting = {}, [end for end in dict.fromkeys(link[0] for link in links) if end.startswith("CPU")]
    for above in waiting:
        below = [(end, value) for start, end, kind, value in links if start == above and kind == "PCI"]
        for end, value in below:
            address = pci_of_bus(end.partition("/")[2])
            if not end.startswith("CPU") and end not in waiting and value < NO_LIMIT:
                found[address] = value
                waiting.append(end)
    return found


def test_the_uplink_of_the_chipset_is_what_holds_the_two_gpus_back():
    (loaded,) = app.load([str(FOLDER / "001" / "log.txt")], app.knowledge())
    default = next(route for route in routes(loaded.topology, "GPU0", "GPU1") if route.default)
    held = [default.segments[at] for at in default.limit.line_bottleneck]
    ends = {loaded.topology.component(end).pci for each in held for end in (each.source, each.target)}
    assert {"0000:05:00.0", "0000:09:00.0", "0000:0b:00.0"} <= ends
    assert default.limit.line.gbs == pytest.approx(7.877, rel=0.001)


def test_a_copy_over_that_chipset_is_held_against_no_figure_that_the_log_does_not_tell(tmp_path):
    """The log tells the line rate of the uplink, not its generation, on which it depends how much of it is usable."""
    title = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"
    path = tmp_path / "p2p.txt"
    path.write_text(printers.p2p(title, [[None, 6.5], [6.5, None]]))
    (loaded,) = app.load([str(FOLDER / "001" / "log.txt")], app.knowledge())
    for judged in app.check(loaded, [path]).judged:
        assert judged.health is Health.UNJUDGED
        assert judged.why
        assert judged.expected.line.gbs == pytest.approx(7.877, rel=0.001)
