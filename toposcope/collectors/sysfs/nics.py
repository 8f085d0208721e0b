"""Network devices and RDMA devices from ``/sys``: names that belong together, ports, bonds, counters.

``speed`` is in Mb/s, -1 while the link is down. A down RoCE port shows a rate that means nothing (``40 Gb/sec``);
its ``state`` tells. A ``master`` may be a bridge or an OVS: only one with a folder ``bonding`` is a bond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base import pci_address
from toposcope.collectors.output_lines import whole
from toposcope.collectors.rates import gigabits, kernel_rate
from toposcope.collectors.records import NetworkPort, NicName, Setting
from toposcope.collectors.sysfs.lines import LINK, UNREADABLE
from toposcope.collectors.sysfs.places import chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Bandwidth, Capture, Origin
    from toposcope.collectors.records import Record
    from toposcope.collectors.sysfs.places import Place, Places

_LINK_LAYERS = {"1": "Ethernet", "32": "InfiniBand", "772": "Loopback"}
_BONDING = {"mode": "bond.mode", "xmit_hash_policy": "bond.xmit_hash_policy", "lacp_rate": "bond.lacp_rate"}
_FIRMWARE = {"fw_ver": "firmware.version", "hca_type": "model", "board_id": "board.id", "node_guid": "guid.node"}
_BEHIND = ("numa_node", "local_cpulist", "current_link_speed", "current_link_width", "max_link_speed", "max_link_width")


def nic_records(capture: Capture, places: Places) -> Iterator[Record]:
    """Yield names, ports and settings of all network and RDMA devices."""
    for kind in ("net", "rdma"):
        for place in places.all(kind):
            name = _name(kind, place, places, capture.origin(place.index))
            if name is not None:
                yield name
    for place in places.all("port-netdev"):
        rdma, _, port = place.name.partition("/ports/")
        for entry in [entries[0] for entries in place.attributes.values() if entries[0].value][:1]:
            yield NicName(capture.origin(entry.index), rdma=rdma, netdev=entry.value, port=whole(port))
    yield from _netdevs(capture, places)
    yield from _rdma_ports(capture, places)
    yield from _rdma_settings(capture, places)
    yield from _behind(capture, places)


def _name(kind: str, place: Place, places: Places, origin: Origin) -> NicName | None:
    """Pair a device with the PCI function behind it: by link, ``uevent`` or real path."""
    device = places.get("behind", place.name)
    shown = [entry.value for entry in device.attributes.get("uevent", [])] if device else []
    slot = next((line[14:] for line in shown if line.startswith("PCI_SLOT_NAME=")), "")
    pci = pci_address(place.target("device") or "") or pci_address(slot) or _from_path(place)
    if pci is None:
        return None
    return NicName(
        origin, rdma=place.name if kind == "rdma" else None, netdev=place.name if kind == "net" else None, pci=pci
    )


def _from_path(place: Place) -> str | None:
    """Take the last function. A USB adapter's path ends in the PCI function of its host controller, which is no NIC."""
    real = place.real or ""
    steps = [step for step in chain(real) if step]
    return steps[-1] if steps and "/usb" not in real else None


def _netdevs(capture: Capture, places: Places) -> Iterator[Record]:
    bonds = {place.name: place for place in places.all("bonding")}
    slaves = {netdev: name for name, place in bonds.items() for netdev in (place.value("slaves") or "").split()}
    for place in places.all("net"):
        if not _is_port(place) and place.name not in bonds:
            continue
        origin = capture.origin(place.index)
        master = place.target("master")
        bond = slaves.get(place.name) or (master if places.get("bonding-slave", place.name) else None)
        yield NetworkPort(
            device=place.name,
            origin=origin,
            rate=_speed(place),
            state=place.value("operstate"),
            physical_state=_carrier(place),
            link_layer=_LINK_LAYERS.get(place.value("type") or ""),
            mtu=whole(place.value("mtu") or ""),
            members=tuple((bonds[place.name].value("slaves") or "").split()) if place.name in bonds else None,
            bond=bond,
        )
        counting = [place, *_of(places, "net-counter", place.name)]
        yield from _counters(capture, place.name, counting, hardware=place.target("device") is not None)
    for name, place in bonds.items():
        if places.get("net", name) is None:
            members = tuple((place.value("slaves") or "").split())
            yield NetworkPort(device=name, origin=capture.origin(place.index), members=members)
        yield from _bond_settings(capture, name, place)


def _is_port(place: Place) -> bool:
    return any(name in place.attributes for name in ("speed", "operstate", "mtu", "carrier", f"{UNREADABLE}speed"))


def _carrier(place: Place) -> str | None:
    """Put words for the file's 1 or 0; it cannot be read while the interface is off."""
    return {"1": "carrier", "0": "no carrier"}.get(place.value("carrier") or "")


def _speed(place: Place) -> Bandwidth | None:
    speed = whole(place.value("speed") or "")
    return gigabits(str(speed / 1000)) if speed is not None and speed > 0 else None


def _of(places: Places, kind: str, name: str) -> list[Place]:
    place = places.get(kind, name)
    return [place] if place is not None else []


def _bond_settings(capture: Capture, name: str, place: Place) -> Iterator[Setting]:
    for attribute, setting in _BONDING.items():
        entry = place.entry(attribute)
        if entry is not None and entry.value:
            yield Setting(name, setting, entry.value, capture.origin(entry.index))


def _counters(capture: Capture, subject: str, places: list[Place], *, hardware: bool = True) -> Iterator[Setting]:
    """Yield the counters; of a virtual device only those that count something."""
    for place in places:
        for attribute, entries in place.attributes.items():
            if attribute == "carrier_changes" or place.kind.endswith("counter"):
                value = whole(entries[0].value)
                if value is not None and (value or hardware):
                    yield Setting(subject, f"counter.{attribute}", value, capture.origin(entries[0].index))


def _rdma_ports(capture: Capture, places: Places) -> Iterator[Record]:
    for place in places.all("port"):
        device, _, number = place.name.partition("/ports/")
        rate, width = kernel_rate(place.value("rate") or "")
        if any(name in place.attributes for name in ("rate", "state", "phys_state", "link_layer")):
            yield NetworkPort(
                device=device,
                origin=capture.origin(place.index),
                port=whole(number),
                rate=rate,
                width=width,
                state=place.value("state"),
                physical_state=place.value("phys_state"),
                link_layer=place.value("link_layer"),
            )
        if (lid := place.value("lid")) is not None:
            yield Setting(f"{device}/{number}", "lid", _lid(lid), capture.origin(place.index))
    for place in places.all("port-counter"):
        yield from _counters(capture, place.name.replace("/ports/", "/"), [place])


def _lid(text: str) -> int | str:
    """Read ``0x33bf`` of the kernel, which ibstat prints in decimal."""
    try:
        return int(text, 16) if text.startswith("0x") and len(text) <= 10 else int(text[:10])  # noqa: PLR2004 - 32 bit
    except ValueError:
        return text


def _rdma_settings(capture: Capture, places: Places) -> Iterator[Setting]:
    for place in places.all("rdma"):
        for attribute, name in _FIRMWARE.items():
            entry = place.entry(attribute)
            if entry is not None and entry.value:
                yield Setting(place.name, name, entry.value, capture.origin(entry.index))


def _behind(capture: Capture, places: Places) -> Iterator[Setting]:
    """Attributes read through a NIC's ``device`` link (``cat /sys/class/net/eth0/device/numa_node``)."""
    for place in places.all("behind"):
        for attribute in _BEHIND:
            entry = place.entry(attribute)
            if entry is not None and entry.value and attribute != LINK:
                number = whole(entry.value)
                value = entry.value if number is None else number
                yield Setting(place.name, attribute, value, capture.origin(entry.index))
