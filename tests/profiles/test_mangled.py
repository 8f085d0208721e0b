"""However a machine's file is mangled, it is read or its faults are told: nothing raises, nothing passes in silence."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles.expansion import components, edges
from toposcope.profiles.checks import faults_of
from toposcope.profiles.inheritance import flatten
from toposcope.profiles.machine import Machine
from toposcope.profiles.reading import Table, convert
from toposcope.profiles.store import filled, load_catalogue, shipped

CATALOGUE = load_catalogue(parts=["pcie"])
WHOLE = {path.stem: tomllib.loads(path.read_text()) for path in sorted((shipped() / "machines").glob("*.toml"))}
LAYER = {name: Table(Path(f"{name}.toml"), content) for name, content in WHOLE.items()}
MACHINES = {table.content["name"]: table.content for table in flatten([LAYER])[0]}
VALUES = st.sampled_from([None, True, -1, 0, 1, 3, 99, 0.5, "", "gpu9", "switch0", "{nic}", "{x}", [], ["socket0"], {}])


def places(value, way=()):
    """Yield the way to every value inside a table."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*way, key)
        yield from places(inner, (*way, key))


@st.composite
def mangled(draw):
    content = copy.deepcopy(MACHINES[draw(st.sampled_from(sorted(MACHINES)))])
    *way, last = draw(st.sampled_from(list(places(content))))
    target = content
    for key in way:
        target = target[key]
    value = draw(VALUES)
    if value is None:
        del target[last]
    else:
        target[last] = value
    return content


@given(mangled())
def test_a_mangled_machine_is_told_or_can_be_spelt_out(content):
    machine, problems = convert(Table(Path("mangled.toml"), content), Machine)
    assert (machine is None) == bool(problems)
    if machine is None or list(faults_of(machine)):
        return
    found = filled(machine)
    counts = components(found)
    for edge in edges(found, CATALOGUE) if known_generations(found) else ():
        for end in (edge.a, edge.b):
            kind = {"gpu": "accelerator", "nvs": "nvswitch"}.get(end.rstrip("0123456789"), end.rstrip("0123456789"))
            assert kind == "net" or int(end[len(end.rstrip("0123456789")) :]) < counts[kind], edge


def known_generations(machine):
    links = [machine.switches and machine.switches.uplink, machine.accelerators and machine.accelerators.pcie]
    links += [nic.pcie for nic in machine.nics]
    return all(link.generation <= 7 for link in links if link) and (
        machine.accelerators is None or machine.accelerators.pcie or machine.accelerators.host_link
    )


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_a_machine_as_shipped_is_not_mangled(name):
    machine, problems = convert(Table(Path(f"{name}.toml"), MACHINES[name]), Machine)
    assert machine is not None
    assert not problems
    assert list(faults_of(machine)) == []
