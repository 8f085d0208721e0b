"""Units, addresses, places and harmless text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import Bandwidth, Capture, Origin, pci_address
from toposcope.base.clean import printable, without_ansi


@given(st.floats(0.001, 1e6))
def test_gigabits_are_an_eighth_of_gigabytes(figure: float) -> None:
    assert Bandwidth.gigabits(figure * 8).gbs == pytest.approx(Bandwidth.gigabytes(figure).gbs, rel=1e-6)


@pytest.mark.parametrize(
    ("gbs", "shown"), [(31.5077, "31.5"), (300, "300"), (12.0, "12.0"), (0.25, "0.25"), (99.96, "100"), (1, "1.0")]
)
def test_a_bandwidth_is_printed_with_sensible_digits(gbs: float, shown: str) -> None:
    assert str(Bandwidth.gigabytes(gbs)) == shown


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("3b:00.0", "0000:3b:00.0"),
        ("0000:3B:00.0", "0000:3b:00.0"),
        ("00000000:3B:00.0", "0000:3b:00.0"),
        ("00010000:3B:00.0", "10000:3b:00.0"),
        ("10000:81:00.3", "10000:81:00.3"),
        ("0x3b:00.0", "0000:3b:00.0"),
        (" 3b:00.0 ", "0000:3b:00.0"),
        ("3b:00", None),
        ("GPU0", None),
        ("3b:00.9", None),
    ],
)
def test_pci_addresses_in_all_spellings_are_one(text: str, address: str | None) -> None:
    assert pci_address(text) == address


@given(st.text())
def test_printable_text_has_no_control_characters(text: str) -> None:
    shown = printable(text)

    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown)


def test_escapes_of_all_kinds_are_dropped() -> None:
    assert without_ansi("a\x1b[4mb\x1b[0mc\x1b]0;title\x07d") == "abcd"
    assert printable("a\u202eb\x9b31m") == "a?b?31m"


def test_a_capture_knows_the_line_in_its_file() -> None:
    capture = Capture("lspci", "paste.txt", "one\ntwo", first_line=40)

    assert capture.origin(1) == Origin("lspci", "paste.txt", 41)
    assert str(capture.origin(1)) == "paste.txt:41"


def test_a_place_in_a_profile_is_named_as_such() -> None:
    assert str(Origin("profile", "dgx-h100")) == "profile:dgx-h100"
