"""The shipped files: they load, name their sources, refer to what exists, and hold plausible units."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.profiles.expansion import Edge, edges
from toposcope.profiles.catalogue import Catalogue
from toposcope.profiles.store import filled, load_catalogue, load_machines, shipped

if TYPE_CHECKING:
    from pathlib import Path

    from toposcope.profiles.machine import Machine

CATALOGUE = load_catalogue()
MACHINES = load_machines()
FILES = sorted(shipped().glob("*/*.toml"))
PARTS = Catalogue.__struct_fields__
STATUSES = {"vendor", "measured", "inferred", "recall"}
MEDIA = {"nvlink", "c2c", "hccs", "sio", "ub", "xgmi", "socket", "ethernet", "infiniband", "pcie"}


def parts_of(struct):
    """Yield every table inside a machine."""
    if isinstance(struct, msgspec.Struct):
        yield struct
        for field in struct.__struct_fields__:
            yield from parts_of(getattr(struct, field))
    elif isinstance(struct, tuple):
        for each in struct:
            yield from parts_of(each)


def test_every_part_of_the_catalogue_has_a_file_of_its_name_and_nothing_else():
    catalogue = [path for path in FILES if path.parent.name == "catalogue"]
    assert {path.stem for path in catalogue} == set(PARTS)
    assert all(set(tomllib.loads(path.read_text())) == {path.stem} for path in catalogue)


def test_machines_are_named_after_their_files():
    files = {path.stem: tomllib.loads(path.read_text()) for path in FILES if path.parent.name == "machines"}
    assert set(files) == set(MACHINES)
    assert all(content["name"] == stem for stem, content in files.items())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_begins_with_a_comment_and_names_no_path_of_a_machine(path: Path):
    text = path.read_text()
    assert text.startswith("# ")
    assert not re.search(r"/(work|home|tmp|root|usr|Users)/", text)


@pytest.mark.parametrize("part", PARTS)
def test_every_figure_of_the_catalogue_has_a_source_and_a_known_status(part):
    entries = getattr(CATALOGUE, part)
    assert entries
    assert [entry for entry in entries if len(entry.source) < 5 or entry.status not in STATUSES] == []


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
def test_every_table_with_a_figure_names_its_source(machine: Machine):
    tables = [machine.cpu, machine.cpu.link, machine.switches, machine.accelerators, machine.fabric, *machine.nics]
    for table in tables:
        assert table is None or table.source, table
    assert (
        machine.accelerators is None or machine.accelerators.host_link is None or machine.accelerators.host_link.source
    )
    assert all(option.source for option in machine.options.values())
    assert machine.sources
    assert machine.title


def test_names_are_said_once():
    for part in ("devices", "nics", "switches", "classes", "platforms", "software"):
        names = Counter(entry.name for entry in getattr(CATALOGUE, part))
        assert [name for name, count in names.items() if count > 1] == []


def test_no_alias_means_two_devices():
    names = Counter(name.lower() for device in CATALOGUE.devices for name in {device.name, *device.aliases})
    assert [name for name, count in names.items() if count > 1] == []


def test_pci_ids_are_written_as_lspci_n_prints_them():
    for part in ("devices", "nics", "switches"):
        for entry in getattr(CATALOGUE, part):
            assert all(re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", each) for each in entry.pci_ids), entry.name


def test_one_pci_id_is_one_thing_but_for_devices_that_only_their_names_tell_apart():
    ids = Counter(each for part in ("nics", "switches") for entry in getattr(CATALOGUE, part) for each in entry.pci_ids)
    ids.update({each for device in CATALOGUE.devices for each in device.pci_ids})
    assert [each for each, count in ids.items() if count > 1] == []


@pytest.mark.parametrize("device", CATALOGUE.devices, ids=lambda device: device.name)
def test_the_figures_of_a_device_are_of_one_direction_and_add_up(device):
    assert device.memory_gb is None or 4 <= device.memory_gb <= 300
    assert device.pcie is None or (1 <= device.pcie.generation <= 7 and device.pcie.width in (1, 2, 4, 8, 16))
    fabric = device.fabric
    if fabric is None:
        return
    assert fabric.medium in MEDIA
    if fabric.links and fabric.link_gbs:
        assert fabric.links * fabric.link_gbs == pytest.approx(fabric.total_gbs)
    assert fabric.total_gbs <= 900
    assert all(count <= (fabric.links or 0) for count in fabric.direct)


def test_nvidia_s_link_figures_are_those_of_their_generation():
    figures = {(link.medium, link.generation, link.link_gbs) for link in CATALOGUE.links}
    for device in CATALOGUE.devices:
        fabric = device.fabric
        if fabric and fabric.generation and fabric.link_gbs:
            assert (fabric.medium, fabric.generation, fabric.link_gbs) in figures, device.name


@pytest.mark.parametrize(
    ("name", "links", "total"),
    [
        ("A100 SXM4 80GB", 12, 300),
        ("A800 SXM4 80GB", 8, 200),
        ("H100 SXM5 80GB", 18, 450),
        ("B200 SXM", 18, 900),
        ("A40", 4, 56.25),
        ("Ascend 910B1", 7, 196),
        ("Instinct MI300X", 7, 448),
    ],
)
def test_known_devices_have_their_known_totals_in_one_direction(name, links, total):
    fabric = next(device.fabric for device in CATALOGUE.devices if device.name == name)
    assert (fabric.links, fabric.total_gbs) == (links, total)


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("A100-SXM4-80GB", "A100 SXM4 80GB"),
        ("H100 80GB HBM3", "H100 SXM5 80GB"),
        ("H100 PCIe", "H100 PCIe"),
        ("H200", "H200 SXM"),
        ("H20", "H20"),
        ("A800-SXM4-80GB", "A800 SXM4 80GB"),
        ("GeForce RTX 3090", "GeForce RTX 3090"),
        ("Tesla V100-SXM2-32GB", "Tesla V100 SXM2 32GB"),
        ("B200", "B200 SXM"),
        ("GH200 480GB", "GH200 96GB"),
        ("910B3", "Ascend 910B3"),
        ("Ascend910", "Ascend 910C"),
    ],
)
def test_what_the_tools_print_is_a_name_of_the_device(printed, name):
    assert [device.name for device in CATALOGUE.devices if printed in (device.name, *device.aliases)] == [name]


def test_pcie_figures_are_the_rate_less_the_line_coding():
    coding = {1: 8 / 10, 2: 8 / 10, 3: 128 / 130, 4: 128 / 130, 5: 128 / 130, 6: 242 / 256, 7: 242 / 256}
    for entry in CATALOGUE.pcie:
        assert entry.lane_gbs == pytest.approx(entry.gts / 8 * coding[entry.generation], rel=1e-6)
    assert [later.gts / earlier.gts for earlier, later in pairwise(CATALOGUE.pcie)] == [2.0, 1.6, 2.0, 2.0, 2.0, 2.0]


@pytest.mark.parametrize("each", CATALOGUE.classes, ids=lambda each: each.name)
def test_an_efficiency_is_a_factor_with_its_range(each):
    assert 0 < each.low <= each.typical <= each.high <= 1
    assert each.machines <= each.records
    assert each.inferred == (each.status == "inferred")
    assert each.inferred or each.records > 0


def test_an_inferred_class_takes_the_factors_of_the_class_that_it_names():
    by_name = {each.name: each for each in CATALOGUE.classes}
    for each in CATALOGUE.classes:
        if each.source.startswith("as "):
            model = by_name[each.source.removeprefix("as ")]
            assert (each.low, each.typical, each.high) == (model.low, model.typical, model.high)


def test_the_classes_that_questions_ask_for_are_there():
    names = {each.name for each in CATALOGUE.classes}
    wanted = {f"nvlink{i}" for i in range(1, 6)} | {f"collective-nvlink{i}" for i in range(1, 6)}
    wanted |= {
        "hccs",
        "xgmi",
        "c2c",
        "sio",
        "ub",
        "memory",
        "staged",
        "staged-same-switch",
        "roce-npu",
        "roce-npu-host",
    }
    kinds = ("host", "host-socket", "peer", "peer-root-complex", "peer-numa", "peer-socket")
    wanted |= {f"pcie{i}-{kind}" for i in range(1, 7) for kind in kinds}
    wanted |= {"rdma", "rdma-root-complex", "rdma-numa", "rdma-socket", "rdma-bounced", "rdma-host"}
    wanted |= {"collective-pcie4", "collective-pcie5", "collective-xgmi", "collective-network", "collective-hccs"}
    assert wanted <= names


def test_a_class_for_a_platform_stands_beside_the_general_one_and_the_platform_exists():
    names = {each.name for each in CATALOGUE.classes}
    suffixes = {platform.crossing for platform in CATALOGUE.platforms}
    for name in names:
        general, _, suffix = name.partition(":")[0].partition(".")
        assert not suffix or (general in names and suffix in suffixes)


def test_a_platform_s_socket_link_is_in_the_catalogue():
    cpus = {entry.cpu for entry in CATALOGUE.sockets}
    assert {platform.socket_link for platform in CATALOGUE.platforms} - {None} <= cpus


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz", "Intel Broadwell"),
        ("Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz", "Intel Skylake or Cascade Lake"),
        ("Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz", "Intel Skylake or Cascade Lake"),
        ("Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", "Intel Ice Lake"),
        ("Intel(R) Xeon(R) Platinum 8480C", "Intel Sapphire Rapids"),
        ("INTEL(R) XEON(R) PLATINUM 8570", "Intel Emerald Rapids"),
        ("Intel(R) Xeon(R) 6960P", "Intel Granite Rapids"),
        ("AMD EPYC 7551 32-Core Processor", "AMD Naples"),
        ("AMD EPYC 7742 64-Core Processor", "AMD Rome"),
        ("AMD EPYC 7V12 64-Core Processor", "AMD Rome"),
        ("AMD EPYC 7763 64-Core Processor", "AMD Milan"),
        ("AMD EPYC 7R13 Processor", "AMD Milan"),
        ("AMD EPYC 9654 96-Core Processor", "AMD Genoa"),
        ("AMD EPYC 9V84 96-Core Processor", "AMD Genoa"),
        ("AMD EPYC 9575F 64-Core Processor", "AMD Turin"),
        ("Kunpeng-920", "Kunpeng 920"),
        ("Neoverse-V2", "NVIDIA Grace"),
        ("POWER9 (raw), altivec supported", "POWER9"),
        ("Hygon C86 7185 32-core Processor", "Hygon"),
        ("Intel(R) Core(TM) i7-6900K CPU @ 3.20GHz", None),
        ("AMD Ryzen Threadripper PRO 7955WX 16-Cores", None),
    ],
)
def test_a_cpu_s_printed_name_means_one_family(model, name):
    found = [p.name for p in CATALOGUE.platforms if any(re.search(each, model, re.IGNORECASE) for each in p.matches)]
    assert found == ([name] if name else [])


def test_the_software_serves_the_vendors_that_devices_have():
    vendors = {device.vendor for device in CATALOGUE.devices}
    words = {"PIX", "PXB", "PHB", "NODE", "SYS"}
    for library in CATALOGUE.software:
        assert library.vendor in vendors
        assert {library.peer_reach, library.rdma_reach, library.few_reach or "SYS"} <= words


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
def test_a_machine_refers_to_things_of_the_catalogue(machine: Machine):
    assert machine.accelerators.model in {device.name for device in CATALOGUE.devices}
    assert {nic.model for nic in machine.nics} - {None} <= {nic.name for nic in CATALOGUE.nics}
    switches = {machine.switches and machine.switches.model, machine.fabric and machine.fabric.switch_model} - {None}
    assert switches <= {switch.name for switch in CATALOGUE.switches}
    media = {part.medium for part in parts_of(machine) if hasattr(part, "medium")}
    assert media <= MEDIA
    pci = machine.switches.pci_id if machine.switches else None
    assert pci is None or pci in {each for switch in CATALOGUE.switches for each in switch.pci_ids}


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
def test_no_accelerator_has_more_links_than_its_model_nor_a_wider_pcie(machine: Machine):
    device = next(each for each in CATALOGUE.devices if each.name == machine.accelerators.model)
    links: Counter[str] = Counter()
    found: list[Edge] = list(edges(filled(machine), CATALOGUE))
    for edge in found:
        if machine.fabric and edge.kind == machine.fabric.medium and edge.links:
            links.update({edge.a: edge.links, edge.b: edge.links})
    counts = {count for end, count in links.items() if end.startswith("gpu")}
    assert all(count <= device.fabric.links * (2 if "MI250X" in device.name else 1) for count in counts)
    pcie = machine.accelerators.pcie
    assert (
        pcie is None
        or (pcie.generation <= device.pcie.generation and pcie.width <= device.pcie.width)
        or (device.name.startswith("Ascend 910B"))
    )


def test_a_switched_machine_uses_every_link_of_its_accelerators():
    for machine in MACHINES.values():
        device = next(each for each in CATALOGUE.devices if each.name == machine.accelerators.model)
        if machine.fabric and machine.fabric.links_per_switch:
            assert sum(machine.fabric.links_per_switch) == device.fabric.links, machine.name
