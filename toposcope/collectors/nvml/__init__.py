r"""Read what NVML answered, from the JSON document that a live run writes.

The document, format ``toposcope.nvml/1``::

    {"format": "toposcope.nvml/1",
     "driver": {"version": ANSWER, "cuda": ANSWER, "nvml": ANSWER},
     "gpus":   [{"index": 0, "name": ANSWER, "uuid": ANSWER, ...          one key a question of GPU
                 "migs":    [{"mig": 0, "uuid": ANSWER, ...}],            MIG
                 "nvlinks": [{"link": 0, "state": ANSWER, ...}]}],        LINK
     "pairs":  [{"first": 0, "second": 1, "ancestor": ANSWER, ...}],      PAIR
     "error":  "NVML_ERROR_LIBRARY_NOT_FOUND"}

    ANSWER = {"value": raw} | {"status": "unsupported"} | {"error": "NVML_ERROR_GPU_IS_LOST"}

Raw values are NVML's own: the numbers of its enumerations, strings decoded, bit sets as lists of 64-bit words, the
cluster's UUID as text. The questions of DRIVER, GPU, MIG, LINK and PAIR are the whole list; the writer may leave one
out. Errors of UNSUPPORTED are written as ``unsupported``. ``error`` stands where NVML did not start. Both directions
of a pair are written where they differ: ``first`` reaches ``second``.

Lists stand in the order of their numbers; ``index``, ``mig``, ``link`` and ``first`` come first in their objects,
each object begins on a line of its own: that line is the origin of its records.
"""

from __future__ import annotations

import re

from toposcope.collectors.nvml.questions import DRIVER, GPU, LINK, MAX_LINKS, MIG, PAIR, UNSUPPORTED, Question
from toposcope.collectors.source import Collector, Parsers, Source

document = Parsers(f"{__name__}.document")

COLLECTOR = Collector(
    "nvml",
    (
        Source(
            "nvml",
            document.parse,
            re.compile(r"nvml(?:\.json)?$|.*\snvml\.json$"),
            re.compile(r'^\s{0,9}(?:\{\s{0,9})?"format"\s{0,9}:\s{0,9}"toposcope\.nvml/', re.MULTILINE),
            gives="all that the driver's library answers",
        ),
    ),
)

__all__ = [
    "COLLECTOR",
    "DRIVER",
    "GPU",
    "LINK",
    "MAX_LINKS",
    "MIG",
    "PAIR",
    "UNSUPPORTED",
    "Question",
]
