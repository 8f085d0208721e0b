"""Published measurements of recorded machines, printed as their tools print them: normal, or the right suspect."""

from __future__ import annotations

from tests.collectors.benchmarks import printers
from tests.shared import CORPUS, needs_shared
from toposcope import app
from toposcope.analysis.measured import Health
from toposcope.model import Medium

pytestmark = needs_shared

SAMPLE = """\
[CUDA Bandwidth Test] - Starting...
 Device 0: Some GPU

 Host to Device Bandwidth, 1 Device(s)
 PINNED Memory Transfers
   Transfer Size (Bytes)        Bandwidth(GB/s)
   32000000                     {h2d}

 Device to Host Bandwidth, 1 Device(s)
 PINNED Memory Transfers
   Transfer Size (Bytes)        Bandwidth(GB/s)
   32000000                     {d2h}
"""
PEER = "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)"


def checked(case, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    (loaded,) = app.load([str(CORPUS / case)], app.knowledge())
    return app.check(loaded, [path])


def test_published_matrices_beside_their_recordings_are_normal():
    for case in ("nvidia/004-rtxpro6000x8-broadcom-handedited", "nvidia/005-rtxpro6000x8-wrx90-pix-pxb-node"):
        (loaded,) = app.load([str(CORPUS / case)], app.knowledge())
        found = app.check(loaded)
        assert found.health is Health.NORMAL
        assert len(found.judged) >= 56


def test_published_host_copies_are_normal(tmp_path):
    text = SAMPLE.format(h2d=26.8, d2h=26.3)
    found = checked("nvidia/018-rtx6000ada-x4-esc8000-lspci", tmp_path, "bandwidthTest.txt", text)
    assert found.health is Health.NORMAL


def test_published_sums_in_the_switches_are_normal(tmp_path):
    text = printers.nccl_tests([(1 << 20, 31.9, 55.89), (1 << 30, 263.6, 461.28), (8 << 30, 272.7, 477.16)], ranks=8)
    path = tmp_path / "all_reduce_perf.txt"
    path.write_text(text)
    (loaded,) = app.load(["profile:dgx-h100"], app.knowledge())
    found = app.check(loaded, [path])
    assert found.health is Health.NORMAL
    assert [each.measurement.size for each in found.judged] == [8 << 30]


def test_the_devices_that_a_benchmark_lists_settle_the_model(tmp_path):
    """A matrix alone tells no model: the benchmark's own list of devices does."""
    ada = " Device 0: NVIDIA RTX 6000 Ada Generation\n"
    text = SAMPLE.replace(" Device 0: Some GPU\n", ada).format(h2d=26.8, d2h=26.3)
    found = checked("nvidia/019-rtx6000ada-x2-wrx90", tmp_path, "bandwidthTest.txt", text)
    assert (found.health, len(found.judged)) == (Health.NORMAL, 2)


def test_a_copy_over_the_link_of_a_superchip_is_normal(tmp_path):
    title = "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"
    text = "Device 0: NVIDIA GH200 120GB (00000009:01:00)\n" + printers.nvbandwidth(
        "host_to_device_memcpy_ce", [[421.0]], title=title
    )
    found = checked("nvidia/021-gh200x4-nv6-gpu-numa-id", tmp_path, "nvbandwidth.txt", text)
    assert found.health is Health.NORMAL
    assert found.judged[0].expected.limits[0].medium is Medium.C2C


def test_copies_pinned_to_the_other_node_point_to_its_memory(tmp_path):
    near = SAMPLE.replace("Some GPU", "Tesla P100-PCIE-16GB").format(h2d=12.15, d2h=12.89)
    assert checked("nvidia/047-p100-x2-SOC-legend", tmp_path, "near.txt", near).health is Health.NORMAL
    far = SAMPLE.replace("Some GPU", "Tesla P100-PCIE-16GB").format(h2d=3.78, d2h=2.54)
    found = checked("nvidia/047-p100-x2-SOC-legend", tmp_path, "far.txt", far)
    assert found.health is Health.SLOW
    assert [each.kind for each in found.suspects] == ["memory"]


def test_copies_of_peers_across_sockets_are_normal(tmp_path):
    devices = "".join(
        f"Device: {n}, NVIDIA L4, pciBusID: {bus}, pciDeviceID: 0, pciDomainID:0\n" for n, bus in enumerate((1, 81))
    )
    head = "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
    text = head + devices + printers.p2p(PEER, [[None, 19.87], [19.87, None]])
    found = checked("nvidia/045-l4x2-sys-numa0-2", tmp_path, "p2p.txt", text)
    assert found.health is Health.NORMAL


def test_npus_copy_over_one_link_of_the_mesh_and_from_the_host_at_their_rate(tmp_path):
    """A reader took 26 GB/s for slow, since he took the speed of a link for that of a lane."""
    text = (
        "Unidirectional Peer to Peer Test\n      6      7\n 6    **    26.2\n 7    26.2   **\n"
        "Bidirectional Peer to Peer Test\n      6      7\n 6    **    50.8\n 7    50.8   **\n"
        "Host to Device Test\nDevice 0 Ascend 910B3\n"
        "  Size(Bytes)  Execute Times  Bandwidth(GB/s)  Elapsed Time(us)\n  536870912    5    24.8    107000.5\n\n"
        "Device to Host Test\nDevice 0 Ascend 910B3\n"
        "  Size(Bytes)  Execute Times  Bandwidth(GB/s)  Elapsed Time(us)\n  536870912    5    27.6    107000.5\n"
    )
    path = tmp_path / "ascend-dmi.txt"
    path.write_text(text)
    (loaded,) = app.load(["profile:910b-kunpeng-8"], app.knowledge())
    found = app.check(loaded, [path])
    assert found.health is Health.NORMAL
    assert sum(each.health is Health.NORMAL for each in found.judged) == 6


def test_a_ring_over_peer_copies_that_hardly_pass_is_not_normal(tmp_path):
    """The devices that nccl-tests lists have to be of this machine; the case names none, so an RTX 3090 stands in."""
    text = printers.nccl_tests([(1 << 30, 3.5, 6.13)], ranks=8).replace("Some GPU", "NVIDIA GeForce RTX 3090")
    found = checked("nvidia/057-8gpu-pix-node-sys-p2pslow", tmp_path, "all_reduce_perf.txt", text)
    assert found.health is Health.SLOW


def test_without_the_model_of_the_accelerators_it_says_what_would_help(tmp_path):
    text = printers.p2p(PEER, [[None, 19.87], [19.87, None]])
    (judged, _) = checked("nvidia/045-l4x2-sys-numa0-2", tmp_path, "p2p.txt", text).judged
    assert judged.measurement.tool == "p2pBandwidthLatencyTest"
    assert judged.health is Health.UNJUDGED
    assert "model" in judged.why
