"""Every recording of the host's tools in the corpus against what it must show."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from tests.shared import CORPUS, cases, needs_shared
from toposcope.base import Bandwidth, Capture
from toposcope.collectors import SOURCES
from toposcope.collectors.records import Cpu, NetworkPort, NicName, NumaNode, PciDevice, Setting

pytestmark = needs_shared

# What a file's name begins with, and the source that reads it; a group gives the argument.
READ_AS = (
    (r"grep_\._sys_bus_pci_devices", "sysfs-pci"),
    (r"grep_\._sys_class_infiniband", "sysfs-net"),
    (r"(?:sys_)?numa_node", "sysfs-pci"),
    (r"ibstatus", "ibstatus"),
    (r"ibstat$", "ibstat"),
    (r"ibv_devinfo", "ibv-devinfo"),
    (r"ibdev2netdev", "ibdev2netdev"),
    (r"mlxlink_(-d_\S+)", "mlxlink"),
    (r"ethtool\.module-info", "ethtool-m"),
    (r"ethtool", "ethtool"),
    (r"udevadm", "udevadm"),
    (r"lscpu", "lscpu"),
    (r"numactl", "numactl-h"),
    (r"ip_addr", "ip-addr"),
)
# Lines that are reported, with the reason; every other file has none.
REPORTED = {
    "025-ibstat-azure-a100-ibpanic/ibstat": (1, "ibpanic on a ninth device after eight good ones"),
    "073-ethtool-jc-fixtures/ethtool.module-info": (1, "the netdev is not named anywhere"),
}


def _files():
    for folder in ("pci", "nvidia", "ascend"):
        for case in cases(folder):
            for file in sorted(case.iterdir()):
                for pattern, key in READ_AS:
                    if match := re.match(pattern, file.name):
                        argument = match[1].replace("_", " ") if match.groups() else None  # as recognition hands it on
                        yield pytest.param(file, key, argument, id=f"{case.name}/{file.name}")
                        break


FILES = list(_files())


@cache
def _reading(file, key, argument=None):
    return SOURCES[key].parse(Capture(key, file.name, file.read_text(encoding="utf-8"), argument=argument))


@cache
def _expected(file):
    return json.loads((file.parent / "expect.json").read_text(encoding="utf-8"))


def _of(kind, reading):
    return [record for record in reading.records if isinstance(record, kind)]


def _with(*facts, sources=()):
    """Choose the files whose case states one of these facts and that a source reads which can know it."""
    return [
        param
        for param in FILES
        if param.values[1] in sources and any(_expected(param.values[0]).get(fact) for fact in facts)
    ]


def test_every_tool_of_the_corpus_is_tried():
    assert {param.values[1] for param in FILES} == {key for _, key in READ_AS}
    assert len(FILES) >= 35


@pytest.mark.parametrize(("file", "key", "argument"), FILES)
def test_only_the_lines_known_to_be_damaged_are_reported(file, key, argument):
    problems = _reading(file, key, argument).problems
    count, _ = REPORTED.get(f"{file.parent.name}/{file.name}", (0, ""))
    assert len(problems) == count, problems


@pytest.mark.parametrize(("file", "key", "argument"), FILES)
def test_every_record_names_a_line_that_exists(file, key, argument):
    count = file.read_text(encoding="utf-8").count("\n") + 1
    assert all(1 <= record.origin.line <= count for record in _reading(file, key, argument).records)


@pytest.mark.parametrize(("file", "key", "argument"), _with("ports", sources=("ibstat",)))
def test_ibstat_ports_have_the_expected_state_rate_and_layer(file, key, argument):
    reading = _reading(file, key, argument)
    models = {s.subject: s.value for s in _of(Setting, reading) if s.name == "model"}
    found = {
        port.device: (port.state, port.physical_state, port.link_layer, f"{port.rate.gbps:g}", models[port.device])
        for port in _of(NetworkPort, reading)
    }
    expected = {
        name: (port["state"], port["phys"], port["link_layer"], port["rate"], port["type"])
        for name, port in _expected(file)["ports"].items()
    }
    assert found == expected
    lids = {s.subject: str(s.value) for s in _of(Setting, reading) if s.name == "lid"}
    assert lids == {f"{name}/1": port["lid"] for name, port in _expected(file)["ports"].items()}


@pytest.mark.parametrize(("file", "key", "argument"), _with("nics", sources=("ibstat", "ibdev2netdev")))
def test_every_rdma_device_is_found_once_and_in_printed_order(file, key, argument):
    reading = _reading(file, key, argument)
    kind = NetworkPort if key == "ibstat" else NicName
    named = [record.device if kind is NetworkPort else record.rdma for record in _of(kind, reading)]
    assert named == list(_expected(file)["nics"])


@pytest.mark.parametrize(("file", "key", "argument"), _with("ports", "rates", sources=("ibstatus", "sysfs-net")))
def test_kernel_rates_are_read_as_bits_per_second(file, key, argument):
    expected = _expected(file)
    ports = {port.device: port for port in _of(NetworkPort, _reading(file, key, argument))}
    for name, fact in (expected.get("ports") or expected["rates"]).items():
        text = fact["rate"] if isinstance(fact, dict) else fact
        path = re.match(r"/sys/class/infiniband/([^/]+)/ports/(\d)", name)
        rates = {(port.device, port.port): port.rate for port in _of(NetworkPort, _reading(file, key, argument))}
        where = (path[1], int(path[2])) if path else (name, 1)
        assert rates[where] == Bandwidth.gigabits(float(text.split()[0])), name
        if isinstance(fact, dict) and "state" in fact:
            assert ports[name].state.endswith(fact["state"])


@pytest.mark.parametrize(("file", "key", "argument"), _with("netdev", sources=("ibdev2netdev",)))
def test_names_of_one_nic_belong_together(file, key, argument):
    names = _of(NicName, _reading(file, key, argument))
    assert {name.rdma: name.netdev for name in names} == _expected(file)["netdev"]
    if "-v" in file.name:
        assert {name.rdma: name.pci for name in names} == _expected(file)["nics"]


@pytest.mark.parametrize(("file", "key", "argument"), _with("speeds", sources=("ethtool", "ethtool-m")))
def test_ethtool_speeds(file, key, argument):
    ports = _of(NetworkPort, _reading(file, key, argument))
    speed = _expected(file)["speeds"][file.name]
    assert [port.rate for port in ports] == ([Bandwidth.gigabits(int(speed[:-4]) / 1000)] if speed else [])


def test_mlxlink_names_its_device_by_the_command():
    (param,) = [param for param in FILES if param.values[1] == "mlxlink"]
    (port,) = _of(NetworkPort, _reading(*param.values))
    fact = _expected(param.values[0])["ports"][port.device]
    assert (port.rate, f"{port.width}x") == (Bandwidth.gigabits(int(fact["mlxlink_speed"][:-1])), fact["width"])


@pytest.mark.parametrize(("file", "key", "argument"), _with("tree", sources=("udevadm",)))
def test_udevadm_parents_are_those_of_the_tree(file, key, argument):
    expected = _expected(file)
    found = {device.address: device for device in _of(PciDevice, _reading(file, key, argument))}
    assert {address: device.parent for address, device in found.items()} == expected["tree"]
    assert len(found) == expected["devices"]
    nics = {name.pci for name in _of(NicName, _reading(file, key, argument))}
    assert nics <= set(expected["nics"])
    classes = {"gpus": ("0302", "0300"), "nvswitches": ("0680",), "nics": ("0200", "0207")}
    for fact, codes in classes.items():
        for address in expected.get(fact) or ():
            assert found[address].class_code in codes


@pytest.mark.parametrize(("file", "key", "argument"), _with("bridge_ranges", sources=("sysfs-pci",)))
def test_sysfs_bridges_have_their_bus_numbers(file, key, argument):
    devices = {device.address: device for device in _of(PciDevice, _reading(file, key, argument))}
    kernel_tells = "secondary_bus_number" in file.read_text(encoding="utf-8")  # not before Linux 4.13
    for address, (first, last) in _expected(file)["bridge_ranges"].items() if kernel_tells else ():
        device = devices[address]
        assert (device.secondary, device.subordinate) == (int(first, 16), int(last, 16)), address
    assert len(devices) == _expected(file)["devices"]


@pytest.mark.parametrize(("file", "key", "argument"), _with("numa", sources=("sysfs-pci",)))
def test_sysfs_numa_nodes(file, key, argument):
    found = {device.address: device.numa for device in _of(PciDevice, _reading(file, key, argument))}
    expected = {address: node for address, node in _expected(file)["numa"].items() if address in found}
    assert expected
    assert {address: found[address] for address in expected} == expected


@pytest.mark.parametrize(("file", "key", "argument"), _with("pci", sources=("sysfs-pci",)))
def test_sysfs_real_paths_give_the_parents(file, key, argument):
    devices = {device.address: device for device in _of(PciDevice, _reading(file, key, argument))}
    lines = [line for line in _expected(file)["pci"] if re.match(r".*/[0-9a-f:]+\.[0-7]/max_link_width:", line)]
    assert lines
    for line in lines:
        *_, above, address, attribute = line.split("/")
        assert devices[address].parent == (None if above.startswith("pci") else above)
        assert devices[address].capability.width == int(attribute.partition(":")[2])


@pytest.mark.parametrize(("file", "key", "argument"), _with("cpu_affinity", sources=("lscpu", "numactl-h")))
def test_cpus_near_a_gpu_are_those_of_its_node(file, key, argument):
    expected = _expected(file)
    nodes = {str(node.node): node.cpus for node in _of(NumaNode, _reading(file, key, argument))}
    count = _of(Cpu, _reading(file, key, argument))
    if expected.get("numa_nodes") and count:
        assert count[0].numa_nodes == expected["numa_nodes"]
    for gpu, node in (expected.get("numa_affinity") or {}).items():
        if node in nodes and expected["cpu_affinity"].get(gpu):
            assert set(_numbers(expected["cpu_affinity"][gpu])) <= set(_numbers(nodes[node]))


def _numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def test_a_node_without_cpus_is_kept_with_its_memory():
    file = CORPUS / "nvidia/021-gh200x4-nv6-gpu-numa-id/numactl_-H"
    nodes = _of(NumaNode, _reading(file, "numactl-h"))
    assert [node.node for node in nodes if node.cpus == "" and node.memory_bytes] == [4, 12, 20, 28]
    assert {len(node.distances) for node in nodes} == {36}
