"""PCI functions of /sys: the chain of bridges, links, nodes, in every form that the lines are written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.sysfs.printers import Function, config, grepped, headed, prompted, recorded
from toposcope.base import Capture, ProblemKind
from toposcope.collectors.records import PciDevice, PciLink, Setting
from toposcope.collectors.sysfs.tree import parse

ADDRESSES = st.builds(
    "{:04x}:{:02x}:{:02x}.{}".format, st.integers(0, 0xFFFF), st.integers(0, 255), st.integers(0, 31), st.integers(0, 7)
)


@st.composite
def chains(draw):
    addresses = draw(st.lists(ADDRESSES, min_size=1, max_size=8, unique=True))
    functions = []
    for index, address in enumerate(addresses):
        above = draw(st.sampled_from((None, *functions)))
        functions.append(
            Function(
                steps=(*(above.steps if above else ()), address),
                numa=draw(st.integers(-1, 7)),
                gts=draw(st.sampled_from((2.5, 8.0, 16.0, 32.0, 64.0))),
                width=draw(st.sampled_from((1, 4, 8, 16))),
                now_width=draw(st.sampled_from((0, 1, 4, 8, 16))),
                class_code=draw(st.sampled_from(("0302", "0604", "0200", "0108"))),
                buses=(index, index + 3) if draw(st.booleans()) else None,
                driver=draw(st.sampled_from((None, "nvidia", "vfio-pci"))),
                group=draw(st.sampled_from((None, 0, 47))),
            )
        )
    return functions


def read(text, **fields):
    return parse(Capture("sysfs-pci", "sysfs-pci", text, **fields))


def devices(reading):
    return {record.address: record for record in reading.records if isinstance(record, PciDevice)}


def settings(reading, subject):
    return {s.name: (s.value, s.status) for s in reading.records if isinstance(s, Setting) and s.subject == subject}


@pytest.mark.parametrize("form", [recorded, grepped, headed, prompted])
@given(functions=chains())
def test_what_is_printed_is_read(form, functions):
    reading = read(form(functions))
    assert reading.problems == ()
    found = devices(reading)
    assert list(found) == [function.address for function in functions]
    for function in functions:
        device = found[function.address]
        assert device.parent == (function.steps[-2] if len(function.steps) > 1 else None)
        assert device.at_root == (len(function.steps) == 1)
        assert device.pci_id == function.pci_id
        assert device.class_code == function.class_code
        assert device.numa == (function.numa if function.numa >= 0 else None)
        assert device.cpus == function.cpus
        assert device.capability == PciLink(function.gts, function.width)
        assert device.status == PciLink(function.now_gts, function.now_width)
        assert (device.secondary, device.subordinate) == (function.buses or (None, None))
        if form is recorded:
            assert (device.driver, device.iommu_group) == (function.driver, function.group)


def test_a_node_of_minus_one_is_kept_as_a_setting():
    reading = read(recorded([Function(("0000:3b:00.0",), numa=-1)]))
    assert settings(reading, "0000:3b:00.0")["numa_node"] == (-1, "value")


def test_without_a_real_path_nothing_is_said_of_the_parent():
    device = devices(read("/sys/bus/pci/devices/0000:3b:00.0/numa_node:1\n"))["0000:3b:00.0"]
    assert (device.parent, device.at_root, device.numa) == (None, False, 1)


def test_a_volume_controller_begins_a_root_bus_of_its_own():
    text = "/sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0/class:0x010802\n"
    text += "/sys/devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/class:0x060400\n"
    found = devices(read(text))
    assert found["10000:e1:00.0"].parent == "10000:e0:06.0"
    assert (found["10000:e0:06.0"].parent, found["10000:e0:06.0"].at_root) == (None, True)


@pytest.mark.parametrize(
    ("speed", "width", "link"),
    [
        ("8 GT/s", "16", PciLink(8.0, 16)),
        ("Unknown", "0", PciLink(None, 0)),
        ("Unknown speed", "255", None),
        ("2.5 GT/s PCIe", "255", PciLink(2.5, None)),
        ("", "", None),
    ],
)
def test_link_words_of_old_and_new_kernels(speed, width, link):
    path = "/sys/bus/pci/devices/0000:3b:00.0"
    text = f"{path}\tcurrent_link_speed\t{speed}\n{path}\tcurrent_link_width\t{width}\n"
    assert devices(read(text))["0000:3b:00.0"].status == link


def test_a_device_off_the_bus_is_not_alive():
    path = "/sys/bus/pci/devices/0000:3b:00.0"
    assert not devices(read(f"{path}\tconfig\t{'ff' * 64}\n"))["0000:3b:00.0"].alive
    assert not devices(read(f"{path}\tcurrent_link_width\t63\n"))["0000:3b:00.0"].alive


def test_a_virtual_function_names_its_physical_one():
    text = "/sys/bus/pci/devices/0000:3b:00.2/physfn\t->\t../0000:3b:00.0\n"
    device = devices(read(text))["0000:3b:00.2"]
    assert (device.virtual, device.physical_function) == (True, "0000:3b:00.0")


def test_slots_are_named_by_their_address():
    text = "/sys/bus/pci/slots/12\taddress\t0000:3b:00\n/sys/bus/pci/devices/0000:3b:00.1\tvendor\t0x1abc\n"
    assert devices(read(text))["0000:3b:00.1"].slot == "12"


def test_a_path_of_a_group_names_the_group():
    found = devices(read("/sys/kernel/iommu_groups/31/devices/0000:3b:00.0\n"))
    assert found["0000:3b:00.0"].iommu_group == 31


def test_the_type_of_a_group_is_told_of_its_members():
    text = "/sys/kernel/iommu_groups/31\ttype\tidentity\n/sys/bus/pci/devices/0000:3b:00.0/iommu_group\t->\t../31\n"
    assert settings(read(text), "0000:3b:00.0")["iommu.type"] == ("identity", "value")
    assert settings(read(text), "host")["iommu.types"] == ("identity", "value")


def test_two_values_of_one_attribute_are_a_clash_with_both_lines():
    text = "/sys/bus/pci/devices/0000:3b:00.0/numa_node:0\n/sys/bus/pci/devices/0000:3b:00.0/numa_node:1\n"
    (problem,) = read(text).problems
    assert problem.kind is ProblemKind.CLASH
    assert (problem.origin.line, problem.other.line) == (1, 2)


def test_a_value_that_changes_by_itself_is_no_clash():
    path = "/sys/bus/pci/devices/0000:3b:00.0/current_link_width"
    assert read(f"{path}:16\n{path}:8\n").problems == ()


def test_a_cat_is_answered_by_the_path_of_the_command():
    reading = read("3\n", argument="/sys/bus/pci/devices/0000:3b:00.0/numa_node 2>/dev/null")
    assert devices(reading)["0000:3b:00.0"].numa == 3


def test_values_of_a_pattern_belong_to_no_path_and_are_reported():
    reading = read("3\n", argument="/sys/bus/pci/devices/*/numa_node")
    assert reading.records == ()
    assert [problem.text for problem in reading.problems] == ["3"]


def test_refusals_are_no_values():
    text = "cat: /sys/bus/pci/devices/0000:3b:00.0/config: Permission denied\n"
    device = devices(read(text))["0000:3b:00.0"]
    assert device.denied


def test_the_largest_prefetchable_region_is_a_setting():
    path = "/sys/bus/pci/devices/0000:3b:00.0\tresource\t"
    rows = [
        "0x0000000090000000 0x0000000090ffffff 0x0000000000040200",
        f"0x{2**40:016x} 0x{2**40 + 2**35 - 1:016x} 0x000000000014220c",
    ]
    text = "".join(f"{path}{row}\n" for row in rows)
    assert settings(read(text), "0000:3b:00.0")["bar.largest_bytes"] == (2**35, "value")


def test_config_space_of_a_user_says_what_could_not_be_read():
    path = "/sys/bus/pci/devices/0000:3a:00.0"
    text = f"{path}\tclass\t0x060400\n{path}\tconfig\t{config(bridge=(0x3A, 0x3B, 0x3F), size=64).hex()}\n"
    reading = read(text)
    device = devices(reading)["0000:3a:00.0"]
    assert device.denied
    assert (device.secondary, device.subordinate) == (0x3B, 0x3F)
    assert settings(reading, "0000:3a:00.0")["acs.request_redirect"] == (None, "unreadable")
    assert settings(reading, "0000:3a:00.0")["payload.max"] == (None, "unreadable")


def test_a_port_without_acs_says_so_where_it_could_be_read():
    path = "/sys/bus/pci/devices/0000:3a:00.0"
    space = config(bridge=(0x3A, 0x3B, 0x3F), port_type="Root Port")
    found = settings(read(f"{path}\tclass\t0x060400\n{path}\tconfig\t{space.hex()}\n"), "0000:3a:00.0")
    assert found["acs.present"] == (None, "absent")
    short = config(bridge=(0x3A, 0x3B, 0x3F), port_type="Root Port", size=256)
    found = settings(read(f"{path}\tclass\t0x060400\n{path}\tconfig\t{short.hex()}\n"), "0000:3a:00.0")
    assert found["acs.present"] == (None, "unreadable")


def test_a_config_that_is_no_hex_is_reported():
    (problem,) = read("/sys/bus/pci/devices/0000:3b:00.0\tconfig\tnonsense\n").problems
    assert problem.kind is ProblemKind.UNREAD


def test_attributes_that_no_rule_knows_pass_and_other_lines_are_reported():
    path = "/sys/bus/pci/devices/0000:3b:00.0"
    reading = read(f"{path}/d3cold_allowed:1\nwhat is this\n{path}/vendor:0x1abc\n")
    assert [problem.text for problem in reading.problems] == ["what is this"]
