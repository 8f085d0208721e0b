"""Compute the efficiency classes of the catalogue from records: ``python tests/fit_classes.py RECORDS... [--write]``.

Without ``--write`` it prints in what the shipped classes differ from the computed ones.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.prediction.catalogue_file import differences, written
from tests.prediction.fit import fit, questions, samples
from tests.prediction.records import read

SHIPPED = Path(__file__).parents[1] / "profiles" / "catalogue" / "classes.toml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write profiles/catalogue/classes.toml")
    asked = parser.parse_args()
    classes = fit(samples(questions(read(asked.records))))
    if asked.write:
        SHIPPED.write_text(written(classes))
        return 0
    found = differences(classes)
    sys.stdout.write("\n".join([*found, ""]) if found else f"all {len(classes)} classes are as computed\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
