"""mlxconfig: what the firmware of a NIC is configured to do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Capture
from toposcope.collectors.mlxconfig import COLLECTOR, parse

TEXT = """
Device #1:
----------

Device type:        ConnectX7
Name:               MCX00000AAA-AAA_Ax
Description:        A card of a test; 400GbE
Device:             0000:3b:00.0

Configurations:                                          Next Boot
        MEMIC_BAR_SIZE                              0
        MAX_ACC_OUT_READ                            44
        ATS_ENABLED                                 False(0)
        LINK_TYPE_P1                                ETH(2)
"""
EXTENDED = """
Device #1:
----------

Device type:        ConnectX7
Device:             /dev/mst/mt4129_pciconf0

Configurations:                              Default         Current         Next Boot
*       ATS_ENABLED                          False(0)        False(0)        True(1)
        MAX_ACC_OUT_READ                     0               128             0
"""


def read(text: str, argument: str | None = None):
    reading = parse(Capture("mlxconfig", "f", text, argument=argument))
    return {(each.subject, each.name): each.value for each in reading.records}, reading.problems


def test_parameters_that_touch_bandwidth_are_kept() -> None:
    found, problems = read(TEXT)

    assert problems == ()
    assert found == {
        ("0000:3b:00.0", "mlxconfig.MAX_ACC_OUT_READ"): 44,
        ("0000:3b:00.0", "mlxconfig.ATS_ENABLED"): False,
        ("0000:3b:00.0", "mlxconfig.LINK_TYPE_P1"): "ETH",
    }


def test_what_is_in_force_counts_where_the_next_start_is_printed_too() -> None:
    found, _ = read(EXTENDED)

    assert found["/dev/mst/mt4129_pciconf0", "mlxconfig.ATS_ENABLED"] is False
    assert found["/dev/mst/mt4129_pciconf0", "mlxconfig.MAX_ACC_OUT_READ"] == 128


def test_the_command_names_a_device_that_the_text_does_not() -> None:
    text = "Configurations:      Next Boot\n         ATS_ENABLED        True(1)\n"
    assert read(text, "-d mlx5_1 query")[0] == {("mlx5_1", "mlxconfig.ATS_ENABLED"): True}
    found, problems = read(text)
    assert found == {}
    assert len(problems) == 1


def test_the_output_is_known_by_its_head() -> None:
    (source,) = COLLECTOR.sources
    assert source.begins is not None
    assert source.begins.search(TEXT)


@given(st.text(), st.lists(st.sampled_from(TEXT.splitlines())))
def test_no_text_makes_it_raise(text: str, lines: list[str]) -> None:
    read("\n".join(lines) + text)
