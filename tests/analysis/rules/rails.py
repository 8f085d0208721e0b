"""Servers with a NIC a accelerator, for the rules of the network: what a test changes is one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.analysis.rules.boards import CLASSES, LIBRARY, note
from tests.machines import Builder
from toposcope.model import Efficiency, Figures, Medium, Relation, State, Topology

if TYPE_CHECKING:
    from toposcope.model.vocabulary import Reach

RDMA = {"rdma": 0.97, "rdma-root-complex": 0.6, "rdma-numa": 0.55, "rdma-socket": 0.45}


def rails(*, accelerators: int = 4, without: tuple[int, ...] = (), gbps: float = 400) -> Topology:
    """Build accelerators on two sockets, each below a switch with a NIC of its own, but for those ``without``."""
    classes = {**CLASSES, **RDMA}
    efficiencies = {name: Efficiency(name, factor, factor, factor, 1, "test") for name, factor in classes.items()}
    b = Builder(Topology(host="rails", figures=Figures(efficiencies, LIBRARY)))
    for half in range(2):
        b.socket(f"CPU{half}", f"NUMA{half}")
    for index in range(accelerators):
        b.root_complex(f"rc{index}", f"NUMA{index * 2 // accelerators}")
        b.switch(f"SW{index}", f"rc{index}", 5)
        b.accelerator(f"GPU{index}", f"SW{index}", 5, model="Board GPU", pci=f"0000:{0x10 + index:02x}:00.0")
        if index not in without:
            b.nic(f"NIC{index}", f"SW{index}", 5, name=f"mlx5_{index}", pci=f"0000:{0x30 + index:02x}:00.0")
            b.port(f"NIC{index}", gbps)
            note(b.topology, f"NIC{index}", "model", "MT4129")
            note(b.topology, f"NIC{index}-port", "state", "Active")
            note(b.topology, f"NIC{index}-port", "rate_gbps", gbps)
    b.link("CPU0", "CPU1", Medium.SOCKET, None, count=None)
    return b.topology


def set_port(topology: Topology, nic: str, **changes) -> Topology:
    """Change the network link of a NIC's port."""
    from tests.analysis.rules.boards import relink

    return relink(topology, f"{nic}-port", "network", **changes)


def set_variables(topology: Topology, **values: str) -> Topology:
    """Set variables of the environment."""
    for name, value in values.items():
        note(topology, "host", f"env.{name}", value)
    return topology


def tell(topology: Topology, a: str, b: str, word: str, reach: Reach | None) -> None:
    """Print a word for a pair."""
    from tests.machines import ORIGIN

    topology.relate(Relation(a, b, word, ORIGIN, reach))


DOWN = State.DOWN
