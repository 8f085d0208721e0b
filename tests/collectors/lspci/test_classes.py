"""The table of class names."""

from __future__ import annotations

import pytest

from toposcope.collectors.lspci.classes import class_code, has_settings, is_bridge


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("3D controller", "0302"),
        ("VGA compatible controller", "0300"),
        ("Processing accelerators", "1200"),
        ("Infiniband controller", "0207"),
        ("Ethernet controller", "0200"),
        ("PCI bridge", "0604"),
        ("Bridge", "0680"),
        ("Co-processor", "0b40"),
        ("Something new", None),
    ],
)
def test_a_name_gives_its_code(name, code):
    assert class_code(name) == code


def test_only_bridges_have_a_bus_behind_them():
    assert is_bridge("0604")
    assert not is_bridge("0600")
    assert not is_bridge("0680")
    assert not is_bridge(None)


@pytest.mark.parametrize("code", ["0200", "0207", "0280", "0300", "0302", "0380", "0604", "0680", "0b40", "1200", None])
def test_devices_on_a_path_have_settings(code):
    assert has_settings(code)


@pytest.mark.parametrize("code", ["0106", "0600", "0880", "0c03", "1101"])
def test_other_devices_have_none(code):
    assert not has_settings(code)
