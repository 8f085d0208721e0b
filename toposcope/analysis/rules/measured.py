"""software-limit and size-small: what benchmarks in the recording say of the topology's part in a low figure.

Both keep blame from the wiring. Where an RDMA test reaches the port's rate and a collective over the same network gets
less than one NIC carries, no segment is slow. Where a collective was measured with small messages only, its figure is
one of latency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.finding import Finding, Harm, Severity
from toposcope.analysis.nics import network_link, ports_of
from toposcope.analysis.rules.rule import Rule
from toposcope.analysis.rules.subject import could_not_tell, listed, recorded_accelerators
from toposcope.analysis.rules.traffic import shown_name
from toposcope.model import Grade, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.base import Bandwidth
    from toposcope.model import Measurement, Topology

LIMIT, SMALL = "software-limit", "size-small"
_REACHED = 0.9
"""The share of the port's rate from which on an RDMA test shows that the network is well."""

_LOW = 0.7
"""A collective with less than this share of one NIC's measured rate is held back by something else."""

_LARGE = 64 * 1024 * 1024
"""Bytes of a message from which on collectives show bandwidth."""


def check_limit(topology: Topology) -> Iterator[Finding]:
    """Put collectives across hosts beside RDMA tests over their NICs."""
    low = [each for each in _collectives(topology) if (each.hosts or 1) > 1 and (each.size or 0) >= _LARGE]
    if not low:
        return
    best = max(low, key=lambda each: each.value)
    tests = [each for each in topology.measurements if each.metric == "rdma" and each.nic is not None]
    good = {each: line for each in tests if (line := _line(topology, each)) is not None and _reaches(each, line)}
    if good:
        fastest = max(good, key=lambda each: each.value)
        if best.value.bytes_per_s < fastest.value.bytes_per_s * _LOW:
            yield _software(topology, best, fastest)
    elif not tests and (port := _slowest_port(topology)) and best.value.bytes_per_s < port.bytes_per_s * _LOW:
        message = f"whether network or software holds {_named(best)} at {best.value} GB/s is not known"
        yield could_not_tell(
            LIMIT,
            message,
            "ib_write_bw -d DEVICE --report_gbits -F SERVER  # each NIC by itself, between the same hosts",
            [each.id for each in recorded_accelerators(topology)],
            (best.origin,),
        )


def check_small(topology: Topology) -> Iterator[Finding]:
    """Find collectives of which only small messages were measured."""
    sized = [each for each in _collectives(topology) if each.size is not None]
    if not sized or any((each.size or 0) >= _LARGE for each in sized):
        return
    largest = max(sized, key=lambda each: each.size or 0)
    yield Finding(
        SMALL,
        Severity.INFO,
        f"{_named(largest)} was measured up to {(largest.size or 0) / 2**20:g} MiB: that shows latency, not bandwidth",
        remedy=f"{largest.collective or 'all_reduce'}_perf -b 64M -e 8G -f 2 -g GPUS",
        components=largest.members or ("host",),
        evidence=(largest.origin,),
        grade=Grade.MEASURED,
    )


def _collectives(topology: Topology) -> list[Measurement]:
    return [each for each in topology.measurements if each.metric == "busbw"]


def _line(topology: Topology, test: Measurement) -> Bandwidth | None:
    if test.nic is None or test.nic not in topology:
        return None
    links = (network_link(topology, port.id) for port in ports_of(topology, test.nic))
    return max((link.line for link in links if link is not None and link.line is not None), default=None)


def _reaches(test: Measurement, line: Bandwidth) -> bool:
    both = 2 if "both" in test.words else 1
    return test.value.bytes_per_s >= line.bytes_per_s * _REACHED * both


def _slowest_port(topology: Topology) -> Bandwidth | None:
    links = (network_link(topology, port.id) for port in topology.components(Kind.NIC_PORT))
    return min((link.line for link in links if link is not None and link.line is not None), default=None)


def _named(each: Measurement) -> str:
    return (each.collective or "the collective").replace("_", "-")


def _software(topology: Topology, low: Measurement, good: Measurement) -> Finding:
    nic = str(good.nic)
    rate = good.value if "both" not in good.words else good.value * 0.5
    names = [each.id for each in recorded_accelerators(topology)]
    return Finding(
        LIMIT,
        Severity.INFO,
        f"{_named(low)} reaches {low.value} GB/s across hosts, while {shown_name(topology, nic)} alone carries {rate}: "
        "no link on the way is slow, the software is",
        remedy=(
            "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET,TUNING JOB  # GDRDMA? all NICs? how many channels?\n"
            f"# then: NCCL_IB_QPS_PER_CONNECTION, NCCL_NCHANNELS_PER_NET_PEER, NCCL_PXN_DISABLE ({listed(names)})"
        ),
        components=(nic,),
        harms=(Harm(names[0], "remote", rate, low.value),) if names else (),
        evidence=(low.origin, good.origin),
        grade=Grade.MEASURED,
    )


RULE_LIMIT = Rule(
    LIMIT,
    "The software holds a collective back, not the wiring",
    check_limit,
    reasoning=(
        "A point-to-point RDMA test at the port's rate proves PCIe, NIC, cable and switch. A collective that gets less "
        "than one such NIC over the same network is limited by connections, channels, host copies or its own size."
    ),
    remedy="NCCL_DEBUG_SUBSYS=INIT,GRAPH,NET,TUNING; then queue pairs, channels, GPUDirect RDMA, all NICs in use.",
    sources=("NVIDIA/nccl#2409", "NVIDIA/nccl#1114"),
)
RULE_SMALL = Rule(
    SMALL,
    "A collective was measured with small messages only",
    check_small,
    reasoning=(
        "Below 64 MB the start of each step counts more than the links. And what copies reach of a link is less than "
        "its raw rate: 370 of 450 GB/s over NVLink on eight H100, 230 of 300 on eight A100, is as expected."
    ),
    remedy="all_reduce_perf -b 64M -e 8G -f 2; compare with the usable figures of `toposcope analyze`.",
    sources=("NVIDIA/nccl#1054", "NVIDIA/nccl-tests#149", "NVIDIA/nccl-tests#212", "NVIDIA/nccl#1264"),
)
