"""The CPU family from numbers, from names, and when it is not told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.profiles.platforms import platform_of
from toposcope.profiles.store import load_catalogue, load_machines

CATALOGUE = load_catalogue(parts=["platforms"])


def name_of(**told):
    found = platform_of(CATALOGUE, **told)
    return found.name if found else None


@pytest.mark.parametrize(
    ("vendor", "family", "model", "name"),
    [
        ("GenuineIntel", 6, 143, "Intel Sapphire Rapids"),
        ("GenuineIntel", 6, 85, "Intel Skylake or Cascade Lake"),
        ("AuthenticAMD", 23, 49, "AMD Rome"),
        ("AuthenticAMD", 25, 1, "AMD Milan"),
        ("AuthenticAMD", 25, 17, "AMD Genoa"),
        ("AuthenticAMD", 26, 2, "AMD Turin"),
        ("CentaurHauls", 7, 91, "Zhaoxin KaiSheng and Yongfeng"),
        ("Shanghai", 7, 91, "Zhaoxin, Shanghai"),
    ],
)
def test_the_numbers_of_lscpu_tell_the_family_whatever_the_name(vendor, family, model, name):
    assert name_of(vendor=vendor, family=family, model=model, name="Some Processor") == name


def test_the_name_tells_it_where_the_numbers_do_not():
    assert name_of(vendor="GenuineIntel", name="Intel(R) Xeon(R) Platinum 8480C") == "Intel Sapphire Rapids"
    assert name_of(vendor="HiSilicon", name="Kunpeng-920", model=0) == "Kunpeng 920"
    assert name_of(vendor="ARM", name="Neoverse-V2", model=0) == "NVIDIA Grace"


def test_another_arm_core_is_no_grace():
    assert name_of(vendor="ARM", name="Neoverse-N1", model=0) is None


def test_a_vendor_that_contradicts_the_name_tells_nothing():
    assert name_of(vendor="AuthenticAMD", name="Intel(R) Xeon(R) Platinum 8480C") is None


def test_nothing_is_known_of_nothing():
    assert name_of() is None


def test_every_shipped_machine_with_a_cpu_s_name_has_a_family():
    for machine in load_machines().values():
        if machine.cpu.model:
            assert name_of(vendor=machine.cpu.vendor, name=machine.cpu.model), machine.name


@given(st.text(), st.text(), st.integers() | st.none(), st.integers() | st.none())
def test_no_text_makes_it_raise(vendor, name, family, model):
    name_of(vendor=vendor, name=name, family=family, model=model)
