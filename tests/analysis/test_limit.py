"""What a crossing without a figure does to the limit of a route, and to what is called faster."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.machines import a100, superchip_tray
from tests.prediction.wiring import lookup
from toposcope.analysis import routes
from toposcope.analysis.default import faster
from toposcope.analysis.limit import limit
from toposcope.analysis.route import Transport
from toposcope.analysis.segment import Segment
from toposcope.base import Bandwidth, Origin
from toposcope.model import Grade, Medium, Reach, Usable

ORIGIN = Origin("test", "made up", 1)
SLOT = Bandwidth.gigabytes(31.5)
LINK = Segment("a", "b", Medium.PCIE, Grade.OBSERVED, ORIGIN, SLOT, Usable(SLOT * 0.8, SLOT * 0.8, SLOT * 0.8))


def crossing(reach: Reach, usable: Usable | None = None) -> Segment:
    return Segment("b", "c", Medium.NUMA, Grade.DERIVED, ORIGIN, usable=usable, reach=reach)


def test_a_way_between_sockets_that_nothing_tells_of_may_be_the_limit() -> None:
    found = limit([LINK, crossing(Reach.SOCKET)])
    assert (found.at_most, found.unknown, found.usable) == (True, 1, None)
    assert found.line == SLOT


@pytest.mark.parametrize("reach", [Reach.NUMA, Reach.ROOT_COMPLEX])
def test_a_way_inside_a_socket_takes_nothing_from_the_line(reach: Reach) -> None:
    found = limit([LINK, crossing(reach)])
    assert (found.at_most, found.usable) == (False, LINK.usable)


def test_a_class_speaks_for_a_way_between_sockets() -> None:
    usable = Usable(SLOT * 0.5, SLOT * 0.6, SLOT * 0.7)
    found = limit([LINK, crossing(Reach.SOCKET, usable)])
    assert (found.at_most, found.usable) == (False, usable)


def test_nothing_is_faster_than_what_is_not_known() -> None:
    topology = a100()
    topology.figures = lookup().figures({"NVIDIA"}, None)
    for each in range(8):
        link = topology.link(f"GPU{each}", "nvswitch")
        assert link is not None
        topology.replace(replace(link, line=None))
    found = routes(topology, "GPU0", "GPU1")
    assert faster(found, found[0]) is None


def test_no_class_speaks_across_a_cpu_that_an_accelerator_sits_on() -> None:
    topology = superchip_tray()
    topology.figures = lookup().figures({"NVIDIA"}, None)
    found = next(each for each in routes(topology, "GPU0", "remote") if each.transport is Transport.GPUDIRECT_RDMA)
    assert {each.usable for each in found.segments if each.is_crossing} == {None}
