"""Published measurements of recorded machines, printed as their tools print them: normal, or the right suspect."""

from __future__ import annotations

from tests.collectors.benchmarks import printers
from tests.shared import CORPUS, needs_shared
from toposcope import app
from toposcope.analysis.measured import Health

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


def test_a_ring_far_below_its_peer_links_is_not_normal(tmp_path):
    text = printers.nccl_tests([(1 << 30, 3.5, 6.13)], ranks=8)
    found = checked("nvidia/057-8gpu-pix-node-sys-p2pslow", tmp_path, "all_reduce_perf.txt", text)
    assert found.health in (Health.SLOW, Health.UNJUDGED)


def test_without_the_model_of_the_accelerators_it_says_what_would_help(tmp_path):
    text = printers.p2p(PEER, [[None, 19.87], [19.87, None]])
    (judged, _) = checked("nvidia/045-l4x2-sys-numa0-2", tmp_path, "p2p.txt", text).judged
    assert judged.measurement.tool == "p2pBandwidthLatencyTest"
    assert judged.health is Health.UNJUDGED
    assert "model" in judged.why
