"""The catalogue says what the shared facts say, and the efficiency classes are those of the published records."""

from __future__ import annotations

import json
import re
from statistics import median

import pytest

from tests.shared import FACTS, needs_shared
from toposcope.profiles.store import load_catalogue

pytestmark = needs_shared
CATALOGUE = load_catalogue()

# Class: the link classes of the records it rests on, or single records where a class is finer than they are.
RECORDS: dict[str, tuple[str, ...]] = {
    **{f"nvlink{i}": (f"nvlink{i}_p2p_ce",) for i in range(1, 6)},
    "hccs": ("hccs_910b_p2p",),
    "xgmi": ("xgmi_mi300x_p2p",),
    **{f"pcie{i}-host": (f"pcie{i}x16_host",) for i in (3, 4, 5)},
    **{f"pcie{i}-host-socket": (f"pcie{i}x16_host_xsocket",) for i in (3, 5)},
    "pcie5-peer": ("pcie5x16_p2p_switch",),
    "pcie3-peer-root-complex": ("a124",),
    "pcie4-peer-root-complex": ("a050", "a062", "a063"),
    "pcie5-peer-root-complex": ("a073", "a075", "a077"),
    "pcie4-peer-numa": ("a040", "a042"),
    "pcie5-peer-numa": ("a099", "a118"),
    **{f"pcie{i}-peer-socket": (f"pcie{i}x16_p2p_xsocket",) for i in (4, 5)},
    "pcie4-peer-socket.rome": ("a041", "a043"),
    "pcie5-peer-socket.genoa": ("a074", "a076"),
    "pcie5-peer-socket.turin": ("a081", "a084", "a096"),
    "staged": ("staged_host",),
    "staged-same-switch": ("staged_same_switch",),
    "rdma100": ("gdr100",),
    "rdma200": ("gdr200_pix",),
    "rdma400": ("gdr400_pix",),
    "rdma": ("gdr100", "gdr200_pix", "gdr400_pix"),
    "rdma-numa": ("gdr200_node",),
    "rdma-socket": ("gdr200_sys",),
    "rdma-host": ("rdma100_host", "rdma200_host", "rdma400_host"),
    "roce-npu": ("roce200_npu",),
    "roce-npu-host": ("roce200_npu_host",),
    "collective-nvlink3": ("nvlink3_nccl_ring", "nvlink3_nccl_sendrecv"),
    "collective-nvlink4": ("nvlink4_nccl_ring",),
    "collective-nvlink4-nvls": ("nvlink4_nccl_nvls",),
    "collective-nvlink5-nvls": ("nvlink5_nccl_nvls",),
    "collective-pcie4": ("pcie4x16_nccl",),
    "collective-pcie5": ("pcie5x16_nccl",),
    "collective-xgmi": ("xgmi_mi300x_nccl",),
    "collective-network": ("nccl_multinode_200g", "nccl_multinode_400g"),
}


def facts(name):
    return json.loads((FACTS / name).read_text())


def records(names):
    for line in (FACTS / "measured.jsonl").read_text().splitlines():
        record = json.loads(line)
        usable = not record["anomaly"] and record["score_use"].startswith("bandwidth") and record["ratio"] is not None
        if usable and (record["link_class"] in names or record["id"] in names):
            yield record


@pytest.mark.parametrize("name", RECORDS)
def test_a_class_is_the_median_of_its_records_and_spans_them(name):
    entry = next(each for each in CATALOGUE.classes if each.name == name)
    found = list(records(RECORDS[name]))
    if name.startswith("staged"):
        found = [record for record in found if not record["direction"].startswith("bi")]
    one_way = [record["ratio"] for record in found if not record["direction"].startswith("bi")]
    ratios = [record["ratio"] for record in found]
    assert entry.typical == pytest.approx(median(one_way or ratios), abs=0.0006)
    low, high = (min(ratios), max(ratios)) if len(ratios) > 1 else (0.95 * ratios[0], min(1.0, 1.05 * ratios[0]))
    assert (entry.low, entry.high) == (pytest.approx(low, abs=0.0006), pytest.approx(high, abs=0.0006))
    assert (entry.records, entry.machines) == (len(ratios), len({record["machine"] for record in found}))


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
