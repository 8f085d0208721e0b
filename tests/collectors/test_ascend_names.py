"""Cards, chips and physical ids of one die come under one name."""

from __future__ import annotations

from toposcope.base import Capture
from toposcope.collectors import hccn_tool, npu_smi
from toposcope.collectors.ascend_names import with_physical_names
from toposcope.collectors.records import Accelerator, FabricLink, NetworkPort, Setting

SOURCES = {source.key: source for tool in (npu_smi, hccn_tool) for source in tool.COLLECTOR.sources}
MAP = "NPU ID  Chip ID  Chip Logic ID  Chip Phy-ID  Chip Name\n3 0 0 6 Ascend910\n3 1 1 7 Ascend910\n3 2 - - Mcu\n"
SINGLE = "NPU ID  Chip ID  Chip Logic ID  Chip Name\n3 0 0 Ascend 910X\n7 0 1 Ascend 910X\n"


def read(*outputs):
    captures = (Capture(key, "made-up.txt", text, 1, argument) for key, text, argument in outputs)
    return [record for capture in captures for record in SOURCES[capture.source].parse(capture).records]


def names(records, kind, field):
    return [getattr(record, field) for record in records if isinstance(record, kind)]


def test_a_die_asked_by_card_and_chip_is_the_one_with_that_phy_id():
    records = with_physical_names(
        read(
            ("npu-smi-info-hccs", "hccs link speed : [224 224]\n", "3 -c 1"),
            ("npu-smi-info-health", "Health Status : OK\n", "3 -c 0"),
            ("npu-smi-info-m", MAP, None),
        )
    )

    assert set(names(records, FabricLink, "accelerator")) == {"Phy-ID7"}
    assert set(names(records, Accelerator, "label")) == {"Phy-ID6", "Phy-ID7"}


def test_a_port_asked_by_physical_id_is_the_dies_with_that_id():
    records = with_physical_names(read(("npu-smi-info-m", MAP, None), ("hccn-link", "link status: UP\n", "7")))

    assert names(records, NetworkPort, "device") == ["Phy-ID7"]


def test_a_card_and_a_physical_id_of_one_number_are_not_mixed_up():
    text = MAP.replace("3 0", "6 0").replace("3 1", "6 1")

    records = with_physical_names(
        read(
            ("npu-smi-info-m", text, None),
            ("npu-smi-info-health", "Health Status : Alarm\n", "6 -c 1"),
            ("hccn-net-health", "net health status: Fault\n", "6"),
        )
    )

    facts = {r.name: r.subject for r in records if isinstance(r, Setting)}
    assert (facts["health.health_status"], facts["hccn.net_health"]) == ("Phy-ID7", "Phy-ID6")


def test_the_port_of_a_die_keeps_its_number():
    records = with_physical_names(
        read(("npu-smi-info-m", MAP, None), ("hccn-bandwidth", "Bandwidth TX: 1\n", "6 -u 0 -p 4"))
    )

    assert "Phy-ID6/4" in names(records, Setting, "subject")


def test_a_host_without_phy_ids_keeps_its_names():
    records = read(("npu-smi-info-m", SINGLE, None), ("hccn-link", "link status: UP\n", "7"))

    assert with_physical_names(records) == tuple(records)


def test_a_chip_that_no_table_shows_keeps_its_name():
    records = with_physical_names(
        read(("npu-smi-info-m", MAP, None), ("npu-smi-info-health", "Health Status : OK\n", "9 -c 1"))
    )

    assert "NPU9.1" in names(records, Accelerator, "label")
