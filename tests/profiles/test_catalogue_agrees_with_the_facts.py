"""The catalogue says what the shared facts say. Efficiency classes: ``tests/prediction``."""

from __future__ import annotations

import json
import re

import pytest

from tests.shared import FACTS, needs_shared
from toposcope.profiles.store import load_catalogue

pytestmark = needs_shared
CATALOGUE = load_catalogue()


def facts(name):
    return json.loads((FACTS / name).read_text())


def test_every_device_of_the_facts_is_there_with_its_figures():
    devices = {device.name: device for device in CATALOGUE.devices}
    for fact in facts("devices.json")["devices"]:
        name = re.sub(r" \(.*", "", fact["name"])
        device = devices.get(name) or devices.get(name + "A") or devices["H20-3e"]
        assert {each["id"] for each in fact["pci_ids"]} <= set(device.pci_ids)
        assert device.memory_gb == fact["memory"]["size_gb"]
        assert device.memory_gbs == fact["memory"]["bandwidth_gbs"]
        assert (device.pcie.generation, device.pcie.width) == (fact["pcie"]["gen"], fact["pcie"]["width"])
        assert device.peer_over_pcie == fact["p2p_over_pcie"]
        assert device.mig == (fact["mig"] is True)
        scale_up = fact["scaleup"]
        assert (device.fabric is None) == (scale_up is None)
        if scale_up:
            assert device.fabric.total_gbs == pytest.approx(scale_up["total_uni_gbs"])
        low = fact["confidence"] == "low"
        assert device.status == "recall" if low else device.status in ("vendor", "recall")


def test_every_nic_and_switch_of_the_facts_is_there_by_its_pci_id():
    nics = {each: nic for nic in CATALOGUE.nics for each in nic.pci_ids}
    for fact in facts("nics.json")["nics"]:
        for each in fact["pci_ids"]:
            nic = nics[each["id"]]
            assert (nic.rate_gbps or 0) / 8 == pytest.approx(fact["line_rate_uni_gbs"] or 0, abs=0.01)
            if nic.pcie:
                assert (nic.pcie.generation, nic.pcie.width) == (fact["pcie_gen"], fact["pcie_width"])
    switches = {each: switch for switch in CATALOGUE.switches for each in switch.pci_ids}
    for fact in facts("switches.json")["pcie_switch"]:
        for each in fact["pci_ids"]:
            if each["pci_ids_name"] and "Root Port" in each["pci_ids_name"]:
                continue
            assert (switches[each["id"]].generation, switches[each["id"]].lanes) == (fact["gen"], fact["lanes"])


def test_socket_links_and_nvlinks_have_the_figures_of_the_facts():
    links = facts("links.json")
    ours = sorted(entry.link_gbs for entry in CATALOGUE.sockets)
    assert ours == sorted(entry["uni_gbs_per_link"] for entry in links["cpu_cpu"])
    nvlink = {entry.link_gbs for entry in CATALOGUE.links if entry.medium == "nvlink"}
    assert nvlink == {entry["uni_gbs"] for entry in links["nvlink"]}
    xgmi = {entry.link_gbs for entry in CATALOGUE.links if entry.medium == "xgmi"}
    assert xgmi == {entry["uni_gbs"] for entry in links["xgmi_gpu"]}
    table = links["pcie"]["table"]
    assert [entry.lane_gbs for entry in CATALOGUE.pcie] == pytest.approx(
        [entry["lane_uni_gbs"] for entry in table], 1e-5
    )
