"""Fuzzes the parsers guided by coverage, with atheris (``pip install atheris``), which is no dependency of the tests.

``python -m tests.fuzz_parsers_atheris FAMILY [FOLDER OF TEXTS] [options of libFuzzer]``, where FAMILY is the name of a
collector or ``all``::

    python -m tests.fuzz_parsers_atheris lspci corpus/pci -max_total_time=300 -max_len=20000

A text goes to every source of the family. A parser must not raise, and must give problems and records with their lines.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["toposcope"]):
    from toposcope.base import Capture
    from toposcope.collectors import COLLECTORS
    from toposcope.recording.text import decode


def main() -> None:
    family = sys.argv.pop(1) if len(sys.argv) > 1 else "all"
    sources = [source for each in COLLECTORS if family in ("all", each.name) for source in each.sources]
    if not sources:
        sys.exit(f"no family {family}: {', '.join(each.name for each in COLLECTORS)}, all")

    def one(data: bytes) -> None:
        text = decode(data)
        for source in sources if text else ():
            reading = source.parse(Capture(source.key, "fuzz", text or "", argument=None))
            lines = (text or "").count("\n") + 1
            for problem in reading.problems:
                if not 0 <= problem.origin.line <= lines:
                    raise AssertionError(f"{source.key}: a problem in line {problem.origin.line} of {lines}")

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
