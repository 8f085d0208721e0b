"""topo-aborted and link-made-up: evidence that failed, and evidence that is not to be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Severity
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import listed, origins
from toposcope.analysis.rules.ways import lines_of, ways_of
from toposcope.model import FactStatus, Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.model import Topology

ABORTED, MADE_UP = "topo-aborted", "link-made-up"
_SOFTWARE_NICS = ("siw", "rxe")


def check_topo(topology: Topology) -> Iterator[Finding]:
    """Yield a finding where nvidia-smi gave up on the matrix."""
    fact = topology.fact("host", "nvidia-smi.topo")
    if fact is None or fact.status is not FactStatus.UNREADABLE:
        return
    soft = [nic for nic in topology.components(Kind.NIC) if (nic.name or "").startswith(_SOFTWARE_NICS)]
    named = f" ({listed(nic.name or nic.id for nic in soft)} here)" if soft else ""
    yield Finding(
        ABORTED,
        Severity.WARNING,
        f"nvidia-smi topo -m gave up; an RDMA device made of software (siw, rxe) is known to do that to it{named}",
        remedy="\n".join(
            [
                "ls /sys/class/infiniband; rdma link show",
                *(f"sudo rdma link delete {nic.name}" for nic in soft),
                "# without it, record again: nvidia-smi topo -m; the PCIe tree tells the same: sudo lspci -D -nn -vvv",
            ]
        ),
        components=tuple(nic.id for nic in soft) or ("host",),
        evidence=origins([fact]),
        grade=Grade.OBSERVED,
    )


def check_made_up(topology: Topology) -> Iterator[Finding]:
    """Say once which links print a figure that cannot be, and that they are taken as unknown."""
    ways = [way for way in ways_of(topology) if way.link.line is None and way.link.width and way.devices]
    ways = [way for way in ways if topology.component(way.link.source).kind in (Kind.PCIE_BRIDGE, Kind.PCIE_SWITCH)]
    if ways:
        yield Finding(
            MADE_UP,
            Severity.INFO,
            f"the links above {listed(way.link.source for way in ways)} print far less than what hangs under them, "
            "as virtual bridges do: they are taken as unknown, not as a bottleneck",
            remedy="# measure: nvbandwidth -t host_to_device_memcpy_ce; the host of a virtual machine knows the link",
            components=tuple(way.link.source for way in ways),
            evidence=tuple(dict.fromkeys(line for way in ways for line in lines_of(topology, way.link))),
            grade=Grade.UNKNOWN,
        )


ABORTED_RULE = Rule(
    ABORTED,
    "nvidia-smi gave up on the matrix",
    check_topo,
    reasoning=(
        "nvidia-smi asks sysfs for the PCI device of every RDMA device. One made of software has none, and the tool "
        "prints 'Failed to run topology matrix' (exit code 255) instead of a matrix without it."
    ),
    remedy="Remove the software device (rdma link delete), or read the PCIe tree instead.",
    sources=("NVIDIA/NVSentinel#1485",),
)

MADE_UP_RULE = Rule(
    MADE_UP,
    "A virtual bridge prints a link that is none",
    check_made_up,
    reasoning=(
        "Virtual bridges print 2.5 GT/s x1, or nothing, above devices that need far more. NCCL then assumes "
        "12 GB/s or less; a bottleneck it is not."
    ),
    remedy="Measure, or ask on the host of the virtual machine.",
    sources=("NVIDIA/nccl#1453", "NVIDIA/nccl#811", "NVIDIA/nccl#428", "NVIDIA/nccl#1614"),
)
