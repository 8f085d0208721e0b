"""NUMA nodes, sockets and the machine as /sys shows them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.output_lines import cpu_list, cpu_numbers
from toposcope.collectors.records import Cpu, NumaNode, Setting
from toposcope.collectors.sysfs import COLLECTOR, SYSFS_ATTRIBUTES
from toposcope.collectors.sysfs.tree import parse


def read(text):
    return parse(Capture("sysfs-numa", "sysfs-numa", text)).records


def node_lines(node, cpus, distances, memory):
    path = f"/sys/devices/system/node/node{node}"
    yield f"{path}\tcpulist\t{cpu_list(cpus)}"
    yield f"{path}\tdistance\t{' '.join(map(str, distances))}"
    yield f"{path}\tmeminfo\tNode {node} MemTotal:       {memory} kB"
    yield f"{path}\tmeminfo\tNode {node} MemFree:        1 kB"


@given(st.integers(1, 12), st.integers(1, 4), st.sampled_from((0, 3, 36)))
def test_nodes_lie_in_the_socket_of_their_cpus(nodes, per_socket, first_package):
    lines = []
    for node in reversed(range(nodes)):
        lines += node_lines(node, range(node * 4, node * 4 + 4), [10 + other for other in range(nodes)], 1024 * node)
    for cpu in range(nodes * 4):
        package = first_package + 2 * (cpu // 4 // per_socket)
        lines.append(f"/sys/devices/system/cpu/cpu{cpu}/topology\tphysical_package_id\t{package}")
    lines.append(f"/sys/devices/system/cpu\tonline\t0-{nodes * 4 - 1}")
    records = read("\n".join(lines))
    found = [record for record in records if isinstance(record, NumaNode)]
    assert [node.node for node in found] == list(range(nodes))
    assert [node.socket for node in found] == [node // per_socket for node in range(nodes)]
    assert [node.memory_bytes for node in found] == [1024 * 1024 * node for node in range(nodes)]
    assert all(node.distances == tuple(10 + other for other in range(nodes)) for node in found)
    (cpu,) = [record for record in records if isinstance(record, Cpu)]
    assert (cpu.sockets, cpu.numa_nodes, cpu.cpus) == (-(-nodes // per_socket), nodes, nodes * 4)


def test_a_node_without_cpus_has_no_socket():
    (node,) = read("/sys/devices/system/node/node8\tcpulist\t\n/sys/devices/system/node/node8\tdistance\t80 10\n")
    assert (node.node, node.cpus, node.socket, node.distances) == (8, "", None, (80, 10))


def test_offline_cpus_do_not_hide_the_socket():
    text = (
        "/sys/devices/system/node/node0\tcpulist\t0-7\n/sys/devices/system/cpu/cpu0/topology\tphysical_package_id\t0\n"
    )
    assert [record.socket for record in read(text) if isinstance(record, NumaNode)] == [0]


def settings(text):
    return {record.name: (record.value, record.status) for record in read(text) if isinstance(record, Setting)}


def test_iommu_units_are_named_and_an_empty_folder_is_their_absence():
    assert settings("/sys/class/iommu/dmar1\t->\tx\n/sys/class/iommu/dmar0\t->\tx\n") == {
        "iommu.units": ("dmar0 dmar1", "value")
    }
    assert settings("/sys/class/iommu\t!\tempty\n") == {"iommu.units": (None, "absent")}
    assert settings("/sys/class/net/eth0\tmtu\t1500\n") == {}


def test_modules_that_matter_are_named_and_peer_memory_is_missed():
    text = "/sys/module/nvidia\tinitstate\tlive\n/sys/module/nvidia\tversion\t1.2\n/sys/module/ext4\tinitstate\tlive\n"
    found = settings(text)
    assert found["module.nvidia"] == ("loaded", "value")
    assert found["module.nvidia.version"] == ("1.2", "value")
    assert found["module.nvidia_peermem"] == (None, "absent")
    assert "module.ext4" not in found


def test_the_machine_is_named():
    text = "/sys/class/dmi/id/product_name:Box 9000\n/sys/class/dmi/id/sys_vendor:Acme: Inc.\n"
    assert settings(text) == {"product.name": ("Box 9000", "value"), "product.vendor": ("Acme: Inc.", "value")}


def test_kernel_switches():
    text = "/proc/sys/kernel\tnuma_balancing\t1\n/sys/kernel/mm/transparent_hugepage\tenabled\talways [madvise] never\n"
    assert settings(text) == {"numa.balancing": (1, "value"), "transparent_hugepages": ("madvise", "value")}


@given(st.sets(st.integers(0, 5000), max_size=60))
def test_lists_of_numbers(found):
    assert cpu_numbers(cpu_list(found)) == found


def test_a_list_of_absurd_length_is_none():
    assert cpu_numbers("0-999999") == frozenset()


def test_every_part_of_the_writers_table_belongs_to_a_source():
    assert {part.source for part in SYSFS_ATTRIBUTES} == {source.key for source in COLLECTOR.sources}
    assert all(not part.folders.startswith("/") for part in SYSFS_ATTRIBUTES)
