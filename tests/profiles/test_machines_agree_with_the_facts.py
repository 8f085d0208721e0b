"""Each shipped machine says what the shared facts say: every component, every connection, every figure."""

from __future__ import annotations

import json

import pytest

from tests.profiles.expansion import Edge, components, edges, socket_of
from tests.shared import FACTS, needs_shared
from toposcope.profiles.store import filled, find_machine, load_catalogue, load_machines

MACHINES = load_machines()
CATALOGUE = load_catalogue()
SOCKET_LINKS = {"upi", "qpi", "hydra", "infinity-fabric"}
PORTS = {"eth/ib", "roce"}
MEDIA = {"mem": "memory", "nvlink-c2c": "c2c"}


def cases():
    for name, machine in MACHINES.items():
        options = [f",{key}={value:g}" for key, option in machine.options.items() for value in option.values] or [""]
        for facts, option in zip(machine.facts, options, strict=True):
            yield pytest.param(find_machine(name + option, MACHINES), facts, id=facts)


CASES = list(cases())


def truth(name):
    return json.loads((FACTS / "machines" / f"{name}.json").read_text())


def renamed(identity, machine, facts):
    compute = sum(c["kind"] == "nic" and c["id"].startswith("nic") for c in facts["components"])
    for theirs, ours in (("gcd", "gpu"), ("npu", "gpu"), ("sw", "switch")):
        if identity.startswith(theirs) and identity[len(theirs) :].isdigit():
            return ours + identity[len(theirs) :]
    if identity == "nsnic" or identity.startswith("snic"):
        return f"nic{compute + int(identity.removeprefix('snic').removeprefix('nsnic') or 0)}"
    if identity.startswith("numa"):
        return socket_of(machine, identity)
    return "net" if identity in ("fabric", "sfabric") else identity


def stated(machine, facts):
    for edge in facts["edges"]:
        a, b = (renamed(edge[end], machine, facts) for end in "ab")
        if a == b:
            continue
        kind = MEDIA.get(edge["kind"], edge["kind"])
        between_sockets = a.startswith("cpu") and b.startswith("cpu")
        kind = "socket" if between_sockets or kind in SOCKET_LINKS else "port" if kind in PORTS else kind
        yield Edge(a, b, kind, edge["uni_gbs"], edge.get("gen"), edge.get("width"), edge.get("links"))


def by_ends(found):
    return {frozenset((edge.a, edge.b)): edge for edge in found}


@needs_shared
@pytest.mark.parametrize(("machine", "name"), CASES)
def test_all_connections_of_the_facts_follow_from_the_profile(machine, name):
    facts = truth(name)
    ours, theirs = by_ends(edges(machine, CATALOGUE)), by_ends(stated(machine, facts))
    assert ours.keys() == theirs.keys()
    for ends, edge in theirs.items():
        own = ours[ends]
        assert own.kind == edge.kind, ends
        assert own.gbs == pytest.approx(edge.gbs, rel=0.005), ends
        for key in ("generation", "width", "links"):
            wanted = getattr(edge, key)
            assert wanted is None or getattr(own, key) == wanted, (ends, key)


@needs_shared
@pytest.mark.parametrize(("machine", "name"), CASES)
def test_the_profile_counts_what_the_facts_count(machine, name):
    kinds = [component["kind"] for component in truth(name)["components"]]
    ours = components(machine)
    assert ours["cpu" if "cpu" in kinds else "numa"] == kinds.count("cpu") + kinds.count("numa")
    assert ours["mem"] == kinds.count("mem")
    assert ours["switch"] == kinds.count("pcie_switch")
    assert ours["accelerator"] == kinds.count("gpu") + kinds.count("npu")
    assert ours["nic"] == kinds.count("nic")
    assert ours["nvswitch"] == kinds.count("nvswitch")


@needs_shared
@pytest.mark.parametrize(("machine", "name"), CASES)
def test_models_buses_and_names_are_those_of_the_facts(machine, name):
    facts = truth(name)
    names = [model for nic in machine.nics for model in (nic.names or (None,) * len(nic.at))]
    buses = [bus for nic in machine.nics for bus in (nic.pci or (None,) * len(nic.at))]
    found = {"gpu": (machine.accelerators.pci, None), "nic": (buses, names)}
    for component in facts["components"]:
        identity = renamed(component["id"], machine, facts)
        kind, number = identity[:3], identity[3:]
        if kind not in found:
            continue
        seen, called = found[kind]
        bus = component.get("bus")
        if bus and not bus.endswith("?") and (name, kind) not in PARTLY_KNOWN:
            assert seen[int(number)] == bus, identity
        if component.get("rdma"):
            assert called[int(number)] == component["rdma"].split("/")[0], identity


# Only some buses of these are published; a profile lists all or none.
PARTLY_KNOWN = {("hgx-h20-8", "gpu"), ("hgx-h800-8", "gpu"), ("hgx-h800-8", "nic"), ("dgx-2", "gpu")}


@needs_shared
@pytest.mark.parametrize(("machine", "name"), CASES)
def test_the_accelerator_is_the_model_of_the_facts(machine, name):
    model = next(c["model"] for c in truth(name)["components"] if c["kind"] in ("gpu", "npu"))
    device = next(d for d in CATALOGUE.devices if d.name == machine.accelerators.model)
    names = {each.removeprefix("Ascend ") for each in (device.name, *device.aliases)}
    assert model in names or (model == "910B" and device.name.startswith("Ascend 910B"))


@needs_shared
@pytest.mark.parametrize(("machine", "name"), CASES)
def test_numa_nodes_and_their_cpus_are_those_of_the_facts(machine, name):
    for component in truth(name)["components"]:
        numa, cpus, identity = component.get("numa"), component.get("affinity"), component["id"]
        if identity.startswith("sw") and numa is not None:
            assert machine.switches.at[int(identity[2:])] == f"numa{numa}"
        if identity.startswith("gcd"):
            assert machine.accelerators.at[int(identity[3:])] == f"numa{numa}"
        if cpus and identity.startswith(("npu", "sw")):
            place = machine.accelerators.at[int(identity[3:])] if identity.startswith("npu") else f"numa{numa}"
            assert machine.cpu.numa_cpus[int(place[4:])] == cpus
        if cpus and identity.startswith(("cpu", "numa")) and machine.cpu.sockets == 2:
            assert machine.cpu.numa_cpus[int(identity.lstrip("cpunma"))] == cpus


@needs_shared
def test_every_machine_of_the_facts_is_some_profile_s():
    told = {name for machine in MACHINES.values() for name in machine.facts}
    assert told == {path.stem for path in (FACTS / "machines").glob("*.json")}


@needs_shared
def test_default_options_stand_for_the_facts_named_for_them():
    machine = filled(MACHINES["a100-2-2-4-6-8-8"])
    assert machine.nics[0].rate_gbps == 200
