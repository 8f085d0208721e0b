"""lscpu in its layouts and languages, as JSON and as a table."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.cpu.lscpu import parse
from toposcope.collectors.output_lines import cpu_list
from toposcope.collectors.records import Cpu, NumaNode

WIDE = "\uff1a"
LANGUAGES = {
    "en": (
        "Architecture:", "CPU(s):", "Socket(s):", "NUMA node(s):", "NUMA node{} CPU(s):", "Model name:", "Vendor ID:",
    ),
    "zh": tuple(f"{key}{WIDE}" for key in ("架构", "CPU", "座", "NUMA 节点", "NUMA 节点{} CPU", "型号名称", "厂商 ID")),
    "de": (
        "Architektur:", "CPU(s):", "Sockel:", "NUMA-Knoten:", "NUMA-Knoten{} CPU(s):", "Modellname:",
        "Anbieterkennung:",
    ),
    "fr": (
        "Architecture :", "Processeur(s) :", "Socket(s) :", "Nœud(s) NUMA :", "Nœud NUMA {} de processeur(s) :",
        "Nom de modèle :", "Identifiant constructeur :",
    ),
    "es": (
        "Arquitectura:", "CPU(s):", "«Socket(s)»", "Modo(s) NUMA:", "CPU(s) del nodo NUMA {}:", "Nombre del modelo:",
        "ID de fabricante:",
    ),
}  # fmt: skip


def read(text):
    return parse(Capture("lscpu", "lscpu", text))


def printed(words, nodes, sockets, indent=0, width=36):
    """Print a listing; deeper keys are indented since util-linux 2.37."""
    architecture, cpus, socket, count, node, model, vendor = words
    rows = [
        (architecture, "x86_64", 0),
        (cpus, str(sum(map(len, nodes))), 0),
        (vendor, "AcmeVendor", 0),
        (model, "Acme Chip 9000 @ 2.0GHz: fast", 1),
        (socket if socket.endswith((":", WIDE)) else f"{socket}:", str(sockets), 2),
        (count, str(len(nodes)), 1),
        *((node.format(index), cpu_list(found), 1) for index, found in enumerate(nodes)),
    ]
    return "".join(f"{' ' * indent * depth}{key}".ljust(width) + f" {value}\n" for key, value, depth in rows)


NODES = st.lists(st.sets(st.integers(0, 300), min_size=1, max_size=40), min_size=1, max_size=16)


@pytest.mark.parametrize("language", LANGUAGES)
@given(nodes=NODES, sockets=st.integers(1, 8), indent=st.sampled_from((0, 2)))
def test_what_is_printed_is_read(language, nodes, sockets, indent):
    reading = read(printed(LANGUAGES[language], nodes, sockets, indent))
    cpu, *found = reading.records
    assert reading.problems == ()
    assert (cpu.architecture, cpu.sockets, cpu.numa_nodes) == ("x86_64", sockets, len(nodes))
    assert (cpu.cpus, cpu.vendor, cpu.model) == (sum(map(len, nodes)), "AcmeVendor", "Acme Chip 9000 @ 2.0GHz: fast")
    assert [(node.node, node.cpus) for node in found] == [(i, cpu_list(cpus)) for i, cpus in enumerate(nodes)]


def test_a_guest_names_its_hypervisor():
    text = "Architecture: x86_64\nVendor ID: GenuineIntel\nHypervisor vendor: KVM\nCPU family: 6\nModel: 143\n"
    cpu = read(text).records[0]
    assert (cpu.hypervisor, cpu.family, cpu.model_number) == ("KVM", 6, 143)


def test_arm_does_not_know_its_sockets():
    cpu = read("Architecture: aarch64\nModel name: -\nBIOS Model name: Acme 920\nSocket(s): -\n").records[0]
    assert (cpu.sockets, cpu.model) == (None, "-") or (cpu.sockets, cpu.model) == (None, None)


def test_the_first_of_two_kinds_of_cores_names_the_model():
    assert read("Architecture: aarch64\nModel name: Big\nModel name: Little\n").records[0].model == "Big"


def test_bios_lines_do_not_stand_in_for_the_vendor():
    cpu = read(
        "Architecture: x\nBIOS Vendor ID: Firm\nVendor ID: Maker\nBIOS CPU family: 107\nCPU family: 26\n"
    ).records[0]
    assert (cpu.vendor, cpu.family) == ("Maker", 26)


def test_a_node_without_cpus_is_kept():
    nodes = read("Architecture: x\nNUMA node(s): 2\nNUMA node0 CPU(s): 0-3\nNUMA node8 CPU(s):\n").records[1:]
    assert [(node.node, node.cpus) for node in nodes] == [(0, "0-3"), (8, "")]


def test_a_listing_cut_short_is_reported():
    (problem,) = read("Architecture: x\nNUMA node(s): 2\nNUMA node0 CPU(s): 0-3\n").problems
    assert "1 of 2" in problem.message


def test_a_line_without_a_colon_inside_is_reported():
    (problem,) = read("Architecture: x\nbroken line\nSocket(s): 1\n").problems
    assert (problem.text, problem.origin.line) == ("broken line", 2)


def test_json_holds_the_same_pairs():
    nodes = [{"field": "NUMA node0 CPU(s):", "data": "0-3"}, {"field": "NUMA node1 CPU(s):", "data": "4-7"}]
    fields = [
        {"field": "Architecture:", "data": "x86_64"},
        {"field": "Vendor ID:", "data": "Acme", "children": [{"field": "Socket(s):", "data": "2"}]},
        {"field": "NUMA:", "data": None, "children": [{"field": "NUMA node(s):", "data": "2"}, *nodes]},
    ]
    cpu, *found = read(json.dumps({"lscpu": fields}, indent=3)).records
    assert (cpu.architecture, cpu.vendor, cpu.sockets, cpu.numa_nodes) == ("x86_64", "Acme", 2, 2)
    assert [(node.node, node.cpus) for node in found] == [(0, "0-3"), (1, "4-7")]
    assert found[1].origin.line > found[0].origin.line > cpu.origin.line


@given(st.integers(1, 6), st.integers(1, 3), st.booleans())
def test_a_table_tells_the_socket_of_each_node(nodes, per_socket, extended):
    rows = [(cpu, cpu // 2, cpu // 2 // per_socket) for cpu in range(nodes * 2)]
    if extended:
        lines = [
            "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE",
            *(f"{c:3} {n:4} {s:6} {c:4} 0:0:0:0 yes" for c, n, s in rows),
        ]
    else:
        lines = [
            "# The following is the parsable format,",
            "# CPU,Core,Socket,Node,,L1d",
            *(f"{c},{c},{s},{n},,0" for c, n, s in rows),
        ]
    reading = read("\n".join(lines) + "\n")
    assert reading.problems == ()
    cpu, *found = reading.records
    assert isinstance(cpu, Cpu)
    assert (cpu.sockets, cpu.numa_nodes, cpu.cpus) == (-(-nodes // per_socket), nodes, nodes * 2)
    assert found == [
        NumaNode(node, found[node].origin, f"{node * 2}-{node * 2 + 1}", socket=node // per_socket)
        for node in range(nodes)
    ]


def test_flags_broken_by_an_editor_are_no_loss():
    assert read("Architecture: x\nFlags: fpu vme\nde pse tsc\nSocket(s): 2\n").problems == ()


def test_nodes_are_read_in_a_language_that_is_not_known():
    cpu, *nodes = read(
        "Arkitektur: x86_64\nNUMA-noder: 2\nNUMA-nod0 processorer: 0-3\nNUMA-nod1 processorer: 4-7\n"
    ).records
    assert cpu.numa_nodes == 2
    assert [(node.node, node.cpus) for node in nodes] == [(0, "0-3"), (1, "4-7")]
