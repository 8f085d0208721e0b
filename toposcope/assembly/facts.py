"""Configuration values as facts of components: settings of all tools, and what the vendors' tools say of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base import Origin
from toposcope.model import Fact, FactStatus, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toposcope.assembly.evidence import Evidence
    from toposcope.assembly.identity import Identities
    from toposcope.collectors.records import Accelerator, FabricLink
    from toposcope.model import Topology
    from toposcope.profiles.catalogue import Device

_CAPABILITY = {
    "r": "p2p.read",
    "w": "p2p.write",
    "rw": "p2p.read",
    "n": "p2p.nvlink",
    "p": "p2p.pcie",
    "a": "p2p.atomics",
}
_OF_ACCELERATOR = {
    "uuid": "uuid",
    "serial": "serial",
    "memory_bytes": "memory_bytes",
    "performance_state": "performance_state",
    "utilisation": "utilisation",
    "mig_enabled": "mig.enabled",
    "health": "health",
}


def add_facts(
    topology: Topology, evidence: Evidence, identities: Identities, devices: Mapping[str, Sequence[Device]]
) -> None:
    """Note all facts. A subject that no component answers to is kept under its own name."""
    addresses = {component.pci: component.id for component in topology.components() if component.pci}
    for setting in evidence.settings:
        component = _subject(setting.subject, identities, addresses)
        status = FactStatus(setting.status)
        topology.note(Fact(component, setting.name, setting.value, setting.origin, status))
    for record in evidence.accelerators.values():
        for fact in _of_accelerator(record, identities):
            topology.note(fact)
    for matrix in evidence.matrices:
        for row in matrix.rows:
            name = identities.id_of(row.label)
            for printed, value in (("cpus", row.cpus), ("numa.affinity", row.numa)):
                if name and value:
                    topology.note(Fact(name, printed, value, row.origin))
    for peer in evidence.peers:
        a, b = identities.id_of(peer.row) or peer.row, identities.id_of(peer.column) or peer.column
        topology.note(Fact(f"{a}|{b}", _CAPABILITY.get(peer.capability, "p2p"), peer.word, peer.origin))
    for fact in (*_of_links(evidence, identities), *_of_devices(evidence, addresses)):
        topology.note(fact)
    _of_models(topology, devices)


def _of_devices(evidence: Evidence, addresses: Mapping[str, str]) -> Iterator[Fact]:
    for device in evidence.devices.values():
        name = addresses.get(device.address, device.address)
        if device.driver is not None:
            yield Fact(name, "driver", device.driver, device.origin)
        if not device.alive:
            yield Fact(name, "alive", value=False, origin=device.origin)


def _of_links(evidence: Evidence, identities: Identities) -> Iterator[Fact]:
    """Yield how many scale-up links of an accelerator work, and how many are listed as inactive or down."""
    listed: dict[tuple[str, str, int], FabricLink] = {}
    for link in evidence.fabric_links:
        key = (identities.id_of(link.accelerator) or link.accelerator, link.origin.source, link.link)
        listed.setdefault(key, link)
    for name in dict.fromkeys(owner for owner, _, _ in listed):
        # Several sources list the same links: the one that tells most of them decides.
        sources = {source for owner, source, _ in listed if owner == name}
        told = max(
            ([link for key, link in listed.items() if key[:2] == (name, source)] for source in sorted(sources)), key=len
        )
        down = [link for link in told if link.active is False]
        active = [link for link in told if link.active or (link.active is None and link.rate is not None)]
        if active or down:
            yield Fact(name, "fabric.links.active", len(active), (active or down)[0].origin)
            yield Fact(name, "fabric.links.inactive", len(down), (down or active)[0].origin)


def _subject(subject: str, identities: Identities, addresses: Mapping[str, str]) -> str:
    if subject == "host":
        return subject
    if "|" in subject:
        return "|".join(_subject(part, identities, addresses) for part in subject.split("|"))
    name, _, port = subject.partition("/")
    owner = addresses.get(subject) or identities.id_of(subject) or addresses.get(name) or identities.id_of(name)
    if owner is None:
        return subject
    return f"{owner}/p{port}" if port.isdigit() and owner not in (subject, identities.id_of(subject)) else owner


def _of_accelerator(record: Accelerator, identities: Identities) -> Iterator[Fact]:
    name = identities.id_of(record.label or "") or record.label or ""
    for field, fact in _OF_ACCELERATOR.items():
        value = getattr(record, field)
        if value is not None:
            yield Fact(name, fact, value, record.origin)
    if record.cpus:
        yield Fact(name, "cpus", record.cpus, record.origin)


def _of_models(topology: Topology, devices: Mapping[str, Sequence[Device]]) -> None:
    for component in topology.components(Kind.ACCELERATOR):
        fitting = devices.get(component.id, ())
        answers = {device.peer_over_pcie for device in fitting}
        if len(answers) == 1 and (answer := answers.pop()) is not None:
            origin = Origin("catalogue", fitting[0].name)
            topology.note(Fact(component.id, "peer_over_pcie", answer, origin))
        for name, values in (
            ("form_factor", {device.form_factor for device in fitting}),
            ("fabric.links.made", {device.fabric.links if device.fabric else 0 for device in fitting}),
        ):
            if len(values) == 1 and (value := values.pop()) is not None:
                topology.note(Fact(component.id, name, value, Origin("catalogue", fitting[0].name)))
