"""Which accelerators a process of this environment sees, and as which number, from the variables that a runtime obeys.

A list is numbers and UUIDs (or their beginnings); the first entry that names nothing ends it. Numbers count in the
runtime's own order: by PCI address where CUDA_DEVICE_ORDER says so or all devices are of one model, else the fastest
first, which nothing here tells; only UUIDs are then known. An empty list hides everything. Of two variables the inner
one counts among the devices that the outer one leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import Fact, FactStatus, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.model import Component, Topology

# The runtime's word for a device, and the variables that narrow what it sees, the outer one first.
_RUNTIMES = {
    "19e5": ("ACL", ("ASCEND_RT_VISIBLE_DEVICES",)),
    "1002": ("HIP", ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")),
    "10de": ("CUDA", ("CUDA_VISIBLE_DEVICES",)),
}
_BY_NAME = {"NPU": "19e5", "Phy": "19e5", "GPU": "10de"}
FACT = "runtime.device"
"""``CUDA 3``: the number in a process; ``absent`` where a process does not see the accelerator."""


def add_visibility(topology: Topology) -> None:
    """Note as which device a process sees each accelerator, where a variable narrows or reorders them."""
    by_vendor: dict[str, list[Component]] = {}
    for each in topology.components(Kind.ACCELERATOR):
        vendor = (each.pci_id or "").partition(":")[0]
        vendor = vendor if vendor in _RUNTIMES else _BY_NAME.get(each.id[:3], "")
        if each.id != each.pci:  # what no tool names is no device of the runtime
            by_vendor.setdefault(vendor, []).append(each)
    for vendor, devices in by_vendor.items():
        if vendor in _RUNTIMES:
            runtime, variables = _RUNTIMES[vendor]
            for fact in _visible(topology, devices, runtime, variables):
                topology.note(fact)


def _visible(
    topology: Topology, devices: Sequence[Component], runtime: str, variables: Sequence[str]
) -> Iterator[Fact]:
    said = [fact for name in variables if (fact := topology.fact("host", f"env.{name}")) is not None]
    if not said:
        return
    whole = [each for each in devices if "/" not in each.id]
    seen: list[Component | None] = list(whole) if _is_ordered(topology, whole) else [None] * len(whole)
    for fact in said:
        seen = list(_chosen(topology, str(fact.value or ""), seen, devices))
    numbers = {each.id: number for number, each in enumerate(seen) if each is not None}
    unsure = None in seen
    for each in devices:
        if each.id in numbers:
            yield Fact(each.id, FACT, f"{runtime} {numbers[each.id]}", said[-1].origin)
        elif not unsure and "/" not in each.id and not any(name.startswith(f"{each.id}/") for name in numbers):
            yield Fact(each.id, FACT, None, said[-1].origin, FactStatus.ABSENT)


def _is_ordered(topology: Topology, devices: Sequence[Component]) -> bool:
    order = topology.fact("host", "env.CUDA_DEVICE_ORDER")
    by_address = order is not None and order.value == "PCI_BUS_ID"
    return by_address or len({each.model for each in devices}) == 1


def _chosen(
    topology: Topology, text: str, seen: Sequence[Component | None], devices: Sequence[Component]
) -> Iterator[Component | None]:
    """Yield the devices of a list in its order; None for a number whose device is not known."""
    taken: set[str] = set()
    for word in (part.strip() for part in text.split(",")):
        if word.isdecimal():
            if int(word) >= len(seen) or word in taken:
                return
            taken.add(word)
            yield seen[int(word)]
            continue
        named = [each for each in devices if word and _is_called(topology, each, word)]
        if len(named) != 1:
            return
        yield named[0]


def _is_called(topology: Topology, device: Component, word: str) -> bool:
    """Tell whether a word is the device's UUID or its beginning, or the old name of a slice by its instances."""
    uuid = topology.fact(device.id, "uuid")
    if uuid is not None and str(uuid.value).lower().startswith(word.lower()) and len(word) > len("GPU-"):
        return True
    parent, _, _ = device.id.partition("/")
    whole, mine = topology.fact(parent, "uuid"), []
    for name in ("mig.gpu_instance", "mig.compute_instance"):
        fact = topology.fact(device.id, name)
        mine.append(None if fact is None else fact.value)
    return parent != device.id and whole is not None and word == f"MIG-{whole.value}/{mine[0]}/{mine[1]}"
