"""A /sys tree, in an archive, a folder or live, becomes the text that the collector reads."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

from tests.recording.fakes import folder, member, tar_bytes
from toposcope.collectors.records import NumaNode, PciDevice
from toposcope.recording import parse, read, sysfs
from toposcope.recording.disk_tree import DiskTree
from toposcope.recording.live import collect

if TYPE_CHECKING:
    from pathlib import Path

ROOT_PORT, GPU = "0000:a0:01.0", "0000:a1:00.0"
CHAIN = f"sys/devices/pci0000:a0/{ROOT_PORT}"
FILES = {
    f"{CHAIN}/class": "0x060400\n",
    f"{CHAIN}/vendor": "0x1234\n",
    f"{CHAIN}/device": "0x0001\n",
    f"{CHAIN}/{GPU}/class": "0x030200\n",
    f"{CHAIN}/{GPU}/vendor": "0x1234\n",
    f"{CHAIN}/{GPU}/device": "0x0002\n",
    f"{CHAIN}/{GPU}/numa_node": "1\n",
    f"{CHAIN}/{GPU}/current_link_speed": "16.0 GT/s PCIe\n",
    f"{CHAIN}/{GPU}/power/unheard_of": "1\n",
    "sys/devices/system/node/node1/cpulist": "8-15\n",
    "sys/devices/system/node/node1/distance": "21 10\n",
    "proc/sys/kernel/osrelease": "6.1.0\n",
}
LINKS = {
    f"sys/bus/pci/devices/{ROOT_PORT}": f"../../../devices/pci0000:a0/{ROOT_PORT}",
    f"sys/bus/pci/devices/{GPU}": f"../../../devices/pci0000:a0/{ROOT_PORT}/{GPU}",
    f"{CHAIN}/{GPU}/driver": "../../../../bus/pci/drivers/box",
}


def on_disk(root: Path) -> Path:
    folder(root, FILES)
    for path, target in LINKS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)
    return root


def check(text: str) -> None:
    lines = text.splitlines()
    assert f"/sys/bus/pci/devices/{GPU}\t->\t../../../devices/pci0000:a0/{ROOT_PORT}/{GPU}" in lines
    assert f"/sys/bus/pci/devices/{GPU}/driver\t->\t../../../../bus/pci/drivers/box" in lines
    assert f"/sys/bus/pci/devices/{GPU}\tnuma_node\t1" in lines
    assert f"/sys/bus/pci/devices/{GPU}\tcurrent_link_speed\t16.0 GT/s PCIe" in lines
    assert f"/sys/bus/pci/devices/{ROOT_PORT}\tclass\t0x060400" in lines
    assert not any("unheard_of" in line for line in lines)


def test_a_tree_in_an_archive_is_written_as_text(tmp_path: Path) -> None:
    links = [member(f"box/{path}", tarfile.SYMTYPE, target) for path, target in LINKS.items()]
    path = tmp_path / "sys.tar.bz2"
    path.write_bytes(tar_bytes({f"box/{name}": text for name, text in FILES.items()}, mode="w:bz2", extra=links))

    (recording,) = read([path])

    captures = {capture.source: capture for capture in recording.captures}
    check(captures["sysfs-pci"].text)
    assert captures["sysfs-pci"].file == "sys.tar.bz2!box/sys (sysfs-pci)"
    assert "/sys/devices/system/node/node1\tcpulist\t8-15" in captures["sysfs-numa"].text
    assert "/proc/sys/kernel\tosrelease\t6.1.0" in captures["sysfs-host"].text
    assert recording.problems == ()


def test_a_tree_in_a_folder_reads_as_in_an_archive(tmp_path: Path) -> None:
    (recording,) = read([on_disk(tmp_path / "box")])

    check(next(capture.text for capture in recording.captures if capture.source == "sysfs-pci"))


def test_a_tree_on_disk_reads_as_a_copied_one(tmp_path: Path) -> None:
    copied = sysfs.texts(sysfs.CopiedTree({name: text.encode() for name, text in FILES.items()}, dict(LINKS)))

    assert sysfs.texts(DiskTree(on_disk(tmp_path))) == copied


def test_a_copy_without_the_bus_folder_gets_its_links_from_the_devices() -> None:
    text = sysfs.texts(sysfs.CopiedTree({name: text.encode() for name, text in FILES.items()}, {}))["sysfs-pci"]

    assert f"/sys/bus/pci/devices/{GPU}\t->\t../../../devices/pci0000:a0/{ROOT_PORT}/{GPU}" in text.splitlines()


def test_links_that_lead_out_or_in_circles_give_nothing() -> None:
    links = {
        "sys/bus/pci/devices/0000:00:01.0": "../../../../../../etc",
        "sys/bus/pci/devices/0000:00:02.0": "0000:00:03.0",
        "sys/bus/pci/devices/0000:00:03.0": "0000:00:02.0",
    }

    text = sysfs.texts(sysfs.CopiedTree({"etc/class": b"secret"}, links)).get("sysfs-pci", "")

    assert "secret" not in text


def test_a_value_cannot_forge_a_line() -> None:
    files = {f"{CHAIN}/label": b"a\tb\r\n/sys/bus/pci/devices/0000:00:00.0\tclass\t0x030000\n"}

    text = sysfs.texts(sysfs.CopiedTree(files, {}))["sysfs-pci"]

    assert all(line.startswith(f"/sys/bus/pci/devices/{ROOT_PORT}\t") for line in text.splitlines())


def test_a_binary_attribute_is_written_as_hex() -> None:
    text = sysfs.texts(sysfs.CopiedTree({f"{CHAIN}/config": b"\x34\x12\x00\xff"}, {}))["sysfs-pci"]

    assert f"/sys/bus/pci/devices/{ROOT_PORT}\tconfig\t341200ff" in text.splitlines()


def test_an_empty_folder_of_a_live_tree_is_told_from_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "sys/class/iommu").mkdir(parents=True)

    assert sysfs.texts(DiskTree(tmp_path)) == {"sysfs-host": "/sys/class/iommu\t!\tempty\n"}
    assert sysfs.texts(DiskTree(tmp_path / "nowhere")) == {}


def test_a_run_below_another_root_reads_its_tree(tmp_path: Path) -> None:
    recording = collect(sysroot=on_disk(tmp_path), collectors=(), host="box", time="2026-01-02T03:04:05+00:00")

    reading = parse(recording)

    devices = {record.address: record for record in reading.records if isinstance(record, PciDevice)}
    assert devices[GPU].parent == ROOT_PORT
    assert [record.cpus for record in reading.records if isinstance(record, NumaNode)] == ["8-15"]
