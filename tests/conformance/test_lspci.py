"""Every recording of lspci in the corpus against what its ``expect.json`` says of devices, links, parents and nodes."""

from __future__ import annotations

import json
from functools import cache

import pytest

from tests.shared import cases, needs_shared
from toposcope.base import Capture, pci_address
from toposcope.base.pci import bus_of, domain_of
from toposcope.collectors.lspci import COLLECTOR
from toposcope.collectors.lspci.classes import has_settings
from toposcope.collectors.records import PciDevice, Setting

pytestmark = needs_shared

# Files that show a part of the machine only, with the reason.
PARTS = {
    "006-xeonphi-connectx3-2socket/lspci_-PP": (0, "the file is empty"),
    "006-xeonphi-connectx3-2socket/lspci_-t": (108, "pciutils since 3.10 loses root 0000:00 there (lspci_bug)"),
    "006-xeonphi-connectx3-2socket/lspci_-tnnv": (108, "the same"),
    "006-xeonphi-connectx3-2socket/lspci_-tv@v3.10.0": (108, "the same"),
    "006-xeonphi-connectx3-2socket/lspci_-tv@v3.14.0": (108, "the same"),
    "012-asus-esc8000a-e12-4xrtx6000ada/lspci_-vvv_-s": (8, "only the devices of interest were asked"),
    "013-puget-wrx90-2xrtx6000ada/lspci_-vvv_-s": (4, "only the devices of interest were asked"),
    "017-vmd-domain-10000/lspci_-v_-s_10000_80_1d.4": (1, "one device was asked"),
    "040-ibm-power-5domains-pcix/lspci_-P": (17, "-P prints no bus: 0001:00:02.0/01.0"),
    "041-fsl-p2020-3domains/lspci_-P": (3, "-P prints no bus: 0000:04:00.0/00.0"),
    "042-asus-p6t6-lsi-behind-switch/lspci_-P": (45, "-P prints no bus: 00:03.0/00.0"),
    "043-fujitsu-p8010/lspci_-P": (16, "-P prints no bus: 00:1c.0/00.0"),
}
# Parents that a form of output shows otherwise than /sys, with the reason.
OTHER_PARENTS = {
    ("005-nec-ve-8x-pcie-switch", "0000:60:00.0"): "bridge 5f:03.0 is missing in the record: shown below 5e:00.0",
    ("005-nec-ve-8x-pcie-switch", "0000:60:00.1"): "the same",
}
# How often a file has lines that are reported; every other file has none.
REPORTED = {
    "014-ascend-910b4-vvv/lspci_-vvv_-s_01_00.0": (1, "60: the long line of kernel modules is broken"),
    "015-kunpeng-8x-ascend-d802-tree/lspci_-tv": (1, "2: the first blank of each line is lost"),
    "017-vmd-domain-10000/lspci_-tv": (1, "5: [...]"),
    "040-ibm-power-5domains-pcix/lspci_-P": (14, "a device each whose bus is not printed"),
    "041-fsl-p2020-3domains/lspci_-P": (3, "the same"),
    "042-asus-p6t6-lsi-behind-switch/lspci_-P": (8, "the same"),
    "043-fujitsu-p8010/lspci_-P": (6, "the same"),
}
CLASSES = {
    "gpus": ("0300", "0302", "0380", "1200", "0b40"),
    "npus": ("1200",),
    "nvswitches": ("0680",),
    "nics": ("0200", "0207", "0280", "0c06"),
}


def _files():
    for folder in ("pci", "ascend", "nvidia"):
        for case in cases(folder):
            for file in sorted(case.glob("lspci*")):
                yield pytest.param(file, id=f"{case.name}/{file.name}")


def _source_of(file):
    words = file.name.replace("_", " ")
    return next((s, match.groupdict().get("argument")) for s in COLLECTOR.sources if (match := s.named.match(words)))


@cache
def _read(file):
    source, argument = _source_of(file)
    return source.parse(Capture(source.key, file.name, file.read_text(errors="replace"), argument=argument))


@cache
def _expected(file):
    return json.loads((file.parent / "expect.json").read_text())


def _devices(file):
    return {record.address: record for record in _read(file).records if isinstance(record, PciDevice)}


def _settings(file, address):
    return {r.name: r.value for r in _read(file).records if isinstance(r, Setting) and r.subject == address}


def _name(file):
    return f"{file.parent.name}/{file.name}"


def _parents(file):
    """Give the parent of each device, None at a root: as printed, else from the buses of the bridges."""
    devices = _devices(file)
    if _source_of(file)[0].key in ("lspci-t", "lspci-pp"):
        return {address: device.parent for address, device in devices.items()}
    below = {(domain_of(a), d.secondary): a for a, d in devices.items() if d.secondary}
    return {address: below.get((domain_of(address), bus_of(address))) for address in devices}


def _with(*keys):
    return [file for file in _files() if any(_expected(file.values[0]).get(key) for key in keys)]


every_file = pytest.mark.parametrize("file", list(_files()))


@every_file
def test_every_device_is_read_once(file):
    expected = _expected(file)
    count = expected.get("devices_by_file", {}).get(file.name) or expected.get("devices")
    if not isinstance(count, int):  # no number is given: count the headers
        heads = [line for line in file.read_text().splitlines() if line[2:3] == ":" and line[5:6] == "."]
        count = len(heads) if _source_of(file)[0].key != "lspci-t" else 198  # the machine of pci/012
    count = PARTS.get(_name(file), (count,))[0]
    addresses = [record.address for record in _read(file).records if isinstance(record, PciDevice)]

    assert len(addresses) == len(set(addresses)) == count


@every_file
def test_what_cannot_be_read_is_reported_and_nothing_else_is(file):
    assert len(_read(file).problems) == REPORTED.get(_name(file), (0,))[0]


@every_file
def test_the_output_is_recognised_by_its_content(file):
    text = file.read_text(errors="replace")
    begun = next((s for s in COLLECTOR.sources if s.begins is not None and s.begins.search(text)), None)

    if not text:
        assert begun is None
        return
    before = text[: begun.begins.search(text).start()].strip("_ \n")
    assert begun.parse is _source_of(file)[0].parse
    assert before in ("", '/usr/bin/lspci -d "10de:*" -v -xxx')


@pytest.mark.parametrize("file", _with(*CLASSES))
def test_accelerators_and_nics_have_their_class(file):
    devices = _devices(file)
    if _source_of(file)[0].key == "lspci-t":
        assert not any(device.class_code for device in devices.values())  # a tree prints no class
        return
    for key, codes in CLASSES.items():
        named = _expected(file).get(key)
        for address in named if isinstance(named, list) else ():
            canonical = pci_address(address)
            if canonical in devices:
                assert devices[canonical].class_code in codes, address
            else:
                assert _name(file) in PARTS, address


@pytest.mark.parametrize("file", _with("bdf"))
def test_npus_of_a_list_are_accelerators(file):
    accelerators = {a for a, device in _devices(file).items() if "Device d80" in device.name}

    assert accelerators == {pci_address(address) for address in _expected(file)["bdf"]}
    assert {_devices(file)[address].class_code for address in accelerators} == {"1200"}


@pytest.mark.parametrize("file", [f for f in _with("links") if "-v" in f.id or "vv" in f.id])
def test_links_have_the_speeds_and_widths_printed(file):
    source = _source_of(file)[0].key
    devices = _devices(file)
    links = _expected(file).get("links_by_version", {}).get(file.name, _expected(file)["links"])
    for address, link in links.items():
        device = devices.get(address)
        if source != "lspci-vvv" or device is None:
            assert source != "lspci-vvv" or _name(file) in PARTS
            continue
        assert (device.capability.gts, device.capability.width) == (link["cap_gts"], link["cap_width"]), address
        assert (device.status.gts, device.status.width) == (link["sta_gts"], link["sta_width"]), address


@pytest.mark.parametrize("file", [f for f in _with("links_by_version") if "links_by_version" in _expected(f.values[0])])
def test_a_device_without_link_lines_has_no_link(file):
    linked = {address for address, device in _devices(file).items() if device.capability is not None}

    assert linked == set(_expected(file)["links_by_version"][file.name])


@pytest.mark.parametrize("file", _with("tree", "parent_root_port"))
def test_each_device_has_its_parent(file):
    source = _source_of(file)[0].key
    parents = _parents(file)
    if source in ("lspci", "lspci-mm") or "-vvv_-s" in file.name or "-v_-s" in file.name:
        assert not any(parents.values())  # neither tree nor bus numbers are printed
        return
    for address, parent in _expected(file).get("tree", {}).items():
        if address not in parents:
            assert _name(file) in PARTS, address
        elif (file.parent.name, address) not in OTHER_PARENTS:
            assert parents[address] == parent, address


@pytest.mark.parametrize("file", _with("chains"))
def test_the_way_to_the_root_is_whole(file):
    parents = _parents(file)
    if not any(parents.values()):
        assert _source_of(file)[0].key == "lspci"
        return
    for address, chain in _expected(file)["chains"].items():
        way, at = [], address
        while (at := parents.get(at)) is not None:
            way.append(at)
        assert way == chain, address


@pytest.mark.parametrize("file", _with("bridge_ranges"))
def test_bridges_have_their_buses(file):
    devices = _devices(file)
    if not any(device.secondary is not None for device in devices.values()):
        assert _source_of(file)[0].key in ("lspci", "lspci-pp", "lspci-mm")
        return
    for address, (secondary, subordinate) in _expected(file)["bridge_ranges"].items():
        if address in devices:
            device = devices[address]
            assert (device.secondary, device.subordinate) == (int(secondary, 16), int(subordinate, 16)), address


@pytest.mark.parametrize("file", [f for f in _with("roots") if _source_of(f.values[0])[0].key == "lspci-t"])
def test_devices_of_a_root_bus_stand_at_the_root(file):
    roots = {(domain, int(bus, 16)) for domain, bus in _expected(file)["roots"]}
    for address, device in _devices(file).items():
        assert device.at_root == (device.parent is None), address
        if device.at_root:
            assert (domain_of(address), bus_of(address)) in roots, address


@pytest.mark.parametrize("file", [f for f in _with("numa") if _source_of(f.values[0])[0].key == "lspci-vvv"])
def test_numa_nodes_are_read(file):
    devices = _devices(file)
    for address, node in _expected(file)["numa"].items():
        assert devices[address].numa == node, address


@pytest.mark.parametrize("file", _with("domains"))
def test_all_domains_are_kept(file):
    assert {domain_of(address) for address in _devices(file)} == set(_expected(file)["domains"])


@pytest.mark.parametrize("file", [f for f in _with("bridges") if isinstance(_expected(f.values[0])["bridges"], list)])
def test_bridges_are_known_by_their_class(file):
    bridges = {address for address, device in _devices(file).items() if device.class_code == "0604"}

    assert bridges == set(_expected(file)["bridges"])


@pytest.mark.parametrize("file", [f for f in _with("bridges") if isinstance(_expected(f.values[0])["bridges"], int)])
def test_all_bridges_are_counted(file):
    devices = _devices(file).values()
    bridges = [d for d in devices if d.class_code == "0604" or (d.class_code is None and d.secondary is not None)]

    assert len(bridges) == _expected(file)["bridges"]


@pytest.mark.parametrize("file", [f for f in _with("acs") if _source_of(f.values[0])[0].key == "lspci-vvv"])
def test_acs_bits_are_settings(file):
    for subject, bits in _expected(file)["acs"].items():
        address = subject.split()[-1]
        if has_settings(_devices(file)[address].class_code):  # 047 is of class PIC
            _compare_acs(file, address, bits)


@pytest.mark.parametrize("file", _with("acs_not_clear"))
def test_acs_is_clear_where_nothing_else_is_said(file):
    expected = _expected(file)["acs_not_clear"]
    for address, bits in expected.items():
        _compare_acs(file, address, bits)
    on = {
        r.subject
        for r in _read(file).records
        if isinstance(r, Setting) and r.name.startswith("acs.") and r.value and r.name != "acs.present"
    }
    assert on == set(expected)


def _compare_acs(file, address, bits):
    names = ("source_validation", "translation_blocking", "request_redirect", "completion_redirect")
    names += ("upstream_forwarding", "egress_control", "direct_translated")
    settings = _settings(file, address)
    for name, bit in zip(names, bits.split(), strict=True):
        assert settings[f"acs.{name}"] == bit.endswith("+"), (address, name)


@pytest.mark.parametrize("file", _with("port_types"))
def test_port_types_are_read(file):
    types = {address: device.port_type for address, device in _devices(file).items()}

    assert types == _expected(file)["port_types"]


@pytest.mark.parametrize("file", _with("ports_by_type"))
def test_ports_are_counted_by_type(file):
    counts = {}
    for device in _devices(file).values():
        counts[device.port_type or "none"] = counts.get(device.port_type or "none", 0) + 1
    upstream = {address for address, device in _devices(file).items() if device.port_type == "Upstream Port"}

    assert counts == _expected(file)["ports_by_type"]
    assert upstream == set(_expected(file)["switch_upstream_ports"])


@pytest.mark.parametrize("file", _with("downgraded_bdfs"))
def test_links_below_their_capability_are_the_ones_marked(file):
    below = {
        address
        for address, device in _devices(file).items()
        if device.capability is not None
        and device.status.width
        and (device.status.gts < device.capability.gts or device.status.width < device.capability.width)
    }

    assert below == set(_expected(file)["downgraded_bdfs"])


@pytest.mark.parametrize("file", _with("sriov"))
def test_virtual_functions_are_counted(file):
    address = next(iter(_devices(file)))
    settings = _settings(file, address)

    assert settings["iov.total_vfs"] == _expected(file)["sriov"]["total_vfs"]
    assert settings["iov.num_vfs"] == _expected(file)["sriov"]["num_vfs"]
