"""The shipped efficiency classes are those of the records, and predict machines that they were not computed from."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.prediction.catalogue_file import differences
from tests.prediction.fit import Sample, fit, questions, samples
from tests.prediction.questions import Question, question
from tests.prediction.records import Record, read
from tests.prediction.score import score, stated_limits, summary
from tests.shared import FACTS, needs_shared

RECORD = Record(
    id="x1",
    machine="invented",
    link_class="nvlink4_p2p_ce",
    path="GPU-NV18-NVSwitch-GPU",
    metric="memcpy",
    direction="uni",
    value=390.0,
    theory=450.0,
    basis="",
    size=None,
    tool="nvbandwidth",
    flows="",
    source="GPU0",
    destination="GPU1",
    peer_access="",
    bottleneck="",
    told_by="",
    anomaly=False,
    use="bandwidth",
    title="",
    rails=None,
    topology={"gpu": "8x H100 SXM", "gpu_links": "NV18 via NVSwitch"},
)


PUBLISHED = {
    "link_class": RECORD.link_class,
    "path": RECORD.path,
    "metric": "memcpy",
    "direction": "uni",
    "value_GBps": 390.0,
    "theory_GBps": 450.0,
    "tool": "nvbandwidth",
    "src": "GPU0",
    "dst": "GPU1",
    "topology": RECORD.topology,
}


@needs_shared
def test_the_shipped_classes_are_those_of_the_records():
    assert differences(fit(samples(questions(read([FACTS / "measured.jsonl"]))))) == []


@needs_shared
def test_machines_left_out_are_predicted_far_better_than_by_theory():
    records = read([FACTS / "measured.jsonl"])
    report = score(records, records)
    total = summary(report.scores)
    assert len(report.scores) > 150
    assert total["median"] < 0.04
    assert total["p90"] < 0.16
    assert total["median"] < total["theory x 0.8 median"] / 2
    judged = [each.named for each in report.scores if each.named is not None]
    assert sum(judged) >= 0.95 * len(judged)


def test_a_machine_is_predicted_from_the_others_alone():
    two = [RECORD, replace(RECORD, id="x2", machine="another", value=300.0)]
    report = score(two, two, beside=False)
    assert [each.predicted for each in report.scores] == pytest.approx([300.0, 390.0], rel=0.01)


def test_the_baselines_stand_beside_the_prediction():
    """450 by theory; 18 links of 20.6 by the constants of NCCL."""
    two = [RECORD, replace(RECORD, id="x2", machine="another")]
    total = summary(score(two, two, beside=False).scores)
    assert total["median"] == pytest.approx(0, abs=0.01)
    assert total["theory median"] == pytest.approx(60 / 390)
    assert total["theory x 0.8 median"] == pytest.approx(30 / 390)
    assert total["NCCL median"] == pytest.approx(19.2 / 390)


def test_the_script_prints_a_table_and_json(tmp_path):
    machines = ("one", "two")
    paths = [tmp_path / f"{name}.jsonl" for name in machines]
    for name, path in zip(machines, paths, strict=True):
        path.write_text(json.dumps(PUBLISHED | {"id": name, "machine": name}) + "\n")
    script = [sys.executable, Path(__file__).parents[1] / "score_prediction.py", *paths, "--records-only"]
    script += ["--learn", paths[0], "--learn", paths[1]]
    text = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    told = json.loads(subprocess.run([*script, "--json"], capture_output=True, text=True, check=True).stdout)
    assert "nvlink4_p2p_ce" in text
    assert set(told["classes"]) == {"nvlink4_p2p_ce"}
    assert [each["id"] for each in told["records"]] == list(machines)
    assert {"median", "p90", "theory median", "theory x 0.8 median", "NCCL median"} <= set(told["total"])


def test_a_class_is_the_median_of_one_way_samples_and_spans_all():
    found = fit(
        [
            Sample("nvlink4", 0.8, "a"),
            Sample("nvlink4", 0.9, "b"),
            Sample("nvlink4", 0.86, "b"),
            Sample("nvlink4", 0.5, "c", both=True),
        ]
    )
    assert (found["nvlink4"].low, found["nvlink4"].typical, found["nvlink4"].high) == (0.5, 0.86, 0.9)
    assert found["nvlink5"].like == "nvlink4"


def test_one_sample_alone_leaves_a_margin():
    found = fit([Sample("xgmi", 0.8, "a")])["xgmi"]
    assert (found.low, found.typical, found.high) == pytest.approx((0.76, 0.8, 0.84))


def test_a_record_becomes_a_question_with_the_line_of_its_links():
    asked = question(RECORD)
    assert isinstance(asked, Question)
    expected = asked.ask(_figures())
    assert expected.line.gbs == 450


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"link_class": "nccl_multinode_x", "metric": "busbw", "path": "InfiniBand"}, "number of the NICs"),
        ({"metric": "rdma", "link_class": "new", "path": "host", "source": "host"}, "rate of the NIC"),
        ({"link_class": "hccs_host", "direction": "H2D"}, "link to the host"),
        ({"flows": "as it pleases", "topology": {"gpu": "8x L40S", "pcie": "Gen4 x16"}}, "not understood"),
    ],
)
def test_a_record_that_says_too_little_is_not_modelled_and_why(change, why):
    assert why in question(replace(RECORD, **change))


def test_records_without_most_fields_are_read(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"id": "z", "value_GBps": 3}\n\n{"machine": "m", "topology": "a box", "flows": "0>1"}\n')
    assert next(question(record) for record in read([path]))
    assert [record.machine for record in read([path])] == ["z", "m"]


def test_the_kinds_of_limit_are_read_from_words():
    assert "staged" in stated_limits(replace(RECORD, bottleneck="P2P disabled by driver"))
    assert stated_limits(replace(RECORD, bottleneck="something else")) == set()


def _figures():
    from tests.prediction.fit import figures_of

    return figures_of(fit([Sample("nvlink4", 0.8, "a")]))
