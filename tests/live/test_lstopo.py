"""The PCIe tree, speeds and widths out of /sys alone, against what lstopo makes of the same /sys."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from defusedxml import ElementTree

from tests.printing import LOOKUP, MACHINES, machine
from tests.shared import CORPUS, needs_shared
from tests.sys_tree import functions, sys_tree
from toposcope.assembly.evidence import Evidence
from toposcope.assembly.pci_tree import PciTree
from toposcope.collectors import sysfs
from toposcope.recording import parse
from toposcope.recording.live import collect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

pytestmark = pytest.mark.skipif(shutil.which("lstopo-no-graphics") is None, reason="no lstopo here")

ARCHIVES = {"40intel64-4n10c+pci-conflicts": 3, "nvidiagpunumanodes": 6, "nvidia-dgx-gb10": 0}
"""The archives of the corpus, and how many PCI functions each shows."""
ROOT = "a root bus"
Tree = dict[str, tuple[str, float]]


def by_lstopo(root: Path | None) -> Tree:
    """Return the bridge above each function and the GB/s of its link, as lstopo shows them; 0 where it knows none."""
    fake = {"HWLOC_FSROOT": str(root), "HWLOC_COMPONENTS": "linux,stop"} if root else {}
    done = subprocess.run(
        ["lstopo-no-graphics", "--of", "xml", "--whole-io"],
        capture_output=True,
        check=True,
        env={**os.environ, **fake, "HWLOC_HIDE_ERRORS": "2"},
    )
    return dict(_functions(ElementTree.fromstring(done.stdout), ROOT))


def _functions(element: Element, above: str) -> Iterator[tuple[str, tuple[str, float]]]:
    for child in element:
        address = child.get("pci_busid")
        if address is not None:
            yield address, (above, float(child.get("pci_link_speed", "0")))
        yield from _functions(child, address or above)


def by_sysfs(root: Path) -> Tree:
    """Return the same from a live run that has nothing but /sys."""
    recording = collect(sysroot=root, collectors=(sysfs.COLLECTOR,), host="h", environ={})
    tree = PciTree(Evidence.of(parse(recording)).devices)
    found: Tree = {}
    for address, device in tree.devices.items():
        status = device.status
        line = LOOKUP.pcie_line(LOOKUP.generation(status.gts), status.width) if status else None
        above = tree.parents.get(address, ROOT)
        found[address] = (ROOT if above.startswith("pci") else above, line.gbs if line else 0.0)
    return found


def assert_equal(found: Tree, wanted: Tree) -> None:
    assert {address: above for address, (above, _) in found.items()} == {
        address: above for address, (above, _) in wanted.items()
    }
    for address, (_, speed) in wanted.items():
        assert found[address][1] == pytest.approx(speed, rel=1e-3), address


WITH_PCIE = [name for name in sorted(MACHINES) if functions(machine(name))]


@pytest.mark.parametrize("name", WITH_PCIE)
def test_the_sys_of_a_reference_machine_reads_as_in_lstopo(name: str, tmp_path: Path) -> None:
    sys_tree(machine(name), tmp_path)

    wanted = by_lstopo(tmp_path)

    assert wanted
    assert_equal(by_sysfs(tmp_path), wanted)


@needs_shared
@pytest.mark.parametrize(("name", "count"), ARCHIVES.items())
def test_an_archived_sys_reads_as_in_lstopo(name: str, count: int, tmp_path: Path) -> None:
    with tarfile.open(CORPUS / f"hwloc-xml/fsroot/{name}.tar.bz2") as archive:
        archive.extractall(tmp_path, filter="tar")

    wanted = by_lstopo(tmp_path / name)

    assert len(wanted) == count
    assert_equal(by_sysfs(tmp_path / name), wanted)


def test_the_sys_of_this_host_reads_as_in_lstopo() -> None:
    if not Path("/sys/bus/pci/devices").is_dir():
        pytest.skip("no PCI bus in the /sys of this host")

    assert_equal(by_sysfs(Path("/")), by_lstopo(None))
