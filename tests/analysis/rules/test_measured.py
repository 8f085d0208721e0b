"""What benchmarks say: that the software is the limit, or that messages were small."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.rules.rails import rails
from tests.machines import ORIGIN
from toposcope.analysis.finding import Severity, Verdict
from toposcope.analysis.rules import measured
from toposcope.base import Bandwidth
from toposcope.model import Measurement, Topology

RDMA = Measurement("perftest", "rdma", Bandwidth.gigabytes(49), ORIGIN, nic="NIC0")
REDUCE = Measurement(
    "nccl-tests", "busbw", Bandwidth.gigabytes(13), ORIGIN, collective="all_reduce", size=1 << 30, hosts=2
)


def measuring(*found: Measurement) -> Topology:
    topology = rails()
    topology.measurements.extend(found)
    return topology


def breaks_software_limit() -> Topology:
    return measuring(RDMA, REDUCE)


def keeps_software_limit() -> Topology:
    return measuring(RDMA, replace(REDUCE, value=Bandwidth.gigabytes(180)))


def cannot_tell_software_limit() -> Topology:
    return measuring(REDUCE)


def breaks_size_small() -> Topology:
    return measuring(replace(REDUCE, size=1 << 20))


def keeps_size_small() -> Topology:
    return measuring(replace(REDUCE, size=1 << 20), REDUCE)


def cannot_tell_size_small() -> Topology:
    return measuring(RDMA)


def test_the_collective_is_put_beside_the_nic() -> None:
    (finding,) = measured.check_limit(breaks_software_limit())

    assert finding.severity is Severity.INFO
    (harm,) = finding.harms
    assert harm.before is not None
    assert harm.after is not None
    assert (harm.before.gbs, harm.after.gbs) == (49, 13)


def test_a_network_that_is_slow_itself_is_not_cleared() -> None:
    slow = replace(RDMA, value=Bandwidth.gigabytes(20))
    assert list(measured.check_limit(measuring(slow, REDUCE))) == []


def test_a_test_of_both_directions_counts_both() -> None:
    both = replace(RDMA, value=Bandwidth.gigabytes(60), words=("both",))
    assert list(measured.check_limit(measuring(both, REDUCE))) == []


def test_without_an_rdma_test_one_is_asked_for() -> None:
    (finding,) = measured.check_limit(cannot_tell_software_limit())

    assert finding.verdict is Verdict.COULD_NOT_TELL
    assert "ib_write_bw" in finding.remedy


def test_a_collective_on_one_host_is_no_matter_of_the_network() -> None:
    assert list(measured.check_limit(measuring(RDMA, replace(REDUCE, hosts=1)))) == []
