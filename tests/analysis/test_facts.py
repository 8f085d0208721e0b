"""Every expected entry of the reference machines in the shared facts, against the routes of their profiles."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.shared import FACTS, needs_shared
from toposcope.analysis.routes import routes
from toposcope.assembly.figures import Lookup
from toposcope.assembly.reference import topology_of_machine
from toposcope.profiles.store import find_machine, load_catalogue, load_machines

if TYPE_CHECKING:
    from toposcope.model import Topology

NETWORK = {"fabric", "sfabric"}
GROUP = re.compile(r"its 4 EFA")
NOT_ONE_PORT = {"oci-bm-gpu-h100-8"}
"""Machines whose facts draw a NIC's two ports as one: the answer is the group's."""


def _machines() -> dict[str, str]:
    """Map each facts file to the profile that stands for it, with its option."""
    found = {}
    for machine in load_machines().values():
        options = next(iter(machine.options.items()), None)
        for index, facts in enumerate(machine.facts):
            suffix = f",{options[0]}={options[1].values[index]:g}" if options else ""
            found[facts.removesuffix(".json")] = machine.name + suffix
    return found


def _entries() -> list[Any]:
    if not FACTS.is_dir():
        return []
    return [
        pytest.param(path.stem, entry, id=f"{path.stem}-{entry['question']}")
        for path in sorted((FACTS / "machines").glob("*.json"))
        for entry in json.loads(path.read_text())["expected"]
        if "path" in entry
    ]


@cache
def _topology(profile: str) -> Topology:
    return topology_of_machine(find_machine(profile, load_machines()), Lookup(load_catalogue()))


def _name(part: str) -> str:
    return re.sub(r"^(gpu|gcd)", "GPU", re.sub(r"^npu", "NPU", re.sub(r"^nic", "NIC", part)))


def _edges(path: list[str]) -> list[str]:
    return [f"{a}--{b}" for a, b in pairwise(path)]


@needs_shared
def test_every_facts_file_has_a_profile() -> None:
    assert set(_machines()) == {path.stem for path in (FACTS / "machines").glob("*.json")}


@needs_shared
def test_there_are_117_entries_of_one_flow() -> None:
    assert len(_entries()) == 117


@needs_shared
@pytest.mark.parametrize(("machine", "entry"), _entries())
def test_entry(machine: str, entry: dict[str, Any]) -> None:
    topology = _topology(_machines()[machine])
    path = entry["path"]
    loop = path[-1] not in NETWORK and NETWORK & set(path)
    last = path[-1]
    if last in NETWORK:
        dst = "remote"
    elif last.startswith(("mem", "cpu")):
        dst = "host"
    else:
        dst = _name(last)
    if path == ["gpu0", "cpu0", "nic0", "fabric"] and "gpu1" in entry["question"] and "same" not in entry["question"]:
        dst, loop = "GPU1", True
    group = bool(GROUP.search(entry["question"])) or (machine in NOT_ONE_PORT and dst == "remote")
    found = [
        route
        for route in routes(topology, _name(path[0]), dst)
        if bool(loop) == (route.transport.value in {"nic-loopback", "npu-roce"})
        or (dst == "remote" and route.transport.value == "npu-roce")
    ]
    via = [_name(part) for part in path[1:-1] if part.startswith(("gpu", "gcd", "npu"))]
    fabric_hop = not any(part.startswith(("cpu", "sw", "numa", "nic")) or part in NETWORK for part in path[1:])
    chosen = [
        route
        for route in found
        if (route.via in via if via else route.via is None)
        and (bool((route.nics and len(route.nics) > 1) or _ports(route) > 1) == group or loop)
        and (
            dst in {"remote", "host"} or loop or not dst.startswith(("GPU", "NPU")) or fabric_hop == _over_fabric(route)
        )
    ]
    assert chosen, [route.transport for route in found]
    assert any(_fits(route, entry, path) for route in chosen), [
        (route.transport.value, str(route.limit.line), _bottleneck(route)) for route in chosen
    ]


def _ports(route: Any) -> int:
    wires = [each for each in route.segments if each.target == "network"]
    return max((wire.count or 1 for wire in wires), default=1) if route.port is None else 1


def _over_fabric(route: Any) -> bool:
    return route.segments[0].medium.value in {"nvlink", "hccs", "xgmi"} and route.transport.value != "pcie-p2p"


def _fits(route: Any, entry: dict[str, Any], path: list[str]) -> bool:
    line = route.limit.line
    return (
        line is not None
        and abs(line.gbs / entry["uni_gbs"] - 1) < 0.005
        and set(_kinds(_bottleneck(route))) == set(_kinds(_wanted(entry, path)))
    )


def _bottleneck(route: Any) -> list[str]:
    near = [route.segments[index] for index in route.limit.line_bottleneck]
    return [f"{each.source}--{each.target}" for each in near if not each.target.startswith("remote:")]


def _wanted(entry: dict[str, Any], path: list[str]) -> list[str]:
    """Return the slowest segments; of a loop drawn out to the network only, the way back as well."""
    wanted = list(entry["slowest_segments"])
    looped = path[-1] in NETWORK and "-> gpu1" in entry["question"]
    return [*wanted, *("--".join(reversed(edge.split("--"))) for edge in wanted)] if looped else wanted


def _kinds(edges: list[str]) -> list[str]:
    """Bring both vocabularies to one: kinds of ends only, a root complex counted to its CPU."""
    table = {
        "rc": "cpu",
        "cpu": "cpu",
        "numa": "cpu",
        "sw": "sw",
        "nvsw": "nvs",
        "nvs": "nvs",
        "gcd": "gpu",
        "gpu": "gpu",
    }
    table |= {"npu": "npu", "nic": "nic", "network": "net", "fabric": "net", "mem": "mem"}

    def kind(end: str) -> str:
        word = re.match(r"[a-z]+", end.lower())
        assert word is not None
        return table.get(word[0], word[0])

    return sorted("--".join(kind(end) for end in edge.split("--")) for edge in edges)
