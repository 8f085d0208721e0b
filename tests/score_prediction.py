"""Score the program's predictions: ``python tests/score_prediction.py RECORDS... [--learn FILE] [--json] [--all]``.

Every machine is predicted from the others only: the efficiency classes are computed anew without it. They are computed
from the records that the shipped classes rest on (``shared/facts/measured.jsonl`` beside the checkout), or from
``--learn``, or from the scored records themselves where neither is there; and from ``prediction/evidence.toml``, whose
machines are other ones than those of the records (``--records-only`` where the scored ones may be among them).
Records that cannot be modelled are listed with the reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.prediction.records import read
from tests.prediction.score import Report, Score, score, summary
from tests.shared import FACTS

KNOWN = FACTS / "measured.jsonl"
COLUMNS = (
    "median",
    "p90",
    "theory median",
    "theory p90",
    "theory x 0.8 median",
    "theory x 0.8 p90",
    "NCCL median",
    "NCCL p90",
)
HEADS = ("median", "p90", "theory", "p90", "x 0.8", "p90", "NCCL", "p90")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--learn", action="append", type=Path, default=[], help="records to learn the classes from")
    parser.add_argument("--records-only", action="store_true", help="learn from records alone, not from evidence.toml")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--all", action="store_true", help="list every record")
    asked = parser.parse_args()
    records = read(asked.records)
    learned = read(asked.learn or [each for each in (KNOWN,) if each.is_file()] or asked.records)
    report = score(records, learned, beside=not asked.records_only)
    sys.stdout.write((as_json(report) if asked.json else as_text(report, every=asked.all)) + "\n")


def groups(scores: list[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for each in scores:
        found.setdefault(each.record.link_class, []).append(each)
    return dict(sorted(found.items()))


def as_text(report: Report, *, every: bool) -> str:
    lines = [f"{'class':28}{'records':>8}" + "".join(f"{head:>8}" for head in HEADS)]
    for name, scores in (*groups(report.scores).items(), *([("all", report.scores)] if report.scores else [])):
        made = summary(scores)
        cells = "".join(f"{made[column]:8.1%}" if column in made else f"{'-':>8}" for column in COLUMNS)
        lines.append(f"{name[:27]:28}{len(scores):8}{cells}")
    judged = [each for each in report.scores if each.named is not None]
    right = sum(bool(each.named) for each in judged)
    if judged:
        lines.append(f"named limit right: {right} of {len(judged)} ({right / len(judged):.0%})")
    wrong = (each for each in judged if not each.named)
    lines += [f"  {each.record.id}: {each.limit}, stated: {each.record.bottleneck}" for each in wrong]
    lines.append(f"not modelled: {len(report.unmodelled)}")
    lines += [f"  {record.id} {record.machine} ({record.link_class}): {why}" for record, why in report.unmodelled]
    if every:
        lines += [
            f"{each.record.id:6}{each.record.machine[:22]:24}{each.record.link_class[:26]:28}"
            f"{each.record.value:9.2f}{each.predicted:9.2f}{each.error:8.1%}  {each.limit}"
            for each in sorted(report.scores, key=lambda each: -each.error)
        ]
    return "\n".join(lines)


def as_json(report: Report) -> str:
    rows = [
        {
            "id": each.record.id,
            "machine": each.record.machine,
            "class": each.record.link_class,
            "value_gbs": each.record.value,
            "predicted_gbs": round(each.predicted, 3),
            "line_gbs": round(each.line, 3),
            "nccl_gbs": each.constant,
            "error": round(each.error, 4),
            "limit": each.limit,
            "limit_right": each.named,
        }
        for each in report.scores
    ]
    judged = [each for each in report.scores if each.named is not None]
    made = {
        "total": summary(report.scores) if report.scores else {},
        "limits": {"judged": len(judged), "right": sum(bool(each.named) for each in judged)},
        "classes": {name: summary(scores) for name, scores in groups(report.scores).items()},
        "records": rows,
        "not_modelled": [{"id": record.id, "machine": record.machine, "why": why} for record, why in report.unmodelled],
    }
    return json.dumps(made, indent=1)


if __name__ == "__main__":
    main()
