"""hca-list and visible-order: what a process was told of NICs and accelerators does not fit where they hang.

``NCCL_IB_HCA`` holds names or prefixes of devices, with a port; ``=`` before it asks for exact names, ``^`` excludes.
``UCX_NET_DEVICES`` and ``NVSHMEM_HCA_LIST`` hold exact names. A log tells what the library found where no list chose.
Only accelerators that the process sees count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import network_link, ports_of, rate_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import listed, recorded_accelerators
from toposcope.analysis.rules.traffic import (
    does_rdma,
    is_device_name,
    is_ethernet,
    known_reach,
    nearest,
    rdma_nics,
    setting,
    shown_name,
    text_of,
    visible,
)
from toposcope.model import Grade, Kind, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Bandwidth
    from toposcope.model import Component, Fact, Topology

LIST, ORDER = "hca-list", "visible-order"
_LISTS = ("NCCL_IB_HCA", "UCX_NET_DEVICES", "NVSHMEM_HCA_LIST")
_LOGGED = "nccl.hcas"
_MAPS = ("UCX_NET_DEVICES", "NVSHMEM_HCA_LIST", "NVSHMEM_HCA_PE_MAPPING")
_NOT_DEVICES = ("all", "cuda", "lo")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One list: the NICs that it chooses, and the words that no device here answers to."""

    fact: Fact
    name: str
    chosen: list[str]
    unknown: list[str]


def check_list(topology: Topology) -> Iterator[Finding]:
    """Compare each list with the NICs, and with what hangs beside the accelerators."""
    nics = [nic for nic in topology.components(Kind.NIC) if does_rdma(nic)]
    if not nics or not all(is_device_name(nic.name) for nic in nics):
        return  # a list of devices cannot be held against labels, addresses and netdevs
    names, chosen = visible(topology, [each.id for each in recorded_accelerators(topology)])
    for variable in _LISTS:
        fact = setting(topology, variable)
        asked = None if fact is None else _asked(fact, variable, nics)
        if asked is None:
            continue
        reasons = [*_wrong(topology, asked)]
        # A list of one process says nothing of the accelerators of others, which only the next variable would tell.
        certain = bool(reasons) or variable == "NCCL_IB_HCA" or chosen is not None
        excluded = dict(_excluded(topology, asked, names))
        if excluded:
            reasons.append(
                f"leaves out {listed(dict.fromkeys(shown_name(topology, nic) for nic, _ in excluded.values()))}, "
                f"which {'is' if len(excluded) == 1 else 'are'} nearest to {listed(excluded)}"
            )
        if reasons:
            yield _found(topology, asked, reasons, excluded, names, certain=certain)
    yield from _found_by_library(topology, nics, names)


def _found_by_library(topology: Topology, nics: list[Component], names: list[str]) -> Iterator[Finding]:
    """Compare the devices that a log says the library found, where no list chose them."""
    fact = topology.fact("host", _LOGGED)
    if fact is None or setting(topology, "NCCL_IB_HCA") is not None:
        return
    words = [word.partition(":")[0] for word in text_of(fact).split()]
    asked = _Asked(fact, _LOGGED, [nic.id for nic in nics if nic.name in words], [])
    excluded = dict(_excluded(topology, asked, names))
    if not asked.chosen or not excluded:
        return
    left = dict.fromkeys(shown_name(topology, nic) for nic, _ in excluded.values())
    yield Finding(
        LIST,
        Severity.WARNING,
        f"the library found {text_of(fact)} and not {listed(left)}, nearest to {listed(excluded)}",
        remedy=(
            f"ibv_devinfo -l; ibstat {next(iter(left))}  # is the port up, and does the job see the device?\n"
            "# in a container: --device /dev/infiniband, or the device plugin that hands out all of them"
        ),
        components=tuple(dict.fromkeys([*excluded, *(nic for nic, _ in excluded.values())])),
        harms=tuple(Harm(name, "remote") for name in excluded),
        evidence=(fact.origin,),
        grade=Grade.OBSERVED,
    )


def _asked(fact: Fact, variable: str, nics: list[Component]) -> _Asked | None:
    """Read a list. None where it holds nothing that names devices."""
    text = text_of(fact)
    exclude, text = text.startswith("^"), text.removeprefix("^")
    exact, text = text.startswith("=") or variable != "NCCL_IB_HCA", text.removeprefix("=")
    words = [word.strip().partition(":")[0] for word in text.replace("\\", "").split(",")]
    words = [word for word in words if word]
    devices = [nic.name or "" for nic in nics]
    if not words or any(word in _NOT_DEVICES for word in words):
        return None
    if variable != "NCCL_IB_HCA":
        words = [word for word in words if word in devices or word.startswith(("mlx", "rocep", "bnxt_re", "ibp"))]
    fits = {word: [nic.id for nic in nics if _fits(word, nic.name or "", exact=exact)] for word in words}
    named = {name for found in fits.values() for name in found}
    chosen = [nic.id for nic in nics if (nic.id in named) is not exclude]
    unknown = [] if exclude else [word for word, found in fits.items() if not found]
    return _Asked(fact, variable, chosen, unknown) if words else None


def _fits(word: str, name: str, *, exact: bool) -> bool:
    return name == word if exact else name.startswith(word)


def _wrong(topology: Topology, asked: _Asked) -> Iterator[str]:
    if asked.unknown:
        yield f"names {listed(asked.unknown)}, which this host does not have"
    down = [nic for nic in asked.chosen if _is_down(topology, nic)]
    if down:
        yield f"names {listed(shown_name(topology, nic) for nic in down)}, whose port is down"
    layers = {nic: layer for nic in asked.chosen if (layer := _layer(topology, nic)) is not None}
    if len(set(layers.values())) > 1:
        fewer = min((True, False), key=lambda ethernet: list(layers.values()).count(ethernet))
        odd = [shown_name(topology, nic) for nic, layer in layers.items() if layer is fewer]
        yield f"mixes Ethernet and InfiniBand ({listed(odd)} against the others)"
    slow = _slower(topology, asked.chosen)
    if slow:
        yield f"holds {listed(shown_name(topology, nic) for nic in slow)}, slower than the others"


def _is_down(topology: Topology, nic: str) -> bool:
    links = [network_link(topology, port.id) for port in ports_of(topology, nic)]
    return bool(links) and all(link is not None and link.state is State.DOWN for link in links)


def _layer(topology: Topology, nic: str) -> bool | None:
    ports = ports_of(topology, nic)
    return is_ethernet(topology, ports[0].id) if ports else None


def _slower(topology: Topology, chosen: list[str]) -> list[str]:
    rates: dict[str, Bandwidth] = {nic: rate for nic in chosen if (rate := rate_of(topology, nic)) is not None}
    most = max(rates.values(), default=None)
    return [nic for nic, rate in rates.items() if most is not None and rate.bytes_per_s * 2 <= most.bytes_per_s]


def _excluded(topology: Topology, asked: _Asked, names: list[str]) -> Iterator[tuple[str, tuple[str, str | None]]]:
    """Yield the accelerators whose nearest NICs are all left out, with one of those and the nearest that is chosen."""
    nics = rdma_nics(topology)
    for name in names:
        distance, near = nearest(topology, name, nics)
        if distance is None or any(nic in asked.chosen for nic in near):
            continue
        left = [nic for nic in nics if nic.id in asked.chosen]
        other, others = nearest(topology, name, left)
        if not left or (other is not None and other > distance):
            yield name, (near[0], others[0] if others else None)


def _found(
    topology: Topology,
    asked: _Asked,
    reasons: list[str],
    excluded: dict[str, tuple[str, str | None]],
    names: list[str],
    *,
    certain: bool,
) -> Finding:
    return Finding(
        LIST,
        Severity.WARNING if certain else Severity.INFO,
        f"{asked.name}={text_of(asked.fact)} {'; it '.join(reasons)}",
        remedy=f"export {asked.name}={_better(topology, asked.name, names) or 'DEVICE,...'}",
        components=tuple(dict.fromkeys([*excluded, *(nic for nic, _ in excluded.values())])) or ("host",),
        harms=tuple(Harm(name, "remote") for name in excluded),
        evidence=(asked.fact.origin,),
        grade=Grade.OBSERVED,
    )


def _better(topology: Topology, variable: str, names: list[str]) -> str:
    """Write the list of the NICs nearest to each accelerator that have a link."""
    nics = [nic for nic in rdma_nics(topology) if not _is_down(topology, nic.id)]
    chosen = dict.fromkeys(nic for name in names for nic in nearest(topology, name, nics)[1])
    devices = [shown_name(topology, nic) for nic in chosen or [each.id for each in nics]]
    if variable == "UCX_NET_DEVICES":
        return ",".join(f"{device}:1" for device in devices)
    return ("=" if variable == "NCCL_IB_HCA" else "") + ",".join(devices)


def check_order(topology: Topology) -> Iterator[Finding]:
    """Find a list of visible accelerators out of order beside NICs that are dealt to processes by number."""
    names = [each.id for each in recorded_accelerators(topology)]
    seen, fact = visible(topology, names)
    if fact is None or len(seen) < 2 or seen == sorted(seen, key=names.index):  # noqa: PLR2004 - one has no order
        return
    mapped = next((said for name in _MAPS if (said := setting(topology, name)) and "," in text_of(said)), None)
    nics = rdma_nics(topology)
    ways = {known_reach(topology, name, nic.id) for name in seen for nic in nics}
    if len(ways) < 2 and mapped is None:  # noqa: PLR2004 - all equally far
        return
    variable = fact.name.rpartition(".")[2]
    message = (
        f"{variable}={text_of(fact)} numbers the accelerators otherwise than the PCIe bus does: device 0 is {seen[0]}"
    )
    if mapped is not None:
        message += f", while {mapped.name.rpartition('.')[2]} deals NICs by number"
    ordered = ",".join(str(names.index(name)) for name in sorted(seen, key=names.index))
    yield Finding(
        ORDER,
        Severity.WARNING if mapped is not None else Severity.INFO,
        message,
        remedy=f"export {variable}={ordered} CUDA_DEVICE_ORDER=PCI_BUS_ID",
        components=tuple(seen),
        harms=tuple(Harm(name, "remote") for name in seen),
        evidence=tuple(each.origin for each in (fact, mapped) if each is not None),
        grade=Grade.OBSERVED,
    )


RULE_LIST = Rule(
    LIST,
    "The list of NICs does not fit the machine",
    check_list,
    reasoning=(
        "A list that leaves out the NIC beside an accelerator sends its traffic to a far one, or makes several share "
        "one; a management or storage NIC in the list takes a share of the data at its own rate; InfiniBand and "
        "Ethernet in one list do not reach each other; a name that no device has leaves the sockets of TCP."
    ),
    remedy="Name the NICs beside the accelerators: export NCCL_IB_HCA==mlx5_0,mlx5_1 (toposcope affinity prints it).",
    sources=(
        "NCCL documentation: NCCL_IB_HCA",
        "NVIDIA/nccl#1591",
        "NVIDIA/nccl#366",
        "NVIDIA/nccl#1405",
        "openucx/ucx#9727",
        "openucx/ucx#11259",
    ),
)
RULE_ORDER = Rule(
    ORDER,
    "Visible accelerators are numbered otherwise than the bus",
    check_order,
    reasoning=(
        "Programs that deal NICs to processes by number expect accelerator n beside NIC n. A list of visible devices "
        "in another order breaks the pairs: half of the NICs idle while the others carry twice."
    ),
    remedy="export CUDA_VISIBLE_DEVICES in ascending order, with CUDA_DEVICE_ORDER=PCI_BUS_ID.",
    sources=("uccl-project/uccl#162", "openucx/ucx#11680", "openucx/ucx#3249"),
)
