"""gpudirect-off and grace-gdr-off: the NIC does not read and write the accelerator's memory itself.

The first speaks of accelerators with a NIC below the same switch, the second of those that sit on their CPU by C2C.
Only what ran can prove it: a log of the library, a variable that forbids it, or a driver without any way to do it.
``nvidia-peermem`` missing proves nothing where kernel and driver can do DMA-BUF.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import neighbours
from toposcope.analysis.route import Transport
from toposcope.analysis.routes import remote_answers
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, listed, origins, recorded_accelerators, value_of
from toposcope.analysis.rules.traffic import is_on, nearest, rdma_nics, setting, shown_name, text_of
from toposcope.model import FactStatus, Grade, Kind, Medium, Reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toposcope.base import Bandwidth
    from toposcope.model import Fact, Topology

OFF, GRACE = "gpudirect-off", "grace-gdr-off"
_MODULES = ("nvidia_peermem", "nv_peer_mem")
_NVIDIA = "10de:"
_FORBIDDEN_LEVELS = ("loc", "0", "nvl")
_SHOWS = "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH JOB 2>&1 | grep -m 8 -E 'GDRDMA|GPU Direct RDMA'"
_LOAD = "sudo modprobe nvidia-peermem  # or an open kernel module and Linux 5.12 or later: DMA-BUF"
# The first driver and kernel with DMA-BUF for RDMA; a distribution may have brought it to an older kernel.
_DMABUF_DRIVER, _DMABUF_KERNEL = 515, (5, 12)
_SUPERCHIP = re.compile(r"\bG[HB]\d{3}\b")
_BACKPORTING = re.compile(r"\.el\d|\.an\d|\.oe|\.uel|tlinux|eks|amzn")


def check_switched(topology: Topology) -> Iterator[Finding]:
    """Look at accelerators that have a NIC below the same switch."""
    names = _beside_nics(topology)
    if not names:
        return
    facts = list(_against(topology, names))
    if facts:
        yield _found(topology, OFF, names, facts, f"{_LOAD}\n{_SHOWS}")
    elif not _shown(topology, names) and topology.figures.library is not None:
        yield from _open(topology, names)


def check_c2c(topology: Topology) -> Iterator[Finding]:
    """Look at accelerators that sit on their CPU, which GPUDirect RDMA reaches through it."""
    names = [each.id for each in recorded_accelerators(topology) if _is_on_c2c(topology, each.id)]
    if not names or not rdma_nics(topology):
        return
    switch = setting(topology, "NCCL_NET_GDR_C2C")
    facts = [] if switch is None or is_on(switch) else [switch]
    facts += [fact for fact in _transports(topology, names) if fact.value is False]
    if facts:
        yield _found(topology, GRACE, names, facts, f"export NCCL_NET_GDR_C2C=1\n{_SHOWS}")
    elif not _shown(topology, names) and not is_on(switch):
        message = f"whether {listed(names)} use GPUDirect RDMA through C2C is not known: it depends on the library"
        yield could_not_tell(GRACE, message, f"export NCCL_NET_GDR_C2C=1\n{_SHOWS}", names)


def _beside_nics(topology: Topology) -> list[str]:
    nics = rdma_nics(topology)
    found = []
    for each in recorded_accelerators(topology):
        distance, _ = nearest(topology, each.id, nics)
        if distance is not None and distance <= Reach.SWITCHES and not _is_on_c2c(topology, each.id):
            found.append(each.id)
    return found


def _is_on_c2c(topology: Topology, name: str) -> bool:
    """Tell an accelerator that sits on its CPU: by its link, or by a model that is made so."""
    model = topology.component(name).model or ""
    return any(link.medium is Medium.C2C for link in topology.links_of(name)) or _SUPERCHIP.search(model) is not None


def _transports(topology: Topology, names: Sequence[str]) -> list[Fact]:
    facts = (topology.fact(name, "nccl.net.gdr") for name in names)
    return [fact for fact in facts if fact is not None and str(value_of(topology, fact.component, "nccl.net")) != ""]


def _against(topology: Topology, names: Sequence[str]) -> Iterator[Fact]:
    """Yield what proves that the NIC goes through host memory."""
    for told in _transports(topology, names):
        if told.value is False and "NET/IB" in str(value_of(topology, told.component, "nccl.net")):
            yield told
    for nic in rdma_nics(topology):
        fact = topology.fact(nic.id, "nccl.gdr")
        if fact is not None and fact.value is False:
            yield fact
    level = setting(topology, "NCCL_NET_GDR_LEVEL") or setting(topology, "NCCL_IB_GDR_LEVEL")
    if level is not None and text_of(level).lower() in _FORBIDDEN_LEVELS:
        yield level
    cuda = setting(topology, "NCCL_IB_CUDA_SUPPORT")
    if cuda is not None and not is_on(cuda):
        yield cuda
    absent = topology.fact("host", f"module.{_MODULES[0]}")
    if absent is not None and absent.status is FactStatus.ABSENT and not _has_peer_memory(topology):
        old = _too_old(topology)
        if old is not None:
            yield from (absent, old)


def _has_peer_memory(topology: Topology) -> bool:
    return any(value_of(topology, "host", f"module.{name}") == "loaded" for name in _MODULES)


def _too_old(topology: Topology) -> Fact | None:
    """Return what shows that DMA-BUF is not possible: the driver, or the kernel."""
    driver, kernel = topology.fact("host", "driver.nvidia"), topology.fact("host", "kernel.release")
    number = str(driver.value).partition(".")[0] if driver is not None else ""
    if number.isdecimal() and int(number[:6]) < _DMABUF_DRIVER:
        return driver
    match = re.match(r"(\d{1,3})\.(\d{1,3})", str(kernel.value)) if kernel is not None else None
    if (
        match
        and (int(match[1]), int(match[2])) < _DMABUF_KERNEL
        and not _BACKPORTING.search(str(kernel and kernel.value))
    ):
        return kernel
    return None


def _shown(topology: Topology, names: Sequence[str]) -> bool:
    """Tell whether something shows GPUDirect RDMA at work, or ready."""
    if _has_peer_memory(topology) or any(fact.value is True for fact in _transports(topology, names)):
        return True
    return any(value_of(topology, nic.id, "nccl.gdr") is True for nic in topology.components(Kind.NIC))


def _open(topology: Topology, names: list[str]) -> Iterator[Finding]:
    library = topology.figures.library
    if library is None or library.name != "NCCL" or not all(_may_be_nvidia(topology, name) for name in names):
        return
    absent = topology.fact("host", f"module.{_MODULES[0]}")
    missing = absent is not None and absent.status is FactStatus.ABSENT
    message = f"whether {listed(names)} use GPUDirect RDMA is not known" + (
        ": nvidia-peermem is not loaded, and whether DMA-BUF does its work no log shows" if missing else ""
    )
    remedy = _SHOWS if missing else f"lsmod | grep -i peermem\n{_SHOWS}"
    yield could_not_tell(OFF, message, remedy, names, origins([absent] if missing else []))


def _may_be_nvidia(topology: Topology, name: str) -> bool:
    return (topology.component(name).pci_id or _NVIDIA).startswith(_NVIDIA)


def _found(topology: Topology, rule: str, names: list[str], facts: list[Fact], remedy: str) -> Finding:
    told = dict.fromkeys(_told(topology, fact) for fact in facts)
    own = [fact.component for fact in facts if fact.component in names]
    harmed = list(dict.fromkeys(own)) or names
    return Finding(
        rule,
        Severity.WARNING,
        f"{listed(harmed)} do not use GPUDirect RDMA: {listed(told)}",
        remedy=remedy,
        components=tuple(harmed),
        harms=tuple(_harms(topology, harmed)),
        evidence=origins(facts),
        grade=Grade.OBSERVED,
    )


def _told(topology: Topology, fact: Fact) -> str:
    if fact.name == "nccl.net.gdr":
        return f"the log says {value_of(topology, fact.component, 'nccl.net')} without GDRDMA"
    if fact.name == "nccl.gdr":
        return f"the log says that {shown_name(topology, fact.component)} does not do it"
    if fact.status is FactStatus.ABSENT:
        return f"{fact.name.removeprefix('module.')} is not loaded"
    return (
        f"{fact.name.rpartition('.')[2]} is {fact.value}"
        if fact.name.startswith(("env", "nccl"))
        else (f"{fact.name} {fact.value} has no DMA-BUF")
    )


def _harms(topology: Topology, names: list[str]) -> Iterator[Harm]:
    """Put the way through host memory beside the direct one."""
    near = neighbours(topology)
    for name in names:
        answers = remote_answers(topology, name, near)
        direct, bounced = (
            next((route for route in answers if route.transport is transport), None)
            for transport in (Transport.GPUDIRECT_RDMA, Transport.HOST_BOUNCED)
        )
        before, after = (
            route.limit.usable.typical if route is not None and route.limit.usable is not None else None
            for route in (direct, bounced)
        )
        yield Harm(name, "remote", before, _least(before, after))


def _least(before: Bandwidth | None, after: Bandwidth | None) -> Bandwidth | None:
    return after if before is None or after is None else min(before, after)


RULE = Rule(
    OFF,
    "GPUDirect RDMA is not in use",
    check_switched,
    reasoning=(
        "A NIC below the accelerator's switch can read and write its memory itself. Without nvidia-peermem or DMA-BUF, "
        "or where a variable forbids it, data goes up to host memory and down again: the uplink carries it twice, and "
        "a third of the rate has been seen to remain."
    ),
    remedy=f"{_LOAD}; unset NCCL_NET_GDR_LEVEL and NCCL_IB_CUDA_SUPPORT; a log of the library shows /GDRDMA.",
    sources=(
        "NCCL documentation, troubleshooting: GPU Direct",
        "NVIDIA/nccl#1412",
        "NVIDIA/nccl#489",
        "NVIDIA/nccl#1303",
    ),
)
RULE_C2C = Rule(
    GRACE,
    "A Grace machine goes through host memory to the network",
    check_c2c,
    reasoning=(
        "On GH200 and GB200 the NIC hangs on the CPU and the accelerator on C2C: a distance at which older releases "
        "of the library do not use GPUDirect RDMA. It is worth 13 to 20 %."
    ),
    remedy="export NCCL_NET_GDR_C2C=1, or a newer release of the library; a log shows /GDRDMA.",
    sources=("NVIDIA/nccl#1579", "coreweave/nccl-tests#48"),
)
