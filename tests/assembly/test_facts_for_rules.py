"""Facts that rules ask for: working links, drivers, devices that are gone, what a model is made for."""

from __future__ import annotations

from functools import cache

import pytest

from toposcope.assembly import Lookup, assemble
from toposcope.base import Origin
from toposcope.collectors.records import Accelerator, FabricLink, PciDevice, PciLink, Reading, Record
from toposcope.model import FactValue, State, Topology
from toposcope.profiles.store import load_catalogue

HERE = Origin("test", "test.txt", 1)


@cache
def lookup() -> Lookup:
    return Lookup(load_catalogue())


def built(*records: Record) -> Topology:
    return assemble(Reading(records), lookup())


def value(topology: Topology, component: str, name: str) -> FactValue:
    fact = topology.fact(component, name)
    return None if fact is None else fact.value


def links(source: str, states: str, gpu: str = "GPU0") -> list[FabricLink]:
    """Make links of a word: ``+`` is one that is up, ``-`` one that is down."""
    return [
        FabricLink(gpu, number, Origin(source, f"{source}.txt", number + 2), active=each == "+")
        for number, each in enumerate(states)
    ]


def test_links_are_counted_and_point_at_the_first_that_is_down() -> None:
    topology = built(Accelerator(HERE, label="GPU0"), *links("s", "++--"))

    assert value(topology, "GPU0", "fabric.links.active") == 2
    assert value(topology, "GPU0", "fabric.links.inactive") == 2
    fact = topology.fact("GPU0", "fabric.links.inactive")
    assert fact is not None
    assert fact.origin.line == 4


def test_two_sources_of_the_same_links_count_once() -> None:
    topology = built(Accelerator(HERE, label="GPU0"), *links("s", "+++"), *links("r", "++"))

    assert value(topology, "GPU0", "fabric.links.active") == 3


@pytest.mark.parametrize(
    ("name", "form", "made"), [("NVIDIA H100 80GB HBM3", "SXM5", 18), ("NVIDIA GeForce RTX 3090", "PCIe", 4)]
)
def test_a_known_model_tells_its_form_and_its_links(name: str, form: str, made: int) -> None:
    topology = built(Accelerator(HERE, label="GPU0", model=name))

    assert value(topology, "GPU0", "form_factor") == form
    assert value(topology, "GPU0", "fabric.links.made") == made


def gpu(**more) -> PciDevice:
    return PciDevice("0000:17:00.0", HERE, class_code="0302", pci_id="10de:2330", **more)


def test_the_driver_and_a_dead_device_are_told() -> None:
    topology = built(gpu(driver="vfio-pci", alive=False))
    (name,) = (each.id for each in topology.components() if each.pci == "0000:17:00.0")

    assert value(topology, name, "driver") == "vfio-pci"
    assert value(topology, name, "alive") is False


def test_a_narrow_link_of_an_idle_accelerator_counts_with_the_rate_that_it_can() -> None:
    port = PciDevice("0000:16:00.0", HERE, class_code="0604", secondary=0x17, port_type="Root Port")
    topology = built(port, gpu(capability=PciLink(32.0, 16), status=PciLink(2.5, 8)))
    (link,) = (each for each in topology.links() if each.source.startswith("GPU") and not each.internal)

    assert link.state is State.DEGRADED
    assert (link.generation, link.width, link.max_width) == (5, 8, 16)
    assert link.line is not None
    assert round(link.line.gbs, 1) == 31.5
