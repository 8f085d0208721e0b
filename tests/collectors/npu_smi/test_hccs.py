"""``npu-smi info -t hccs``: lanes, speeds, errors, wiring, traffic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.npu_smi.printers import capture, pairs
from toposcope.base import Bandwidth
from toposcope.collectors.npu_smi.hccs import parse, parse_remote, parse_second, parse_traffic
from toposcope.collectors.records import FabricLink, Setting


def array(values, width=20):
    return "[" + "".join(f"{value!s:<{width}}" for value in values) + "]"


def status(modes, lanes, errors=(), health="OK"):
    return pairs(
        ("hccs health status ", health),
        ("hccs lane mode ", array(modes)),
        ("hccs link lane list ", array(lanes)),
        ("hccs link speed ", array([mode * 56 for mode in modes])),
        ("hccs error count ", array(errors or [0] * len(modes))),
        ("hccs first error lane ", array(["NA"] * len(modes))),
    )


def links(reading):
    return [record for record in reading.records if isinstance(record, FabricLink)]


def facts(reading):
    return {r.name: r.value for r in reading.records if isinstance(r, Setting)}


def test_the_speed_is_the_links_and_not_a_lanes():
    reading = parse(capture(status([4] * 7, ["1111"] * 7), "5 -c 0"))

    assert [link.link for link in links(reading)] == [1, 2, 3, 4, 5, 6, 7]
    assert {link.rate for link in links(reading)} == {Bandwidth.gigabits(224)}
    assert links(reading)[0].rate == Bandwidth.gigabytes(28)
    assert {link.accelerator for link in links(reading)} == {"NPU5"}
    assert reading.problems == ()


def test_a_link_that_lost_lanes_is_slower_and_one_without_lanes_is_down():
    reading = parse(
        capture(status([4, 2, 0, 4, 4, 4, 4], ["1111", "1100", "0000", "1111", "1111", "0000", "1111"]), "0")
    )

    found = links(reading)
    assert [link.active for link in found] == [True, True, False, True, True, False, True]
    assert found[1].rate == Bandwidth.gigabits(112)
    assert found[2].rate is None
    assert facts(reading)["hccs.2.lanes"] == "1100"


def test_errors_are_counters_of_the_link():
    reading = parse(capture(status([4] * 7, ["1111"] * 7, [0, 9, 0, 0, 0, 0, 1]), "0"))

    assert facts(reading)["counter.hccs.2.error"] == 9
    assert facts(reading)["counter.hccs.7.error"] == 1


@pytest.mark.parametrize(("count", "first"), [(6, 2), (7, 1), (8, 0), (3, 0)])
def test_links_are_numbered_to_seven(count, first):
    reading = parse(capture(status([4] * count, ["1111"] * count), "0"))

    assert links(reading)[0].link == first


def test_the_speed_follows_from_the_lanes_where_it_is_not_printed():
    reading = parse(capture(pairs(("hccs lane mode", "[1 4]")), "0"))

    assert [link.rate for link in links(reading)] == [Bandwidth.gigabits(56), Bandwidth.gigabits(224)]


def test_health_alone_is_a_fact():
    assert facts(parse(capture("hccs health status : NOK\n", "2 -c 1"))) == {"hccs.health": "NOK"}


def test_the_second_chip_of_a_card_is_asked_on_its_own():
    assert {r.subject for r in parse_second(capture("hccs health status : OK\n", "2")).records} == {"NPU2.1"}


def test_a_status_without_its_command_is_of_nobody():
    reading = parse(capture(status([4], ["1111"])))

    assert reading.records == ()
    assert "not known" in reading.problems[0].message


def test_arrays_of_unequal_length_give_no_links():
    reading = parse(capture(pairs(("hccs lane mode", "[4 4]"), ("hccs link speed", "[224]")), "0"))

    assert links(reading) == []
    assert "1 values where another line has 2" in reading.problems[0].message


def test_counters_alone_make_no_links():
    text = pairs(("hccs tx packets", array([5, 6, 7])), ("hccs retry count", array([0, 1, 0])))

    reading = parse(capture(text, "0"))

    assert links(reading) == []
    assert facts(reading)["counter.hccs.1.retry"] == 1
    assert facts(reading)["hccs.tx_packets"].split() == ["[5", "6", "7", "]"]


def test_the_wiring_tells_the_other_end():
    text = "NPU_PORT     HCCS_REMOTE_CHIP   HCCS_REMOTE_PORT\nM2      5       M14    \n"

    reading = parse_remote(capture(text, "0 -c 0"))

    (link,) = links(reading)
    assert (link.accelerator, link.link, link.peer, link.peer_link) == ("NPU0", 2, "chip 5", 14)
    assert reading.problems == ()


def test_wiring_of_a_product_that_has_none():
    reading = parse_remote(capture("This device dose not support querying hccs topo.\n", "0"))

    assert [(r.name, r.status) for r in reading.records] == [("npu-smi.hccs_remote", "unsupported")]


def test_traffic_is_a_fact_of_each_link():
    text = "hccs link | tx_bandwidth(GB/S) | rx_bandwidth(GB/S)\n1 | 0.00 | 1.25\ntotal | 0.00 | 1.25\n"

    reading = parse_traffic(capture(text, "3 -c 0"))

    assert facts(reading)["hccs.1.rx_gbs"] == "1.25"
    assert reading.problems == ()


@given(st.lists(st.sampled_from([0, 1, 2, 4]), min_size=1, max_size=8))
def test_a_printed_status_is_read_back(modes):
    reading = parse(capture(status(modes, ["1" * mode + "0" * (4 - mode) for mode in modes]), "1"))

    assert [link.rate for link in links(reading)] == [Bandwidth.gigabits(56 * mode) if mode else None for mode in modes]
    assert [link.active for link in links(reading)] == [mode > 0 for mode in modes]
    assert reading.problems == ()


@given(st.text() | st.text(alphabet="hccs :[]0124lane mode\n|M"), st.sampled_from([None, "1", "1 -c 1", "x"]))
def test_no_text_makes_them_raise(text, argument):
    for read in (parse, parse_remote, parse_traffic):
        reading = read(capture(text, argument))
        assert reading.records or reading.problems
