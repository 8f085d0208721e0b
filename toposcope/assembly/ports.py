"""The network side: ports of NICs and those inside NPUs, with rate and state, and the network beyond."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from toposcope.assembly.reference import NETWORK, with_usable
from toposcope.model import Component, Fact, Grade, Kind, Link, Medium, State

if TYPE_CHECKING:
    from toposcope.assembly.evidence import Evidence
    from toposcope.assembly.identity import Identities
    from toposcope.collectors.records import NetworkPort
    from toposcope.model import Topology

_DOWN = ("down", "disabled", "polling", "init", "unknown", "sleep", "no-carrier", "lowerlayerdown")
_UP = ("active", "up", "linkup", "link_up", "yes")
_BY_CLASS = {"0200": Medium.ETHERNET, "0207": Medium.INFINIBAND}
_UNTOLD = "nccl-log"
"""A source of ports that does not tell InfiniBand from Ethernet."""
_FACTS = ("address", "mtu", "link_layer", "state", "physical_state", "neighbour", "neighbour_port")


def add_ports(topology: Topology, evidence: Evidence, identities: Identities) -> None:
    """Add the port of every NIC, with what the tools say of it, and the ports inside accelerators."""
    ports: dict[tuple[str, int], NetworkPort] = {}
    for port in evidence.ports.values():
        owner = identities.id_of(port.device) or _owner_of_members(port, identities)
        if owner is not None and owner in topology:
            key = (owner, _number(port, ports, owner))
            ports[key] = _over(ports[key], port) if key in ports else port
        elif owner is None:
            _note(topology, f"{port.device}/p{port.port or 1}", port)
    for (owner, number), port in sorted(ports.items(), key=lambda item: item[0]):
        _add_port(topology, owner, number, port)
    for nic in list(topology.components(Kind.NIC)):
        if not any(owner == nic.id for owner, _ in ports):
            _add_unknown_port(topology, nic, _medium_of(nic, evidence))


def _number(port: NetworkPort, ports: dict[tuple[str, int], NetworkPort], owner: str) -> int:
    """Return the port's number: its own, or that of the owner's only port where a netdev tells none."""
    if port.port is not None:
        return port.port
    known = [number for name, number in ports if name == owner]
    return known[0] if len(known) == 1 else 1


def _owner_of_members(port: NetworkPort, identities: Identities) -> str | None:
    owners = {identities.id_of(member) for member in port.members or ()} - {None}
    return min(owner for owner in owners if owner) if owners else None


def _over(first: NetworkPort, second: NetworkPort) -> NetworkPort:
    missing = {
        field.name: getattr(second, field.name)
        for field in fields(first)
        if field.name not in ("origin", "device") and getattr(first, field.name) is None
    }
    return replace(first, **missing)


def _add_port(topology: Topology, owner: str, number: int, port: NetworkPort) -> None:
    name = f"{owner}/p{number}"
    medium = Medium.INFINIBAND if (port.link_layer or "").lower().startswith("infiniband") else Medium.ETHERNET
    state = port_state(port)
    _add_network(topology, port)
    topology.add(Component(name, Kind.NIC_PORT, port.origin, name=port.device))
    grade = Grade.UNKNOWN if port.link_layer is None and port.origin.source == _UNTOLD else Grade.OBSERVED
    topology.connect(Link(owner, name, medium, port.origin, grade, internal=True))
    line = None if state is State.DOWN else port.rate
    link = Link(
        name,
        NETWORK,
        medium,
        port.origin,
        Grade.UNKNOWN if line is None else Grade.OBSERVED,
        count=len(port.members) if port.members else 1,
        line=line,
        state=state,
    )
    topology.connect(with_usable(topology, link))
    _note(topology, name, port)


def _note(topology: Topology, name: str, port: NetworkPort) -> None:
    """Note what the tools say of a port; of one whose owner nothing shows under the name that they give it."""
    for fact in _FACTS:
        value = getattr(port, fact)
        if value is not None:
            topology.note(Fact(name, fact, value, port.origin))
    if port.rate is not None:
        topology.note(Fact(name, "rate_gbps", port.rate.gbps, port.origin))
    if port.members:
        topology.note(Fact(name, "members", ",".join(port.members), port.origin))


def _medium_of(nic: Component, evidence: Evidence) -> Medium | None:
    """Tell what a card without a port record speaks, by its PCI class or its name; None: both are open."""
    device = evidence.devices.get(nic.pci or "")
    by_name = Medium.INFINIBAND if (nic.name or "").startswith("ib") else None
    return _BY_CLASS.get(device.class_code or "", by_name) if device else by_name


def _add_unknown_port(topology: Topology, nic: Component, medium: Medium | None) -> None:
    """Add the port that a NIC must have. Where its medium is open it is called Ethernet, of grade ``unknown``."""
    name = f"{nic.id}/p1"
    grade = Grade.DERIVED if medium else Grade.UNKNOWN
    medium = medium or Medium.ETHERNET
    _add_network(topology, nic)
    topology.add(Component(name, Kind.NIC_PORT, nic.origin, Grade.DERIVED))
    topology.connect(Link(nic.id, name, medium, nic.origin, grade, internal=True))
    topology.connect(Link(name, NETWORK, medium, nic.origin, Grade.UNKNOWN))


def _add_network(topology: Topology, said: NetworkPort | Component) -> None:
    if NETWORK not in topology:
        topology.add(Component(NETWORK, Kind.NETWORK, said.origin, Grade.DERIVED, count=None))


def port_state(port: NetworkPort) -> State:
    """Tell a port's state from the words of the tools (``4: ACTIVE``, ``LinkUp``, ``Polling``, ``DOWN``)."""
    words = [(word or "").lower().split(":")[-1].strip() for word in (port.state, port.physical_state)]
    if any(word.startswith(_DOWN) for word in words if word):
        return State.DOWN
    return State.UP if any(word.startswith(_UP) for word in words) else State.UNKNOWN
