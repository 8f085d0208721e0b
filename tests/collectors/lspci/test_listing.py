"""Lists of lspci: headers, ways, fields in the styles of all versions, and what copies do to them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.lspci.printers import class_of, functions, header, machines, way
from toposcope.base import Capture, ProblemKind, pci_address
from toposcope.collectors.lspci.listing import parse
from toposcope.collectors.records import PciDevice, PciLink, Setting

GPU = """\
3b:00.0 3D controller [0302]: Acme Corp. Widget 7 [1abc:2d3e] (rev a1)
	Subsystem: Acme Corp. Board [1abc:0001]
	Physical Slot: 4-1
	Control: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- FastB2B- DisINTx+
	NUMA node: 1
	IOMMU group: 47
	Region 0: Memory at 9000000 (32-bit, non-prefetchable) [size=16M]
	Region 1: Memory at 9000000000 (64-bit, prefetchable) [size=32G]
	Region 3: Memory at a000000000 (64-bit, prefetchable) [size=32M]
	Capabilities: [60] Power Management version 3
		Flags: PMEClk- DSI- D1- D2- AuxCurrent=0mA PME(D0+,D1-,D2-,D3hot+,D3cold-)
		Status: D3 NoSoftRst+ PME-Enable- DSel=0 DScale=0 PME-
	Capabilities: [78] Express (v2) Endpoint, MSI 00
		DevCap:	MaxPayload 512 bytes, PhantFunc 0, Latency L0s unlimited, L1 <64us
			ExtTag+ AttnBtn- AttnInd- PwrInd- RBE+ FLReset+ SlotPowerLimit 75.000W
		DevCtl:	CorrErr- NonFatalErr+ FatalErr+ UnsupReq-
			RlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-
			MaxPayload 256 bytes, MaxReadReq 4096 bytes
		LnkCap:	Port #0, Speed 32GT/s, Width x16, ASPM L1, Exit Latency L1 <4us
			ClockPM+ Surprise- LLActRep- BwNot- ASPMOptComp+
		LnkSta:	Speed 16GT/s (downgraded), Width x8 (downgraded)
			TrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-
		LnkCtl2: Target Link Speed: 16GT/s, EnterCompliance- SpeedDis-
	Capabilities: [100 v1] Address Translation Service (ATS)
		ATSCtl:	Enable+, Smallest Translation Unit: 00
	Capabilities: [134 v1] Physical Resizable BAR
		BAR 1: current size: 32GB, supported: 64MB 128MB 32GB
	Capabilities: [140 v1] Virtual Resizable BAR
		BAR 1: current size: 64GB, supported: 64MB
	Capabilities: [1b8 v2] Advanced Error Reporting
		UESta:	DLP- SDES- TLP- FCP- CmpltTO+ CmpltAbrt- UnxCmplt- RxOF- MalfTLP-
			ECRC- UnsupReq+ ACSViol- UncorrIntErr-
		UEMsk:	DLP+ SDES- TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt+
		CESta:	RxErr+ BadTLP- BadDLLP+ Rollover- Timeout- AdvNonFatalErr-
		CEMsk:	RxErr- BadTLP+
	Capabilities: [250 v1] Single Root I/O Virtualization (SR-IOV)
		Initial VFs: 20, Total VFs: 32, Number of VFs: 4, Function Dependency Link: 00
		Region 1: Memory at 0000b00000000000 (64-bit, prefetchable)
	Kernel driver in use: widget
	Kernel modules: widget, oldwidget
"""

PORT = """\
0001:17:01.0 PCI bridge [0604]: Acme Corp. Switch [1abc:c030] (prog-if 00 [Normal decode])
	Bus: primary=17, secondary=19, subordinate=1a, sec-latency=0
	Capabilities: [68] Express (v2) Downstream Port (Slot+), IntMsgNum 0
		LnkCap:	Port #1, Speed 32GT/s, Width x16, ASPM not supported
		LnkSta:	Speed 32GT/s, Width x16
	Capabilities: [150 v1] Access Control Services
		ACSCap:	SrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl+ DirectTrans+
		ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir- UpstreamFwd+ EgressCtrl- DirectTrans-
"""

GPU_SETTINGS = {
    "link.capability": "32GT/s x16",
    "link.status": "16GT/s x8",
    "aer.correctable": "RxErr BadDLLP",
    "aer.uncorrectable": "CmpltTO UnsupReq",
    "ats.enabled": True,
    "bar.largest_bytes": 32 << 30,
    "bar.resizable_bytes": 32 << 30,
    "iov.num_vfs": 4,
    "iov.total_vfs": 32,
    "lnkctl2.target_gts": 16.0,
    "payload.capable": 512,
    "payload.max": 256,
    "power_state": "D3",
    "read_request.max": 4096,
    "relaxed_ordering": True,
}


def _read(text, **more):
    return parse(Capture("lspci-vvv", "list", text, **more))


def _devices(text, **more):
    return [record for record in _read(text, **more).records if isinstance(record, PciDevice)]


def _settings(text):
    return {record.name: record.value for record in _read(text).records if isinstance(record, Setting)}


def _facts(text):
    """Everything read, without places."""
    return [
        tuple(getattr(record, name) for name in record.__slots__ if name != "origin") for record in _read(text).records
    ]


# -- headers ---------------------------------------------------------------------------------------------------------


@given(machines(), st.sampled_from(["", "n", "nn"]))
def test_headers_of_all_forms_are_read_back(roots, numbers):
    text = "".join(header(one, numbers=numbers) + "\n" for one in functions(roots))
    reading = _read(text)

    assert reading.problems == ()
    assert [record.address for record in reading.records] == [pci_address(one.address) for one in functions(roots)]
    for device, one in zip(reading.records, functions(roots), strict=True):
        assert device.class_code == class_of(one)
        assert device.name == (None if numbers == "n" else one.name)
        assert device.pci_id == (one.pci_id if numbers else None)
        assert device.revision == "a1"


@given(machines())
def test_ways_with_buses_give_every_parent(roots):
    text = "".join(header(one, path=way(one, buses=True)) + "\n" for one in functions(roots))
    found = {device.address: (device.parent, device.at_root) for device in _read(text).records}
    hops = "/" in text.replace("Systems /", "")

    for one in functions(roots):
        parent = pci_address(one.parent.address) if one.parent else None
        assert found[pci_address(one.address)] == (parent, hops and parent is None)


@given(machines())
def test_ways_without_buses_need_the_bridges_buses(roots):
    lines = []
    for one in functions(roots):
        lines.append(header(one, path=way(one, buses=False)))
        if one.secondary is not None:
            buses = f"primary={one.bus:02x}, secondary={one.secondary:02x}, subordinate={one.subordinate:02x}"
            lines.append(f"\tBus: {buses}, sec-latency=0")
    reading = _read("\n".join(lines))

    assert reading.problems == ()
    parents = {device.address: device.parent for device in reading.records if isinstance(device, PciDevice)}
    assert parents == {
        pci_address(one.address): pci_address(one.parent.address) if one.parent else None for one in functions(roots)
    }


def test_a_way_without_buses_and_bridges_is_reported():
    reading = _read("00:01.0 PCI bridge: Acme Port\n00:01.0/00.0 3D controller: Acme Widget\n")

    assert [record.address for record in reading.records] == ["0000:00:01.0"]
    assert [problem.origin.line for problem in reading.problems] == [2]


@pytest.mark.parametrize(
    ("line", "code", "name", "pci_id"),
    [
        ("01:00.0 Processing accelerators: Acme Ltd. Device d999 (rev 20)", "1200", "Acme Ltd. Device d999", None),
        ("01:00.0 Generic system peripheral [0807]: Acme Device 0b23", "0807", "Acme Device 0b23", None),
        ("01:00.0 Bridge [0680]: Acme Device [1abc:1af1] (rev a1)", "0680", "Acme Device", "1abc:1af1"),
        ("01:00.0 Class 0302: Device 1abc:2330 (rev a1)", "0302", "Device", "1abc:2330"),
        ("01:00.0 Class [0302]: Device [1abc:2330] (rev a1)", "0302", "Device", "1abc:2330"),
        ("01:00.0 0c03: 1abc:2330 (prog-if 30 [XHCI])", "0c03", None, "1abc:2330"),
        ("01:00.0 Some new thing: Acme Device", None, "Acme Device", None),
        ("01:00.0 FireWire (IEEE 1394): Acme (rev b) Chip (rev 01)", "0c00", "Acme (rev b) Chip", None),
        ("01:00.0 3D controller: Acme Widget (rev a1)   <-- this one", "0302", "Acme Widget", None),
        ("`04:00.0 3D controller: Acme Widget`", "0302", "Acme Widget", None),
        ("10000:01:00.0 IDE interface: Acme (prog-if 8a [ISA mode, supports both])", "0101", "Acme", None),
    ],
)
def test_odd_headers_are_read(line, code, name, pci_id):
    (device,) = _devices(line)

    assert (device.class_code, device.name, device.pci_id) == (code, name, pci_id)


@pytest.mark.parametrize(
    "line",
    [
        "0000:31:00.0 widget_0 (MT9 - PART) Card port: 1 (ACTIVE) ==> ens4f0 (Down)",
        "01:00.0 lowercase thing: no class",
        "31:00: de 10 30 23",
        "GPU0: 01:00.0 3D controller: no start",
    ],
)
def test_lines_that_only_look_like_headers_are_none(line):
    assert _devices(line) == []


# -- fields ----------------------------------------------------------------------------------------------------------


def test_the_fields_of_a_device_are_read():
    (device,) = _devices(GPU)

    assert device.subsystem_id == "1abc:0001"
    assert (device.slot, device.numa, device.iommu_group, device.driver) == ("4-1", 1, 47, "widget")
    assert device.port_type == "Endpoint"
    assert (device.capability, device.status) == (PciLink(32.0, 16), PciLink(16.0, 8))
    assert device.alive
    assert not device.denied


def test_the_settings_of_an_accelerator_are_read():
    assert _settings(GPU) == GPU_SETTINGS


def test_a_downstream_port_has_buses_and_acs_bits():
    (device,) = _devices(PORT)

    assert (device.address, device.secondary, device.subordinate) == ("0001:17:01.0", 0x19, 0x1A)
    assert device.port_type == "Downstream Port"
    assert {name: value for name, value in _settings(PORT).items() if not name.startswith("link.")} == {
        "acs.present": True,
        "acs.source_validation": True,
        "acs.translation_blocking": False,
        "acs.request_redirect": True,
        "acs.completion_redirect": False,
        "acs.upstream_forwarding": True,
        "acs.egress_control": False,
        "acs.direct_translated": False,
    }


def test_settings_point_at_their_lines():
    lines = {
        record.name: record.origin.line for record in _read(PORT, first_line=5).records if isinstance(record, Setting)
    }

    assert lines["acs.request_redirect"] == 12


def test_a_device_of_no_interest_has_no_settings():
    assert _settings(GPU.replace("3D controller [0302]", "USB controller [0c03]")) == {}


@pytest.mark.parametrize(
    ("printed", "link"),
    [
        ("Speed 32GT/s, Width x16", PciLink(32.0, 16)),
        ("Speed 2.5GT/s (downgraded), Width x1 (ok)", PciLink(2.5, 1)),
        ("Speed 64GT/s (overdriven), Width x8 (strange)", PciLink(64.0, 8)),
        ("Speed unknown, Width x2, TrErr- Train-", PciLink(None, 2)),
        ("Speed unknown (downgraded), Width x0", PciLink(None, 0)),
        ("Speed 8GT/s,\n\t\t\tWidth x4 (ok)", PciLink(8.0, 4)),
        ("Speed 8GT/s (ok), Width\nx4 (ok)", PciLink(8.0, 4)),
        ("Speed fast, Width wide", None),
    ],
)
def test_link_lines_of_all_versions_are_read(printed, link):
    (device,) = _devices(f"3b:00.0 3D controller: Acme\n\t\tLnkSta:\t{printed}\n")

    assert device.status == link


def test_the_oldest_link_lines_are_read():
    text = "07:00.0 Ethernet controller: Acme\n\t\tLink: Supported Speed 2.5Gb/s, Width x8, ASPM L0s, Port 0\n"
    text += "\t\tLink: Latency L0s <1us, L1 <4us\n\t\tLink: Speed 2.5Gb/s, Width x4\n"
    (device,) = _devices(text)

    assert (device.capability, device.status) == (PciLink(2.5, 8), PciLink(2.5, 4))


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Express (v2) Root Port (Slot+), MSI 00", "Root Port"),
        ("Express Upstream Port, IntMsgNum 0", "Upstream Port"),
        ("Express (v1) PCI-Express to PCI/PCI-X Bridge, MSI 00", "PCI-Express to PCI/PCI-X Bridge"),
        ("Express Legacy Endpoint IRQ 0", "Legacy Endpoint"),
        ("Express (v2) Root Complex Integrated Endpoint, MSI 00", "Root Complex Integrated Endpoint"),
    ],
)
def test_port_types_of_all_versions_are_read(title, kind):
    (device,) = _devices(f"3b:00.0 PCI bridge: Acme\n\tCapabilities: [60] {title}\n")

    assert device.port_type == kind


def test_flags_of_a_short_list_hold_node_and_group():
    (device,) = _devices("3b:00.0 3D controller: Acme\n\tFlags: bus master, IRQ 27, NUMA node 3, IOMMU group 71\n")

    assert (device.numa, device.iommu_group) == (3, 71)


def test_memory_of_a_short_list_counts_as_a_region():
    text = "3b:00.0 3D controller: Acme\n\tMemory at d0 (64-bit, prefetchable) [size=256M]\n"

    assert _settings(text) == {"bar.largest_bytes": 256 << 20}


def test_a_device_that_fell_off_the_bus_is_not_alive():
    text = (
        "3b:00.0 3D controller: Acme (rev ff) (prog-if ff)\n\t!!! Unknown header type 7f\n\tKernel driver in use: w\n"
    )
    (device,) = _devices(text)

    assert not device.alive
    assert device.driver == "w"
    assert not _devices("3b:00.0 3D controller: Acme (rev a1)\n\t!!! Unknown header type 7f\n")[0].alive
    assert not _devices("3b:00.0 3D controller: Acme (rev ff)\n")[0].alive


def test_a_device_with_capabilities_is_alive_whatever_its_revision():
    assert _devices(GPU.replace("(rev a1)", "(rev ff)"))[0].alive


def test_without_root_settings_are_unreadable():
    text = "17:01.0 PCI bridge: Acme\n\tBus: primary=17, secondary=19, subordinate=1a, sec-latency=0\n"
    records = _read(text + "\tCapabilities: <access denied>\n").records

    assert records[0].denied
    assert {record.status for record in records[1:]} == {"unreadable"}
    assert {"acs.request_redirect", "read_request.max"} < {record.name for record in records[1:]}


def test_acs_is_absent_where_other_extended_capabilities_are_shown():
    head = "17:01.0 PCI bridge: Acme\n\tCapabilities: [100 v1] Advanced Error Reporting\n"
    statuses = {r.name: r.status for r in _read(head).records if isinstance(r, Setting)}

    assert statuses["acs.request_redirect"] == "absent"
    assert _settings("17:01.0 PCI bridge: Acme\n\tCapabilities: [40] Express Root Port, MSI 00\n") == {}


def test_acs_whose_bits_are_not_shown_is_present_and_no_more():
    assert _settings("17:01.0 PCI bridge: Acme\n\tCapabilities: [150] Access Control Services\n") == {
        "acs.present": True
    }


def test_virtual_functions_are_told_by_their_name():
    assert _devices("3b:00.1 Ethernet controller: Acme Family Virtual Function (rev 01)")[0].virtual


# -- copies ----------------------------------------------------------------------------------------------------------


def _blanks(text, blanks):
    return text.replace("\t", blanks)


BOTH = GPU + "\n" + PORT


@pytest.mark.parametrize(
    "text",
    [
        _blanks(BOTH, "        "),
        _blanks(BOTH, "    "),
        _blanks(BOTH, "\xa0\xa0"),
        re.sub(r"(?m)^\s+", "", GPU) + "\n" + re.sub(r"(?m)^\s+", "", PORT),
        BOTH.replace("\n", "      \n"),
        BOTH.replace("\n", "\r\n"),
        BOTH.replace("\n", "\n\n"),
        GPU + PORT,
        "\f" + BOTH,
        "".join(f"> {line}\n" for line in BOTH.split("\n")),
        BOTH.replace("Endpoint", "\x1b[01;31m\x1b[KEndpoint\x1b[m\x1b[K"),
        "[me@box ~]$ sudo lspci -nn -vvv\n" + BOTH + "[me@box ~]$ ibstat\nCA 'x'\n\tLnkSta:\tSpeed 1GT/s, Width x1\n",
        "```\n" + BOTH + "```\nAs you see, it is slow.\n",
        GPU + "--\n" + PORT,
        BOTH.replace("\tNUMA node", "00: de 10 30 23 06 04 10 00\n\tNUMA node"),
    ],
    ids=(
        "eight blanks",
        "four blanks",
        "hard blanks",
        "no blanks",
        "trailing blanks",
        "carriage returns",
        "double-spaced",
        "no empty line",
        "page break",
        "quoted",
        "coloured",
        "between prompts",
        "fenced",
        "through grep -A",
        "with a dump",
    ),
)
def test_copies_say_the_same(text):
    assert _read(text).problems == ()
    assert _facts(text) == _facts(BOTH)


@pytest.mark.parametrize(
    "prefix",
    ["2026-01-02T03:04:05.678Z ", "2026-01-02 03:04:05,678 ", "7: ", "[1,0]<stdout>:"],
    ids=("a log", "another log", "srun -l", "mpirun"),
)
def test_a_prefix_before_each_line_is_taken_away(prefix):
    text = "".join(f"{prefix}{line}\n" for line in BOTH.split("\n"))

    assert _read(text).problems == ()
    assert _facts(text) == _facts(BOTH)


def test_numbers_of_lines_are_taken_away():
    text = "".join(
        f"{number}{':' if number % 9 == 1 else '-'}{line}\n" for number, line in enumerate(BOTH.split("\n"), 980)
    )

    assert _facts("$ lspci -vvv | grep -n Acme\n" + text) == _facts(BOTH)


def test_lines_of_several_ranks_are_left_alone():
    assert _devices("0: 3b:00.0 3D controller: Acme\n1: 3b:00.0 3D controller: Acme\n0: 3c:00.0 PIC: Acme\n") == []


def _broken(text, width, *, words):
    lines = []
    for line in text.expandtabs().split("\n"):
        while len(line) > width:
            at = line.rfind(" ", 20, width) + 1 if words else width
            lines.append(line[:at])
            line = line[at:]  # noqa: PLW2901 - what is left of it
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.parametrize("width", [72, 76, 78])
def test_lines_broken_between_words_say_the_same(width):
    text = _broken(BOTH, width, words=True)

    assert _facts(text) == _facts(BOTH)
    assert {problem.kind for problem in _read(text).problems} == {ProblemKind.REPAIRED}


@pytest.mark.parametrize("width", [80, 81, 82, 83, 84, 85, 86, 87, 100])
def test_lines_broken_by_a_terminal_say_the_same(width):
    text = _broken(BOTH, width, words=False)

    assert _facts(text) == _facts(BOTH)
    assert {problem.kind for problem in _read(text).problems} == {ProblemKind.REPAIRED}


def test_a_filtered_list_is_read_line_by_line():
    kept = [line for line in BOTH.split("\n") if line[:1] != "\t" or "Lnk" in line]
    first, second = _devices("\n".join(kept))

    assert (first.status, second.status) == (PciLink(16.0, 8), PciLink(32.0, 16))


def test_fields_of_a_device_whose_header_was_filtered_out_are_not_given_to_another():
    kept = [line for line in BOTH.split("\n") if "3D controller" in line or "Lnk" in line]
    reading = _read("\n".join(kept))

    assert [record.address for record in reading.records if isinstance(record, PciDevice)] == ["0000:3b:00.0"]
    assert reading.records[0].status == PciLink(16.0, 8)
    assert ["a header is missing" in problem.message for problem in reading.problems] == [True]


@pytest.mark.parametrize("argument", ["3b:00.0", "3b 00.0", "0000:3b:00.0", "0000 3b 00.0", "0:3b:0.0"])
def test_the_argument_names_the_device_whose_header_was_filtered_out(argument):
    (device,) = _devices("\t\tLnkSta:\tSpeed 8GT/s, Width x4\n", argument=argument)

    assert (device.address, device.status) == ("0000:3b:00.0", PciLink(8.0, 4))


def test_fields_without_any_device_are_reported():
    assert len(_read("\t\tLnkSta:\tSpeed 8GT/s, Width x4\n").problems) == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "3b:00.0 3D controller: Acme Corporation of the Whole World Widget 7000 [Extra (Lar\nge)] (rev a1)\n",
            "Acme Corporation of the Whole World Widget 7000 [Extra (Large)]",
        ),
        (
            "3b:00.0 3D controller: Acme Corporation of the Whole World, Widgets\nBranch Widget 7000 (rev a1)\n",
            "Acme Corporation of the Whole World, Widgets Branch Widget 7000",
        ),
        (
            "3b:00.0 PCI bridge: Acme Advanced Devices, Inc. [ACME]\nStarship/Matters (prog-if 00 [Normal])\nBus: x\n",
            "Acme Advanced Devices, Inc. [ACME] Starship/Matters",
        ),
        (
            "3b:00.0 PCI bridge: Acme Advanced Devices, Inc. [ACME]\nSunrise-Point-H HECI\n3c:00.0 PIC: Acme\n",
            "Acme Advanced Devices, Inc. [ACME] Sunrise-Point-H HECI",
        ),
    ],
    ids=("in a word", "before the revision", "before fields", "between headers"),
)
def test_a_broken_header_is_joined(text, name):
    reading = _read(text)

    assert reading.records[0].name == name
    assert [problem.kind for problem in reading.problems] == [ProblemKind.REPAIRED]


def test_prose_below_a_long_last_header_is_not_its_rest():
    text = "3b:00.0 3D controller: Acme Corporation of the Whole World, Widgets\nSo I have one of these widgets.\n"

    assert _read(text).records[0].name == "Acme Corporation of the Whole World, Widgets"
    assert _read(text).problems == ()


def test_mails_break_and_quote_and_strip():
    text = """\
> > 3b:00.0 PCI bridge: Advanced Acme Devices, Inc. [ACME/ACNE]
> > Starship/Matters Bridge (prog-if 00 [Normal decode])
> > Control: I/O+ Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr-
> > Stepping- SERR- FastB2B- DisINTx+
> > Capabilities: [40] Express (v2) Root Port (Slot+), MSI 00
> > LnkCap: Port #5, Speed 16GT/s, Width x4, ASPM L1, Exit Latency L1
> > <16us
> > LnkSta: Speed 16GT/s (ok), Width x2 (downgraded)
> > ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+
> > EgressCtrl- DirectTrans-
>
> I think that this is fine.
"""
    (device,) = _devices(text)

    assert device.name == "Advanced Acme Devices, Inc. [ACME/ACNE] Starship/Matters Bridge"
    assert (device.capability, device.status) == (PciLink(16.0, 4), PciLink(16.0, 2))
    assert _settings(text)["acs.direct_translated"] is False
    assert {problem.kind for problem in _read(text).problems} == {ProblemKind.REPAIRED}


def test_devices_whose_line_feeds_were_lost_are_kept_apart():
    text = "00:02.0 VGA compatible controller: Acme (rev 06)01:00.0 3D controller: Acme Widget (rev ff)\n"
    reading = _read(text)

    assert [(d.address, d.name, d.alive) for d in reading.records] == [
        ("0000:00:02.0", "Acme", True),
        ("0000:01:00.0", "Acme Widget", False),
    ]
    assert [problem.kind for problem in reading.problems] == [ProblemKind.REPAIRED]


def test_a_message_that_comes_again_and_again_is_reported_once():
    noise = "pcilib: sysfs_read_vpd: read failed: Input/output error\n"

    assert len(_read(noise + GPU + noise + noise + PORT + noise).problems) == 1
    assert _facts(noise + GPU + noise + noise + PORT + noise) == _facts(GPU + PORT)


@pytest.mark.parametrize("noise", ["pcilib: sysfs_read_vpd: read failed: Input/output error", "[ 12.3] widget: up"])
def test_messages_between_the_fields_do_not_end_a_device(noise):
    text = GPU.replace("\t\tLnkSta:", noise + "\n\t\tLnkSta:")
    reading = _read(text)

    assert [problem.text for problem in reading.problems] == [noise]
    assert _facts(text) == _facts(GPU)


def test_a_long_line_broken_by_a_terminal_is_no_alien():
    text = GPU.replace("widget, oldwidget", "widget, " + 20 * "module, " + "mod\nule\nNUMA") + "\n" + PORT
    reading = _read(text)

    assert [problem.kind for problem in reading.problems] == [ProblemKind.REPAIRED]
    assert len(_devices(text)) == 2


def test_text_between_two_devices_is_reported_and_text_after_the_last_is_not():
    text = "3b:00.0 3D controller: Acme\nhere is\nthe other\n3c:00.0 3D controller: Acme\nthank you\n"
    (problem,) = _read(text).problems

    assert (problem.origin.line, problem.text) == (2, "here is")
    assert "1 more" in problem.message


def test_cuts_are_reported():
    assert [
        p.origin.line for p in _read("3b:00.0 3D controller: Acme\n[...]\n3c:00.0 3D controller: Acme\n").problems
    ] == [2]


def test_an_answer_that_is_no_list_is_reported():
    assert [problem.text for problem in _read("sh: lspci: not found\n").problems] == ["sh: lspci: not found"]
    assert _read("").problems == ()


def test_a_line_of_a_million_characters_is_left_out():
    reading = _read(GPU + "x" * 1_000_000 + "\n" + PORT)

    assert len([r for r in reading.records if isinstance(r, PciDevice)]) == 2
    assert len(reading.problems) == 1


@given(st.text())
def test_no_text_makes_it_raise(text):
    _read(text)


@given(st.data())
def test_no_damage_makes_it_raise_and_whole_devices_stay(data):
    at = data.draw(st.integers(0, len(GPU)))
    junk = data.draw(st.text(alphabet="\t\n :.0af[]()GT/sx-+Lnk", max_size=12))
    damaged = GPU[:at] + junk + GPU[at + data.draw(st.integers(0, 40)) :]

    assert any(device.address == "0001:17:01.0" for device in _devices(f"{damaged}\n\n{PORT}"))


def test_a_domain_is_no_prefix_where_one_line_alone_has_one():
    addresses = [device.address for device in _devices(f"0:{GPU}\n\n{PORT}")]

    assert "0001:17:01.0" in addresses


@given(st.lists(st.sampled_from(BOTH.split("\n"))))
def test_lines_in_any_order_make_it_not_raise(lines):
    _read("\n".join(lines))
