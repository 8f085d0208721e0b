"""Whole machines of the corpus, from files to documents, as a user of the command sees them.

What single parsers read is tried beside this; here it is what becomes of it: machines, trees, links, cells.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from tests.conformance.test_lspci import OTHER_PARENTS, _devices
from tests.conformance.test_matrices import _source
from tests.shared import CORPUS, FACTS, cases, needs_shared
from toposcope import app
from toposcope.base import InputError
from toposcope.collectors.npu_topo import TOPO
from toposcope.collectors.nvidia_smi.topo import SOURCES
from toposcope.render.documents import analysis_document
from toposcope.render.schema import json_schema, to_json

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_shared

GENERATIONS = {2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5, 64: 6}
FOLDERS = ("nvidia", "ascend", "pci", "rocm", "vendors", "nccl-log")
NEAR = ("PIX", "PXB")


@cache
def known() -> app.Knowledge:
    return app.knowledge()


@cache
def loaded(path: Path) -> tuple[app.Loaded, ...]:
    return app.load([str(path)], known())


@cache
def analysis(path: Path) -> dict[str, Any]:
    """Return the JSON document of the one host that a path holds."""
    (host,) = loaded(path)
    return json.loads(to_json(analysis_document(app.analyze(host), host.text_of)))  # type: ignore[no-any-return]


@cache
def topology(path: Path) -> dict[str, Any]:
    """Return what ``export --to json`` writes of the one host that a path holds."""
    (host,) = loaded(path)
    return json.loads(app.export(host, "json"))  # type: ignore[no-any-return]


@cache
def expected(case: Path) -> dict[str, Any]:
    return json.loads((case / "expect.json").read_text())  # type: ignore[no-any-return]


def case_of(part: str, number: str) -> Path:
    return next(case for case in cases(part) if case.name.startswith(number))


def words(document: dict[str, Any], word: str) -> dict[str, list[str]]:
    """Return the NICs to which an accelerator has this word."""
    found: dict[str, list[str]] = {}
    for pair in document["pairs"]:
        if pair["dst"].startswith("NIC") and pair["relation"] == word:
            found.setdefault(pair["src"], []).append(pair["dst"])
    return found


def test_eight_h200_with_ten_nics_by_the_matrix_alone() -> None:
    machine = analysis(case_of("nvidia", "001"))["machine"]

    assert (len(machine["accelerators"]), len(machine["nics"])) == (8, 10)
    assert machine["pcie_switches"] is None  # a matrix shows no switch
    assert machine["nvswitches"] is None
    assert machine["numa_nodes"] == 2


def test_eight_h100_behind_switches_by_lspci() -> None:
    case = case_of("pci", "001")
    document, graph = analysis(case), topology(case)
    machine = document["machine"]

    assert (len(machine["accelerators"]), len(machine["nics"])) == (8, 14)
    assert (machine["nvswitches"], machine["pcie_switches"]) == (4, 9)
    switches = {node["id"] for node in graph["nodes"] if node["kind"] == "pcie-switch"}
    heads = {node["pci"] for node in graph["nodes"] if node["id"] in switches}
    above = parents(graph)
    gpus = {each["pci"] for each in machine["accelerators"]}
    assert heads == set(expected(case)["switch_upstream_ports"])
    assert len({next(at for at in chain(above, gpu) if at in heads) for gpu in gpus}) == 8
    near = {each["pci"]: each["nearest_nics"] for each in machine["accelerators"]}
    places = {nic["id"]: nic["pci"] for nic in machine["nics"]}
    for gpu, nic in expected(case)["gpu_nic_same_switch"].items():
        assert nic in {places[each] for each in near[gpu]}


def test_eight_a100_behind_switches_in_cascade() -> None:
    case = case_of("pci", "010")
    machine, graph = analysis(case)["machine"], topology(case)
    heads = {node["pci"] for node in graph["nodes"] if node["kind"] == "pcie-switch"}
    above = parents(graph)

    assert (len(machine["accelerators"]), len(machine["nics"]), machine["nvswitches"]) == (8, 11, 6)
    for gpu in expected(case)["gpus"]:
        assert heads & set(chain(above, gpu)), gpu


def test_eight_npus_with_a_port_each() -> None:
    document = analysis(case_of("ascend", "001"))
    wanted = expected(case_of("ascend", "001"))["hccn"]["3"]
    facts = {(fact["component"], fact["name"]): fact["value"] for fact in document["facts"]}

    assert len(document["machine"]["accelerators"]) == 8
    assert document["machine"]["nvswitches"] in (0, None)
    assert facts["NPU3/p1", "rate_gbps"] == wanted["speed_mbps"] / 1000 == 200
    assert facts["NPU3/p1", "address"] == wanted["ip"]
    assert facts["NPU3/p1", "neighbour_port"] == wanted["lldp_port"]


def test_eight_a800_by_a_matrix_typed_off() -> None:
    document = analysis(FACTS / "a800-topo-transcribed.txt")
    machine = document["machine"]
    near = words(document, "PXB")

    assert machine["candidates"] == ["a800-8"]
    assert len(machine["accelerators"]) == 8
    assert {pair["relation"] for pair in document["pairs"] if pair["dst"].startswith("GPU")} == {"NV8"}
    assert all("NVSW" in pair["line_bottleneck"][0] for pair in document["pairs"] if pair["dst"].startswith("GPU"))
    assert sorted(near.values()) == [[f"NIC{nic}"] for nic in range(4) for _ in range(2)]
    for remote in document["remote"]:
        (held,) = remote["bottleneck"]
        assert "port" in held
        assert len(remote["shared_with"]) == 1
        assert remote["grade"] == "assumed"


def parents(graph: dict[str, Any]) -> dict[str, str | None]:
    """Return the PCI address above each device, None at a root."""
    places = {node["id"]: node["pci"] for node in graph["nodes"]}
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    return {
        places[link["source"]]: places[link["target"]]
        for link in graph["links"]
        if link["medium"] == "pcie" and places[link["source"]] and kinds[link["target"]] != "nvswitch"
    }


def chain(above: dict[str, str | None], address: str) -> list[str]:
    found: list[str] = []
    at = above.get(address)
    while at is not None:
        found.append(at)
        at = above.get(at)
    return found


def with_tree() -> list[Path]:
    return [case for case in cases("pci") if expected(case).get("tree")]


@pytest.mark.parametrize("case", with_tree(), ids=lambda case: case.name)
def test_each_device_hangs_on_its_parent(case: Path) -> None:
    above = parents(topology(case))
    tree = expected(case)["tree"]
    if not above:
        assert not any(tree.values())  # neither a tree nor buses of bridges
        return
    wanted = {
        address: parent
        for address, parent in tree.items()
        if (case.name, address) not in OTHER_PARENTS and (address in above or parent is not None)
    }

    assert {address: above.get(address) for address in wanted} == wanted


def links_of(case: Path) -> dict[str, dict[str, Any]]:
    links = expected(case).get("links")
    return links if isinstance(links, dict) else {}


@pytest.mark.parametrize("case", [case for case in cases("pci") if links_of(case)], ids=lambda case: case.name)
def test_links_are_judged_by_both_of_their_ends(case: Path) -> None:
    graph, links = topology(case), links_of(case)
    places = {node["id"]: node for node in graph["nodes"]}
    devices = [device for file in case.glob("lspci*") for device in _devices(file).values() if device.capability]
    capabilities = {each.address: (each.capability.gts, each.capability.width) for each in devices}
    for link in graph["links"]:
        below, above = places[link["source"]], places[link["target"]]
        said, other = links.get(below["pci"]), capabilities.get(above["pci"])
        if link["medium"] != "pcie" or link["internal"] or said is None or said["sta_gts"] is None:
            continue
        ends = [(said["cap_gts"], said["cap_width"]), *([other] if other else [])]
        best, widest = (min(end[at] for end in ends if end[at]) for at in (0, 1))
        narrow, slow = said["sta_width"] < widest, said["sta_gts"] < best
        resting = below["kind"] == "accelerator" and said["sta_gts"] == 2.5 and not narrow
        assert link["width"] == said["sta_width"], below["pci"]
        if link["line_gbs"] is not None and not resting:
            assert link["generation"] == GENERATIONS[said["sta_gts"]], below["pci"]
        if said["sta_width"] == 0:
            assert link["state"] == "down", below["pci"]
        elif resting and slow:
            assert link["state"] == "idle", below["pci"]
        else:
            assert (link["state"] == "degraded") is (narrow or slow), below["pci"]


def matrices(part: str) -> list[Any]:
    return [
        pytest.param(path, id=f"{case.name}/{path.name}")
        for case in cases(part)
        for path in sorted(case.glob("*topo*"))
    ]


@pytest.mark.parametrize("path", [p for p in matrices("nvidia") if "p2p" not in p.values[0].name])
def test_cells_of_an_nvidia_matrix_come_out_as_printed(path: Path) -> None:
    assert _source(path, SOURCES)
    cells = analysis(path)["matrix"]["cells"]
    wanted = expected(path.parent)["matrix"]

    for pair, word in wanted.items():
        a, b = pair.split(",")
        assert {cells.get(a, {}).get(b), cells.get(b, {}).get(a)} - {None} == {word}, pair
    assert sum(len(row) for row in cells.values()) <= 2 * len(wanted)


@pytest.mark.parametrize("path", [p for p in matrices("ascend") if "vm" not in p.values[0].name])
def test_cells_of_an_ascend_matrix_come_out_as_printed(path: Path) -> None:
    assert _source(path, (TOPO,))
    wanted = expected(path.parent).get("matrix_isolated" if path.name.endswith("isolated") else "matrix") or {}
    if not wanted:
        pytest.skip("the tool printed no matrix")
    cells = analysis(path)["matrix"]["cells"]

    for row, columns in wanted.items():
        assert {column: cells[row].get(column, "X") for column in columns} == columns, row


@pytest.mark.parametrize(
    "case", [case for part in FOLDERS for case in cases(part)], ids=lambda case: f"{case.parent.name}/{case.name}"
)
def test_the_documents_of_each_case_are_of_their_schemas(case: Path) -> None:
    try:
        hosts = loaded(case)
    except InputError:
        pytest.skip("no output of a known tool that says something")
    for host in hosts:
        document = json.loads(to_json(analysis_document(app.analyze(host), host.text_of)))
        Draft202012Validator(json_schema("analysis")).validate(document)
        Draft202012Validator(json_schema("topology")).validate(json.loads(app.export(host, "json")))


def test_the_folders_are_there() -> None:
    assert all((CORPUS / part).is_dir() for part in FOLDERS)
