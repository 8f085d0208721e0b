"""Machines by chance: any mixture of sockets, switches, devices, fabrics and damage that the model can hold."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from tests.machines import Builder
from toposcope.model import Kind, Medium, State, Topology

_RATES = st.sampled_from([None, 1, 10, 25, 100, 200, 400, 800])
_LINES = st.sampled_from([None, 0.25, 14.1, 25.0, 64.0, 450.0])


@st.composite
def machines(draw) -> Topology:
    b = Builder(Topology(host=draw(st.sampled_from([None, "host", "a-host-with-a-very-long-name-" * 4]))))
    places = _structure(b, draw)
    accelerators = _accelerators(b, draw, places)
    _nics(b, draw, places, accelerators)
    for index in range(draw(st.integers(0, 7))):
        b.add(f"disk{index}", Kind.STORAGE, model=draw(st.sampled_from([None, "NVMe"])))
        _hang(b, draw, f"disk{index}", places)
    _fabric(b, draw, accelerators)
    for index in range(draw(st.integers(0, 3))):
        b.add(f"other{index}", Kind.OTHER)
    return b.topology


def _structure(b: Builder, draw) -> list[str]:
    sockets = [b.socket(f"CPU{index}", memory=draw(_LINES)) for index in range(draw(st.integers(0, 4)))]
    if sockets and draw(st.booleans()):
        line = draw(_LINES)
        for a, c in combinations(sockets, 2):
            if draw(st.integers(0, 4)):
                b.link(
                    a,
                    c,
                    Medium.SOCKET,
                    line if draw(st.integers(0, 3)) else 12.0,
                    count=draw(st.sampled_from([None, 3])),
                )
    numa = [b.numa(f"NUMA{index}", _any(draw, sockets)) for index in range(draw(st.integers(0, 6)))]
    for name in numa:
        if draw(st.integers(0, 3)) == 0:
            b.memory(f"MEM-{name}", name, draw(_LINES))
    hosts = [*sockets, *numa]
    complexes = []
    for index in range(draw(st.integers(0, 6))):
        name = f"RC{index}"
        b.add(name, Kind.ROOT_COMPLEX)
        if hosts:
            b.link(name, draw(st.sampled_from(hosts)), Medium.ROOT_COMPLEX, upward=True)
        complexes.append(name)
    places = list(complexes)
    for index in range(draw(st.integers(0, 8))):
        switch = draw(st.booleans())
        name = f"SW{index}" if switch else f"bridge{index}"
        count = draw(st.sampled_from([1, 1, None, 2])) if switch else 1
        b.add(name, Kind.PCIE_SWITCH if switch else Kind.PCIE_BRIDGE, count=count)
        _hang(b, draw, name, places)
        places.append(name)
    return places


def _any(draw, names: list[str]) -> str | None:
    return draw(st.sampled_from(names)) if names and draw(st.integers(0, 5)) else None


def _hang(b: Builder, draw, name: str, places: list[str]) -> None:
    under = _any(draw, places)
    if under is not None:
        line = draw(_LINES)
        state = draw(st.sampled_from(list(State)))
        more = {"generation": 5, "width": 8, "max_generation": 5, "max_width": 16} if draw(st.booleans()) else {}
        b.link(name, under, Medium.PCIE, line, upward=True, state=state, internal=draw(st.integers(0, 5)) == 0, **more)


def _accelerators(b: Builder, draw, places: list[str]) -> list[str]:
    names = [f"GPU{index}" for index in range(draw(st.integers(0, 16)))]
    for name in names:
        model = draw(st.sampled_from([None, "H100", "a model with a name that is much too long for its box"]))
        b.add(name, Kind.ACCELERATOR, model=model, pci=draw(st.sampled_from([None, "0000:17:00.0", "000a:01:00.0"])))
        _hang(b, draw, name, places)
    return names


def _nics(b: Builder, draw, places: list[str], accelerators: list[str]) -> None:
    for index in range(draw(st.integers(0, 12))):
        name = f"NIC{index}"
        card = draw(st.sampled_from([None, None, "card0", "card1"]))
        role = draw(st.sampled_from([None, "storage", "management"]))
        b.add(name, Kind.NIC, name=f"mlx5_{index}", card=card, role=role)
        _hang(b, draw, name, [*places, *accelerators] if draw(st.integers(0, 3)) == 0 else places)
        if draw(st.booleans()):
            medium = draw(st.sampled_from([Medium.ETHERNET, Medium.INFINIBAND]))
            b.port(name, draw(_RATES), medium, network=draw(st.sampled_from(["network", "leaf0", "leaf1"])))
    for name in accelerators:
        if draw(st.integers(0, 4)) == 0:
            b.port(name, draw(_RATES))


def _fabric(b: Builder, draw, accelerators: list[str]) -> None:
    kind = draw(st.sampled_from(["none", "switched", "outside", "mesh", "partial", "pairs"]))
    if kind in ("switched", "outside"):
        for index in range(draw(st.integers(1, 3))):
            b.add(
                f"chip{index}",
                Kind.NVSWITCH if kind == "switched" else Kind.FABRIC_SWITCH,
                count=draw(st.sampled_from([1, 6, None])),
            )
            for name in accelerators:
                if draw(st.integers(0, 6)):
                    b.link(
                        name, f"chip{index}", Medium.NVLINK, draw(_LINES), count=draw(st.sampled_from([1, 18, None]))
                    )
    elif kind != "none":
        line = draw(_LINES)
        for index, (one, other) in enumerate(combinations(accelerators, 2)):
            wanted = {"mesh": True, "partial": draw(st.integers(0, 2)) == 0, "pairs": index % 17 == 0}[kind]
            if wanted and draw(st.integers(0, 30)):
                b.link(one, other, Medium.XGMI, line if draw(st.integers(0, 20)) else 1.0)
