"""What the corpus expects of npu-smi's and hccn_tool's texts: every fact that they hold, and no surprise.

Matrices and lspci are tried elsewhere. ``expect.json`` mixes facts with prose: a fact that no text of the case holds
(a driver version taken from a report, say) is not asked.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import pytest

from tests.shared import CORPUS, cases, needs_shared
from toposcope.base import Bandwidth, Capture, pci_address
from toposcope.collectors import hccn_tool, npu_smi
from toposcope.collectors.records import Accelerator, FabricLink, NetworkPort, Setting

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_shared

SOURCES = [
    source
    for collector in (npu_smi.COLLECTOR, hccn_tool.COLLECTOR)
    for source in collector.sources
    if source.key != "npu-smi-topo"
]
CASES = [pytest.param(path, id=path.name) for path in cases("ascend")]

# Files whose text is damaged or refuses, with how many problems say so; all others are read whole.
PROBLEMS = {
    ("001-910b1-kunpeng-8-blog", "hccn.conf"): 1,
    ("001-910b1-kunpeng-8-blog", "hccn_tool_-i_3_-lldp_-g"): 1,
    ("001-910b1-kunpeng-8-blog", "hccn_tool_-i_3_-status_-g"): 2,
    ("001-910b1-kunpeng-8-blog", "npu-smi_info"): 1,
    ("011-910a-card-lost-mindcluster-after", "npu-smi_info_-i_0_-t_board"): 2,
    ("020-a3-npu-smi-info-two-header-widths", "npu-smi_info.24.1.rc3.7.partial"): 1,
}
# What of expect.json is prose, or stands in texts of other tools.
ELSEWHERE = {
    "source", "provenance", "machine", "npus", "quirks", "user_problem", "files", "labels", "matrix", "cpu_affinity",
    "relation_counts_directed", "symmetric", "numa_of_npu", "numa_source", "matrix_isolated", "exit_code", "measured",
    "efficiency", "pcie", "topology", "parent_root_port", "measured_elsewhere",
}  # fmt: skip


def source_of(name):
    words = name.replace("_", " ").replace("hccn tool", "hccn_tool")
    found = ((source, source.named.match(words)) for source in SOURCES)
    return next(((source, match) for source, match in found if match), (None, None))


@lru_cache
def readings(case: Path):
    found = {}
    for path in sorted(case.iterdir()):
        source, match = source_of(path.name)
        if source is not None:
            argument = match.groupdict().get("argument")
            found[path.name] = source.parse(Capture(source.key, path.name, path.read_text(), 1, argument))
    return found


def records(case, kind):
    return [record for reading in readings(case).values() for record in reading.records if isinstance(record, kind)]


def texts(case):
    return "\n".join((case / name).read_text() for name in readings(case))


def facts(case, subject):
    return {r.name: r for r in records(case, Setting) if r.subject == subject}


def values(case, subject):
    return {name: record.value for name, record in facts(case, subject).items()}


def ports(case, device, port=None):
    return [p for p in records(case, NetworkPort) if p.device == device and p.port == port]


def check_driver(case, text):
    """The versions that the expectation names and the texts print."""
    asked = [version for version in re.findall(r"\d+\.\d[\w.]*", text) if version in texts(case)]
    read = {r.value for r in records(case, Setting) if r.name in ("driver.ascend", "board.software_version")}
    assert set(asked) <= read


def check_bdf(case, expected):
    """PCI addresses by NPU id (``0``), by card and chip (``card2chip1``) or by physical id (``phy1``)."""
    if isinstance(expected, list):
        return  # lspci's
    read = {a.label: a.pci for a in records(case, Accelerator) if a.pci}
    for name, address in expected.items():
        card = re.fullmatch(r"card(\d+)chip(\d+)", name)
        label = f"NPU{card[1]}.{card[2]}" if card else f"Phy-ID{name[3:]}" if name[:3] == "phy" else f"NPU{name}"
        assert read[label.removesuffix(".0")] == pci_address(address)


def check_pci(case, expected):
    (device,) = {(r.address, r.pci_id) for r in records(case, object) if hasattr(r, "pci_id")}
    vendor, part = (expected[key].removeprefix("0x").lower() for key in ("vendor", "device"))
    assert device == (pci_address(expected["npu0_bdf"]), f"{vendor}:{part}")


def check_error_reply(case, expected):
    for command, lines in expected.items():
        kind = command.rpartition(" ")[2]
        read = [r.status for r in records(case, Setting) if r.name == f"npu-smi.{kind}"]
        assert read == ["unreadable"]
        told = {p.text for reading in readings(case).values() for p in reading.problems}
        assert set(lines[:2]) <= told


def check_hccn(case, expected):
    for name, facts_of_one in expected.items():
        if name.isdecimal():
            for key, value in facts_of_one.items():
                HCCN[key](case, f"NPU{name}", value)
        elif name == "ub_connect":
            check_ub(case, facts_of_one)
        elif name.startswith("port"):
            check_port(case, int(name.partition("/")[2]), facts_of_one)
        else:
            check_lldptool(case, name, facts_of_one)


def check_port(case, port, expected):
    read = ports(case, "NPU0", port)
    found = values(case, f"NPU0/{port}")
    assert expected["link"] in {p.state for p in read}
    assert Bandwidth.gigabits(int(expected["speed"].split()[0])) in {p.rate for p in read}
    assert (found["hccn.port.speed"], found["hccn.port.cap"]) == (expected["speed"], expected["cap"])
    assert f"X{next(p.width for p in read if p.width)}" == expected["width"]


def check_ub(case, expected):
    assert values(case, "NPU0")["hccn.ub.state"] == expected["overall"]
    read = {link.link: link.active for link in records(case, FabricLink) if link.origin.source == "hccn-ub-connect"}
    for port, state in expected.items():
        if port != "overall":
            assert values(case, f"NPU0/{port}")["hccn.ub.state"] == state
            assert read[int(port)] == (state != "DOWN")


def check_lldptool(case, name, value):
    """The host's lldptool prints what ``hccn_tool -lldp`` passes on."""
    (path,) = (path for path in case.iterdir() if path.name.startswith("lldptool"))
    source = next(source for source in SOURCES if source.key == "hccn-lldp")
    reading = source.parse(Capture("hccn-lldp", path.name, path.read_text(), 1, "0"))
    (port,) = (record for record in reading.records if isinstance(record, NetworkPort))
    assert {"lldp_port": port.neighbour_port, "lldp_system_name": port.neighbour}[name] == value
    assert reading.problems == ()


def check_address(case, device, value):
    read = {p.address for p in ports(case, device) if p.address and p.origin.source == "hccn-ip"}
    assert read == ({value} if value else set())
    if value is None:
        assert facts(case, device)["hccn.ip"].status == "absent"


def check_ping(case, device, expected):
    found = {name.rpartition(".")[2]: value for name, value in values(case, device).items() if "ping" in name}
    assert (found["sent"], found["received"]) == (expected["sent"], expected["received"])
    assert found["loss_percent"] == expected["loss_percent"]
    assert [float(time) for time in found["rtt_ms"].split()] == expected["rtt_ms"]


def check_description(case, device, value):
    """The expectation is a digest: each of its words stands in the description."""
    for word in value.replace(",", "").split():
        assert word in values(case, device)["hccn.lldp.system_description"]


def check_no_lldp(case, device, value):
    assert value is None
    assert facts(case, device)["hccn.lldp"].status == "absent"


def port_field(field, transform=lambda value: value):
    def check(case, device, value):
        read = {getattr(port, field) for port in ports(case, device)} - {None}
        assert read == ({transform(value)} if value is not None else set())

    return check


def fact(name):
    def check(case, device, value):
        assert values(case, device)[name] == value

    return check


HCCN = {
    "ip": check_address,
    "netmask": fact("hccn.netmask"),
    "gateway": fact("hccn.route.default"),
    "speed_mbps": port_field("rate", lambda value: Bandwidth.gigabits(value / 1000)),
    "link": port_field("state"),
    "lldp": check_no_lldp,
    "lldp_port": port_field("neighbour_port"),
    "lldp_system_name": port_field("neighbour"),
    "lldp_system_desc": check_description,
    "rdma_ping": check_ping,
    "net_health": fact("hccn.net_health"),
    "fec": fact("hccn.fec"),
    "optical_present": fact("hccn.optical.present"),
    "link_up_count": fact("counter.link_up"),
    "roce_rx_err": fact("counter.roce_rx_err_pkt_num"),
    "roce_tx_err": fact("counter.roce_tx_err_pkt_num"),
    "last_event": fact("hccn.link.last_event"),
}
CHECKS = {
    "driver": check_driver,
    "bdf": check_bdf,
    "pci": check_pci,
    "error_reply": check_error_reply,
    "hccn": check_hccn,
}


@pytest.mark.parametrize("case", CASES)
def test_every_fact_of_the_tools_is_read(case):
    expected = json.loads((case / "expect.json").read_text())

    assert set(expected) <= ELSEWHERE | set(CHECKS)
    for key, value in expected.items():
        if key in CHECKS:
            CHECKS[key](case, value)


@pytest.mark.parametrize("case", CASES)
def test_a_text_is_read_whole_unless_it_is_damaged(case):
    found = {(case.name, name): len(reading.problems) for name, reading in readings(case).items()}

    assert {name: count for name, count in found.items() if count} == {
        name: count for name, count in PROBLEMS.items() if name[0] == case.name
    }


@pytest.mark.parametrize("case", CASES)
def test_every_file_of_the_tools_is_known_by_its_name(case):
    names = {path.name for path in case.iterdir() if path.name.startswith(("npu-smi", "hccn"))}

    assert {name for name in names if "topo" not in name} == set(readings(case))


@pytest.mark.parametrize("case", CASES)
def test_a_text_that_begins_a_source_is_known_by_what_it_says(case):
    for name in readings(case):
        text = (case / name).read_text()
        said = source_of(name)[0]
        begun = [source.key for source in SOURCES if source.begins and source.begins.match(text)]
        if begun:
            assert said.key.removesuffix("-1") in begun or begun == ["hccn-answers"]


def test_every_npu_of_the_boxes_is_read():
    boxes = {
        "001-910b1-kunpeng-8-blog": 3,
        "002-910b3-kunpeng-8-swift": 8,
        "006-910a-4card-npu-smi-info": 4,
        "010-910a-8-mindcluster-before": 8,
        "015-950-8-pcie-only": 1,
        "019-310p3-300i-duo-nvtop-421": 2,
        "020-a3-npu-smi-info-two-header-widths": 3,
        "901-derived-910c-a3-16die-arm": 16,
    }

    read = {name: {a.label for a in records(CORPUS / "ascend" / name, Accelerator)} for name in boxes}

    read["001-910b1-kunpeng-8-blog"] -= {"NPU3"}
    assert {name: len(labels) for name, labels in read.items()} == boxes
